/* SPDX-License-Identifier: Apache-2.0 */
/* Six functions that cost the same in both versions until a test says otherwise, and what a check
 * decides of them. */
#ifndef FG_TESTS_CHECK_DECIDE_SCENE_H
#define FG_TESTS_CHECK_DECIDE_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/check/analysis/analysis.h"
#include "gate/check/analysis/hidden.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "tests/unit/check/synthetic.h"

#define FUNCTIONS 6

static const struct synthetic_function unchanged[FUNCTIONS] = {
	{"main", {0.05, 0.05}},
	{"main;read", {0.25, 0.25}},
	{"main;parse", {0.20, 0.20}},
	{"main;parse;field", {0.10, 0.10}},
	{"main;sum", {0.15, 0.15}},
	{"main;print", {0.25, 0.25}},
};

struct fixture {
	struct synthetic_function functions[FUNCTIONS + 2];
	size_t count;
	struct measurements *measurements;
	struct result *result;
};

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	memcpy(f->functions, unchanged, sizeof(unchanged));
	f->count = FUNCTIONS;
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	measurements_free(f->measurements);
	result_free(f->result);
	free(f);
	return 0;
}

static inline const struct result_benchmark *decide(struct fixture *f)
{
	if (!f->measurements)
		f->measurements = synthetic_measurements(f->functions, f->count, 42);
	f->result = decide_measurements(f->measurements);
	assert_int_equal(f->result->benchmark_count, 1);
	return &f->result->benchmarks[0];
}

static inline const struct result_benchmark *decide_to_detect(
	struct fixture *f, double detect, enum config_failure on_mde)
{
	if (!f->measurements)
		f->measurements = synthetic_measurements(f->functions, f->count, 42);
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct config_policy *policy =
			&f->measurements->benchmarks[0].recordings[version].policy;

		policy->detect = detect;
		policy->on_mde = on_mde;
	}
	result_free(f->result);
	f->result = NULL;
	return decide(f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
