/* SPDX-License-Identifier: Apache-2.0 */
/* A stored baseline and a head of numbers made by hand, for the tests of the screen. */
#ifndef FG_TESTS_VERDICT_SCREEN_SCENE_H
#define FG_TESTS_VERDICT_SCREEN_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/screen/screen.h"

#define FUNCTIONS 20
#define RUNS 5
#define ROW 6
#define COST 0.05   /* CPU seconds of every function in every run */
#define RATE 1000.0 /* samples per CPU second */

struct fixture {
	struct arena arena;
	double total[2][ROW], work[2][ROW];
	struct verdict_cell self[2][FUNCTIONS * ROW];
	uint32_t file[FUNCTIONS];
	uint8_t flags[FUNCTIONS];
	struct screen_input input;
	struct screen_result result;
};

static inline struct verdict_cell sampled(double seconds)
{
	return (struct verdict_cell){seconds, seconds / RATE, seconds * RATE};
}

/* 20 functions of 5 % each, 5 runs of 1 CPU second in each version, without any noise. */
static inline int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.input = (struct screen_input){
		.policy = screen_policy_default(),
		.pairs = {RUNS, RUNS},
		.row = ROW,
		.function_count = FUNCTIONS,
	};
	for (int version = 0; version < 2; version++) {
		fixture.input.total[version] = fixture.total[version];
		fixture.input.self[version] = fixture.self[version];
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture.self[version][i] = sampled(COST);
		for (size_t b = 0; b < ROW; b++) {
			fixture.total[version][b] = COST * FUNCTIONS;
			fixture.work[version][b] = 10;
		}
	}
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		fixture.file[f] = f;
	*state = &fixture;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *fixture = *state;

	arena_release(&fixture->arena);
	return 0;
}

/* In every run of the version; the total follows. */
static inline void set_cost(struct fixture *fixture, int version, size_t function, double seconds)
{
	for (size_t b = 0; b < ROW; b++) {
		struct verdict_cell *cell = &fixture->self[version][function * ROW + b];

		fixture->total[version][b] += seconds - cell->x;
		*cell = sampled(seconds);
	}
}

/* A machine on which everything costs `factor` times as much, profiled at the same rate. */
static inline void scale_run(struct fixture *fixture, int version, size_t pair, double factor)
{
	fixture->total[version][pair] *= factor;
	for (size_t f = 0; f < FUNCTIONS; f++) {
		struct verdict_cell *cell = &fixture->self[version][f * ROW + pair];

		*cell = sampled(cell->x * factor);
	}
}

static inline enum screen_status decide(struct fixture *fixture)
{
	screen_decide(&fixture->input, &fixture->arena, &fixture->result);
	return fixture->result.status;
}

static inline void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-9 * fmax(1e-3, fabs(expected)));
}

static inline void assert_refused(struct fixture *fixture, const char *reason)
{
	assert_int_equal(decide(fixture), SCREEN_CANNOT);
	assert_string_equal(fixture->result.reason, reason);
	assert_int_equal(fixture->result.flagged_count, 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
