/* SPDX-License-Identifier: Apache-2.0 */
/* Two versions' lists, made into benchmarks of an entry. */
#include "gate/bench/harness/harness_expand.h"

#include "tests/unit/bench/scene.h"

static const char *const none[] = {NULL};

struct suite {
	struct arena arena;
	struct config_benchmark entries[2];
	struct config config;
	struct harness_names lists[2];
	struct harness_items items;
};

static int suite_begin(void **state)
{
	static const char *const argv[] = {"./suite", NULL};
	struct suite *suite = calloc(1, sizeof(*suite));

	assert_non_null(suite);
	suite->entries[0] = (struct config_benchmark){.name = "suite",
		.argv = argv,
		.command_text = "./suite",
		.include = none,
		.exclude = none};
	suite->entries[1] = (struct config_benchmark){.name = "suite/taken"};
	suite->config.benchmarks = suite->entries;
	suite->config.benchmark_count = 2;
	for (int i = 0; i < 2; i++)
		harness_names_init(&suite->lists[i]);
	*state = suite;
	return 0;
}

static int suite_end(void **state)
{
	struct suite *suite = *state;

	for (int i = 0; i < 2; i++)
		harness_names_release(&suite->lists[i]);
	arena_release(&suite->arena);
	free(suite);
	return 0;
}

static void list(struct suite *suite, int which, const char *text)
{
	struct error err;

	assert_int_equal(
		harness_read_lines(text, strlen(text), &suite->lists[which], &err), ERR_OK);
}

static void unite(struct suite *suite)
{
	harness_unite(&suite->arena, &suite->config, &suite->entries[0], &suite->lists[0],
		&suite->lists[1], &suite->items);
}

static void is_item(const struct suite *suite, size_t i, const char *name, bool first, bool second)
{
	const struct harness_item *item = &suite->items.items[i];

	assert_true(i < suite->items.count);
	assert_string_equal(item->name, name);
	assert_int_equal(item->in[0], first);
	assert_int_equal(item->in[1], second);
}

static void test_names_that_one_version_has_are_told(void **state)
{
	struct suite *suite = *state;

	list(suite, 0, "old\nboth\n");
	list(suite, 1, "both\nnew\n");
	unite(suite);
	assert_int_equal(suite->items.count, 3);
	is_item(suite, 0, "suite/both", true, true);
	is_item(suite, 1, "suite/new", false, true);
	is_item(suite, 2, "suite/old", true, false);
}

static void test_other_bytes_become_underscores(void **state)
{
	struct suite *suite = *state;

	list(suite, 1, "BM_t<int>/8/threads:2\nfib 20\n\xc3\xa4\n../x\n");
	unite(suite);
	is_item(suite, 0, "suite/BM_t_int_/8/threads_2", false, true);
	is_item(suite, 1, "suite/fib_20", false, true);
	is_item(suite, 2, "suite/__", false, true);
	is_item(suite, 3, "suite/../x", false, true);
}

/* Which of two gets the plain one must not depend on what else is listed. */
static void test_names_that_would_be_the_same_get_a_hash_each(void **state)
{
	struct suite *suite = *state;

	list(suite, 1, "a b\na(b\ntaken\nc\n");
	unite(suite);
	is_item(suite, 0, "suite/a_b-c8687a08", false, true);
	is_item(suite, 1, "suite/a_b-38d5ec2d", false, true);
	assert_int_equal(strncmp(suite->items.items[2].name, "suite/taken-", 12), 0);
	is_item(suite, 3, "suite/c", false, true);
}

