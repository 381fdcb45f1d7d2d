/* SPDX-License-Identifier: Apache-2.0 */
/* Counts made by hand, the same in every run, for the tests of the exact analysis. */
#ifndef FG_TESTS_VERDICT_EXACT_SCENE_H
#define FG_TESTS_VERDICT_EXACT_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/exact.h"

#define FUNCTIONS 6
#define RUNS 4
#define ROW 5

struct fixture {
	struct arena arena;
	double total[2][ROW], work[2][ROW], self[2][FUNCTIONS * ROW], history[12];
	uint32_t file[FUNCTIONS];
	uint8_t flags[FUNCTIONS];
	struct exact_input input;
	struct exact_result result;
};

/* Function f costs 1000 * (f + 1) in every run; the total is 21,000; each in a file of its own. */
static inline int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.input = (struct exact_input){
		.policy = {.threshold = 0.005, .history = fixture.history},
		.pairs = {RUNS, RUNS},
		.row = ROW,
		.function_count = FUNCTIONS,
		.function_file = fixture.file,
		.function_flags = fixture.flags,
	};
	for (int version = 0; version < 2; version++) {
		fixture.input.total[version] = fixture.total[version];
		fixture.input.self[version] = fixture.self[version];
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture.self[version][i] = 1000 * (double)(i / ROW + 1);
		for (size_t b = 0; b < ROW; b++) {
			fixture.total[version][b] = 21000;
			fixture.work[version][b] = 3 * (double)(b + 1);
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

/* In every run of head; the total follows. */
static inline void add(struct fixture *fixture, size_t function, double more)
{
	for (size_t b = 0; b < ROW; b++) {
		fixture->self[1][function * ROW + b] += more;
		fixture->total[1][b] += more;
	}
}

/* Run b does 3 (b + 1) units of work at the same cost per unit. */
static inline void count_work(struct fixture *fixture)
{
	for (int version = 0; version < 2; version++) {
		fixture->input.work[version] = fixture->work[version];
		for (size_t b = 0; b < ROW; b++)
			fixture->total[version][b] *= fixture->work[version][b];
		for (size_t i = 0; i < FUNCTIONS * ROW; i++)
			fixture->self[version][i] *= fixture->work[version][i % ROW];
	}
}

static inline enum exact_status decide(struct fixture *fixture)
{
	exact_decide(&fixture->input, &fixture->arena, &fixture->result);
	return fixture->result.status;
}

static inline void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-9 * fabs(expected));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
