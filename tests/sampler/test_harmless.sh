#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that would notice a careless profiler, under the preload: TAP. Their output must be what it is
# without us.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_harmless.sh   (after: make sampler-test-files)
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

harmless=$build/tests/sampler/harmless

is_fine() { # mode arguments...
	sampled "$harmless" "$@"
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between damaged 0 0
}

none_interrupted() { # rounds
	is_fine mix "$1" 60 && between counter_interrupted 0 0
}

# The count of retries shows that the waits were ended at all: with perf's samples of the kernel some are.
some_retried() {
	is_fine "$@" && between counter_retried 1 1000000
}

waits() {
	for rate in 997 4000; do
		check "$mechanism: no EINTR in 10,000 waits and as many reads between bursts at $rate Hz" \
			none_interrupted 910
	done
	check "$mechanism: no EINTR in waits by system calls" is_fine rawwaits 100 150
	check "$mechanism: a program's own signals end its waits" is_fine ownsignal 4
	check "$mechanism: a wait with a mask of its own loses no wake-up" is_fine atomicmask 2000
	check "$mechanism: a timer at 1 kHz ends sleeps, whose rest is told" is_fine owntimer 200
	check "$mechanism: sleep() tells what is left, errno is kept" is_fine sleeprest
	check "$mechanism: no EINTR from sockets with a time-out" is_fine sockets 1000
	check "$mechanism: waits stay cancellation points" is_fine cancel
	check "$mechanism: writes of a megabyte take all of it" is_fine transfers 12
	check "$mechanism: long reads from devices are whole" is_fine devices 20
	check "$mechanism: a stopped and continued program's sleeps are whole" is_fine stopped 150
	rate=
}

signals() {
	rate=4000
	check "$mechanism: handlers of all real-time signals are called" is_fine all
	check "$mechanism: blocked signals wait until they are opened or asked for" is_fine blocked
	check "$mechanism: an unhandled signal ends a process, whichever it is" is_fine default
	check "$mechanism: a thread that takes all signals gets the program's alone" \
		is_fine sigwait 50 100000
	check "$mechanism: so does signalfd" is_fine signalfd 30
	check "$mechanism: what is installed is what is told" is_fine told
	check "$mechanism: a wait's own mask opens what was blocked" is_fine openwaits
	check "$mechanism: and one that the kernel refuses is refused" is_fine badmasks
	check "$mechanism: a child inherits no signal that waits" is_fine heldback
	check "$mechanism: threads begin with what their maker or their attributes block" \
		is_fine inherited
	check "$mechanism: no child's end is missed" is_fine children 150
	rate=
}

full_queue_loses_nothing() {
	is_fine fullqueue 60 && { [ "$mechanism" != perf ] || between weight_permille 800 1200; }
}

full_queue_once_ignored() {
	is_fine queueignored 60 "$1" && { [ "$mechanism" != perf ] || between weight_permille 800 1200; }
}

full_queue_and_forks() {
	is_fine queueforks 300 && { [ "$mechanism" != perf ] || between weight_permille 600 1300; }
}

full_queues() {
	rate=4000
	check "$mechanism: no room for another signal ends no program" full_queue_loses_nothing
	check "$mechanism: nor does it end the sampling of one that ignored SIGIO for a while" \
		full_queue_once_ignored 0
	check "$mechanism: nor of one that does so without an end" full_queue_once_ignored 1000
	check "$mechanism: nor does it end the sampling of one that forks" full_queue_and_forks
	check "$mechanism: SIGIO's default is kept, an exec meets none of ours" is_fine ioends
	check "$mechanism: a program's own SIGIO comes, with room and without" is_fine ownio 0
	check "$mechanism: also when its handler is for once" is_fine ownio 1
	rate=
}

raw_threads_are_sampled() {
	is_fine rawthreads && between weight_permille 800 1200 && between threads 3 4
}

raw_children_are_sampled() {
	is_fine rawchildren && between processes 5 8
}

lost_timers_are_counted() {
	is_fine takenumbers 60000 && between samples 5 1000000
}

silent_under_a_filter() {
	is_fine filter "$1" && between counter_quiet 1 1 && between samples 5 1000000
}

survives_strict_mode() {
	is_fine strict && between counter_quiet 1 1
}

calls() {
	rate=4000
	check "$mechanism: threads made by raw clones are sampled" raw_threads_are_sampled
	check "$mechanism: children made by raw clones are sampled" raw_children_are_sampled
	check "$mechanism: a large process forks" is_fine bigfork 400 4
	check "$mechanism: a daemon does its work" is_fine daemon
	for limit in 20 64 256 1024; do
		check "$mechanism: descriptors come in order up to a limit of $limit" \
			is_fine alldescriptors "$limit"
	done
	check "$mechanism: threads start without a descriptor left" is_fine noneleft 20000
	check "$mechanism: a program takes our descriptors' numbers" lost_timers_are_counted
	check "$mechanism: a filter by prctl() is met with silence" silent_under_a_filter 0
	check "$mechanism: a filter by seccomp() for all threads is met with silence" \
		silent_under_a_filter 1
	check "$mechanism: strict mode is met with silence" survives_strict_mode
	rate=
}

# Handlers that ask for an alternate stack.
stacks() {
	rate=4000
	check "$mechanism: handlers run on the program's stacks" is_fine onstack 0
	check "$mechanism: also where those are set by syscall()" is_fine onstack 1
	check "$mechanism: also where those are set by a system call's instruction" is_fine onstack 2
	check "$mechanism: one thread's stack is not another's" is_fine othersstack
	check "$mechanism: handlers in handlers leave the interrupted code as it was" is_fine nested 60
	check "$mechanism: handlers that are jumped out of use nothing up" is_fine jumps 1000
	check "$mechanism: a stack's overflow ends a program without another stack" is_fine overflow 0
	check "$mechanism: and calls the handler of one that has another" is_fine overflow 1
	rate=
}

