#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Off-CPU time: sleepers' stacks are whole and weigh what the sleeps were, and nothing else is different. TAP.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_off_cpu.sh   (after: make sampler-test-files)

# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

programs=$build/tests/sampler
sleepers=$programs/sleepers_fast
options="FLAMEGATE_PROFILE=wall"

# As sampled, but not for ever; the watch itself is not sampled.
guarded() {
	sampled env -u LD_PRELOAD timeout -s INT 60 env LD_PRELOAD="$library" "$@"
}

said() { # name: what the program printed
	sed -n "s/^$1 //p" "$scratch/out"
}

stacks() {
	"$dump" -s "$captures" | grep '^stack [0-9]* kind off_cpu ' >"$scratch/stacks"
}

# The off-CPU time with this function on the stack, in ns. Addresses are compared as text of one length.
sum_with() { # program function
	nm -S "$1" | awk -v wanted="$2" -v object="$(basename "$1")" '
		function wide(hex) { while (length(hex) < 16) hex = "0" hex; return hex }
		function plus(hex, more,    digits, i, sum, carry, out) {
			digits = "0123456789abcdef"
			for (i = 16; i > 0; i--) {
				sum = index(digits, substr(hex, i, 1)) + index(digits, substr(more, i, 1)) - 2 + carry
				carry = sum > 15
				out = substr(digits, sum % 16 + 1, 1) out
			}
			return out
		}
		FNR == NR { if ($4 == wanted) { from = wide($1); to = plus(from, wide($2)) } next }
		{
			for (i = 1; i <= NF; i++) {
				split($i, frame, "+")
				sub("!", "", frame[2])
				at = wide(frame[2])
				if (frame[1] == object && at "" >= from "" && at "" <= to "") { total += $6; break }
			}
		}
		END { printf "%.0f\n", total }' - "$scratch/stacks"
}

mostly_complete() {
	[ "$(value off_cpu_count)" -gt 0 ] &&
		[ $(($(value off_cpu_complete) * 100)) -ge $(($(value off_cpu_count) * 95)) ]
}

# Looks are made by a thread that needs a CPU itself, and a busy machine may give it none for longer than a program
# sleeps. Who was not looked at (UNSEEN) sleeps longer, up to sixteen times as long; all else that is wrong is wrong at once.
UNSEEN=100
longer() { # command...: with $factor
	for factor in 1 4 16; do
		"$@"
		verdict_of=$?
		[ "$verdict_of" -eq "$UNSEEN" ] || return "$verdict_of"
		echo "# looked at too rarely: sleeps of $factor times the time"
	done
	return 1
}

# Each function that sleeps is there, with half of its time: threads begin and wake late on a busy machine.
sleepers_are_whole() { # program
	sampled "$programs/$1" kinds $((400 * factor))
	stacks
	[ "$status" -eq 0 ] && between damaged 0 0 || return 1
	[ "$(value off_cpu_count)" -gt 0 ] || return "$UNSEEN"
	mostly_complete || return 1
	for way in nanosleep poll select epoll read recv condition semaphore sigtimedwait futex alloca depth; do
		time=$(sum_with "$programs/$1" "in_$way")
		if [ "$time" -lt $((200000000 * factor)) ]; then
			echo "# in_$way: $time ns"
			return "$UNSEEN"
		fi
	done
}

within() { # value low high
	[ "$1" -ge "$2" ] && [ "$1" -le "$3" ]
}

# Weights add up to the time asleep. It is at least what was asked for and at most what the clock says; the
# first look weighs a period, and what follows the last one is dropped: of a longer time a smaller part.
duty_weighs() {
	sampled "$sleepers" duty $((150 * factor))
	[ "$status" -eq 0 ] && between damaged 0 0 || return 1
	within "$(value off_cpu_sum)" $(($(said low) * 92 / 100)) $(($(said high) * 105 / 100)) || return "$UNSEEN"
	mostly_complete
}

split_is_split() {
	sampled "$sleepers" split $((150 * factor))
	stacks
	[ "$status" -eq 0 ] || return 1
	long=$(($(sum_with "$sleepers" long_sleep) / factor))
	short=$(($(sum_with "$sleepers" short_sleep) / factor))
	echo "# asleep for 1050 ms and 450 ms: $((long / 1000000)) and $((short / 1000000))"
	within "$long" 950000000 1200000000 && within "$short" 350000000 600000000 || return "$UNSEEN"
}

busy_is_not_asleep() {
	sampled "$sleepers" busy 500
	[ "$status" -eq 0 ] && between damaged 0 0 && between off_cpu_sum 0 60000000
}

# 400 looks take some ms.
looks_are_not_the_programs() {
	rate=4000
	sampled "$sleepers" idle 2000
	rate=
	[ "$status" -eq 0 ] && between cpu_ms 0 $(($(said cpu) + 3))
}

# Threads of 4 ms each: a look in three meets one. main's time in pthread_join is theirs again.
short_threads_weigh() {
	sampled "$sleepers" short_threads $((150 * factor))
	stacks
	[ "$status" -eq 0 ] || return 1
	time=$(($(sum_with "$sleepers" nap) / factor))
	echo "# at least 600 ms: $((time / 1000000))"
	within "$time" 350000000 1800000000 || return "$UNSEEN"
}

looked_at() { # at least this often
	between off_cpu_count "$1" 100000 || return "$UNSEEN"
}

says() { # expected output, mode, number
	guarded "$sleepers" "$2" $(($3 * factor))
	[ "$status" -eq 0 ] && [ "$(cat "$scratch/out")" = "$1" ] && between damaged 0 0 || return 1
	looked_at 1
}

