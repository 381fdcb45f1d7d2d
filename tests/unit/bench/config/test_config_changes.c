/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"

#define BASE                                                                                       \
	"version: 1\nbuild: make\nenvironment: {A: 1, B: 2}\nbenchmarks:\n"                        \
	"- {name: a, command: ./a, work: fixed}\n"                                                 \
	"- {name: b, command: [./b, c], work: {iterations: n}}\n"

static void assert_changes(const char *before, const char *after, const char *expected)
{
	struct strbuf lines = STRBUF_INIT;
	struct config old, new;

	assert_int_equal(config_parse(&old, before, strlen(before), "old", NULL), ERR_OK);
	assert_int_equal(config_parse(&new, after, strlen(after), "new", NULL), ERR_OK);
	config_describe_changes(&old, &new, &lines);
	assert_string_equal(lines.data, expected);
	strbuf_release(&lines);
	config_release(&old);
	config_release(&new);
}

static void test_equal_meaning_is_no_change(void **state)
{
	(void)state;
	assert_changes(BASE, BASE, "");
	assert_changes(BASE,
		"environment: {B: '2', A: \"1\"}\nbenchmarks:\n"
		"- {work: {iterations: 'n'}, name: b, command: ['./b', c], timeout: 600s}\n"
		"- {name: a, command: ./a, work: fixed, cpus: auto, directory: .}\n"
		"policy: {pairs: {min: 16, max: 40}, margin: {total: 1.0%}}\n"
		"build: [make]\nversion: 1\n",
		"");
}

static void test_policy_changes_show_both_values(void **state)
{
	(void)state;
	assert_changes(BASE,
		BASE "policy: {on_base_failure: fail, pairs: {min: 8, max: 32}, margin: {total: 5%,"
		     " points: 0.25%}}\nbuild_timeout: 1.5h\n",
		"build_timeout: 30m -> 90m\n"
		"policy.on_base_failure: warn -> fail\n"
		"policy.pairs: {min: 16, max: 40} -> {min: 8, max: 32}\n"
		"policy.margin.points: 0.2 % -> 0.25 %\n"
		"policy.margin.total: 1 % -> 5 %\n");
}

static void test_who_may_accept_what_is_named(void **state)
{
	(void)state;
	assert_changes(BASE,
		BASE "policy: {accept_by: [trailer], detect: 5%, on_mde: fail}\n"
		     "accept: [{benchmark: a, reason: x, until: 2026-01-01}]\n",
		"policy.detect: 1 % -> 5 %\n"
		"policy.on_mde: warn -> fail\n"
		"policy.accept_by changed\n"
		"accept changed\n");
	assert_changes(BASE "accept: [{benchmark: a, reason: x, until: 2026-01-01}]\n",
		BASE "accept: [{until: 2026-01-01, reason: x, benchmark: a}]\n", "");
}

static void test_another_production_profile_is_shown(void **state)
{
	(void)state;
	assert_changes(BASE, BASE "production: prod.pb.gz\n", "production: none -> prod.pb.gz\n");
	assert_changes(BASE "production: prod.pb.gz\n", BASE, "production: prod.pb.gz -> none\n");
}

static void test_commands_and_variables_are_named_not_shown(void **state)
{
	(void)state;
	assert_changes(BASE,
		"version: 1\nbuild: [make, check]\nsetup: x\nenvironment: {A: 1, B: secret}\n"
		"pass: [TOKEN]\nbenchmarks:\n"
		"- {name: a, command: ./a2, work: fixed}\n"
		"- {name: b, command: [./b c], work: {iterations: n}}\n",
		"setup changed\nbuild changed\nenvironment changed\npass changed\n"
		"benchmark a: command changed\nbenchmark b: command changed\n");
}

static void test_benchmarks_come_and_go(void **state)
{
	(void)state;
	assert_changes(BASE,
		"version: 1\nbuild: make\nenvironment: {A: 1, B: 2}\nbenchmarks:\n"
		"- {name: b, command: [./b, c], work: fixed, timeout: 0.5s, cpus: 2}\n"
		"- {name: c, command: ./a, work: fixed}\n",
		"benchmark a: removed\n"
		"benchmark b: work: iterations from a file -> fixed\n"
		"benchmark b: work.iterations changed\n"
		"benchmark b: timeout: 10m -> 0.500000000s\n"
		"benchmark b: cpus: auto -> 2\n"
		"benchmark c: added\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_meaning_is_no_change),
		cmocka_unit_test(test_policy_changes_show_both_values),
		cmocka_unit_test(test_who_may_accept_what_is_named),
		cmocka_unit_test(test_another_production_profile_is_shown),
		cmocka_unit_test(test_commands_and_variables_are_named_not_shown),
		cmocka_unit_test(test_benchmarks_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
