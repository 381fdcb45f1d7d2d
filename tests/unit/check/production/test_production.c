/* SPDX-License-Identifier: Apache-2.0 */
/* What culprits weigh in production: from a profile of it to the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/bench/recording/production_shares.h"
#include "gate/check/production/production.h"
#include "gate/check/result.h"
#include "tests/unit/check/synthetic.h"

static const struct synthetic_function functions[] = {
	{"main", {0.5, 0.5}}, {"main;hash@src/h.c", {0.4, 0.6}}};

/* hash() takes 300 of 1000 ms there itself, main() 600; the rest nobody measured. */
static struct profile *production_profile(const char *hash)
{
	struct profile *profile = support_profile();

	support_add(profile, "main", "/build/src/a.c", 600, 0);
	support_add(profile, hash, "/build/src/a.c", 300, 0);
	support_add(profile, "main;elsewhere", "/build/src/a.c", 100, 0);
	return profile;
}

static struct result *decide_with(struct profile *profile)
{
	struct measurements *measurements = synthetic_measurements(functions, 2, 7);
	struct result *result;
	struct error err;

	if (profile)
		assert_int_equal(production_take(measurements, profile, &err), ERR_OK);
	profile_free(profile);
	result = decide_measurements(measurements);
	measurements_free(measurements);
	assert_int_equal(result->status, RESULT_FAIL);
	assert_int_equal(result->benchmarks[0].culprit_count, 1);
	return result;
}

static const struct result_production *weight_in(const struct result *result)
{
	return result->benchmarks[0].culprits[0].production;
}

/* Of 1000 ms lookup() takes 100 itself and 150 below, and 200 more when other() calls it. */
static struct profile *production_of_calls(const char *caller)
{
	struct profile *profile = support_profile();
	char stack[64];

	support_add(profile, "main", "/build/src/a.c", 550, 0);
	snprintf(stack, sizeof(stack), "%s;lookup", caller);
	support_add(profile, stack, "/build/src/a.c", 100, 0);
	snprintf(stack, sizeof(stack), "%s;lookup;hash", caller);
	support_add(profile, stack, "/build/src/a.c", 100, 0);
	snprintf(stack, sizeof(stack), "%s;lookup;match", caller);
	support_add(profile, stack, "/build/src/a.c", 50, 0);
	support_add(profile, "main;other;lookup;hash", "/build/src/a.c", 200, 0);
	return profile;
}

/* main() calls lookup() twice as often: all below it grows alike. */
static struct result *decide_calls(struct profile *profile)
{
	static const struct synthetic_function calls[] = {{"main", {0.5, 0.5}},
		{"main;lookup", {0.1, 0.2}}, {"main;lookup;hash", {0.1, 0.2}},
		{"main;lookup;match", {0.05, 0.1}}};
	struct measurements *measurements = synthetic_measurements(calls, 4, 7);
	const struct result_culprit *culprit;
	struct result *result;
	struct error err;

	assert_int_equal(production_take(measurements, profile, &err), ERR_OK);
	profile_free(profile);
	result = decide_measurements(measurements);
	measurements_free(measurements);
	assert_int_equal(result->status, RESULT_FAIL);
	culprit = result->benchmarks[0].culprits;
	assert_int_equal(culprit->blame, BLAME_CALLED);
	assert_string_equal(result->benchmarks[0].functions[culprit->function].name, "lookup");
	return result;
}

static void test_calls_weigh_what_is_spent_in_them_and_below(void **state)
{
	struct result *result = decide_calls(production_of_calls("main"));
	const struct result_production *weight = weight_in(result);

	(void)state;
	assert_int_equal(weight->of, PRODUCTION_CALL);
	assert_true(fabs(weight->share - 0.25) < 1e-12);
	/* As much again. */
	assert_true(fabs(weight->impact - 0.25) < 0.03);
	assert_true(weight->low < weight->impact && weight->impact < weight->high);
	assert_true(weight->low > 0.2 && weight->high < 0.3);
	result_free(result);
}

static void test_calls_that_are_not_made_there_have_no_impact(void **state)
{
	struct result *result = decide_calls(production_of_calls("main;elsewhere"));
	const struct result_production *weight = weight_in(result);

	(void)state;
	assert_int_equal(weight->of, PRODUCTION_ELSEWHERE);
	assert_true(fabs(weight->share - 0.45) < 1e-12);
	assert_true(isnan(weight->impact) && isnan(weight->low) && isnan(weight->high));
	result_free(result);
}

