#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is measured besides CPU time: `run --profile`, and the counts that `check` and `record` decide exactly.
# Counts do not depend on the machine's speed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
root=$(cd "$(dirname "$0")/../../.." && pwd)
# shellcheck source=tests/cli/loop_lib.sh
. "$root/tests/cli/loop_lib.sh"

# allocating COUNT: main.c makes COUNT allocations of 64 bytes in grab(), frees all but ten, and burns some CPU
allocating() {
	cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned long sink;
static char *kept[10];
__attribute__((noinline)) static char *grab(unsigned long i)
{
	char *block = malloc(64);
	block[0] = (char)i;
	return block;
}
__attribute__((noinline)) static void burn(void)
{
	for (unsigned long i = 0; i < BURN; i++)
		sink = sink * 31 + i;
}
int main(void)
{
	for (unsigned long i = 0; i < COUNT; i++) {
		char *block = grab(i);
		if (i < 10)
			kept[i] = block;
		else
			free(block);
	}
	burn();
	puts("done");
	return 0;
}
C
	sed -i "s/COUNT/$1/; 1i #define BURN $(rounds 30)" main.c
	cat >Makefile <<'M'
bench: main.c
	$(CC) -O1 -g -fno-builtin -o bench main.c
M
	printf 'bench\n' >.gitignore
}
json() { python3 -c "import json,sys; r=json.load(open(sys.argv[1])); b=r['benchmarks'][0]; print($2)" "$1"; }

# ---- run
repo runs; allocating 5000; make -s
run "$flamegate" run --profile heap -o "$work/heap" -- ./bench
expect "run --profile heap counts every allocation" 0 "./bench allocated" "grab"
run json "$work/heap/report.json" 'b["profile_type"], b["unit"]'
expect "the report says what it counts" 0 "alloc_bytes bytes"
run "$flamegate" compare --type alloc_objects "$work/heap/alloc_bytes.pb.gz" "$work/heap/alloc_bytes.pb.gz"
expect "its profile has the number of allocations too" 0 "makes as many allocations"
if grep -qE '^flamegate: 500[0-9] allocations' "$work/out" || "$flamegate" run -p heap -o "$work/heap" -- ./bench 2>&1 |
	grep -qE '500[0-9] allocations of 0\.3[0-9] MiB in 1 processes'; then
	ok "all 5000 are there"
else
	not_ok "all 5000 are there"
fi
run "$flamegate" run --profile heap --heap-period 4096 -o "$work/sampled" -- ./bench
expect "a sampled heap says so" 0 "estimated from samples"
run "$flamegate" run --profile wall -o "$work/wall" -- sh -c 'exec python3 -c "import time; time.sleep(0.4)"'
expect "run --profile wall sees a sleeping program" 0 "of elapsed time" "threads waited for"
run "$flamegate" run --profile lock -o "$work/lock" -- ./bench
expect "a program without locks waits for none" 0 "no thread waited for a lock"
run "$flamegate" run --profile locks -- ./bench
expect "an unknown profile is a usage error that names the known" 2 "'locks'" "cpu, wall, heap, lock or instructions"
run "$flamegate" run --start-paused -o "$work/paused" -- ./bench
expect "paused for its whole life: says why nothing was counted" 3 "flamegate.h"
run "$flamegate" run --process nosuch -o "$work/none" -- ./bench
expect "a program that never ran cannot be counted" 3 "nosuch"
run "$flamegate" run --process bench -o "$work/one" -- sh -c './bench; ./bench'
expect "one program's processes alone" 0 "not counted: "

if command -v valgrind >/dev/null 2>&1; then
	run "$flamegate" run --profile instructions -o "$work/instructions" -- ./bench
	expect "run --profile instructions" 0 "executed" "burn"
	run json "$work/instructions/report.json" 'b["total"]["head"] > 6e7'
	expect "and their number is that of the program" 0 "True"
