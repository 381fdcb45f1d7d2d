/* SPDX-License-Identifier: Apache-2.0 */
/* Many benchmarks in groups: which, in what order, and what is said of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "gate/check/result.h"
#include "report/words/groups.h"

static struct result_benchmark benchmark(const char *name, enum result_status status, double change)
{
	return (struct result_benchmark){
		.name = name, .status = status, .total = {.change = change}};
}

static void assert_title(const struct benchmark_group *group, const char *wanted)
{
	struct strbuf text = STRBUF_INIT;

	group_add_title(&text, group);
	assert_string_equal(text.data, wanted);
	strbuf_release(&text);
}

static void test_the_worst_group_and_its_worst_member_come_first(void **state)
{
	const struct result_benchmark all[] = {
		benchmark("b/passed", RESULT_PASS, 0.5),
		benchmark("alone", RESULT_PASS, 0),
		benchmark("a/x", RESULT_WARN, 0.01),
		benchmark("a/x/more", RESULT_FAIL, 0.02),
		benchmark("a/y", RESULT_FAIL, 0.03),
		benchmark("c/broken", RESULT_ERROR, NAN),
		benchmark("b/fell", RESULT_PASS, -0.5),
	};
	const struct result result = {
		.benchmarks = all, .benchmark_count = sizeof(all) / sizeof(all[0])};
	struct benchmark_groups groups;

	(void)state;
	groups_make(&result, &groups);
	assert_int_equal(groups.count, 4);
	assert_title(&groups.items[0], "a: 3 benchmarks: 2 FAIL, 1 WARN");
	assert_title(&groups.items[1], "c: 1 benchmark: 1 ERROR");
	assert_title(&groups.items[2], "1 benchmark: 1 PASS");
	assert_title(&groups.items[3], "b: 2 benchmarks: 2 PASS");
	assert_int_equal(groups.items[0].members[0], 4);
	assert_int_equal(groups.items[0].members[1], 3);
	assert_int_equal(groups.items[0].members[2], 2);
	assert_int_equal(groups.items[3].members[0], 0);
	assert_int_equal(groups.items[3].members[1], 6);
	assert_string_equal(group_member_name(&groups.items[0], &all[3]), "x/more");
	assert_string_equal(group_member_name(&groups.items[2], &all[1]), "alone");
	groups_release(&groups);
}

static void test_few_are_not_grouped(void **state)
{
	struct result result = {.benchmark_count = GROUPS_FROM - 1};

	(void)state;
	assert_false(groups_are_worth_it(&result));
	result.benchmark_count++;
	assert_true(groups_are_worth_it(&result));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_worst_group_and_its_worst_member_come_first),
		cmocka_unit_test(test_few_are_not_grouped),
	};

	return cmocka_run_group_tests_name("report/groups", tests, NULL, NULL);
}