static void test_a_recursion_counts_once(void **state)
{
	struct profile *profile = support_profile();
	struct result *result;

	(void)state;
	support_add(profile, "main", "/build/src/a.c", 750, 0);
	support_add(profile, "main;lookup;main;lookup;hash", "/build/src/a.c", 250, 0);
	result = decide_calls(profile);
	assert_int_equal(weight_in(result)->of, PRODUCTION_CALL);
	assert_true(fabs(weight_in(result)->share - 0.25) < 1e-12);
	result_free(result);
}

/* In measurements of before calls were stored there are own shares alone. */
static void test_calls_of_which_nothing_was_stored_are_not_weighed(void **state)
{
	static const struct synthetic_function calls[] = {{"main", {0.5, 0.5}},
		{"main;lookup", {0.1, 0.2}}, {"main;lookup;hash", {0.1, 0.2}}};
	static const struct production_share own[] = {
		{"lookup", "lookup", "src/a.c", 0.5, NAN, NULL, 0}};
	struct measurements *measurements = synthetic_measurements(calls, 3, 7);
	struct result *result;

	(void)state;
	measurements->production = (struct production){.known = true, .shares = own, .count = 1};
	result = decide_measurements(measurements);
	measurements_free(measurements);
	assert_int_equal(result->benchmarks[0].culprits[0].blame, BLAME_CALLED);
	assert_null(weight_in(result));
	result_free(result);
}

static void test_without_a_profile_nothing_is_weighed(void **state)
{
	struct result *result = decide_with(NULL);

	(void)state;
	assert_null(weight_in(result));
	result_free(result);
}

static void test_the_impact_is_the_share_times_the_change_of_its_own_cost(void **state)
{
	struct result *result = decide_with(production_profile("main;hash"));
	const struct result_production *weight = weight_in(result);
	const struct result_culprit *culprit = result->benchmarks[0].culprits;

	(void)state;
	assert_true(fabs(weight->share - 0.3) < 1e-12);
	/* 0.4 to 0.6 s: half as much again. */
	assert_true(fabs(weight->impact - 0.15) < 0.02);
	assert_true(fabs(weight->impact - 0.3 * culprit->relative) < 1e-3);
	assert_true(weight->low < weight->impact && weight->impact < weight->high);
	assert_true(weight->low > 0.1 && weight->high < 0.2);
	result_free(result);
}

static void test_a_weight_changes_no_verdict(void **state)
{
	struct result *with = decide_with(production_profile("main;hash")),
		      *without = decide_with(NULL);

	(void)state;
	assert_int_equal(with->exit_status, without->exit_status);
	assert_int_equal(with->benchmarks[0].status, without->benchmarks[0].status);
	assert_int_equal(with->warning_count, without->warning_count);
	result_free(with);
	result_free(without);
}

static void test_a_culprit_that_does_not_run_there_has_no_share(void **state)
{
	struct result *result = decide_with(production_profile("main;other"));

	(void)state;
	assert_true(weight_in(result)->share == 0);
	assert_true(weight_in(result)->impact == 0);
	result_free(result);
}

static void test_what_its_callees_take_is_not_its_own(void **state)
{
	struct result *result = decide_with(production_profile("main;hash;below"));

	(void)state;
	assert_true(weight_in(result)->share == 0);
	result_free(result);
}

static void test_of_two_functions_with_its_name_neither_is_taken(void **state)
{
	struct profile *profile = production_profile("main;hash@x.c");
	struct result *result;

	(void)state;
	support_add(profile, "main;hash@y.c", "", 100, 0);
	result = decide_with(profile);
	assert_true(isnan(weight_in(result)->share));
	assert_true(isnan(weight_in(result)->impact));
	result_free(result);
}

static void test_only_what_was_measured_is_kept(void **state)
{
	struct measurements *measurements = synthetic_measurements(functions, 2, 7);
	struct profile *profile = production_profile("main;hash");
	struct error err;

	(void)state;
	assert_int_equal(production_take(measurements, profile, &err), ERR_OK);
	assert_int_equal(measurements->production.count, 2);
	profile_free(profile);
	measurements_free(measurements);
}

static void assert_refused(struct profile *profile, const char *reason)
{
	struct measurements *measurements = synthetic_measurements(functions, 2, 7);
	struct error err = {0};

	assert_int_equal(production_take(measurements, profile, &err), ERR_CORRUPT);
	assert_non_null(strstr(err.message, reason));
	assert_false(measurements->production.known);
	profile_free(profile);
	measurements_free(measurements);
}