else
	skip "run --profile instructions: valgrind is not installed"
fi

# ---- check: the base is counted beside head
counts='    profiles: [cpu, heap]'
start() { repo "$1"; allocating 5000; config "$counts" "policy:" "  pairs: {min: 16, max: 32}"; commit base; git checkout -qb topic; }
start more
allocating 5100; commit "a hundred allocations more"
run "$flamegate" check --base main
expect "2 % more allocations fail, though CPU time cannot show them" 1 "more allocations than the base" "grab" "main.c:"
run json flamegate-report/report.json '[(s["profile_type"], s["state"], s["decides"]) for s in b["references"]]'
expect "each count is decided on its own" 0 "('alloc_objects', 'flagged', True)" "('alloc_bytes', 'flagged', True)" \
	"('peak_bytes', 'clear', False)"
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o "$work/replayed"
expect "a replay decides the same" 1 "more allocations than the base"
check "with the same bytes" cmp "$work/live.json" "$work/replayed/report.json"

start same
sed -i 's/i < BURN/& + 1/' main.c; commit "the same allocations"
run "$flamegate" check --base main
expect "equal counts pass" 0 "counted beside head"
run json flamegate-report/report.json '{s["state"] for s in b["references"]}'
expect "all of them clear" 0 "{'clear'}"

start fewer
allocating 4000; commit "a thousand allocations less"
run "$flamegate" check --base main
expect "fewer allocations pass" 0

# ---- instructions
if command -v valgrind >/dev/null 2>&1; then
	counts='    profiles: [instructions]'
	start instructions
	sed -i 's|i < BURN|& / 50 * 51|' main.c; commit "2 % more rounds"
	run "$flamegate" check --base main
	expect "2 % more instructions fail, whatever the clock says" 1 "executes" "more instructions than the base" "burn"
	run json flamegate-report/report.json \
		'[(s["state"], s["head"] - s["base"] > 4e5, s["findings"][0]["name"]) for s in b["references"]]'
	expect "exactly those of burn()" 0 "[('flagged', True, 'burn')]"
else
	skip "2 % more instructions: valgrind is not installed"
fi
counts='    profiles: [cpu, heap]'

# ---- what the program tells itself (flamegate.h)
# marking ITERATIONS: main.c prepares something, then works in the region "work", ITERATIONS times
marking() {
	cp "$root/gate/sampler/flamegate.h" .
	cat >main.c <<'C'
#include <stdio.h>
#include "flamegate.h"
static volatile unsigned long sink;
__attribute__((noinline)) static void prepare(void) { for (unsigned long i = 0; i < BURN; i++) sink = sink * 31 + i; }
__attribute__((noinline)) static void work(void) { for (unsigned long i = 0; i < BURN / 20; i++) sink = sink * 31 + i; }
int main(void)
{
	prepare();
	flamegate_region_begin("work");
	for (int i = 0; i < ITERATIONS; i++) {
		work();
		flamegate_iteration(1);
	}
	flamegate_region_end();
	puts("done");
	return 0;
}
C
	sed -i "s/ITERATIONS/$1/; 1i #define BURN $(rounds 30)" main.c
	printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c\n' >Makefile
	printf 'bench\n' >.gitignore
}
repo marks; marking 20; make -s
run ./bench
expect "a marked program runs without flamegate" 0 "done"
run "$flamegate" run --start-paused -o "$work/marks" -- ./bench
expect "its iterations are told, and its preparation is left out" 0 "20 iterations told by the program" "work"
if grep -q prepare "$work/out"; then not_ok "prepare() is not in the profile"; else ok "prepare() is not in the profile"; fi
config "    start: paused" "policy:" "  pairs: {min: 16, max: 32}"; sed -i 's/work: fixed/work: iterations/' .flamegate.yml
commit base; git checkout -qb topic; marking 40; commit "twice as many iterations of the same work"
run "$flamegate" check --base main
expect "work is counted by flamegate_iteration(): twice as much is not slower" 0 "base: costs are for one iteration; a run did 20" \
	"head: costs are for one iteration; a run did 40"
