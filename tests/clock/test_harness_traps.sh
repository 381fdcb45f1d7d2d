#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real harnesses in their less usual ways under a replayed clock: threads, other clocks, pauses, repetitions. They settle on
# the same rounds and print the same times as in the recorded run, also if they are slower.
# shellcheck source=tests/clock/recorded.sh
. "$(dirname "$0")/recorded.sh"

# exact NAME SPEED COMMAND...: recorded, and replayed twice
exact() {
	local name=$1
	shift
	record "$@"
	check "$name: recorded ($(head -n 1 recorded))" test "$(calls recorded | cut -d ' ' -f 3)" = 1
	replay "$@"
	same "$name: replayed"
	SLOWDOWN=0.5 replay "$@"
	same "$name: replayed by a program that is slower by half"
}

cat >work.h <<'C'
static thread_local volatile unsigned long sink;
__attribute__((noinline)) static unsigned long work(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink = sink * 31 + i; return sink; }
C

# ---- google-benchmark
cat >google.cc <<'C'
#include <benchmark/benchmark.h>
#include "work.h"
static void plain(benchmark::State &state) { for (auto _ : state) work(1000); }
static void paused(benchmark::State &state)
{
	for (auto _ : state) {
		state.PauseTiming();
		work(200);
		state.ResumeTiming();
		work(1000);
	}
}
BENCHMARK(plain)->Name("one")->Repetitions(3);
BENCHMARK(plain)->Name("threads")->Threads(4);
BENCHMARK(plain)->Name("real")->UseRealTime();
BENCHMARK(plain)->Name("threads-real")->Threads(4)->UseRealTime()->Repetitions(2);
BENCHMARK(plain)->Name("process")->MeasureProcessCPUTime();
BENCHMARK(plain)->Name("process-threads")->Threads(4)->MeasureProcessCPUTime();
BENCHMARK(plain)->Name("process-threads-real")->Threads(4)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK(paused)->Name("paused");
BENCHMARK(paused)->Name("paused-threads")->ThreadRange(1, 4);
BENCHMARK(paused)->Name("paused-threads-real")->Threads(4)->UseRealTime();
BENCHMARK_MAIN();
C
if c++ -O1 -g -o google google.cc -lbenchmark -lpthread 2>cannot; then
	# What it says of the machine, its load too, goes to the standard error.
	for speed in 1 10; do
		exact "google-benchmark at speed $speed" "$speed" sh -c 'exec ./google --benchmark_min_time=0.02 --benchmark_format=csv 2>/dev/null'
	done
	check "all its benchmarks ran" test "$(sed -n 's/^"\([^"]*\)".*/\1/p' recorded | sed 's/_[a-z]*$//' | sort -u | wc -l)" -eq 12
else
	skip "no google-benchmark here (Debian: libbenchmark-dev)"
fi

# ---- Catch2
cat >catch.cc <<'C'
#include <catch2/benchmark/catch_benchmark.hpp>
#include <catch2/catch_test_macros.hpp>
#include "work.h"
TEST_CASE("work")
{
	BENCHMARK("plain") { return work(1000); };
	BENCHMARK("by run", run) { return work(1000 + run % 2); };
	BENCHMARK_ADVANCED("advanced")(Catch::Benchmark::Chronometer meter)
	{
		work(500);
		meter.measure([](int run) { return work(2000 + run % 3); });
	};
}
C
read -ra flags <<<"$(pkg-config --cflags --libs catch2-with-main 2>/dev/null)"
if [ "${#flags[@]}" -gt 0 ] && c++ -std=c++17 -O1 -g -o catch catch.cc "${flags[@]}"; then
	# The limits of its intervals are drawn at random; a mean and a deviation stand before them.
	exact "Catch2" 10 sh -c 'exec ./catch --benchmark-samples 10 --benchmark-resamples 100 | sed -E "s/^( +[0-9.]+ [a-z]+) .*/\\1/; /^Randomness/d"'
	check "all its benchmarks ran" test "$(grep -cE '^(plain|by run|advanced) ' recorded)" -eq 3
else
	skip "no Catch2 of version 3 here (Debian 13: catch2)"
fi
finish