static struct profile *profile_of(const char *stack)
{
	struct profile *profile = support_profile();

	support_add(profile, stack, "/build/src/a.c", 100, 0);
	return profile;
}

/* Another service, or one without names: that says nothing of what the culprit takes there. */
static void test_a_profile_of_another_program_is_refused(void **state)
{
	(void)state;
	assert_refused(profile_of("other;program"), "none of the functions measured here");
}

/* As many copies of it as a server likes: they would not fit what recordings may hold. */
static void test_endless_names_are_left_out(void **state)
{
	struct measurements *measurements = synthetic_measurements(functions, 2, 7);
	struct profile *profile = production_profile("main;hash");
	char *file = calloc(1, PRODUCTION_MAX_TEXT + 2);
	struct error err;

	(void)state;
	memset(file, 'x', PRODUCTION_MAX_TEXT + 1);
	support_add(profile, "main;hash", file, 300, 0);
	assert_int_equal(production_take(measurements, profile, &err), ERR_OK);
	for (size_t i = 0; i < measurements->production.count; i++)
		assert_true(strlen(measurements->production.shares[i].file) < 100);
	free(file);
	profile_free(profile);
	measurements_free(measurements);
}

static void test_what_takes_most_is_kept_first(void **state)
{
	struct measurements *measurements = synthetic_measurements(functions, 2, 7);
	struct profile *profile = production_profile("main;hash");
	char file[PRODUCTION_MAX_TEXT];
	struct error err;
	double bytes = 0;

	(void)state;
	memset(file, 'y', sizeof(file) - 1);
	file[sizeof(file) - 1] = '\0';
	for (int i = 0; i < 400; i++) {
		file[0] = (char)('a' + i % 26);
		file[1] = (char)('a' + i / 26);
		support_add(profile, "main;hash", file, 1 + i % 7, 0);
	}
	assert_int_equal(production_take(measurements, profile, &err), ERR_OK);
	for (size_t i = 0; i < measurements->production.count; i++)
		bytes += (double)strlen(measurements->production.shares[i].file);
	assert_true(bytes > 1e5 && bytes <= PRODUCTION_MAX_BYTES);
	for (size_t i = 1; i < measurements->production.count; i++)
		assert_true(measurements->production.shares[i].total <=
			    measurements->production.shares[i - 1].total);
	profile_free(profile);
	measurements_free(measurements);
}

static void test_a_profile_of_something_else_is_refused(void **state)
{
	struct profile *heap = profile_new(), *empty = support_profile(),
		       *negative = support_profile();

	(void)state;
	profile_add_type(heap, "inuse_space", "bytes");
	assert_refused(heap, "no CPU time");
	assert_refused(empty, "took no time");
	support_add(negative, "main;hash", "src/h.c", -5, 0);
	assert_refused(negative, "took no time");
}

static void test_samples_below_zero_are_left_out(void **state)
{
	struct profile *profile = production_profile("main;hash");
	struct result *result;

	(void)state;
	support_add(profile, "main;hash", "/build/src/a.c", INT64_MIN / 1000000, 0);
	result = decide_with(profile);
	assert_true(fabs(weight_in(result)->share - 0.3) < 1e-12);
	result_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_profile_nothing_is_weighed),
		cmocka_unit_test(test_the_impact_is_the_share_times_the_change_of_its_own_cost),
		cmocka_unit_test(test_calls_weigh_what_is_spent_in_them_and_below),
		cmocka_unit_test(test_calls_that_are_not_made_there_have_no_impact),
		cmocka_unit_test(test_a_recursion_counts_once),
		cmocka_unit_test(test_calls_of_which_nothing_was_stored_are_not_weighed),
		cmocka_unit_test(test_a_weight_changes_no_verdict),
		cmocka_unit_test(test_a_culprit_that_does_not_run_there_has_no_share),
		cmocka_unit_test(test_what_its_callees_take_is_not_its_own),
		cmocka_unit_test(test_of_two_functions_with_its_name_neither_is_taken),
		cmocka_unit_test(test_only_what_was_measured_is_kept),
		cmocka_unit_test(test_a_profile_of_something_else_is_refused),
		cmocka_unit_test(test_a_profile_of_another_program_is_refused),
		cmocka_unit_test(test_endless_names_are_left_out),
		cmocka_unit_test(test_what_takes_most_is_kept_first),
		cmocka_unit_test(test_samples_below_zero_are_left_out),
	};

	return cmocka_run_group_tests_name("check production", tests, NULL, NULL);
}
