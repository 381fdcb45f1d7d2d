#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How often a regression's culprits are called: counted in both versions after the verdict, under valgrind, else by
# perf breakpoints. Counts do not depend on the machine's speed, and the planted slowdowns are large.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/cli/loop_lib.sh
. "$(dirname "$0")/../loop_lib.sh"

real_valgrind=$(command -v valgrind)
mkdir "$work/bin"
# valgrind_that COMMAND: what is found as valgrind; each run of it is a line in $work/valgrind
valgrind_that() {
	: >"$work/valgrind"
	printf '#!/bin/sh\necho run >>%s\n%s\n' "$work/valgrind" "$1" >"$work/bin/valgrind"
	chmod +x "$work/bin/valgrind"
}
export PATH=$work/bin:$PATH

# program TIMES ROUNDS [TWIN]: add() calls hash() TIMES times for each of 2000 items; each call takes ROUNDS rounds.
# TWIN: other.c has an add() and a hash() of its own.
program() {
	local unit
	unit=$(($(rounds 32) / 2000))
	cat >main.c <<C
#include <stdio.h>
static volatile unsigned long sink;
static __attribute__((noinline, noclone)) void hash(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink = sink * 31 + i;
}
static inline __attribute__((always_inline)) void insert(int item)
{
	for (int i = 0; i < $1; i++)
		hash($2 * $unit / 2 + (item & 1));
}
__attribute__((noinline)) void add(int item) { insert(item); sink++; }
__attribute__((noinline)) void rest(void)
{
	for (unsigned long i = 0; i < 1000 * $unit; i++)
		sink = sink * 31 + i;
}
void twin(void);
int main(void)
{
	for (int item = 0; item < 2000; item++)
		add(item);
	rest();
	twin();
	puts("done");
	return 0;
}
C
	if [ -n "${3:-}" ]; then
		cat >other.c <<'C'
static volatile int sink;
static __attribute__((noinline, noclone)) void hash(void) { sink++; }
static __attribute__((noinline, noclone)) void add(void) { hash(); }
void twin(void) { add(); }
C
	else
		echo 'void twin(void) { }' >other.c
	fi
	cat >Makefile <<'M'
bench: main.c other.c
	$(CC) -O1 -g -o bench main.c other.c
M
	printf 'bench\n' >.gitignore
}

# reporting TIMES ROUNDS: report(), whose code is the same whatever main() asks of it, calls hash() TIMES times for each
# of 2000 items, beside four times that work of two calls; each call takes ROUNDS rounds.
reporting() {
	program 1 1
	sed -i -e '/^static inline/,/^void twin/d' -e '/^int main/,$d' main.c
	cat >>main.c <<C
__attribute__((noinline, noclone)) void report(int times, unsigned long n)
{
	for (int item = 0; item < 2000; item++) {
		for (unsigned long i = 0; i < 8 * n; i++)
			sink = sink * 31 + i;
		for (int i = 0; i < times; i++)
			hash(n);
	}
}
void twin(void);
int main(void)
{
	report($1, $2 * $(($(rounds 90) / 20000)));
	twin();
	puts("done");
	return 0;
}
C
}

# calls VERSION CALLER CALLEE: that number in the last check's recording, "none" without one
calls() {
	python3 - "$work/report/recordings/bench/$1/recording.json" "$2" "$3" <<'P'
import json, sys
calls = json.load(open(sys.argv[1])).get("calls", {})
found = [item[4] for item in calls.get("items", []) if item[0] == sys.argv[2] and item[2] == sys.argv[3]]
print("%g" % found[0] if found else "none")
P
}
member() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["calls"][sys.argv[2]])' \
	"$work/report/recordings/bench/$1/recording.json" "$2"; }
check_slower() { run "$flamegate" check --base main --head slower -o "$work/report"; }
# slower TIMES ROUNDS [TWIN]: a branch of that, beside main's 1 and 1
slower() { git checkout -q -B slower main && program "$@" && commit slower && git checkout -q main; }

