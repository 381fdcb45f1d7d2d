#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a check looks at besides the CPU time: counts that differ from run to run, leaks, the largest resident set,
# waits, and a benchmark that is killed for memory. What is asserted are counts and bytes, never times.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../lib.sh"
without_valgrind
root=$(cd "$(dirname "$0")/../../.." && pwd)

# program: main.c from stdin, with flamegate.h beside it
program() {
	cp "$root/gate/sampler/flamegate.h" .
	cat >main.c
	printf 'bench: main.c\n\t$(CC) -O1 -g -fno-builtin -pthread -o bench main.c\n' >Makefile
	printf 'bench\n' >.gitignore
}
# memory: a program of ROUNDS iterations, each taking a block of 100 bytes in take() and freeing it where FREED is 1; some
# RANDOM blocks, as many as the clock says; LARGE bytes touched; at the end DEATH
memory() {
	program <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "flamegate.h"
#ifndef LARGE
#define LARGE 1
#endif
static volatile unsigned long sink;
static char *kept;
__attribute__((noinline)) static char *take(void) { return malloc(100); }
__attribute__((noinline)) static void burn(void) { for (unsigned long i = 0; i < BURN; i++) sink = sink * 31 + i; }
__attribute__((noinline)) static void grow(void) { kept = malloc(LARGE); memset(kept, 1, LARGE); }
__attribute__((noinline)) static void waver(int most)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < now.tv_nsec / 100 % most; i++)
		free(malloc(10));
}
int main(void)
{
	grow();
	for (int i = 0; i < ROUNDS; i++) {
		char *block = take();
		block[0] = (char)i;
		if (FREED)
			free(block);
		flamegate_iteration(1);
	}
	waver(RANDOM + 1);
	burn();
	puts("done");
	DEATH;
	return 0;
}
C
	sed -i "1i #define ROUNDS ${ROUNDS:-1000}\n#define FREED ${FREED:-1}\n#define RANDOM ${RANDOM_BLOCKS:-0}\n#define DEATH ${DEATH:-}\n#define LARGE ${LARGE:-1000}\n#define BURN $(rounds 25)" main.c
}
start() { repo "$1"; shift; memory; config "$@" "policy:" "  pairs: {min: 16, max: 32}"; commit base; git checkout -qb topic; }
metric() { python3 -c "
import json,sys
q={q['name']: q for q in json.load(open('flamegate-report/report.json'))['benchmarks'][0]['metrics']}
print($1)"; }
heap='    profiles: [cpu, heap]'

# ---- counts that differ from run to run
RANDOM_BLOCKS=9 start wavering "$heap"
RANDOM_BLOCKS=9 memory; sed -i 's/i < BURN/& + 1/' main.c; commit "the same"
run "$flamegate" check --base main
expect "allocations that differ from run to run are decided by pairs of runs" 0 "16 pairs of runs" "differ, so 16 pairs of them decided"
run metric "q['alloc_objects']['test'], q['alloc_objects']['state'], q['alloc_objects']['runs'], q['alloc_objects']['low'] < 0.005"
expect "and equal ones pass, with an interval" 0 "paired t same 16 True"
RANDOM_BLOCKS=9 ROUNDS=1100 memory; commit "a tenth more"
run "$flamegate" check --base main
expect "more of them fail, with who makes them" 1 "more allocations than the base" "take"
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o "$work/replayed"
expect "a replay decides the same" 1 "more allocations than the base"
check "with the same bytes" cmp "$work/live.json" "$work/replayed/report.json"
grep -q "paired t, 16 runs" flamegate-report/report.md && ok "Markdown has the table" || not_ok "Markdown has the table"
grep -q "Everything that was looked at" flamegate-report/report.html && ok "HTML has it" || not_ok "HTML has it"

# ---- leaks
start leaking "$heap"
FREED=0 memory; commit "forgets to free"
run "$flamegate" check --base main
expect "memory that is never freed raises the peak: a failure" 1 "more memory at its peak"
run metric "q['leak']['state'], round(q['leak']['head']), q['leak']['test'], q['inuse_bytes']['state'], q['inuse_bytes']['gate']"
expect "and leaks 100 bytes in each iteration" 0 "grew 100 exact grew warn"
git checkout -q main; sed -i 's/pairs: {min: 16, max: 32}/&\n  gate: {peak_bytes: show}/' .flamegate.yml; commit policy
git checkout -q topic; git merge -q main -m merge
run "$flamegate" check --base main
expect "policy.gate: where the peak is only shown, the rest warns" 0 "WARN" "in use at the end"

# ---- the largest resident set, and what a check of the CPU time alone sees
start resident; sed -i 's/pairs: {min: 16, max: 32}/&\n  gate: {cpu: show}/' .flamegate.yml; git commit -qam policy; git branch -f main
run "$flamegate" check --base main --measure-identical
expect "every metric is in the table" 0 "Everything that was looked at" "largest resident set" "elapsed time" "threads"
LARGE=20000000 memory; commit "20 MB more"
run "$flamegate" check --base main
expect "a larger resident set is a warning, the time to fill it let pass by the policy" 0 "WARN" "largest resident set (paired t"
run metric "15e6 < q['max_rss']['head'] - q['max_rss']['base'] < 25e6, q['max_rss']['gate'], q['wall']['gate']"
expect "by the 20 MB, whatever flamegate itself has in use" 0 "True warn show"

# ---- waits
repo waits
program <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *unused)
{
	pthread_mutex_lock(&lock);
	usleep(50000);
	pthread_mutex_unlock(&lock);
	return unused;
}
int main(void)
{
	pthread_t thread;
	for (unsigned long i = 0; i < BURN; i++)
		sink = sink * 31 + i;
	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, other, NULL);
	usleep(20000);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