sed -i 's/flamegate_iteration(1);//' main.c; commit "says nothing"
run "$flamegate" check --base main
expect "a program that tells no iterations could not be measured" 3 "flamegate_iteration()"

# ---- what a version keeps out of its own measurement
repo hiding; marking 20; sed -i 's/prepare();/flamegate_pause(); prepare(); flamegate_resume();/' main.c
config "policy:" "  pairs: {min: 16, max: 32}"; commit base; git checkout -qb topic
sed -i 's/int main(void)/int main(int argc, char **argv)/; s/puts("done")/puts(argc ? argv[0] : "")/' main.c
commit "pauses as before"
run "$flamegate" check --base main
expect "what both versions pause is no warning" 0 "had the counting paused"
if grep -q "leaves out more" "$work/out"; then not_ok "and nobody is suspected"; else ok "and nobody is suspected"; fi
sed -i 's/prepare(); flamegate_resume/prepare(); prepare(); flamegate_resume/' main.c; commit "pauses for longer"
run "$flamegate" check --base main
expect "cost that moves into a pause does not pass silently" 0 "WARN" "head leaves out more than base"
run "$flamegate" check --replay flamegate-report/recordings -o "$work/replayed"
expect "nor in a replay" 0 "WARN" "head leaves out more than base"

# ---- record and the stored baseline
start stored
git checkout -q main; remote stored
run "$flamegate" record
expect "record counts too" 0 "allocations and the heap, counted in 3 runs"
run "$flamegate" baseline push
expect "five baselines: CPU time and four counts" 0 "5 baselines"
run "$flamegate" baseline list
expect "each under its own type" 0 "alloc_objects" "alloc_bytes" "peak_bytes" "inuse_bytes" "cpu"
git checkout -q topic; allocating 5100; commit more
as_ci "$flamegate" check
expect "compared with the stored counts, without counting the base again" 1 "more allocations than the stored baseline"
run json flamegate-report/report.json '[s["store"] != "" for s in b["references"] if s["profile_type"] == "alloc_objects"]'
expect "they came from the store" 0 "[True]"
run json flamegate-report/report.json '[b[k]["moments"]["count"] > 0 and b[k]["runs"] for k in ("memory_base", "memory_head")]'
expect "with the base's heap over time" 0 "[3, 3]"
git checkout -q main; sed -i 's/work: fixed/&\n    processes: all/' .flamegate.yml; commit "counts other processes"; git push -q origin main
git checkout -q topic
as_ci "$flamegate" check
expect "counts that were recorded by other rules are counted again" 1 "more allocations than the base"

# ---- what is usual: nine commits that went up and down by two per cent
counts='    profiles: [heap]'
start restless
git checkout -q main; remote restless
for i in 1 2 3 4 5 6 7 8 9; do
	[ "$i" = 1 ] || { allocating $((5000 + i % 2 * -100 + 100)); commit "commit $i"; git push -q origin main; }
	run "$flamegate" record --rounds 1 && run "$flamegate" baseline push
done
expect "nine commits have their counts" 0 "5 baselines"
git checkout -q -B topic main; allocating 5100; commit "up again"
as_ci "$flamegate" check
run json flamegate-report/report.json '[(s["state"], round(s["threshold"], 3), "8 earlier commits" in s["detail"]) for s in b["references"] if s["profile_type"] == "alloc_objects"]'
expect "what these commits did is no regression in the next one" 0 "[('clear', 0.02"
grep -q "True" "$work/out" && ok "and the report says so" || not_ok "and the report says so"
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o "$work/replayed"
check "as a replay does" cmp "$work/live.json" "$work/replayed/report.json"
allocating 5300; commit "more than ever"
as_ci "$flamegate" check
expect "three times as much is one" 1 "more allocations than"

finish
