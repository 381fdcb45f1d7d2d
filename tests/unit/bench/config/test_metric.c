/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics, and what policy.gate makes of it. */
#include "gate/bench/config/metric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/bench/config/config.h"

#define START "version: 1\nbenchmarks:\n- {name: a, command: ./a, work: fixed}\n"

static struct config parse(const char *text)
{
	struct config config;
	struct error err;

	if (config_parse(&config, text, strlen(text), "f.yml", &err))
		fail_msg("%s", err.message);
	return config;
}

static void assert_error(const char *text, const char *expected)
{
	struct config config;
	struct error err = {0};

	assert_int_equal(config_parse(&config, text, strlen(text), "f.yml", &err), ERR_CONFIG);
	if (!strstr(err.message, expected))
		fail_msg("\"%s\" instead of \"%s\"", err.message, expected);
}

static void test_every_metric_has_a_name_of_its_own_and_a_profile(void **state)
{
	(void)state;
	for (size_t i = 0; i < METRIC_COUNT; i++) {
		const struct profile_kind *kind = profile_kind_find(metrics[i].kind);

		assert_non_null(metrics[i].name);
		assert_non_null(kind);
		assert_int_not_equal(metrics[i].gate, METRIC_BY_DEFAULT);
		if (metrics[i].type)
			assert_ptr_equal(profile_kind_of_type(metrics[i].type), kind);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(metrics[i].name, metrics[k].name);
	}
}

static void test_every_counted_type_is_a_metric(void **state)
{
	(void)state;
	for (const struct profile_kind *kind = profile_kinds; kind->name; kind++)
		for (const char *const *type = kind->exact_types; *type; type++)
			assert_int_not_equal(metric_of_type(*type), METRIC_COUNT);
	assert_int_equal(metric_of_type("nonsense"), METRIC_COUNT);
}

static void test_no_gate_is_set_by_default(void **state)
{
	struct config config = parse(START);

	(void)state;
	for (size_t i = 0; i < METRIC_COUNT; i++)
		assert_int_equal(config.policy.gate[i], METRIC_BY_DEFAULT);
	config_release(&config);
}

static void test_a_profiles_name_stands_for_all_of_it_but_what_is_named_itself(void **state)
{
	static const char *const texts[] = {START
		"policy: {gate: {heap: show, peak_bytes: fail, wall: warn}}\n",
		START "policy: {gate: {peak_bytes: fail, wall: warn, heap: show}}\n"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct config config = parse(texts[i]);
		const enum metric_gate *gate = config.policy.gate;

		assert_int_equal(gate[METRIC_ALLOC_OBJECTS], METRIC_SHOWN);
		assert_int_equal(gate[METRIC_LEAK], METRIC_SHOWN);
		assert_int_equal(gate[METRIC_PEAK_BYTES], METRIC_FAILS);
		assert_int_equal(gate[METRIC_WALL], METRIC_WARNS);
		assert_int_equal(gate[METRIC_MAX_RSS], METRIC_BY_DEFAULT);
		config_release(&config);
	}
}

static void test_cpu_is_the_cpu_time_alone(void **state)
{
	struct config config = parse(START "policy: {gate: {cpu: warn}}\n");

	(void)state;
	assert_int_equal(config.policy.gate[METRIC_CPU], METRIC_WARNS);
	assert_int_equal(config.policy.gate[METRIC_MAX_RSS], METRIC_BY_DEFAULT);
	config_release(&config);
}

static void test_what_is_no_metric_or_no_gate_is_said(void **state)
{
	(void)state;
	assert_error(START "policy: {gate: {heat: warn}}\n", "there is no metric 'heat'");
	assert_error(START "policy: {gate: {heap: loud}}\n", "fail, warn or show; this is 'loud'");
	assert_error(START "policy: {gate: {heap: default}}\n", "this is 'default'");
	assert_error(START "policy: {gate: [heap]}\n", "'gate' must be metrics");
	assert_error(START "policy: {gate: {heap: [warn]}}\n", "a single value");
}

static void test_a_change_of_a_gate_is_described(void **state)
{
	struct config before = parse(START), after = parse(START "policy: {gate: {lock: warn}}\n");
	struct strbuf lines = STRBUF_INIT;

	(void)state;
	config_describe_changes(&before, &after, &lines);
	assert_string_equal(
		lines.data, "policy.gate: {} -> {lock_delay: warn, contentions: warn}\n");
	strbuf_release(&lines);
	config_release(&before);
	config_release(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_metric_has_a_name_of_its_own_and_a_profile),
		cmocka_unit_test(test_every_counted_type_is_a_metric),
		cmocka_unit_test(test_no_gate_is_set_by_default),
		cmocka_unit_test(
			test_a_profiles_name_stands_for_all_of_it_but_what_is_named_itself),
		cmocka_unit_test(test_cpu_is_the_cpu_time_alone),
		cmocka_unit_test(test_what_is_no_metric_or_no_gate_is_said),
		cmocka_unit_test(test_a_change_of_a_gate_is_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
