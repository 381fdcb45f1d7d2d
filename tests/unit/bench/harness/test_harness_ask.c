/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are asked for their benchmarks: willing ones, broken ones, and those that lie. */
#include "gate/bench/harness/harness_ask.h"

#include "tests/unit/bench/scene.h"

static const char *const env[] = {"PATH=/usr/bin:/bin", "NEXTEST=0", NULL};
static const char *const argv[] = {"./program", NULL};

struct asked {
	struct config_benchmark benchmark;
	struct harness_program program;
	struct harness_names names;
	int rc;
};

static void put_script(const struct scene *scene, const char *text)
{
	char script[4096];

	snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", text);
	put_file(scene, "program", script);
	sh(scene, "chmod +x program");
}

static struct harness_program program_in(struct scene *scene, struct config_benchmark *benchmark)
{
	return (struct harness_program){
		.benchmark = benchmark, .env = env, .directory = scene->dir};
}

static struct asked ask(struct scene *scene, enum config_harness id, bool named, const char *text)
{
	struct config_benchmark benchmark = {
		.argv = argv, .harness = named ? id : CONFIG_HARNESS_AUTO};
	struct harness_program program = program_in(scene, &benchmark);
	struct asked asked;

	put_script(scene, text);
	harness_names_init(&asked.names);
	asked.rc = harness_ask_names(&program, harness_of(id), &asked.names, &scene->err);
	return asked;
}

static void lists(struct scene *scene, enum config_harness id, bool named, const char *text,
	const char *const *wanted)
{
	struct asked asked = ask(scene, id, named, text);
	size_t count = 0;

	assert_ok(scene, asked.rc);
	for (; wanted[count]; count++) {
		assert_true(count < asked.names.count);
		assert_string_equal(asked.names.items[count], wanted[count]);
	}
	assert_int_equal(asked.names.count, count);
	harness_names_release(&asked.names);
}

static void fails(struct scene *scene, const char *text, int code, const char *message)
{
	struct asked asked = ask(scene, CONFIG_HARNESS_GOOGLE, true, text);

	assert_int_equal(asked.rc, code);
	assert_contains(scene->err.message, message);
	harness_names_release(&asked.names);
}

static void test_what_it_prints_for_none_is_no_name(void **state)
{
	lists(*state, CONFIG_HARNESS_GOOGLE, false,
		"echo 'my banner 1.0'; [ \"$2\" = '--benchmark_filter=^$' ] || echo BM_a",
		(const char *const[]){"BM_a", NULL});
}

static void test_a_program_that_does_not_obey_lists_nothing(void **state)
{
	fails(*state, "echo one; echo two", ERR_BENCHMARK, "lists no benchmark");
	fails(*state, "true", ERR_BENCHMARK, "lists no benchmark");
}

static void test_a_failure_says_its_last_words(void **state)
{
	struct scene *scene = *state;

	fails(scene, "echo 'no data.json' >&2; exit 3", ERR_BENCHMARK, "exited with status 3");
	assert_contains(scene->err.message, "no data.json");
	assert_contains(scene->err.message, "--benchmark_list_tests=true");
	fails(scene, "kill -9 $$", ERR_BENCHMARK, "SIGKILL");
}

static void test_what_it_says_does_not_drive_a_terminal(void **state)
{
	struct scene *scene = *state;

	fails(scene, "printf '\\033[31m::error::x\\n' >&2; exit 1", ERR_BENCHMARK, "exited");
	assert_lacks(scene->err.message, "\x1b");
	assert_lacks(scene->err.message, "\n::error");
}

static void test_an_endless_list_is_ended(void **state)
{
	fails(*state, "yes BM_a", ERR_BENCHMARK, "printed more than");
}

static void test_too_many_names_are_refused(void **state)
{
	fails(*state, "seq 1 2001", ERR_LIMIT, "more than 2000");
}

