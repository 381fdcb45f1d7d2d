#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Threads and processes of every kind under the preload, TAP (threads.c says what they do).
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_threads.sh   (after: make sampler-test-files)
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

threads=$build/tests/sampler/threads
truths=$build/tests/sampler/truths

runs() { # low high (per mille of the CPU time) mode number number
	low=$1 high=$2
	shift 2
	sampled "$threads" "$@"
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0 &&
		between weight_permille "$low" "$high"
}

falls_back() {
	runs 850 1150 nodescriptors 4 60 && between counter_fallback 4 4 &&
		between counter_untimed 0 0
}

# Until it is noticed 100 ms of CPU time may pass, which the next sample weighs.
notices_closed_events() {
	runs 900 1100 closed 100 400 && between counter_lost_timer 1 1 && between samples 300 700
}

# Each is gone before the next one comes: their slots and numbers are used again. A timer of the kernel's ticks may have
# met none of one thread's 60 ms where four others run beside it: that thread then is in no sample.
adopts() {
	least=6
	[ "$mechanism" = perf ] || least=4
	runs 700 1300 clone 6 60 && between counter_raw_threads "$least" 6 && between counter_unsampled 0 0 &&
		between threads "$least" 7
}

# Without a library's clone() they are found in /proc, some milliseconds late; what each of the six
# has used until then (a fifth and more of its 50 ms) counts all the same.
# They are looked for at samples of other threads: where the machine is busy one may be through before.
finds_bare_threads() {
	sampled "$truths" raw 600
	if [ "$status" -eq 77 ]; then
		return 0
	fi
	each=79
	[ "$mechanism" = perf ] || each=65 # what a thread loses at its end is up to a tick
	[ "$status" -eq 0 ] && between damaged 0 0 && between counter_raw_threads 2 6 &&
		between counter_unsampled 0 0 &&
		between weight_permille $((500 + each * $(value counter_raw_threads))) 1200
}

# Its sleeps are far apart, and it is caught in one of them, or two where it computes for long; by perf rarely, where the
# clock comes just as the kernel lets the thread sleep.
sleeps_are_left_alone() { # most that may end early
	sampled "$threads" naps 2 60
	[ "$status" -eq 0 ] && [ "$(sed -n 's/^ended //p' "$scratch/out")" -le "$1" ] &&
		between samples 5 1000
}

# How many samples a timer of the kernel's ticks has is the machine's, and so is what the last of them leaves unweighed:
# of eleven beside four busy loops 70 ms of 300.
stops_and_goes_on() {
	if [ "$mechanism" = perf ]; then
		runs 900 1100 stopped 300 6 && between samples 150 600
	else
		runs 500 1100 stopped 300 6 && between samples 2 600
	fi
}

parks_adopted_threads() {
	page=$scratch/page
	rm -f "$page"
	"$control" "$page" create $$ && stands_until_let_go "$page" "$threads" clone 2 600 &&
		between counter_raw_threads 2 2
}

# A shell starts make, which starts a shell, which starts the program by exec.
chain_is_sampled() {
	printf 'all:\n\t@exec %s busy 150\n' "$target" >"$scratch/Makefile"
	# shellcheck disable=SC2016 # $1 is the inner shell's
	sampled sh -c 'make -s -f "$1" && exit 5' sh "$scratch/Makefile"
	[ "$status" -eq 5 ] && between damaged 0 0 && between processes 3 20 &&
		[ "$(sed -n 's/^process .* exe [^ ]*\/target .* samples \([0-9]*\) .*/\1/p' "$scratch/dump")" -gt 60 ]
}

# As daemons do: the parent is gone before the work begins.
daemon_is_sampled() {
	# shellcheck disable=SC2016
	sampled sh -c 'setsid "$1" busy 150 & exit 0' sh "$target"
	tries=0
	while [ "$tries" -lt 3000 ] && ! grep -q 'exe [^ ]*/target .* exited 1 ' "$scratch/dump"; do
		sleep 0.1
		"$dump" "$captures" >"$scratch/dump" 2>&1
		tries=$((tries + 1))
	done
	grep -q 'exe [^ ]*/target .* exited 1 ' "$scratch/dump" && between damaged 0 0 &&
		between samples 60 1000
}

no_timer_without_cpu() {
	options=FLAMEGATE_PROFILE=lock
	sampled "$threads" many 20 3
	options=
	[ "$status" -eq 0 ] && between cpu_count 0 0 && between counter_untimed 0 0 &&
		grep -q ' mechanism none ' "$scratch/dump"
}

all_threads() { # ended sleeps, lowest share of 500 threads that first wait for each other
	check "$mechanism: 500 threads at a time" runs "$2" 1200 many 500 1
	check "$mechanism: threads that end without the C library's knowing" runs 850 1150 vanish 12 15
	check "$mechanism: the first thread ends before the others" runs 850 1150 headless 2 60
	check "$mechanism: threads of clone() are sampled, each by itself, and errno is kept" adopts
	check "$mechanism: threads of a bare system call are found" finds_bare_threads
	check "$mechanism: sleeps are left alone" sleeps_are_left_alone "$1"
	check "$mechanism: a program that is stopped goes on" stops_and_goes_on
	check "$mechanism: adopted threads are parked too" parks_adopted_threads
	check "$mechanism: shell, make, shell and exec" chain_is_sampled
	check "$mechanism: a daemon whose parent has ended" daemon_is_sampled
}

if perf_opens; then
	mechanism=perf
	all_threads 2 800
	check "perf: threads without descriptors fall back, counted" falls_back
	check "perf: events that the program closes are replaced, counted" notices_closed_events
else
	skip "perf: all" "perf task-clock with the kernel included does not open here"
fi
mechanism=posix
all_threads 2 250
mechanism=auto
check "without CPU among the kinds there is no timer" no_timer_without_cpu
finish
