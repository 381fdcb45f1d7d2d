#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The preload library on real programs, TAP. Nothing here depends on the machine's speed: programs burn
# a fixed amount of CPU time, and samples are compared with the CPU time that was used.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_sampler.sh   (after: make sampler-test-files)
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

mode_is_sound() { # min-processes max-processes min-samples low high mode...
	low_processes=$1 high_processes=$2 samples=$3 low=$4 high=$5
	shift 5
	sampled "$target" "$@"
	is_sound "$low" "$high" && grep -qx fine "$scratch/out" &&
		between processes "$low_processes" "$high_processes" &&
		between samples "$samples" 1000000
}

# The kernel looks at POSIX timers on its tick alone, and on a machine full of other work a thread may run
# between the ticks: what a thread or process used after its last sample is missing, so the floor is low
# where there are many of them. perf has a timer of its own.
common_modes() {
	floor=700
	[ "$mechanism" = perf ] || floor=300
	check "$mechanism: a busy loop's samples weigh its CPU time" \
		mode_is_sound 1 1 20 800 1200 busy 1000
	check "$mechanism: thousands of different stacks are kept" \
		mode_is_sound 1 1 20 800 1200 stacks 600 12
	check "$mechanism: kernel time is sampled" \
		mode_is_sound 1 1 20 800 1200 kernel 600
	check "$mechanism: eight threads are sampled" \
		mode_is_sound 1 1 3 "$floor" 1300 threads 8 150
	check "$mechanism: 200 short threads weigh what they use" \
		mode_is_sound 1 1 3 "$floor" 1500 short 200 2000
	check "$mechanism: cancelled threads leave the capture sound" \
		mode_is_sound 1 1 3 "$floor" 1300 cancel 5 30
	check "$mechanism: 20 forked children have their own captures" \
		mode_is_sound 2 21 3 "$floor" 1300 fork 20 30
	check "$mechanism: children forked by raw system calls have their own captures" \
		mode_is_sound 4 4 3 "$floor" 1300 rawfork 3 60
	check "$mechanism: children that exec after fork are sampled" \
		mode_is_sound 11 21 3 "$floor" 1300 forkexec 10 30
	check "$mechanism: children that exec after vfork are sampled and leave the parent alone" \
		mode_is_sound 11 11 3 "$floor" 1300 vforkexec 10 30
	check "$mechanism: spawned children are sampled" \
		mode_is_sound 11 11 3 "$floor" 1300 spawn 10 30
	check "$mechanism: a program's own interval timers work" \
		mode_is_sound 1 1 8 700 1300 timers 400
	check "$mechanism: a program that takes all signals sees none of ours" \
		mode_is_sound 1 1 8 700 1300 signals 300
	check "$mechanism: CPU time behind a signal mask set by a raw system call is not lost" \
		mode_is_sound 1 1 5 700 1300 rawblock 150
	check "$mechanism: errno is kept" mode_is_sound 1 1 5 700 1300 errno 300
	check "$mechanism: a program's alternate stack is kept and may be small" \
		mode_is_sound 1 1 3 700 1300 altstack 200
	check "$mechanism: closing all descriptors does not end sampling" \
		mode_is_sound 1 1 8 700 1300 closeall 150
	check "$mechanism: threads that fork have children that are sampled" \
		mode_is_sound 2 21 3 "$floor" 1500 threadfork 4 20
	rate=4000
	check "$mechanism: threads that exec beside running ones survive at 4000 Hz" \
		thread_exec_survives
	check "$mechanism: 60 execs in a row survive at 4000 Hz" exec_loop_survives
	rate=
	check "$mechanism: kill -9 leaves a readable capture" killed_is_readable
}

exec_loop_survives() {
	sampled "$target" execloop 60 8
	[ "$status" -eq 0 ] && between processes 61 61 && between damaged 0 0 &&
		between samples 5 1000000
}

thread_exec_survives() {
	sampled "$target" threadexec 20
	[ "$status" -eq 0 ] && between processes 21 21 && between damaged 0 0 && between lost 0 0
}

# The process's clock is read every 32 samples, so that the weights may be as many ahead of it.
killed_is_readable() {
	fresh
	env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_MECHANISM="$mechanism" \
		"$target" busy 60000 >"$scratch/out" 2>&1 &
	victim=$!
	tries=0
	while [ "$tries" -lt 3000 ]; do
		sleep 0.1
		"$dump" "$captures" >"$scratch/dump" 2>&1
		between samples 250 1000000 && break
		tries=$((tries + 1))
	done
	kill -9 "$victim"
	wait "$victim" 2>/dev/null
	"$dump" "$captures" >"$scratch/dump" 2>&1
	between samples 250 1000000 && between damaged 0 0 && grep -q ' exited 0 ' "$scratch/dump" &&
		between weight_permille 700 1300
}

real_program() { # description command...
	what=$1
	shift
	if ! command -v "$1" >/dev/null 2>&1; then
		skip "$what" "$1 is not installed"
		return
	fi
	"$@" >"$scratch/plain" 2>&1 </dev/null
	plain=$?
	sampled "$@"
	"$dump" "$captures" >"$scratch/dump"
	check "$what" same_and_complete
}

same_and_complete() {
	[ "$status" -eq "$plain" ] && cmp -s "$scratch/plain" "$scratch/out" &&
		between damaged 0 0 && between lost 0 0 && between samples 3 1000000 &&
		between complete_permille 950 1000
}

real_programs() {
	seq 1 400000 >"$scratch/numbers"
	real_program "$mechanism: gzip -9: same output, complete stacks" gzip -9 -n -c "$scratch/numbers"
	real_program "$mechanism: python3: same output, complete stacks" \
		python3 -c 'print(sum(i * i % 7 for i in range(1500000)))'
	# shellcheck disable=SC2016
	real_program "$mechanism: a shell with children: same output and status" \
		sh -c 'seq 1 300000 | sort -R --random-source=/etc/passwd | sort -n | md5sum; exit 7'
}