static void test_a_missing_program_is_the_builds_fault(void **state)
{
	struct scene *scene = *state;
	struct config_benchmark benchmark = {.argv = argv, .harness = CONFIG_HARNESS_GOOGLE};
	const struct harness_program program = program_in(scene, &benchmark);
	struct harness_names names;

	harness_names_init(&names);
	assert_fails(scene,
		harness_ask_names(&program, harness_of(CONFIG_HARNESS_GOOGLE), &names, &scene->err),
		ERR_BENCHMARK, "program");
	harness_names_release(&names);
}

/* Version 2 knows no --verbosity for it, and exits with how many there are. */
static void test_both_versions_of_catch2_are_understood(void **state)
{
	static const char *const names[] = {"fib", "#hash", NULL};

	lists(*state, CONFIG_HARNESS_CATCH2, false,
		"case \"$*\" in *none*) exit 0 ;; --list-tests*) echo 'Matching test cases:'; exit 2 ;; esac; "
		"echo fib; echo '\"#hash\"'; exit 2",
		names);
	lists(*state, CONFIG_HARNESS_CATCH2, false,
		"case \"$*\" in *none*) ;; *--list-test-names-only*) exit 255 ;; *) echo fib; echo '\"#hash\"' ;; esac",
		names);
}

/* Any program of tests would become one benchmark for each. */
static void test_tests_without_the_tag_are_listed_where_it_is_named(void **state)
{
	static const char script[] = "case \"$*\" in *none*|*!benchmark*) ;; *) echo test ;; esac";
	struct asked asked = ask(*state, CONFIG_HARNESS_CATCH2, false, script);

	assert_int_equal(asked.rc, ERR_BENCHMARK);
	harness_names_release(&asked.names);
	lists(*state, CONFIG_HARNESS_CATCH2, true, script, (const char *const[]){"test", NULL});
}

static void test_divan_is_asked_as_nextest_does(void **state)
{
	lists(*state, CONFIG_HARNESS_DIVAN, false,
		"[ \"$NEXTEST\" = 1 ] && [ \"$*\" = '--list --format terse' ] && echo 'a::b: benchmark'",
		(const char *const[]){"a::b", NULL});
}

static void test_older_divan_prints_a_tree(void **state)
{
	lists(*state, CONFIG_HARNESS_DIVAN, false,
		"case $1 in --list) exit 1 ;; esac; printf 'main\\n├─ a\\n│  ╰─ b\\n╰─ c\\n\\n'",
		(const char *const[]){"main::a::b", "main::c", NULL});
}

static void test_go_without_a_run_lists_functions(void **state)
{
	lists(*state, CONFIG_HARNESS_GO, false,
		"case $1 in -test.run*) exit 1 ;; esac; echo BenchmarkA; echo PASS",
		(const char *const[]){"BenchmarkA", NULL});
}

/* ---- finding ------------------------------------------------------------------------------- */

static const struct harness *found(struct scene *scene, const char *text)
{
	struct config_benchmark benchmark = {.argv = argv};
	const struct harness_program program = program_in(scene, &benchmark);
	char script[1024];

	snprintf(script, sizeof(script),
		"printf '%%s' 'const char *text = \"%s\"; int main(int c, char **v) { return v[c] ? text[c] "
		": 0; }' >a.c && cc -o program a.c",
		text);
	sh(scene, script);
	return harness_find(&program);
}

static void test_texts_in_the_program_tell(void **state)
{
	assert_ptr_equal(found(*state, "benchmark_min_time"), harness_of(CONFIG_HARNESS_GOOGLE));
	assert_ptr_equal(
		found(*state, "CARGO_CRITERION_PORT"), harness_of(CONFIG_HARNESS_CRITERION));
	assert_ptr_equal(found(*state, "test.benchtime"), harness_of(CONFIG_HARNESS_GO));
	assert_null(found(*state, "benchmark"));
}

