// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "work.h"

static void turns(benchmark::State &state)
{
	for (auto _ : state)
		benchmark::DoNotOptimize(turn(1000, 1));
}
BENCHMARK(turns);
BENCHMARK_MAIN();
