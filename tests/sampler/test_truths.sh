#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Profiles of programs that know their own, TAP: each share lies within four standard errors of the
# truth that the program measured by its CPU clock, and all samples together weigh the CPU time.
# usage: FLAMEGATE_BUILD=build sh tests/sampler/test_truths.sh   (after: make sampler-test-files)
# shellcheck source=tests/sampler/lib.sh
. "$(dirname "$0")/lib.sh"

truths=$build/tests/sampler/truths
nm -n --defined-only "$truths" >"$scratch/symbols"

# Four sigmas; half a point for what falls between the program's readings of its clock.
shares_are_true() {
	"$build/tests/sampler/shares" -s 4 -p 5 "$captures" "$scratch/out" <"$scratch/symbols" \
		>>"$scratch/dump" 2>&1
}

is_true() { # low high (per mille of the CPU time) mode...
	low=$1 high=$2
	shift 2
	sampled "$truths" "$@"
	[ "$status" -eq 0 ] && between damaged 0 0 && between lost 0 0 &&
		between weight_permille "$low" "$high" && shares_are_true
}

# A process that ends by _exit() leaves its CPU clock as its last sample saw it, or nothing at all:
# there the weights are compared with the program's own sum. One sample a period: a process's first ones, which wait for
# its file to be made, must not be followed by a flood of others.
storm_is_true() {
	sampled "$truths" forks 800
	[ "$status" -eq 0 ] && between damaged 0 0 && between lost 0 0 && shares_are_true &&
		between weight_ms 640 1200 && between samples 1 1400
}

all_truths() {
	for share in 100 300 500 700; do
		check "$mechanism: $((share / 10)) % of each 4 ms" is_true 950 1050 duty 1000 4000 $share
	done
	check "$mechanism: 30 % of each millisecond" is_true 950 1050 duty 1000 1000 300
	check "$mechanism: 30 % of each 10 ms" is_true 950 1050 duty 1000 10000 300
	check "$mechanism: 30 % of each 4 ms in eight threads at a time" \
		is_true 900 1100 duty 150 4000 300 8
	check "$mechanism: 20 % in read()" is_true 950 1050 reading 1000 7000 200
	check "$mechanism: 20 % in page faults" is_true 950 1050 faulting 1000 7000 200
	check "$mechanism: 50, 30 and 20 %" is_true 950 1050 split 1000
	check "$mechanism: functions that call each other" is_true 950 1050 recursion 1000
	check "$mechanism: threads of 0.3 to 3 ms beside a long one" is_true 850 1150 short 1000
	check "$mechanism: a storm of short processes" storm_is_true
}

if perf_opens; then
	mechanism=perf
	all_truths
	check "perf: bursts between sleeps" is_true 950 1050 bursts 700
else
	skip "perf: all" "perf task-clock with the kernel included does not open here"
fi
mechanism=posix
all_truths
finish
