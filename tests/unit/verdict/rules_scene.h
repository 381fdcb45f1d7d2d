/* SPDX-License-Identifier: Apache-2.0 */
/* A gate of the simulation and its verdict, for the tests of the rules. */
#ifndef FG_TESTS_VERDICT_RULES_SCENE_H
#define FG_TESTS_VERDICT_RULES_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/verdict/sim.h"

struct fixture {
	struct arena arena;
	struct sim_config config;
	struct sim sim;
	struct verdict_result result;
};

static inline void fixture_draw(struct fixture *fixture, uint64_t seed)
{
	arena_release(&fixture->arena);
	arena_init(&fixture->arena);
	sim_gate(&fixture->config, seed, &fixture->arena, &fixture->sim);
	fixture->sim.input.policy = verdict_policy_default(true);
}

/* +3 % in one function of rank 10 on a quiet machine: fails unless a rule says otherwise. */
static inline int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.config = sim_default(&sim_quiet);
	fixture.config.functions = 80;
	fixture.config.change = SIM_SELF;
	fixture.config.size = 0.03;
	fixture.config.rank_low = fixture.config.rank_high = 9;
	fixture_draw(&fixture, 1);
	*state = &fixture;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *fixture = *state;

	arena_release(&fixture->arena);
	return 0;
}

/* Everything in head costs 1 + size as much. */
static inline void draw_uniform(struct fixture *fixture, double size)
{
	fixture->config.change = SIM_UNIFORM;
	fixture->config.size = size;
	fixture_draw(fixture, 4);
}

static inline enum verdict_status decide(struct fixture *fixture)
{
	verdict_decide(&fixture->sim.input, &fixture->arena, &fixture->result);
	return fixture->result.status;
}

static inline bool has_reason(const struct fixture *fixture, enum verdict_reason reason)
{
	return (fixture->result.reasons & reason) != 0;
}

static inline void assert_refused(struct fixture *fixture, enum verdict_reason reason)
{
	assert_int_equal(decide(fixture), VERDICT_CANNOT_DECIDE);
	assert_true(has_reason(fixture, reason));
	assert_int_equal(fixture->result.culprit_count, 0);
	assert_null(fixture->result.functions);
	assert_null(fixture->result.nodes);
	assert_null(fixture->result.node_self);
}

/* Exact costs: functions of the same size in every pair; the first one differs in head. */
static inline void draw_exact(struct fixture *fixture, double base, double increase)
{
	struct sim_cells *cells = &fixture->sim.cells;
	size_t functions = fixture->sim.input.function_count;
	double rest = (1 - base) / (double)(functions - 1);

	for (size_t i = 0; i < functions * cells->pairs; i++) {
		bool first = i < cells->pairs;

		for (int version = 0; version < 2; version++) {
			double x = (first ? base : rest) + (first && version ? increase : 0);

			cells->self[version][i] = (struct verdict_cell){x, 0, 100};
			cells->node_self[version][i + cells->pairs] = cells->self[version][i];
			cells->total[version][i % cells->pairs] = 1 + version * increase;
		}
	}
	sim_add_up(&fixture->sim);
}

static inline void set_cells(struct fixture *fixture, size_t f, double base, double head)
{
	struct sim_cells *cells = &fixture->sim.cells;

	for (size_t b = 0; b < cells->pairs; b++)
		for (int version = 0; version < 2; version++) {
			double x = version ? head : base;

			cells->self[version][f * cells->pairs + b] =
				(struct verdict_cell){x, x / 1000, x * 1000};
		}
}

/* Eighty functions that cost the same; the total stays whatever they do. */
static inline void draw_even(struct fixture *fixture)
{
	fixture->sim.input.node_count = 0;
	fixture->sim.input.function_file = NULL;
	memset(fixture->sim.flags, 0, 80);
	for (size_t f = 0; f < 80; f++)
		set_cells(fixture, f, 0.0125, 0.0125);
	for (int version = 0; version < 2; version++)
		for (size_t b = 0; b < 40; b++)
			fixture->sim.cells.total[version][b] = 1;
}

#define RULE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
