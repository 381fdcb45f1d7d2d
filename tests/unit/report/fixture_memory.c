/* SPDX-License-Identifier: Apache-2.0 */
/* A heap over time: base takes turns, head does too, keeps a part of each, and once needs much. */
#include "tests/unit/report/fixture.h"

#include <math.h>

#include "tests/unit/report/fixture_build.h"

#define MOMENTS 40
#define KIB 1024.0
#define SPIKE_AT 15

static struct result_memory_line make_line(struct result *result, bool is_head)
{
	struct result_moment *moments = arena_array(&result->arena, MOMENTS, sizeof(*moments));

	for (size_t i = 0; i < MOMENTS; i++) {
		double kept = 2048 + (is_head ? 64.0 * (double)i : 0),
		       inuse = kept + 256 * (double)(i % 5);

		moments[i] = (struct result_moment){
			.seconds = 0.0125 * (double)(i + 1) * (is_head ? 1.1 : 1),
			.iterations = 5 * (double)(i + 1),
			.inuse = inuse * KIB,
			.most = (i % 5 == 4 ? inuse + 512 : inuse) * KIB,
		};
	}
	if (is_head)
		moments[SPIKE_AT].most = 12.25 * KIB * KIB;
	moments[MOMENTS - 1].inuse = (is_head ? 2560 : 16) * KIB;
	return (struct result_memory_line){
		.moments = moments, .moment_count = MOMENTS, .runs = 3, .processes = 1};
}

static void add_memory(struct result *result)
{
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;

	benchmark->memory[0] = make_line(result, false);
	benchmark->memory[1] = make_line(result, true);
}

struct result *fixture_memory(void)
{
	struct result *result = fixture_pass();

	add_memory(result);
	return result;
}

struct result *fixture_counted(void)
{
	struct result *result = fixture_kinds();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_metric *all = arena_array(&result->arena, 2, sizeof(*all));
	const double *bytes = benchmark->profiles[0].total;

	add_memory(result);
	all[0] = (struct result_metric){"cpu", "CPU time", "seconds", "by function", GATE_FAIL,
		METRIC_SAME, false, false, 16, benchmark->total.base, benchmark->total.head,
		benchmark->total.change, benchmark->total.low, benchmark->total.high, 0.01, NAN,
		""};
	all[1] = (struct result_metric){"alloc_bytes", "memory allocated", "bytes", "exact",
		GATE_FAIL, METRIC_GREW, true, false, 3, bytes[0], bytes[1], bytes[1] / bytes[0] - 1,
		NAN, NAN, 0.005, NAN, ""};
	benchmark->metrics = all;
	benchmark->metric_count = 2;
	benchmark->status = result->status = RESULT_FAIL;
	result->exit_status = 1;
	return result;
}