takes_nothing() {
	is_fine takenothing 60000 && between counter_lost_timer 0 0 && between weight_permille 800 1200
}

details() {
	rate=4000
	check "$mechanism: real-time signals of own timers and descriptors come" is_fine ownevents
	check "$mechanism: an error of dlsym() is kept" is_fine dlerror
	check "$mechanism: exec is no cancellation point" is_fine cancelledexec
	check "$mechanism: a vfork child's descriptors and failed calls take no timer" takes_nothing
	options=FLAMEGATE_PROFILE=wall
	check "$mechanism: a program with one thread may have namespaces" is_fine alone 0
	check "$mechanism: also by system calls" is_fine alone 1
	options=
	rate=
}

looks_the_same() {
	fresh
	(cd "$scratch" && env -i PATH="$PATH" KEPT=1 "$harmless" mirror) </dev/null \
		>"$scratch/plain" 2>&1
	(cd "$scratch" && env -i PATH="$PATH" KEPT=1 LD_PRELOAD="$library" \
		FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_MECHANISM="$mechanism" \
		FLAMEGATE_RATE=4000 "$harmless" mirror) </dev/null >"$scratch/mirrored" 2>&1
	"$dump" "$captures" >"$scratch/dump" 2>&1
	diff "$scratch/plain" "$scratch/mirrored" >"$scratch/out" &&
		[ "$(wc -l <"$scratch/plain")" -gt 500 ] && between processes 6 20
}

allocator() { # name file
	what="$mechanism: $1, preloaded after us, serves the program"
	found=
	for file in /usr/lib/*/"$2" /usr/lib/"$2"; do
		[ ! -e "$file" ] || found=$file
	done
	if [ -z "$found" ]; then
		skip "$what" "$1 is not installed"
		return
	fi
	check "$what" with_allocator "$found"
}

with_allocator() {
	fresh
	# shellcheck disable=SC2016 # perl's variables
	env LD_PRELOAD="$heap_library $1" FLAMEGATE_CAPTURE_DIR="$captures" \
		FLAMEGATE_MECHANISM="$mechanism" FLAMEGATE_PROFILE="cpu,heap,lock" \
		perl -e 'for (1 .. 100000) { $h{$_ % 5000} .= "x" x ($_ % 100) } print scalar(keys %h)' \
		>"$scratch/out" 2>&1
	status=$?
	"$dump" "$captures" >"$scratch/dump" 2>&1
	[ "$status" -eq 0 ] && [ "$(cat "$scratch/out")" = 5000 ] && between damaged 0 0
}

# The runner refuses such programs; here is who preloads by hand.
sanitized_does_not_crash() {
	fresh
	env LD_PRELOAD="$library" ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0" \
		FLAMEGATE_CAPTURE_DIR="$captures" "$build/tests/sampler/harmless_asan" mix 20 50 \
		>"$scratch/out" 2>&1 && grep -qx fine "$scratch/out"
}

limited() { # ulimit's arguments, then the mode
	fresh
	(
		ulimit "$1" "$2" || exit 1
		shift 2
		exec env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$captures" FLAMEGATE_RATE=4000 \
			FLAMEGATE_MECHANISM="$mechanism" "$harmless" "$@"
	) >"$scratch/out" 2>&1 && grep -qx fine "$scratch/out"
}

runs_by_itself() {
	sampled "$build/tests/sampler/own_runtime"
	[ "$status" -eq 0 ] && grep -qx fine "$scratch/out" && between processes 0 0
}

unwritable() { # a directory that cannot be written to
	env LD_PRELOAD="$library" FLAMEGATE_CAPTURE_DIR="$1" FLAMEGATE_MECHANISM="$mechanism" \
		"$harmless" daemon >"$scratch/out" 2>&1 && grep -qx fine "$scratch/out"
}

places() {
	check "$mechanism: a program under a cap of its address space runs" \
		limited -v 60000 transfers 2
	check "$mechanism: a program under a cap of its files' size runs" limited -f 8 ownsignal 1
	check "$mechanism: a program under a cap of its descriptors runs" limited -n 12 mix 20 50
	if [ -x "$build/tests/sampler/own_runtime" ]; then
		check "$mechanism: a program without the C library is left alone" runs_by_itself
	else
		skip "$mechanism: a program without the C library" "not this architecture"
	fi
	check "$mechanism: a directory that is none harms nobody" unwritable /dev/null
	check "$mechanism: a directory that cannot be written to harms nobody" unwritable /proc
}

mechanisms=posix
if perf_opens; then
	mechanisms="perf posix"
else
	skip "perf: all" "perf task-clock with the kernel included does not open here"
fi
for mechanism in $mechanisms; do
	waits
	signals
	full_queues
	calls
	stacks
	details
	check "$mechanism: the program and its children look the same to themselves" looks_the_same
	places
	allocator jemalloc libjemalloc.so.2
	allocator tcmalloc libtcmalloc_minimal.so.4
	allocator mimalloc libmimalloc.so.2.0
done
if [ "$mechanisms" != posix ]; then
	mechanism=perf rate=4000
	check "perf at 4000 Hz does end waits, which go on" some_retried mix 300 60
	check "perf at 4000 Hz does cut writes short, which go on" some_retried transfers 12
	rate=
fi
mechanism=auto
if [ -x "$build/tests/sampler/harmless_asan" ]; then
	check "a program with a sanitizer does not crash" sanitized_does_not_crash
else
	skip "a program with a sanitizer does not crash" "this compiler links none"
fi
finish