allowed_symbols() {
	nm -D --undefined-only "$heap_library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u \
		>"$scratch/symbols"
	grep -v '^#' "$here/allowed-symbols.txt" | sort -u >"$scratch/allowed"
	[ -z "$(comm -23 "$scratch/symbols" "$scratch/allowed" | tee "$scratch/out")" ]
}

sleeps_without_directory() {
	fresh
	env LD_PRELOAD="$library" "$target" busy 20 >"$scratch/out" 2>&1 &&
		[ -z "$(ls "$captures")" ]
}

survives_missing_directory() {
	env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$scratch/nowhere" "$target" fork 2 20 \
		>"$scratch/out" 2>&1 && grep -qx fine "$scratch/out"
}

# Both plug-ins' stacks name their own file, and neither the other's function.
plugins_are_told_apart() {
	sampled "$target" plugins 2 150
	"$dump" -s "$captures" >"$scratch/stacks"
	is_sound 700 1300 && for plugin in one two; do
		total=$(sed -n "s/^stack \([0-9]*\) .*: plugin_$plugin.so+.*/\1/p" "$scratch/stacks" |
			awk '{ sum += $1 } END { print sum + 0 }')
		awk -v all="$(value samples)" -v part="$total" \
			'BEGIN { exit !(part > all * 0.35 && part < all * 0.65) }' || return 1
	done
}

has_build_id() { # program
	sampled "$1" busy 200 && "$dump" -s "$captures" | grep -Eq "^module $1 [0-9a-f]{40} "
}

vdso_is_named() {
	sampled "$target" vdso 300
	"$dump" -s "$captures" >"$scratch/stacks"
	is_sound 700 1300 && grep -q '^module \[vdso\] ' "$scratch/stacks"
}

full_means_counted() {
	options="FLAMEGATE_CAPTURE_MAX_MB=1"
	rate=4000
	sampled "$target" stacks 1500 12
	options=
	rate=
	[ "$status" -eq 0 ] && between damaged 0 0 && grep -qx fine "$scratch/out" &&
		between samples 100 1000000 && between lost 1 1000000
}

file_limit_is_no_signal() {
	fresh
	(
		ulimit -f 100
		mechanism=auto
		exec env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_RATE=4000 \
			"$target" stacks 600 12 >/dev/null 2>&1
	)
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
	[ "$status" -eq 0 ] && between damaged 0 0
}

full_disk() {
	disk=$scratch/disk
	mkdir "$disk"
	if ! mount -t tmpfs -o size=128k tmpfs "$disk" 2>/dev/null; then
		skip "a full disk loses samples, counted, and no program" "cannot mount a tmpfs here"
		return
	fi
	mounted=$disk
	saved=$captures
	captures=$disk/captures
	mechanism=auto rate=4000
	sampled "$target" stacks 1000 12
	first=$status
	check "a full disk loses samples, counted, and no program" full_disk_is_counted
	dd if=/dev/zero of="$disk/fill" bs=4096 2>/dev/null
	env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$captures" "$target" fork 2 30 \
		>"$scratch/out" 2>&1
	first=$?
	check "a disk without any room harms no program" [ "$first" -eq 0 ]
	captures=$saved rate=
	umount "$disk" && mounted=
}

full_disk_is_counted() {
	[ "$first" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0 &&
		between samples 10 1000000 && between lost 1 1000000
}

epochs_are_keys() {
	page=$scratch/page
	rm -f "$page"
	"$control" "$page" create $$ && "$control" "$page" epoch 5 || return 1
	options="FLAMEGATE_CONTROL=$page"
	sampled "$target" busy 100
	options=
	[ "$status" -eq 0 ] && between last_epoch 5 5
}

pause_drops_samples() {
	"$control" "$page" pause 1 || return 1
	options="FLAMEGATE_CONTROL=$page"
	sampled "$target" busy 100
	options=
	"$control" "$page" pause 0
	[ "$status" -eq 0 ] && between samples 0 0 && between processes 1 1
}

park_stops_and_lets_go() {
	stands_until_let_go "$page" "$target" threads 2 100 && between samples 3 1000000
}

dead_runner_lets_go() {
	sh -c 'exit 0' &
	gone=$!
	wait "$gone"
	"$control" "$page" create "$gone" && "$control" "$page" park 1 || return 1
	options="FLAMEGATE_CONTROL=$page"
	sampled timeout 60 "$target" busy 3
	options=
	[ "$status" -eq 0 ]
}

perf=no
perf_opens && perf=yes

check "only allowed symbols are undefined" allowed_symbols
check "without a capture directory nothing happens" sleeps_without_directory
check "a missing capture directory harms no program" survives_missing_directory
if [ "$perf" = yes ]; then
	common_modes
	real_programs
else
	skip "perf: all" "perf task-clock with the kernel included does not open here"
fi
mechanism=posix
common_modes
real_programs
mechanism=auto
check "objects that lie where another was are told apart" plugins_are_told_apart
check "a program whose segments lie apart has its build id" has_build_id "${target}_apart"
check "and one that is always in one place" has_build_id "${target}_fixed"
check "the vdso has its name" vdso_is_named
check "a full capture loses samples, counted" full_means_counted
check "a file size limit brings no SIGXFSZ" file_limit_is_no_signal
full_disk
mechanism=auto
check "samples carry the control page's epoch" epochs_are_keys
check "a paused control page records nothing" pause_drops_samples
check "a parked program stands until it is let go" park_stops_and_lets_go
check "a parked program goes on when its runner is dead" dead_runner_lets_go

finish
