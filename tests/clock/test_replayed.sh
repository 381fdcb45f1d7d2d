#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Benchmarks that run for a fixed time, unmodified: base's clock is replayed, a slowdown is found and named, and equal
# speed passes. What cannot be proven is refused with the reason, and with the harness's own way.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
without_valgrind
brief() { printf 'version: 1\nbuild: %s\nbenchmarks:\n  - name: bench\n    command: %s\n    repeat: 1\n    budget: 1s\n    benchmark_time: 0.1s\n%s' \
	"${2:-make -s}" "$1" 'policy: {pairs: {min: 12, max: 24}}
' >.flamegate.yml; }

# harness COST BODY [SECONDS]: main.c measures two functions as a harness does, until that many seconds are over; its results
# of last time lie in a file, and where it finds them it looks at its clock more often
harness() {
	cat >main.c <<C
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) void hot(unsigned long n) { for (unsigned long i = 0; i < n * $1 / 10; i++) sink = sink * 31 + i; }
__attribute__((noinline)) void other(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink = sink * 33 + i; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void measure(const char *name, void (*run)(unsigned long))
{
	unsigned long rounds = 1;
	double took = 0;
	for (; took < ${3:-0.04}; rounds *= 2) {
		double start = now();
		for (unsigned long i = 0; i < rounds; i++)
			run(1000);
		took = now() - start;
	}
	printf("%s %lu rounds, %.9f s each\n", name, rounds / 2, took / (rounds / 2));
}
int main(void)
{
	FILE *last = fopen("last", "r");
	if (last)
		for (int i = 0; i < 5; i++)
			now();
	fclose(fopen("last", "w"));
	measure("hot", hot);
	measure("other", other);
	$2
	return 0;
}
C
	printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c -lpthread\n' >Makefile
	printf 'bench\nlast\n' >.gitignore
}

# ---- found, and named
repo harness; harness 10 ''; brief ./bench; commit base; git checkout -qb topic; harness 13 ''; commit slower
run "$flamegate" check --base main
expect "a slowdown in a harness that runs for a fixed time is found" 1 "hot itself" "every run of both versions gets what base's clock said" \
	"in 1 process" "as it is"
if grep -q '1 itself\|other itself' "$work/out"; then not_ok "and nothing else is blamed"; else ok "and nothing else is blamed"; fi
check "what was done to its clock stands in the report" \
	python3 -c 'import json; w = json.load(open("flamegate-report/report.json"))["benchmarks"][0]["work"]; assert w["kind"] == "replayed" and w["calls"] > 20 and w["processes"] == 1 and w["run_seconds"] > 0, w'
git checkout -q main; git checkout -qb same; harness 10 'sink++;'; commit "the same speed"
run "$flamegate" check --base main
expect "the same speed passes" 0 "so that both do the same work"
run "$flamegate" record --rounds 1 --output kept
expect "it is recorded by a clock of its own" 0 "is its work the same by that clock" "recorded 1 of 1"
check "whose counts fit no other record exactly" grep -q '"build_hash": ""' kept/recordings/bench/head/recording.json

# ---- refused
if [ "$(uname -m)" = x86_64 ]; then
	counter='unsigned long end = __builtin_ia32_rdtsc() + 900000000; while (__builtin_ia32_rdtsc() < end) other(1000);'
	repo counter; harness 10 "$counter" 0.01; brief ./bench; commit base; git checkout -qb topic; harness 12 "$counter" 0.01; commit slower
	run "$flamegate" check --base main
	expect "a cycle counter is found out although its calls are the same" 3 "runs for a fixed time" "with base's clock replayed it still does less work when it is slower" \
		"an alarm, or calls that cannot be seen"
else
	skip "no cycle counter of x86"
fi
repo longer; harness 10 ''; brief ./bench; commit base; git checkout -qb topic; harness 10 'measure("third", other);'; commit "a benchmark more"
run "$flamegate" check --base main
expect "a benchmark more in head is another number of calls" 3 "its clock cannot be replayed" "clock_gettime(CLOCK_MONOTONIC)" "so it does"
repo fixed; program 200; brief ./bench; sed -i 's/    budget/    work: replayed\n    budget/' .flamegate.yml; commit base; git checkout -qb topic; sed -i 's/31/33/' main.c; commit other
run "$flamegate" check --base main
expect "what calls no clock cannot be replayed" 3 "it calls no clock that could be replayed"
repo asked; harness 10 ''; brief ./bench; sed -i 's/    budget/    work: fixed\n    budget/' .flamegate.yml; commit base; git checkout -qb topic; harness 13 ''; commit slower
run "$flamegate" check --base main
expect "work: fixed replays nothing" 3 "runs for a fixed time instead of doing fixed work"

# ---- waits, in turns: a version is stopped by signals while the other runs

# waits LIMIT_MS WAIT: a harness whose work is done by a thread, which it waits for by a condition with that limit, and WAIT,
# C code, in each round
waits() {
	cat >main.c <<C
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static unsigned long todo;
__attribute__((noinline)) void hot(unsigned long n) { for (unsigned long i = 0; i < n * 10 / 10; i++) sink = sink * 31 + i; }
static struct timespec in(long ms)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void *serve(void *unused)
{
	pthread_mutex_lock(&mutex);
	for (;;) {
		while (!todo)
			pthread_cond_wait(&asked, &mutex);
		hot(todo);
		todo = 0;
		pthread_cond_signal(&answered);
	}
	return unused;
}
static void ask(unsigned long n)
{
	pthread_mutex_lock(&mutex);
	todo = n;
	pthread_cond_signal(&asked);
	while (todo) {
		struct timespec until = in($1);
		pthread_cond_timedwait(&answered, &mutex, &until);
	}
	pthread_mutex_unlock(&mutex);
}
int main(void)
{
	pthread_t thread;
	unsigned rounds = 0;
	pthread_create(&thread, NULL, serve, NULL);
	for (double end = now() + 0.3; now() < end; rounds++) {
		ask(400000);
		$2
	}
	printf("%u rounds\n", rounds);
	return 0;
}
C
	printf 'bench: main.c\n\t$(CC) -O1 -g -o bench main.c -lpthread\n' >Makefile
	printf 'bench\n' >.gitignore
}
in_turns() { sed -i 's/    budget/    slices: 5ms\n    budget/' .flamegate.yml; }
slower_waits() { sed -i 's/n \* 10/n * 20/' main.c; }

repo waiting; waits 100000 'usleep(100); clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &(struct timespec){in(1).tv_sec, 0}, NULL);'
brief ./bench; in_turns; commit base
git checkout -qb topic; slower_waits; commit slower
run "$flamegate" check --base main
expect "with waits and sleeps whose number is fixed a slowdown is found" 1 "hot itself" "what base's clock said" "in turns of 5 ms"
repo limits; waits 1 ''; sed -i 's/400000/3000000/' main.c; brief ./bench; in_turns; commit base
git checkout -qb topic; slower_waits; commit slower
run "$flamegate" check --base main
name="a wait that ends by its limit while the work is done is told the same, or refused"
if [ "$status" -eq 3 ]; then expect "$name" 3 "its clock cannot be replayed"; else expect "$name" 1 "hot itself" "what base's clock said"; fi

# ---- an event loop: how often it asks is chance, but not what a round costs
repo steps; harness 10 ''; brief ./bench; sed -i 's/    budget/    work: stepped\n    budget/' .flamegate.yml
sed -i 's/for (; took < 0.04; rounds \*= 2) {/for (double begin = now(); now() < begin + 0.1; rounds++) {/; s/i < rounds; i++/i < 20; i++/' main.c; commit base
git checkout -qb topic; sed -i 's/n \* 10/n * 13/' main.c; commit slower
run "$flamegate" check --base main
expect "by a clock that is stepped a slowdown is found" 1 "hot " "at main.c:6" "its clock goes on by"

# ---- a real one
if echo '#include <benchmark/benchmark.h>' | c++ -E -x c++ - >/dev/null 2>&1; then
	repo google
	cat >bench.cc <<'C'
#include <benchmark/benchmark.h>
static volatile unsigned long sink;
__attribute__((noinline)) void hot(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink = sink * 31 + i; }
__attribute__((noinline)) void other(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink = sink * 33 + i; }
static void bm_hot(benchmark::State &state) { for (auto _ : state) hot(1000); }
static void bm_other(benchmark::State &state) { for (auto _ : state) other(1000); }
BENCHMARK(bm_hot);
BENCHMARK(bm_other);
BENCHMARK_MAIN();
C
	echo bench >.gitignore; brief './bench --benchmark_min_time=0.2' 'c++ -O1 -g -o bench bench.cc -lbenchmark -lpthread'; commit base
	git checkout -qb topic; sed -i 's/void hot(unsigned long n) { for (unsigned long i = 0; i < n; i++)/void hot(unsigned long n) { for (unsigned long i = 0; i < n + n * 3 \/ 10; i++)/' bench.cc; commit slower
	run "$flamegate" check --base main
	expect "google-benchmark, unmodified: a slowdown is found and named" 1 "hot(unsigned long) itself" "what base's clock said"
else
	skip "no google-benchmark here (Debian: libbenchmark-dev)"
fi
finish
