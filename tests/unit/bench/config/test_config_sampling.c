/* SPDX-License-Identifier: Apache-2.0 */
/* What .flamegate.yml says of what is measured, and how often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/config/config.h"

#define START "version: 1\n"
#define BENCHMARK "benchmarks:\n- name: a\n  command: ./a\n"

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
	if (strncmp(err.message, expected, strlen(expected)) != 0)
		fail_msg("\"%s\" instead of \"%s\"", err.message, expected);
}

static void test_defaults(void **state)
{
	struct config config = parse(START BENCHMARK "  work: fixed\n");
	const struct config_benchmark *only = config.benchmarks;

	(void)state;
	assert_int_equal(config.rate_hz, 997);
	assert_string_equal(only->profiles[0], "cpu");
	assert_null(only->profiles[1]);
	assert_false(only->alloc_sampled);
	assert_false(only->start_paused);
	assert_null(only->processes);
	assert_int_equal(only->repeat, 0);
	assert_true(only->budget_ns == 120 * 1000000000ull);
	config_release(&config);
}

static void test_a_round_may_be_several_runs(void **state)
{
	struct config config = parse(START BENCHMARK "  work: fixed\n  repeat: 12\n  budget: 1h\n");

	(void)state;
	assert_int_equal(config.benchmarks->repeat, 12);
	assert_true(config.benchmarks->budget_ns == 3600 * 1000000000ull);
	config_release(&config);
	assert_error(START BENCHMARK "  work: fixed\n  repeat: 0\n",
		"f.yml:6:11: 'repeat' must be auto or a number of runs from 1 to 1000");
	assert_error(START BENCHMARK "  work: fixed\n  repeat: 1001\n", "f.yml:6:11: 'repeat'");
	assert_error(START BENCHMARK "  work: fixed\n  repeat: 2x\n", "f.yml:6:11: 'repeat'");
	assert_error(START BENCHMARK "  work: fixed\n  budget: 0s\n", "f.yml:6:11: 'budget'");
}

static void test_all_keys_are_understood(void **state)
{
	struct config config = parse(START "rate: 397\n" BENCHMARK
					   "  work: iterations\n  profiles: [heap, instructions]\n"
					   "  alloc: sampled\n  start: paused\n"
					   "  processes: [server, worker]\n");
	const struct config_benchmark *only = config.benchmarks;

	(void)state;
	assert_int_equal(config.rate_hz, 397);
	assert_int_equal(only->work, CONFIG_WORK_MARKS);
	assert_null(only->iterations_file);
	assert_string_equal(only->profiles[0], "heap");
	assert_string_equal(only->profiles[1], "instructions");
	assert_null(only->profiles[2]);
	assert_true(only->alloc_sampled);
	assert_true(only->start_paused);
	assert_string_equal(only->processes[1], "worker");
	assert_null(only->processes[2]);
	config_release(&config);
}

static void test_processes_auto_and_all_differ(void **state)
{
	struct config config = parse(START BENCHMARK "  work: fixed\n  processes: all\n");

	(void)state;
	assert_non_null(config.benchmarks->processes);
	assert_null(config.benchmarks->processes[0]);
	config_release(&config);
	config = parse(START BENCHMARK "  work: fixed\n  processes: auto\n");
	assert_null(config.benchmarks->processes);
	config_release(&config);
}

static void test_rate_has_bounds(void **state)
{
	static const char *const bad[] = {"0", "4001", "1e3", "-5", "fast", "99999999999999999999"};
	struct config config;
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(
			text, sizeof(text), START "rate: %s\n" BENCHMARK "  work: fixed\n", bad[i]);
		assert_error(text, "f.yml:2:7: 'rate' must be auto or a number");
	}
	config = parse(START "rate: auto\n" BENCHMARK "  work: fixed\n");
	assert_int_equal(config.rate_hz, 0);
	config_release(&config);
}

static void test_only_what_can_be_checked_is_a_profile(void **state)
{
	struct config config =
		parse(START BENCHMARK "  work: fixed\n  profiles: [cpu, wall, lock]\n");

	(void)state;
	assert_string_equal(config.benchmarks->profiles[2], "lock");
	config_release(&config);
	assert_error(START BENCHMARK "  work: fixed\n  profiles: [cpu, walls]\n",
		"f.yml:6:19: 'walls' cannot be checked: there are cpu, wall, heap, lock and");
	assert_error(START BENCHMARK "  work: fixed\n  profiles: [alloc]\n", "f.yml:6:14: 'alloc'");
	assert_error(START BENCHMARK "  work: fixed\n  profiles: heap\n",
		"f.yml:6:13: 'profiles' must be a list");
}

static void test_words_are_checked(void **state)
{
	(void)state;
	assert_error(START BENCHMARK "  work: fixed\n  alloc: some\n",
		"f.yml:6:10: 'alloc' must be exact or sampled");
	assert_error(START BENCHMARK "  work: fixed\n  start: later\n",
		"f.yml:6:10: 'start' must be running or paused");
	assert_error(START BENCHMARK "  work: marks\n",
		"f.yml:5:9: 'work' must be auto, fixed, replayed");
	assert_error(START BENCHMARK "  work: fixed\n  processes: []\n",
		"f.yml:6:14: 'processes' must be auto, all, or a list");
	assert_error(START BENCHMARK "  work: fixed\n  processes: [/bin/x]\n",
		"f.yml:6:15: '/bin/x' is no program's name");
}

static void test_changes_are_described(void **state)
{
	struct config before = parse(START BENCHMARK "  work: fixed\n");
	struct config after =
		parse(START "rate: 499\n" BENCHMARK "  work: iterations\n  profiles: [cpu, heap]\n"
			    "  start: paused\n  processes: [x]\n");
	struct strbuf lines = STRBUF_INIT;

	(void)state;
	config_describe_changes(&before, &after, &lines);
	assert_string_equal(lines.data, "rate: 997 -> 499\n"
					"benchmark a: work: fixed -> iterations\n"
					"benchmark a: profiles: [cpu] -> [cpu, heap]\n"
					"benchmark a: start: running -> paused\n"
					"benchmark a: processes changed\n");
	strbuf_release(&lines);
	config_release(&before);
	config_release(&after);
}

static void test_harnesses(void **state)
{
	struct config config = parse(START BENCHMARK
		"  work: fixed\n  harness: google-benchmark\n  include: [\"BM_*\", x]\n  exclude: [y]\n"
		"- name: b\n  command: ./b\n  work: fixed\n"
		"- name: c\n  command: ./c\n  work: fixed\n  harness: none\n");

	(void)state;
	assert_int_equal(config.benchmarks[0].harness, CONFIG_HARNESS_GOOGLE);
	assert_string_equal(config.benchmarks[0].include[0], "BM_*");
	assert_string_equal(config.benchmarks[0].include[1], "x");
	assert_null(config.benchmarks[0].include[2]);
	assert_string_equal(config.benchmarks[0].exclude[0], "y");
	assert_int_equal(config.benchmarks[1].harness, CONFIG_HARNESS_AUTO);
	assert_null(config.benchmarks[1].include[0]);
	assert_null(config.benchmarks[1].entry);
	assert_true(config_may_have(&config, "a"));
	assert_true(config_may_have(&config, "a/BM_x"));
	assert_true(config_may_have(&config, "b/x/y"));
	assert_true(config_may_have(&config, "c"));
	assert_false(config_may_have(&config, "c/x"));
	assert_false(config_may_have(&config, "a/"));
	assert_false(config_may_have(&config, "ab"));
	config_release(&config);
}

static void test_wrong_harnesses_are_refused(void **state)
{
	(void)state;
	assert_error(START BENCHMARK "  work: fixed\n  harness: googletest\n",
		"f.yml:6:12: 'benchmarks[].harness' must be auto, none, google-benchmark");
	assert_error(START BENCHMARK "  work: fixed\n  harness: none\n  include: [a]\n",
		"f.yml:3:3: benchmark a has 'include' or 'exclude', but 'harness: none' lists no");
	assert_error(START BENCHMARK "  work: fixed\n  include: a\n",
		"f.yml:6:12: 'benchmarks[].include' must be a list");
	assert_error(START BENCHMARK "  work: fixed\n  exclude: [[a]]\n", "f.yml:6:13:");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_harnesses),
		cmocka_unit_test(test_wrong_harnesses_are_refused),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_a_round_may_be_several_runs),
		cmocka_unit_test(test_all_keys_are_understood),
		cmocka_unit_test(test_processes_auto_and_all_differ),
		cmocka_unit_test(test_rate_has_bounds),
		cmocka_unit_test(test_only_what_can_be_checked_is_a_profile),
		cmocka_unit_test(test_words_are_checked),
		cmocka_unit_test(test_changes_are_described),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
