#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Contention: each wait that is made is counted, at the stack that waits, for as long as the program's own
# clock says it can have been; and locks of all types are as without us. TAP.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_waits.sh   (after: make sampler-test-files)

# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

programs=$build/tests/sampler
waits=$programs/waits

# As sampled, but not for ever; the watch itself is not sampled.
guarded() {
	sampled env -u LD_PRELOAD timeout -s INT 60 env LD_PRELOAD="$library" "$@"
}

said() { # name: what the program printed
	sed -n "s/^$1 //p" "$scratch/out"
}

# All of one kind, none of another, whole stacks that begin in the program, and a sum within its bounds.
waits_are_counted() { # kind
	options="FLAMEGATE_PROFILE=lock"
	guarded "$waits" "$1" 4
	"$dump" -s "$captures" >"$scratch/stacks"
	[ "$status" -eq 0 ] && between damaged 0 0 && between counter_waits_lost 0 0 &&
		between "$1_sum" "$(said low)" "$(said high)" &&
		for kind in mutex rwlock condition futex; do
			count=0
			[ "$kind" != "$1" ] || count=$(said count)
			between "${kind}_count" "$count" "$count" || return 1
			between "${kind}_complete" "$count" "$count" || return 1
		done && begins_in_program "$1"
}

begins_in_program() { # kind
	[ "$(grep -c "^stack [0-9]* kind $1 .*: waits+" "$scratch/stacks")" -gt 1 ] &&
		[ "$(grep "^stack [0-9]* kind $1 " "$scratch/stacks" | grep -vc ': waits+')" -eq 0 ]
}

no_waits() {
	for kind in mutex rwlock condition futex; do
		between "${kind}_count" 0 0 || return 1
	done
}

free_locks_are_no_waits() {
	options="FLAMEGATE_PROFILE=lock"
	guarded "$waits" free 300
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0 && no_waits
}

unasked_are_not_counted() {
	options="FLAMEGATE_PROFILE=cpu"
	guarded "$waits" mutex 2
	[ "$status" -eq 0 ] && between damaged 0 0 && no_waits
}

paused_are_not_counted() {
	page=$scratch/page
	"$control" "$page" create $$ && "$control" "$page" pause 1 || return 1
	options="FLAMEGATE_PROFILE=lock FLAMEGATE_CONTROL=$page"
	guarded "$waits" mutex 2
	[ "$status" -eq 0 ] && no_waits && between counter_waits_lost 0 0
}

early_locks_work() {
	options="FLAMEGATE_PROFILE=$1"
	guarded "$waits" early 1
	[ "$status" -eq 0 ] && grep -qx 0 "$scratch/out"
}

types_are_alike() { # profile
	"$programs/waits_types" >"$scratch/plain" 2>&1 || return 1
	options="FLAMEGATE_PROFILE=$1"
	guarded "$programs/waits_types"
	diff "$scratch/plain" "$scratch/out" >"$scratch/difference" || {
		sed 's/^/# /' "$scratch/difference"
		return 1
	}
	[ "$status" -eq 0 ] && [ "$(wc -l <"$scratch/out")" -gt 200 ] && between damaged 0 0
}

full_is_counted() {
	options="FLAMEGATE_PROFILE=lock"
	(
		ulimit -f 20
		guarded "$waits" mutex 2
		[ "$status" -eq 0 ] && between damaged 0 0 && between counter_waits_lost 1 22
	)
}

crowd_is_sound() { # profile
	options="FLAMEGATE_PROFILE=$1"
	guarded "$programs/waits_crowd" crowd 1000
	[ "$status" -eq 0 ] && grep -qx 1 "$scratch/out" && between damaged 0 0
}

forks_are_sound() { # profile
	options="FLAMEGATE_PROFILE=$1"
	guarded "$programs/waits_crowd" fork_held 20
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0
}

rust_program() {
	cat >"$scratch/contend.rs" <<'RUST'
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

#[inline(never)]
fn wait(mutex: &Mutex<u64>) {
    *mutex.lock().unwrap() += 1;
}

fn main() {
    let mutex = Arc::new(Mutex::new(0));
    let meeting = Arc::new(Barrier::new(2));
    for _ in 0..5 {
        let held = mutex.lock().unwrap();
        let (other, theirs) = (mutex.clone(), meeting.clone());
        let thread = std::thread::spawn(move || {
            theirs.wait();
            wait(&other);
        });
        meeting.wait();
        std::thread::sleep(Duration::from_millis(100));
        drop(held);
        thread.join().unwrap();
    }
    println!("{}", mutex.lock().unwrap());
}
RUST
	rustc -O -g -o "$scratch/contend" "$scratch/contend.rs" >"$scratch/out" 2>&1
}

# The barrier and joins wait in futexes too.
rust_is_counted() {
	options="FLAMEGATE_PROFILE=lock"
	sampled "$scratch/contend"
	[ "$status" -eq 0 ] && grep -qx 5 "$scratch/out" && between damaged 0 0 &&
		between futex_count 5 100 && between futex_sum 250000000 100000000000
}

for kind in mutex rwlock condition futex; do
	check "$kind: each wait is counted, for as long as it was" waits_are_counted "$kind"
done
check "locks that nobody holds are no waits" free_locks_are_no_waits
check "waits that are not asked for are not counted" unasked_are_not_counted
check "waits are not counted while paused" paused_are_not_counted
check "locks taken before any constructor work, counted" early_locks_work lock
check "locks taken before any constructor work, not counted" early_locks_work cpu
check "locks of all types return what they do without us, counted" types_are_alike cpu,lock
check "locks of all types return what they do without us, not counted" types_are_alike cpu
check "waits without room are counted as lost" full_is_counted
for mechanism in auto posix; do
	check "$mechanism: a thousand threads that take locks" crowd_is_sound lock
	check "$mechanism: forks while locks are held and waited for" forks_are_sound lock
done
mechanism=auto
if command -v rustc >/dev/null 2>&1 && rust_program; then
	check "Rust's own mutexes are counted as futexes" rust_is_counted
else
	skip "Rust's own mutexes are counted as futexes" "no rustc"
fi

finish
