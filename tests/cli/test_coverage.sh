#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A profile that misses most of the CPU time is said to, and is no success.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
busy=(perl -e 'my $end = times + 0.4; 1 while times < $end')

run "$flamegate" run -o "$work/whole" -- "${busy[@]}"
expect "a program that is sampled: no complaint" 0 "The samples account for"
check "no warning of it" sh -c '! grep -q "samples account for only" "$1"/report.md' sh "$work/whole"

# Half a second hidden behind a tenth that is seen, and its profile is kept.
run "$flamegate" run -o "$work/hidden" -- perl -e 'my $end = times + 0.1; 1 while times < $end; delete $ENV{LD_PRELOAD}; system @ARGV' "${busy[@]}"
expect "a child without the library: not the whole, exit 3" 3 "samples account for only" "clears LD_PRELOAD"
check "what was sampled is written all the same" grep -q '"self_head"' "$work/hidden/report.json"

run "$flamegate" run -o "$work/nothing" -- env -i "${busy[@]}"
expect "nothing but a wrapper was sampled: the same" 3 "samples account for only" "clears LD_PRELOAD"

# What is short and not counted is not the sampler's fault
run "$flamegate" run -o "$work/short" -- true
expect "too short for a sample says so" 3 "not one sample was taken" "ms of CPU time"

# A third hidden: less than what ends a short run, and yet not well covered
run "$flamegate" run -o "$work/third" -- perl -e 'my $end = times + 0.5; 1 while times < $end; delete $ENV{LD_PRELOAD}; system @ARGV' perl -e 'my $end = times + 0.22; 1 while times < $end'
expect "some of it hidden: a warning" 0 "samples account for only"
finish
