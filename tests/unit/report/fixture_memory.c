/* SPDX-License-Identifier: Apache-2.0 */
/* A heap over time: base takes turns, head does too, keeps a part of each, and once needs much. */
#include "tests/unit/report/fixture.h"

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

struct result *fixture_memory(void)
{
	struct result *result = fixture_pass();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;

	benchmark->memory[0] = make_line(result, false);
	benchmark->memory[1] = make_line(result, true);
	return result;
}