static void test_a_script_is_of_no_harness(void **state)
{
	struct scene *scene = *state;
	struct config_benchmark benchmark = {.argv = argv};
	const struct harness_program program = program_in(scene, &benchmark);

	put_script(scene, "echo benchmark_min_time");
	assert_null(harness_find(&program));
	benchmark.harness = CONFIG_HARNESS_DIVAN;
	assert_ptr_equal(harness_find(&program), harness_of(CONFIG_HARNESS_DIVAN));
	benchmark.harness = CONFIG_HARNESS_NONE;
	assert_null(harness_find(&program));
}

/* ---- counts -------------------------------------------------------------------------------- */

static void counts(struct scene *scene, const char *printed, uint64_t wanted)
{
	struct config_benchmark benchmark = {.argv = argv};
	const struct harness_program program = program_in(scene, &benchmark);
	uint64_t count = 0;
	char script[256];

	snprintf(script, sizeof(script),
		"[ \"$3\" = '-test.bench=^BenchmarkA$' ] && "
		"printf 'BenchmarkA-2\\t%s\\t3 ns/op\\n'",
		printed);
	put_script(scene, script);
	assert_ok(scene, harness_ask_count(&program, harness_of(CONFIG_HARNESS_GO), 0, "BenchmarkA",
				 &count, &scene->err));
	assert_int_equal(count, wanted);
}

static void test_counts_are_rounded(void **state)
{
	counts(*state, "1", 1);
	counts(*state, "19", 10);
	counts(*state, "20", 20);
	counts(*state, "49999", 20000);
	counts(*state, "50", 50);
	counts(*state, "899677", 500000);
}

static void test_a_trial_that_tells_nothing_is_an_error(void **state)
{
	struct scene *scene = *state;
	struct config_benchmark benchmark = {.argv = argv};
	const struct harness_program program = program_in(scene, &benchmark);
	uint64_t count = 7;

	put_script(scene, "echo PASS");
	assert_fails(scene,
		harness_ask_count(&program, harness_of(CONFIG_HARNESS_GO), 0, "BenchmarkA", &count,
			&scene->err),
		ERR_BENCHMARK, "how many iterations");
	assert_int_equal(count, 7);
}

static void test_the_version_with_a_count_says_so_in_its_help(void **state)
{
	struct scene *scene = *state;
	struct config_benchmark benchmark = {.argv = argv};
	const struct harness_program program = program_in(scene, &benchmark);

	put_script(scene, "echo '[--benchmark_min_time=`<integer>x` OR `<float>s`]' >&2; exit 1");
	assert_true(harness_has_count(&program, harness_of(CONFIG_HARNESS_GOOGLE)));
	put_script(scene, "echo '[--benchmark_min_time=<min_time>]'");
	assert_false(harness_has_count(&program, harness_of(CONFIG_HARNESS_GOOGLE)));
	assert_true(harness_has_count(&program, harness_of(CONFIG_HARNESS_GO)));
	assert_false(harness_has_count(&program, harness_of(CONFIG_HARNESS_CRITERION)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_what_it_prints_for_none_is_no_name),
		scene_test(test_a_program_that_does_not_obey_lists_nothing),
		scene_test(test_a_failure_says_its_last_words),
		scene_test(test_what_it_says_does_not_drive_a_terminal),
		scene_test(test_an_endless_list_is_ended),
		scene_test(test_too_many_names_are_refused),
		scene_test(test_a_missing_program_is_the_builds_fault),
		scene_test(test_both_versions_of_catch2_are_understood),
		scene_test(test_tests_without_the_tag_are_listed_where_it_is_named),
		scene_test(test_divan_is_asked_as_nextest_does),
		scene_test(test_older_divan_prints_a_tree),
		scene_test(test_go_without_a_run_lists_functions),
		scene_test(test_texts_in_the_program_tell),
		scene_test(test_a_script_is_of_no_harness),
		scene_test(test_counts_are_rounded),
		scene_test(test_a_trial_that_tells_nothing_is_an_error),
		scene_test(test_the_version_with_a_count_says_so_in_its_help),
	};

	return cmocka_run_group_tests_name("bench/harness_ask", tests, NULL, NULL);
}
