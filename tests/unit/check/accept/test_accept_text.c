/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/check/accept/accept_text.h"

#include <string.h>

static struct config_benchmark benchmarks[] = {
	{.name = "parse"}, {.name = "parse/json"}, {.name = "p"}, {.name = "benchmark=odd"}};
static const struct config config = {.benchmarks = benchmarks, .benchmark_count = 4};
static struct arena arena = ARENA_INIT;

static struct measurements_acceptance read_one(const char *value)
{
	struct measurements_acceptance out = {0};

	accept_read(value, &config, &arena, &out);
	return out;
}

static void assert_says(
	const char *value, const char *benchmark, const char *function, const char *reason)
{
	struct measurements_acceptance one = read_one(value);

	assert_string_equal(one.problem, "");
	assert_string_equal(one.benchmark, benchmark);
	assert_string_equal(one.function, function);
	assert_string_equal(one.reason, reason);
}

static void assert_problem(const char *value, const char *problem)
{
	struct measurements_acceptance one = read_one(value);

	if (!strstr(one.problem, problem) || !*one.problem)
		fail_msg("%s: \"%s\"", value, one.problem);
}

static void test_a_trailer_names_benchmark_function_and_reason(void **state)
{
	(void)state;
	assert_says("parse it is worth it", "parse", "", "it is worth it");
	assert_says("parse/hash_text new checks", "parse", "hash_text", "new checks");
	assert_says("p x", "p", "", "x");
	assert_says("benchmark=odd why", "benchmark=odd", "", "why");
}

static void test_what_may_be_two_benchmarks_does_not_count(void **state)
{
	(void)state;
	assert_problem("parse/json it is", "it may mean the benchmark parse or parse/json");
	assert_problem("parse/json/f it is", "it may mean the benchmark");
	assert_says("parse/jsonx it is", "parse", "jsonx", "it is");
	assert_says("parse/\"json\" it is", "parse", "json", "it is");
	assert_says("benchmark=parse/json it is", "parse/json", "", "it is");
	assert_says("benchmark=parse function=json it is", "parse", "json", "it is");
}

static void test_a_function_may_be_named_with_its_file(void **state)
{
	(void)state;
	assert_says("parse/hash@src/a.c why", "parse", "hash@src/a.c", "why");
	assert_says("parse/hash file=src/a.c why", "parse", "hash@src/a.c", "why");
	assert_says("parse/f(int, int) file=\"my file.c\" why", "parse", "f(int, int)@my file.c",
		"why");
	assert_says("benchmark=parse function=\"f(int, int)\" file=a.c why", "parse",
		"f(int, int)@a.c", "why");
	assert_problem("parse file=a.c why", "a file without a function");
}

static void test_a_metric_may_be_named(void **state)
{
	(void)state;
	assert_says("parse metric=max_rss why", "parse", "", "why");
	assert_string_equal(read_one("parse metric=max_rss why").metric, "max_rss");
	assert_string_equal(read_one("benchmark=p metric=leak why").metric, "leak");
	assert_string_equal(read_one("p why").metric, "");
	assert_problem("parse metric=memory why", "no such metric");
	assert_problem("parse metric=max_rss", "no reason");
	assert_problem("parse/f metric=max_rss why", "a function and a metric");
}

static void test_a_misspelt_key_accepts_nothing(void **state)
{
	(void)state;
	assert_problem("benchmark=parse functoin=hash why", "a key that is not");
	assert_problem("benchmark=nosuch why", "no benchmark");
	assert_problem("benchmark=parse function= why", "no function");
	assert_problem("benchmark=", "no benchmark");
	assert_says("parse x=1 is faster", "parse", "", "x=1 is faster");
	assert_says("parse function=hash why", "parse", "hash", "why");
	assert_problem("parse/f function=hash why", "two functions");
	assert_problem("parse benchmark=p why", "two benchmarks");
}

static void test_a_functions_name_may_hold_blanks(void **state)
{
	(void)state;
	assert_says("parse/ns::f(int, char const*) why", "parse", "ns::f(int, char const*)", "why");
	assert_says("parse/std::map<int, int>::at why", "parse", "std::map<int, int>::at", "why");
	assert_says("parse/operator< why not", "parse", "operator<", "why not");
	assert_says("parse/\"{closure} at 3\" why", "parse", "{closure} at 3", "why");
	assert_says("parse/a->b why", "parse", "a->b", "why");
}

static void test_what_says_too_little_does_not_count(void **state)
{
	(void)state;
	assert_problem("", "no benchmark");
	assert_problem("nosuch/f because", "no benchmark");
	assert_problem("parser because", "no benchmark");
	assert_problem("parse", "no reason");
	assert_problem("parse/f", "no reason");
	assert_problem("parse/ because", "no function");
	assert_problem("parse/\"\" because", "no function");
}

static void test_names_without_end_are_cut_and_do_not_count(void **state)
{
	static char function[70000] = "parse/", benchmark[70000];

	(void)state;
	memset(function + 6, 'f', sizeof(function) - 10);
	strcpy(function + sizeof(function) - 4, " ok");
	memset(benchmark, 'b', sizeof(benchmark) - 4);
	strcpy(benchmark + sizeof(benchmark) - 4, " ok");
	assert_problem(function, "its name is too long");
	assert_true(strlen(read_one(function).function) < 5000);
	assert_problem(benchmark, "no benchmark has this name");
	assert_true(strlen(read_one(benchmark).benchmark) < 5000);
}

static void test_a_reason_without_end_is_cut_between_characters(void **state)
{
	char value[4000] = "p x";
	struct measurements_acceptance one;

	(void)state;
	for (size_t i = 3; i + 3 < sizeof(value); i += 2)
		memcpy(value + i, "\xc3\xa4", 3);
	one = read_one(value);
	assert_int_equal(strlen(one.reason), 499 + 3);
	assert_memory_equal(one.reason + strlen(one.reason) - 5, "\xc3\xa4...", 5);
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trailer_names_benchmark_function_and_reason),
		cmocka_unit_test(test_what_may_be_two_benchmarks_does_not_count),
		cmocka_unit_test(test_a_function_may_be_named_with_its_file),
		cmocka_unit_test(test_a_metric_may_be_named),
		cmocka_unit_test(test_a_misspelt_key_accepts_nothing),
		cmocka_unit_test(test_a_functions_name_may_hold_blanks),
		cmocka_unit_test(test_names_without_end_are_cut_and_do_not_count),
		cmocka_unit_test(test_what_says_too_little_does_not_count),
		cmocka_unit_test(test_a_reason_without_end_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