static void test_long_names_are_cut_and_get_a_hash(void **state)
{
	struct suite *suite = *state;
	char text[401];

	memset(text, 'x', sizeof(text));
	text[400] = '\0';
	text[199] = '\n';
	list(suite, 1, text);
	unite(suite);
	assert_int_equal(suite->items.count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(strlen(suite->items.items[i].name), CONFIG_MAX_NAME_BYTES);
	assert_string_not_equal(suite->items.items[0].name, suite->items.items[1].name);
}

static void test_globs_choose(void **state)
{
	static const char *const include[] = {"BM_*", "fib 2?", NULL};
	static const char *const exclude[] = {"*/64", NULL};
	struct suite *suite = *state;

	suite->entries[0].include = include;
	suite->entries[0].exclude = exclude;
	list(suite, 1, "BM_a/8\nBM_a/64\nfib 20\nother\n");
	unite(suite);
	assert_int_equal(suite->items.count, 2);
	assert_int_equal(suite->items.left_out, 2);
	is_item(suite, 0, "suite/BM_a/8", false, true);
	is_item(suite, 1, "suite/fib_20", false, true);
}

static void test_globs_know_the_names_of_the_report_too(void **state)
{
	static const char *const include[] = {"fib_20", NULL};
	struct suite *suite = *state;

	suite->entries[0].include = include;
	list(suite, 1, "fib 20\nfib 2\n");
	unite(suite);
	assert_int_equal(suite->items.count, 1);
}

static void test_an_entrys_own_slash_is_no_part_of_what_is_matched(void **state)
{
	static const char *const exclude[] = {"f_int_*", NULL};
	struct suite *suite = *state;

	suite->entries[0].name = "cpp/suite";
	suite->entries[0].exclude = exclude;
	list(suite, 1, "f<int>/8\nother\n");
	unite(suite);
	assert_int_equal(suite->items.count, 1);
	is_item(suite, 0, "cpp/suite/other", false, true);
}

static void test_a_benchmark_runs_its_name_alone(void **state)
{
	struct suite *suite = *state;
	const struct harness *harness = harness_of(CONFIG_HARNESS_GOOGLE);
	struct config_benchmark made;

	list(suite, 1, "BM_a<int>(x)\n");
	unite(suite);
	assert_true(harness_make(
		&suite->arena, harness, &suite->entries[0], &suite->items.items[0], 0, 20, &made));
	assert_string_equal(made.name, "suite/BM_a_int__x_");
	assert_string_equal(made.entry, "suite");
	assert_string_equal(made.argv[0], "./suite");
	assert_string_equal(made.argv[1], "--benchmark_min_time=20x");
	assert_string_equal(made.argv[2], "--benchmark_filter=^BM_a<int>\\(x\\)$");
	assert_null(made.argv[3]);
	assert_string_equal(made.command_text,
		"./suite --benchmark_min_time=20x '--benchmark_filter=^BM_a<int>\\(x\\)$'");
}

/* One of criterion 0.3 knows no --exact; both versions get what both understand. */
static void test_the_older_of_two_ways_to_select_is_taken(void **state)
{
	struct suite *suite = *state;
	const struct harness *harness = harness_of(CONFIG_HARNESS_CRITERION);
	struct config_benchmark made;

	list(suite, 0, "u64[max]/itoa\n");
	list(suite, 1, "u64[max]/itoa\n");
	suite->lists[0].question = 1;
	suite->entries[0].work = CONFIG_WORK_FIXED;
	unite(suite);
	assert_int_equal(suite->items.question, 1);
	assert_true(harness_make(&suite->arena, harness, &suite->entries[0], &suite->items.items[0],
		suite->items.question, 0, &made));
	assert_string_equal(made.command_text, "./suite --bench --noplot '^u64\\[max\\]/itoa$'");
	assert_true(harness_make(
		&suite->arena, harness, &suite->entries[0], &suite->items.items[0], 0, 0, &made));
	assert_string_equal(made.command_text,
		"./suite --bench --discard-baseline --noplot --exact -- 'u64[max]/itoa'");
}

/* criterion 0.3 takes whole seconds alone, and ends with status 1 at "0.1". */
static void test_an_older_program_gets_the_flags_that_it_understands(void **state)
{
	struct suite *suite = *state;
	const struct harness *harness = harness_of(CONFIG_HARNESS_CRITERION);
	struct config_benchmark made;

	list(suite, 1, "req/req\n");
	suite->lists[1].question = 1;
	unite(suite);
	suite->entries[0].work = CONFIG_WORK_AUTO;
	assert_true(harness_make(&suite->arena, harness, &suite->entries[0], &suite->items.items[0],
		suite->items.question, 0, &made));
	assert_string_equal(made.command_text,
		"./suite --warm-up-time=1 --measurement-time=1 --sample-size=10 "
		"--nresamples=1001 --bench --noplot '^req/req$'");
}

/* Less time, and less of its own statistics, by flags that stand before the filter. */
static void test_where_the_clock_decides_its_own_flags_come_first(void **state)
{
	static const char *const argv[] = {"./suite", "--benchmark_min_time=3", NULL};
	struct suite *suite = *state;
	struct config_benchmark *entry = &suite->entries[0];
	const struct harness *google = harness_of(CONFIG_HARNESS_GOOGLE);
	struct config_benchmark made;

	list(suite, 1, "a\n");
	unite(suite);
	entry->work = CONFIG_WORK_REPLAYED;
	assert_true(
		harness_make(&suite->arena, google, entry, &suite->items.items[0], 0, 0, &made));
	assert_string_equal(
		made.command_text, "./suite --benchmark_min_time=0.2 '--benchmark_filter=^a$'");
	entry->work = CONFIG_WORK_STEPPED;
	assert_true(
		harness_make(&suite->arena, google, entry, &suite->items.items[0], 0, 0, &made));
	assert_string_equal(made.command_text, "./suite '--benchmark_filter=^a$'");
	entry->work = CONFIG_WORK_AUTO;
	assert_true(harness_make(&suite->arena, harness_of(CONFIG_HARNESS_CRITERION), entry,
		&suite->items.items[0], 0, 0, &made));
	assert_string_equal(made.command_text,
		"./suite --warm-up-time=0.1 --measurement-time=0.2 --sample-size=10 "
		"--nresamples=1001 --bench --discard-baseline --noplot --exact -- a");
	entry->argv = argv;
	assert_true(
		harness_make(&suite->arena, google, entry, &suite->items.items[0], 0, 0, &made));
	assert_string_equal(made.argv[2], "--benchmark_filter=^a$");
}

#define suite_test(name) cmocka_unit_test_setup_teardown(name, suite_begin, suite_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		suite_test(test_names_that_one_version_has_are_told),
		suite_test(test_other_bytes_become_underscores),
		suite_test(test_names_that_would_be_the_same_get_a_hash_each),
		suite_test(test_long_names_are_cut_and_get_a_hash),
		suite_test(test_globs_choose),
		suite_test(test_globs_know_the_names_of_the_report_too),
		suite_test(test_an_entrys_own_slash_is_no_part_of_what_is_matched),
		suite_test(test_a_benchmark_runs_its_name_alone),
		suite_test(test_the_older_of_two_ways_to_select_is_taken),
		suite_test(test_an_older_program_gets_the_flags_that_it_understands),
		suite_test(test_where_the_clock_decides_its_own_flags_come_first),
	};

	return cmocka_run_group_tests_name("bench/harness_expand", tests, NULL, NULL);
}
