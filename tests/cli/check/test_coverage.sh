#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A profile that misses most of the CPU time is said to, and is no success.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
# CPU time by the process's clock, which counts what the kernel does for it, too
clock='use Time::HiRes qw(clock_gettime CLOCK_PROCESS_CPUTIME_ID); sub burn { my $end = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) + shift;
	1 while clock_gettime(CLOCK_PROCESS_CPUTIME_ID) < $end } '
busy=(perl -e "$clock burn(0.4)")

run "$flamegate" run -o "$work/whole" -- "${busy[@]}"
expect "a program that is sampled: no complaint" 0 "The samples account for"
check "no warning of it" sh -c '! grep -q "samples account for only" "$1"/report.md' sh "$work/whole"

# Half a second hidden behind a tenth that is seen, and its profile is kept.
run "$flamegate" run -o "$work/hidden" -- perl -e "$clock"'burn(0.1); delete $ENV{LD_PRELOAD}; system @ARGV' "${busy[@]}"
expect "a child without the library: not the whole, exit 3" 3 "samples account for only" "clears LD_PRELOAD"
check "what was sampled is written all the same" grep -q '"self_head"' "$work/hidden/report.json"

run "$flamegate" run -o "$work/nothing" -- env -i "${busy[@]}"
expect "nothing but a wrapper was sampled: the same" 3 "samples account for only" "clears LD_PRELOAD"

# What is short and not counted is not the sampler's fault
run "$flamegate" run --rate 1 -o "$work/short" -- true
expect "too short for a sample says so" 3 "not one sample was taken" "ms of CPU time"

# What a program that waits has used of the CPU says nothing of its waits
run "$flamegate" run -p wall -o "$work/waits" -- sh -c 'sleep 0.5'
expect "a program that only waits is a fine profile of waits" 0 "threads waited for"
check "without a warning of CPU time" sh -c '! grep -q "samples account for only" "$1"/report.md' sh "$work/waits"

# A fifth hidden: less than what ends a run, and yet not well covered
run "$flamegate" run -o "$work/fifth" -- perl -e "$clock"'burn(0.5); delete $ENV{LD_PRELOAD}; system @ARGV' perl -e "$clock burn(0.11)"
expect "some of it hidden: a warning" 0 "samples account for only"
finish