# ---- under valgrind
repo calls; program 1 1; short_policy; commit base
slower 3 1
if [ -n "$real_valgrind" ]; then
	valgrind_that "exec $real_valgrind \"\$@\""
	check_slower
	expect "three times as many calls are a regression" 1 "hash" "counting calls"
	check "base calls it once an item" [ "$(calls base "" hash)" = 2000 ]
	check "head calls it three times" [ "$(calls head "" hash)" = 6000 ]
	check "by a caller that was inlined, under its own name" [ "$(calls head insert hash)" = 6000 ]
	check "both versions' counts are exact" [ "$(member base exact) $(member head exact)" = "True True" ]
	check "valgrind counted them" [ "$(member head engine)" = callgrind ]
	check "in two runs of each version" [ "$(wc -l <"$work/valgrind") $(member head runs)" = "4 2" ]
	cp -r "$work/report" "$work/live"
	run "$flamegate" check --replay "$work/live/recordings" -o "$work/again"
	check "a replay gives the same report" cmp "$work/live/report.json" "$work/again/report.json"

	: >"$work/valgrind"
	sed -i 's/^    repeat: 1/&\n    profiles: [cpu, instructions]/' .flamegate.yml
	git commit -qam "Counts instructions" && slower 1 3
	check_slower
	expect "three times as much work in a call is a regression" 1 "hash"
	check "it is called as often as before" [ "$(calls base "" hash) $(calls head "" hash)" = "2000 2000" ]
	check "runs that counted instructions counted the calls too" [ "$(wc -l <"$work/valgrind")" = 6 ]

	repo window; reporting 2 1; short_policy; commit base
	git checkout -q -B slower main && reporting 3 1 && commit slower && git checkout -q main
	check_slower
	expect "unchanged code that unchanged code calls more often is a regression" 1 "hash" "1.50 times as often"
	check "base calls it twice an item" [ "$(calls base report hash)" = 4000 ]
	check "head calls it three times" [ "$(calls head report hash)" = 6000 ]
	cp -r "$work/report/recordings" "$work/uncounted"
	for version in base head; do
		python3 - "$work/uncounted/bench/$version/recording.json" <<'P'
import json, sys
recording = json.load(open(sys.argv[1]))
del recording["calls"]
json.dump(recording, open(sys.argv[1], "w"))
P
	done
	run "$flamegate" check --replay "$work/uncounted" -o "$work/again"
	if [ "$status" = 1 ]; then
		skip "the samples alone say so this time"
	else
		expect "which nobody would know without the counts" 0 "machine code is the same in both versions"
	fi
else
	skip "valgrind is not installed: nothing counts calls under it"
fi

# ---- without
repo alone; program 1 1; short_policy; commit base
slower 3 1
valgrind_that "exit 1"
check_slower
expect "a valgrind that fails leaves the verdict alone" 1 "hash" "counting calls"
if [ "$(member head engine)" = "perf breakpoints" ]; then
	check "breakpoints count in its place" [ "$(calls base "" hash) $(calls head "" hash)" = "2000 6000" ]
	check "their counts are exact as well" [ "$(member base exact) $(member head exact)" = "True True" ]
	check "they do not tell callers" [ "$(calls head insert hash)" = none ]
else
	member head why_not >"$work/why"
	check "why there are none is recorded ($(cat "$work/why"))" grep -qE 'status 1.*, and .*(breakpoints|randomisation)' "$work/why"
	skip "perf breakpoints cannot be had here"
fi

# ---- neither
repo neither; program 1 1 twin; short_policy; commit base
slower 3 1 twin
check_slower
expect "where nothing counts the verdict is the same" 1 "hash"
check "nothing is counted" [ "$(member head engine)$(calls head "" hash)" = none ]
member base why_not >"$work/why"
check "both versions say why" grep -qE 'status 1.*, and ' "$work/why"

# ---- no regression
git checkout -q -B same main && sed -i 's/"done"/"done!"/' main.c && commit same && git checkout -q main
: >"$work/valgrind"
run "$flamegate" check --base main --head same -o "$work/report"
expect "a change that costs nothing passes" 0
check "nobody counts its calls" [ ! -s "$work/valgrind" ]
check "and its recordings say nothing of them" sh -c "! grep -q '\"calls\"' '$work/report/recordings/bench/head/recording.json'"
finish
