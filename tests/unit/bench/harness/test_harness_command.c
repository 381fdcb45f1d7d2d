/* SPDX-License-Identifier: Apache-2.0 */
/* Commands with a harness's arguments, and what commands select already. */
#include "gate/bench/harness/harness_command.h"

#include <regex.h>

#include "tests/unit/bench/scene.h"

static const struct harness *of(enum config_harness id)
{
	const struct harness *harness = harness_of(id);

	assert_non_null(harness);
	return harness;
}

static struct config_benchmark words(const char *const *argv)
{
	return (struct config_benchmark){.argv = argv, .command_text = "words"};
}

static struct config_benchmark shell(const char *text)
{
	static const char *argv[4] = {"sh", "-c"};

	argv[2] = text;
	return (struct config_benchmark){.argv = argv, .shell = true, .command_text = text};
}

static const char *escaped(void (*escape)(const char *, struct strbuf *), const char *name)
{
	static char text[4096];
	struct strbuf out = STRBUF_INIT;

	escape(name, &out);
	snprintf(text, sizeof(text), "%s", out.data ? out.data : "");
	strbuf_release(&out);
	return text;
}

/* ---- escapes ------------------------------------------------------------------------------- */

static bool selects(const char *name, const char *other)
{
	char pattern[4200];
	regex_t regex;
	bool found;

	snprintf(pattern, sizeof(pattern), "^%s$", escaped(harness_escape_extended, name));
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	found = regexec(&regex, other, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

static void test_an_extended_expression_is_the_name_alone(void **state)
{
	static const char *const names[] = {"BM_a", "na me (x)+[y]\\d|^$.*?{}/8",
		"BM_t<int>/8/real_time/threads:2", "a.c", "[[:alpha:]]", "{1,2}", "a|b", "\\"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(selects(names[i], names[i]));
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			assert_true(i == k || !selects(names[i], names[k]));
	}
	assert_false(selects("a.c", "abc"));
	assert_false(selects("BM_a", "BM_a/8"));
}

static void test_go_names_are_a_pattern_for_each_level(void **state)
{
	(void)state;
	assert_string_equal(escaped(harness_escape_go, "BenchmarkFib"), "^BenchmarkFib$");
	assert_string_equal(escaped(harness_escape_go, "BenchmarkSub/x/y[1]|z"),
		"^BenchmarkSub$/^x$/^y\\[1\\]\\|z$");
}

static void test_catch2_escapes_what_its_test_specs_mean(void **state)
{
	(void)state;
	assert_string_equal(
		escaped(harness_escape_catch2, "Fib [a], \"b\" \\c"), "Fib \\[a]\\, \"b\" \\\\c");
	assert_string_equal(escaped(harness_escape_catch2, "~odd"), "\\~odd");
	assert_string_equal(escaped(harness_escape_catch2, "\"q\""), "\\\"q\"");
	assert_string_equal(escaped(harness_escape_catch2, "-x"), "\\-x");
}

/* ---- commands ------------------------------------------------------------------------------ */

static void test_a_list_of_arguments_gets_more(void **state)
{
	static const char *const argv[] = {"./bench", "--threads=2", NULL};
	static const char *const more[] = {"--list", NULL};
	const struct config_benchmark benchmark = words(argv);
	struct arena arena = ARENA_INIT;
	const char *const *made = harness_command(&arena, &benchmark, more);

	(void)state;
	assert_string_equal(made[0], "./bench");
	assert_string_equal(made[1], "--threads=2");
	assert_string_equal(made[2], "--list");
	assert_null(made[3]);
	arena_release(&arena);
}

/* The shell must see the name as one argument, whatever is in it. */
static void test_no_text_of_a_name_is_the_shells(void **state)
{
	static const char *const more[] = {"$(touch pwned) `touch pwned`; touch pwned '\" *", NULL};
	const struct config_benchmark benchmark = shell("printf '%s'  \n");
	struct scene *scene = *state;
	struct arena arena = ARENA_INIT;
	struct strbuf out = STRBUF_INIT;
	struct process_options options = {.argv = harness_command(&arena, &benchmark, more),
		.directory = scene->dir,
		.capture = &out};
	struct process_result result;

	assert_string_equal(options.argv[2], "printf '%s' \"$@\"");
	assert_ok(scene, process_run(&options, &result, &scene->err));
	assert_string_equal(out.data, more[0]);
	assert_false(file_exists(at(scene, "pwned")));
	strbuf_release(&out);
	arena_release(&arena);
}

static void test_a_text_that_takes_no_arguments_is_refused(void **state)
{
	static const char *const more[] = {"--list", NULL};
	static const char *const texts[] = {"./a;", "./a &", "./a |", "./a && ", "./a \\", "./a >"};
	struct arena arena = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct config_benchmark benchmark = shell(texts[i]);

		assert_null(harness_command(&arena, &benchmark, more));
	}
	arena_release(&arena);
}

static void test_holes_are_filled(void **state)
{
	struct arena arena = ARENA_INIT;
	struct harness_arguments arguments = {.arena = &arena};

	(void)state;
	harness_arguments_add(&arguments, of(CONFIG_HARNESS_GO)->count, "500");
	harness_arguments_add(&arguments, of(CONFIG_HARNESS_GO)->select, "^a@b$");
	assert_int_equal(arguments.count, 3);
	assert_string_equal(arguments.items[0], "-test.benchtime=500x");
	assert_string_equal(arguments.items[1], "-test.run=^$");
	assert_string_equal(arguments.items[2], "-test.bench=^a@b$");
	assert_null(arguments.items[3]);
	arena_release(&arena);
}

/* ---- what they say already ----------------------------------------------------------------- */

static void says(enum config_harness id, const char *text, const char *wanted)
{
	const struct config_benchmark benchmark = shell(text);
	struct arena arena = ARENA_INIT;
	const char *selected = harness_selected(&arena, of(id), &benchmark);

	if (!wanted)
		assert_null(selected);
	else if (!selected || strcmp(selected, wanted) != 0)
		fail_msg("%s: %s instead of %s", text, selected ? selected : "nothing", wanted);
	arena_release(&arena);
}

static void test_a_filter_selects(void **state)
{
	(void)state;
	says(CONFIG_HARNESS_GOOGLE, "./b --benchmark_filter=BM_a", "--benchmark_filter=BM_a");
	says(CONFIG_HARNESS_GOOGLE, "./b --benchmark_filter BM_a", "--benchmark_filter=BM_a");
	says(CONFIG_HARNESS_GO, "X=1 ./b -test.run '^$' -test.bench Fib", "-test.bench=Fib");
	says(CONFIG_HARNESS_GO, "./b -test.bench=^Fib$", "-test.bench=^Fib$");
	says(CONFIG_HARNESS_CRITERION, "./b --bench fib", "fib");
	says(CONFIG_HARNESS_CRITERION, "./b --sample-size 10 fib", "fib");
	says(CONFIG_HARNESS_DIVAN, "./b --skip a", "--skip=a");
	says(CONFIG_HARNESS_CATCH2, "./b [x]", "[x]");
}

static void test_other_options_do_not(void **state)
{
	(void)state;
	says(CONFIG_HARNESS_GOOGLE, "./b --benchmark_min_time=0.1 data.json", NULL);
	says(CONFIG_HARNESS_GOOGLE, "./b --benchmark_filter=.", NULL);
	says(CONFIG_HARNESS_GO, "./b -test.bench . -test.benchmem -test.benchtime=10x", NULL);
	says(CONFIG_HARNESS_GO, "./b -test.bench=.", NULL);
	says(CONFIG_HARNESS_CRITERION, "A=b nice ./b --bench --measurement-time 2", NULL);
	says(CONFIG_HARNESS_CATCH2, "./b --benchmark-samples 10", NULL);
	says(CONFIG_HARNESS_CATCH2, "./b", NULL);
}

static bool is_counted(enum config_harness id, const char *text)
{
	const struct config_benchmark benchmark = shell(text);
	struct arena arena = ARENA_INIT;
	bool counted = harness_is_counted(&arena, of(id), &benchmark);

	arena_release(&arena);
	return counted;
}

static void test_a_number_of_iterations_is_kept(void **state)
{
	(void)state;
	assert_true(is_counted(CONFIG_HARNESS_GO, "./b -test.benchtime=10x"));
	assert_true(is_counted(CONFIG_HARNESS_GOOGLE, "./b --benchmark_min_time=10x"));
	assert_true(is_counted(CONFIG_HARNESS_DIVAN, "./b --sample-size 5"));
	assert_false(is_counted(CONFIG_HARNESS_DIVAN, "./b --bench"));
	assert_false(is_counted(CONFIG_HARNESS_CRITERION, "./b --bench"));
}

/* ---- the table ----------------------------------------------------------------------------- */

static void test_every_row_is_whole(void **state)
{
	(void)state;
	for (int id = CONFIG_HARNESS_NONE + 1; id < CONFIG_HARNESS_COUNT; id++)
		assert_non_null(of((enum config_harness)id));
	for (size_t i = 0; i < harness_count; i++) {
		const struct harness *harness = &harnesses[i];

		assert_non_null(harness->traces[0].flag.name);
		assert_non_null(harness->traces[0].flag.advice);
		assert_int_equal(harness_lists(harness), harness->select[0] != NULL);
		assert_int_equal(harness_lists(harness), harness->escape != NULL);
		assert_int_equal(harness->count[0] != NULL, harness->read_count != NULL);
		assert_int_equal(harness->count[0] != NULL, harness->trial[0] != NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_extended_expression_is_the_name_alone),
		cmocka_unit_test(test_go_names_are_a_pattern_for_each_level),
		cmocka_unit_test(test_catch2_escapes_what_its_test_specs_mean),
		cmocka_unit_test(test_a_list_of_arguments_gets_more),
		scene_test(test_no_text_of_a_name_is_the_shells),
		cmocka_unit_test(test_a_text_that_takes_no_arguments_is_refused),
		cmocka_unit_test(test_holes_are_filled),
		cmocka_unit_test(test_a_filter_selects),
		cmocka_unit_test(test_other_options_do_not),
		cmocka_unit_test(test_a_number_of_iterations_is_kept),
		cmocka_unit_test(test_every_row_is_whole),
	};

	return cmocka_run_group_tests_name("bench/harness_command", tests, NULL, NULL);
}
