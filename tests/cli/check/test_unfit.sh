#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A benchmark that cannot be recorded, or that a store does not take, keeps no other one's baseline from being pushed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
# entries NUMBER: so many baselines are in the store
entries() { [ "$("$flamegate" baseline list --json | grep -o '"benchmark":"[a-z]*"' | sort -u | tr -d '\n')" = "$1" ]; }
# add NAME COMMAND: one more benchmark
add() { sed -i "s|^benchmarks:|&\n  - name: $1\n    command: $2\n    work: fixed\n    repeat: 1\n    budget: 1s\n    slices: off|" .flamegate.yml; }
lasting=$(rounds 40)

repo some
printf 'static volatile unsigned long sink;\nint main(void)\n{\n\tfor (unsigned long i = 0; i < %s; i++)\n\t\tsink = sink * 31 + i;\n\treturn 0;\n}\n' "$lasting" >main.c
printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c\n' >Makefile; printf 'bench\n' >.gitignore
config "policy:" "  pairs: {min: 16, max: 32}" "baseline:" "  store: dir:$work/store"
add broken "sh -c 'exit 7'"; add other ./bench; commit first
run sh -c '"$1" record && "$1" baseline push' sh "$flamegate"
expect "record && baseline push: the good ones are pushed, the other is named, and the status says so" 3 \
	"1 of 3 benchmarks could not be recorded" "2 baselines of" "flamegate: broken was not recorded: " "status 7" "1 more was not recorded"
check "both are in the store" entries '"benchmark":"bench""benchmark":"other"'
run "$flamegate" record --benchmark broken
expect "a record of nothing but it fails" 3 "status 7"
run "$flamegate" baseline push
expect "and then there is nothing to push" 3 "broken was not recorded" "nothing to push"

# ---- one that the store does not take: its profile and its totals do not belong together
rm -rf "$work/store"; sed -i 's/exit 7/exit 0/' .flamegate.yml; sed -i '/name: broken/,/slices/d' .flamegate.yml; commit fixed
run "$flamegate" record
expect "two good ones" 0
sed -i 's/"sampled_seconds": *[0-9.e-]*/"sampled_seconds":1e-3/' flamegate-record/recordings/other/head/recording.json
run "$flamegate" baseline push
expect "a recording that does not add up is named" 3 "other (cpu) was not pushed: " "do not belong together" "1 baseline of" "1 more was"
check "the good one is in the store" entries '"benchmark":"bench"'
sed -i 's/"sampled_seconds": *[0-9.e-]*/"sampled_seconds":1e-3/' flamegate-record/recordings/bench/head/recording.json
run "$flamegate" baseline push
expect "where none is taken, that is the error" 3 "do not belong together"
finish