C
sed -i "1i #define BURN $(rounds 20)" main.c
config '    profiles: [wall, lock]' "policy:" "  pairs: {min: 16, max: 32}"; commit base; git checkout -qb topic
sed -i 's/i < BURN/& + 1/' main.c; commit "the same"
run "$flamegate" check --base main
expect "waits are looked at in pairs of runs of their own" 0 "elapsed time, running or waiting, 16 pairs" "waits for locks, 16 pairs"
run metric "[(n, q[n]['head'] > 0, q[n]['runs'], q[n]['gate']) for n in ('off_cpu', 'lock_delay', 'contentions')]"
expect "and shown" 0 "('off_cpu', True, 16, 'show')" "('lock_delay', True, 16, 'show')" "('contentions', True, 16, 'show')"
cp flamegate-report/report.json "$work/live.json"
run "$flamegate" check --replay flamegate-report/recordings -o "$work/replayed"
check "a replay has the same bytes" cmp "$work/live.json" "$work/replayed/report.json"
check "their profiles stay" test -s flamegate-report/recordings/bench/counted-wall/wall.pb.gz

# ---- killed for memory
start killed
LARGE=64000000 DEATH='raise(SIGKILL)' memory; commit "grows until it is killed"
run "$flamegate" check --base main
expect "a benchmark that is killed is no verdict, and the report names its in-use profile" 3 \
	"killed, most likely for want of memory" "In use at its death" "61.0 MiB" "grow" "bench-head-in-use.pb.gz"
run "$flamegate" compare --type inuse_bytes flamegate-report/bench-head-in-use.pb.gz flamegate-report/bench-head-in-use.pb.gz
expect "which is there" 0
LARGE=1000 DEATH='abort()' memory; commit "aborts"
run "$flamegate" check --base main
expect "one that dies otherwise is not said to have died for memory" 3 "status 134"
if grep -q "want of memory" "$work/out"; then not_ok "nor given a profile"; else ok "nor given a profile"; fi

finish
