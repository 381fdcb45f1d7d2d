#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Green only with the same work on both sides: benchmarks that run for a fixed time are refused by check and record,
# what is known of a benchmark's work is not asked again, and output that differs is a warning.
# tests/fixed_work tries the probe on many programs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
without_valgrind
asked() { grep -c 'is its work fixed' "$work/out"; }
is() { if [ "$2" "$3" "$4" ]; then ok "$1"; else not_ok "$1"; fi; }
# With 16 pairs outliers cannot leave less than the 8 that a decision needs.
brief() { config 'policy:' '  pairs: {min: 16, max: 32}'; }
differ='Base and head print different output'

# timed COST: main.c runs until its CPU clock says so; COST is what a turn costs
timed() {
	cat >main.c <<C
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) void hot(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink = sink * 31 + i; }
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 8)
		hot(10000 * $1);
	puts("done");
	return 0;
}
C
	printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c\n' >Makefile
	printf 'bench\n' >.gitignore
}

# ---- a fixed time
repo timed; timed 1; config; commit base; git checkout -qb topic; timed 4; commit "four times slower"
run "$flamegate" check --base main
expect "a loop that runs for a fixed time is refused, though it took as long" 3 "runs for a fixed time instead of doing fixed work" \
	"so a regression would hide" "give it a fixed number of iterations" "its own part fell to"
is "by two rounds at least" "$(asked)" -ge 2
run "$flamegate" check --base main
is "a refusal is not kept: it is looked at again" "$(asked)" -ge 2
expect "and refused again" 3 "runs for a fixed time"
cat >>.flamegate.yml <<'Y'
  - name: fixed
    command: i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done
    work: fixed
    repeat: 1
    budget: 1s
Y
commit "a second benchmark"
run "$flamegate" record --rounds 1
expect "record refuses it as well: its baselines would say nothing" 0 "runs for a fixed time" \
	"1 of 2 benchmarks could not be recorded"
check "and records the other" test -d flamegate-record/recordings/fixed

# ---- fixed work
repo fixed; program 40; brief; commit base; git checkout -qb topic
sed -i 's/sink \* 31/sink * 33/' main.c; commit change
run "$flamegate" check --base main
expect "fixed work is measured" 0 "is its work fixed"
grep -q "$differ" "$work/out" && not_ok "the same output: no warning" || ok "the same output: no warning"
run "$flamegate" check --base main
is "what is known is not asked again" "$(asked)" -eq 0
sed -i 's/    work: fixed/    work: fixed\n    environment: {MORE: x}/' .flamegate.yml; commit environment
run "$flamegate" check --base main
is "another environment may change it: asked" "$(asked)" -ge 1

# ---- what the slowed run cannot tell refuses nothing
repo fails; program 40; brief
sed -i 's/#include <stdio.h>/#include <stdio.h>\n#include <stdlib.h>/; s/puts("done");/puts("done");\n\tif (strtoul(getenv("FLAMEGATE_SLOWDOWN") ? getenv("FLAMEGATE_SLOWDOWN") : "0", NULL, 10)) return 7;/' main.c
commit base; git checkout -qb topic; sed -i 's/sink \* 31/sink * 33/' main.c; commit change
run "$flamegate" check --base main
expect "a program that fails when it is slowed down is measured, and the report says so" 0 \
	"whether its work is fixed could not be" "exited with status 7"

# One run of base is no proof that it prints the same each time.
repo once; program 150; brief
sed -i 's/#include <stdio.h>/#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>/; s/puts("done");/printf("%d\\n", (int)getpid());\n\tif (strtoul(getenv("FLAMEGATE_SLOWDOWN") ? getenv("FLAMEGATE_SLOWDOWN") : "0", NULL, 10)) return 7;/' main.c
commit base; git checkout -qb topic; sed -i 's/sink \* 31/sink * 33/' main.c; commit change
run "$flamegate" check --base main
expect "a program that prints something else each time, and fails when it is slowed down, is measured" 0 "exited with status 7"
grep -q "$differ" "$work/out" && not_ok "of its output nothing is said" || ok "of its output nothing is said"

# ---- what they print
repo prints; program 40; brief; commit base; git checkout -qb topic
sed -i 's/i < 100; i++/i < 50; i++/; s/puts("done")/puts("half")/' main.c; commit "half the work"
run "$flamegate" check --base main
expect "head skips work and prints something else: a warning" 0 "$differ: their times can be compared only"
grep -q "$differ" flamegate-report/report.json && ok "it stands in report.json" || not_ok "it stands in report.json"
run "$flamegate" check --base main
expect "and again, by what is known of base's output" 0 "$differ"
run "$flamegate" check --replay flamegate-report/recordings -o "$work/again"
expect "and in a replay" 0 "$differ"
git checkout -q main; sed -i 's|puts("done")|fputs("done\\n", stderr)|' main.c; commit "to stderr"
git checkout -qb errors; sed -i 's|"done|"changed|' main.c; commit "another message"
run "$flamegate" check --base main
grep -q "$differ" "$work/out" && not_ok "what goes to stderr is not the result" || ok "what goes to stderr is not the result"

# shells PRINTED: a benchmark that prints so, and burns some time in head's own way
prints() {
	repo "$1"; program 40; brief
	sed -i "s|command: ./bench|command: './bench \&\& echo $2'|" .flamegate.yml
	commit base; git checkout -qb topic; sed -i 's/sink \* 31/sink * 33/' main.c; commit change
	run "$flamegate" check --base main
}
prints pids '$$'
grep -q "$differ" "$work/out" && not_ok "base itself prints something else each time: nothing is said" ||
	ok "base itself prints something else each time: nothing is said"
prints paths '$PWD'
grep -q "$differ" "$work/out" && not_ok "the folder that it runs in is no difference" || ok "the folder that it runs in is no difference"
finish