ends_with() { # status mode: and was looked at
	guarded "$sleepers" "$2" $((100 * factor))
	[ "$status" -eq "$1" ] && between damaged 0 0 || return 1
	looked_at 1
}

same_masks() {
	"$sleepers" masks 10 >"$scratch/plain"
	rate=4000
	sampled "$sleepers" masks 100
	rate=
	[ "$status" -eq 0 ] && cmp -s "$scratch/plain" "$scratch/out"
}

# Looked at before and after.
steps_aside() {
	"$sleepers" alone 10 >"$scratch/plain"
	sampled "$sleepers" alone $((200 * factor))
	[ "$status" -eq 0 ] && cmp -s "$scratch/plain" "$scratch/out" || return 1
	between off_cpu_sum $((300000000 * factor)) $((2000000000 * factor)) || return "$UNSEEN"
}

children_are_looked_at() {
	sampled "$sleepers" children $((300 * factor))
	[ "$status" -eq 0 ] && between damaged 0 0 && between processes 4 4 || return 1
	between off_cpu_sum $((900000000 * factor)) $((3000000000 * factor)) || return "$UNSEEN"
	mostly_complete
}

unasked_has_no_thread() {
	options=
	sampled "$sleepers" split 10
	options="FLAMEGATE_PROFILE=wall"
	[ "$status" -eq 0 ] && between off_cpu_count 0 0
}

# The runner is gone, so that a sample by chance does not park the program for ever.
paused_is_not_counted() { # word of the control page
	page=$scratch/page-$1
	sh -c 'exit 0' &
	gone=$!
	wait "$gone"
	"$control" "$page" create "$gone" && "$control" "$page" "$1" 1 || return 1
	options="FLAMEGATE_PROFILE=wall FLAMEGATE_CONTROL=$page"
	sampled "$sleepers" split 20
	options="FLAMEGATE_PROFILE=wall"
	[ "$status" -eq 0 ] && between off_cpu_count 0 0
}

without_proc() {
	fresh
	unshare -m sh -c 'umount -l /proc && exec "$@"' sh env LD_PRELOAD="$library" \
		FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_PROFILE=wall "$sleepers" split 10 \
		>"$scratch/out" 2>&1
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
	[ "$status" -eq 0 ] && between off_cpu_count 0 0 && between counter_looks_failed 1 1
}

closing_objects() {
	guarded "$target" plugins 40 10
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0
}

crowd_is_sound() {
	guarded "$programs/waits_crowd" crowd 1000
	[ "$status" -eq 0 ] && grep -qx 1 "$scratch/out" && between damaged 0 0 && mostly_complete
}

forks_are_sound() {
	guarded "$programs/waits_crowd" fork_held 20
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0
}

real_sleeper() { # program command...
	if ! command -v "$1" >/dev/null 2>&1; then
		skip "$1: sleepers' stacks are whole" "$1 is not installed"
		return
	fi
	check "$1: sleepers' stacks are whole" longer real_is_whole "$@"
}

# Its sleep is as long each time; it is tried as often as the others'.
real_is_whole() {
	guarded "$@"
	echo "# $1: $(value off_cpu_complete) of $(value off_cpu_count)"
	between damaged 0 0 || return 1
	looked_at 5 || return "$UNSEEN"
	mostly_complete
}

for flavour in plain fast framed; do
	check "$flavour: sleepers in twelve ways have whole stacks and their time" \
		longer sleepers_are_whole "sleepers_$flavour"
done
check "weights add up to the time asleep" longer duty_weighs
check "each sleep weighs its own time" longer split_is_split
check "a busy program is not asleep" busy_is_not_asleep
check "the looks' CPU time is not the program's" looks_are_not_the_programs
check "short threads' sleeps are not lost" longer short_threads_weigh
check "descriptors' numbers are as without us" longer says "0 others" descriptors 200
check "a pipe that its writer closes has ended" longer says 0 end_of_file 100
check "a program with one thread has one" longer says 1 single 100
check "the last pthread_exit ends the process" longer ends_with 0 pthread_exit
check "the last thread's bare exit ends the process, with its status" longer ends_with 3 raw_exit
check "signal masks are as without us" same_masks
check "a user namespace is as without us, and looks go on" longer steps_aside
check "children are looked at" longer children_are_looked_at
check "without being asked nobody looks" unasked_has_no_thread
check "nothing is recorded while paused" paused_is_not_counted pause
check "nothing is recorded while parked" paused_is_not_counted park
if unshare -m true 2>/dev/null; then
	check "without /proc there is no off-CPU time, counted" without_proc
else
	skip "without /proc there is no off-CPU time, counted" "no mount namespace to be had"
fi
for mechanism in auto posix; do
	check "$mechanism: objects may be closed while sleepers are looked at" closing_objects
	check "$mechanism: a thousand threads" crowd_is_sound
	check "$mechanism: forks while locks are held" forks_are_sound
done
mechanism=auto
real_sleeper python3 -c 'import time, threading
thread = threading.Thread(target=time.sleep, args=(0.5,))
thread.start()
thread.join()'
# shellcheck disable=SC2016
real_sleeper bash -c 'sleep 0.3 & wait; read -t 0.3 -r x < <(sleep 0.3); echo "$x"'
real_sleeper perl -e 'select(undef, undef, undef, 1.5)'
real_sleeper node -e 'setTimeout(() => {}, 400)'
real_sleeper sqlite3 :memory: '.shell sleep 0.4'
real_sleeper make -s -f /dev/null --eval 'all:; @sleep 0.4'

finish
