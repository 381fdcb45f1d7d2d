/* SPDX-License-Identifier: Apache-2.0 */
/* What the diff changes behind a function's last sampled line is in the function. Real
 * repositories.
 */
#include "tests/unit/check/synthetic.h"
#include "tests/unit/vcs/repo_scene.h"

#include "gate/base/error.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/check/source/sources.h"

/* As debug information says of all functions here, field() begins in line 10 of src/a.c; of its
 * lines the 12th was sampled. */
#define ABOVE "\n\n\n\n\n\n\n\nint before(void) { return 1; }\n"

static const char in_c[] = ABOVE "int field(int i)\n" /* 10 */
				 "{\n"
				 "\tif (i)\n"
				 "\t\treturn i;\n"
				 "\n"
				 "out:\n" /* 15 */
				 "\treturn '}' /* } */;\n"
				 "}\n"
				 "int next(void)\n"
				 "{\n"
				 "\treturn 2;\n" /* 20 */
				 "}\n";

static const char in_python[] = ABOVE "def field(i):\n" /* 10 */
				      "    if i:\n"
				      "        return i\n"
				      "    return [\n"
				      "1,\n"
				      "    ]\n" /* 15 */
				      "def next():\n"
				      "    return 2\n";

/* What looks like a comment's beginning. */
static const char in_go[] = ABOVE "func field(i int) {\n" /* 10 */
				  "\tif i {\n"
				  "\t\treturn\n"
				  "\t}\n"
				  "\tserve(`/static/*`)\n"
				  "}\n" /* 15 */
				  "\n"
				  "func next() int {\n"
				  "\treturn 2 /* two */\n"
				  "}\n";

static const char of_a_class[] = ABOVE "\tint field(int i) {\n" /* 10 */
				       "\t\tif (i)\n"
				       "\t\t\treturn i;\n"
				       "\t\treturn 3;\n"
				       "\t}\n";

static void name_commit(struct scene *repo, struct measurements *measurements, const char *revision,
	const char **out)
{
	char id[OBJECT_ID_SIZE];

	assert_int_equal(repo_resolve_commit(repo->repo, revision, id, &repo->err), ERR_OK);
	*out = arena_strdup(&measurements->arena, id);
}

static struct measurements *make_measurements(struct scene *repo, bool with_sources)
{
	static const struct synthetic_function functions[] = {
		{"main", {0.5, 0.5}}, {"main;field#12", {0.1, 0.25}}};
	struct measurements *measurements = synthetic_measurements(functions, 2, 42);
	char *path = file_join(repo->dir, "work");

	open_repo(repo, "work");
	name_commit(repo, measurements, "base", &measurements->base.id);
	name_commit(repo, measurements, "HEAD", &measurements->head.id);
	assert_int_equal(repo_diff(repo->repo, measurements->base.id, measurements->head.id,
				 &measurements->arena, &measurements->diff, &repo->err),
		ERR_OK);
	if (with_sources) {
		measurements->sources = sources_open(path, measurements);
		assert_non_null(measurements->sources);
	}
	free(path);
	return measurements;
}

static bool field_is_touched(const struct result *result)
{
	const struct result_benchmark *benchmark = &result->benchmarks[0];

	for (size_t f = 0; f < benchmark->function_count; f++)
		if (strcmp(benchmark->functions[f].name, "field") == 0)
			return benchmark->functions[f].touched;
	fail_msg("there is no field()");
	return false;
}

/* Is field() touched by a change (in a shell) of this text? */
static bool is_touched_of(const char *text, const char *change, bool with_sources)
{
	struct scene *repo = scene_new(false);
	struct measurements *measurements;
	struct result *result;
	char script[512], *path;
	bool touched;

	sh(repo, "git init -q work && mkdir work/src");
	path = file_join(repo->dir, "work/src/a.c");
	assert_int_equal(file_write(path, text, strlen(text), &repo->err), ERR_OK);
	free(path);
	snprintf(script, sizeof(script),
		"cd work && git add . && git commit -qm base && git tag base && %s src/a.c &&"
		"git commit -qam change",
		change);
	sh(repo, script);
	measurements = make_measurements(repo, with_sources);
	result = decide_measurements(measurements);
	touched = field_is_touched(result);
	sources_free(measurements->sources);
	measurements_free(measurements);
	result_free(result);
	tear_down((void **)&repo);
	return touched;
}

static bool is_touched(const char *text, const char *change)
{
	return is_touched_of(text, change, true);
}

static void test_what_was_sampled_is_known_without_the_text(void **state)
{
	(void)state;
	assert_true(is_touched_of(in_c, "sed -i 12s/i/1/", false));
	assert_false(is_touched_of(in_c, "sed -i 16s/}/]/", false));
}

static void test_a_function_ends_where_its_brackets_do(void **state)
{
	(void)state;
	assert_true(is_touched(in_c, "sed -i 13s/i/1/"));
	assert_true(is_touched(in_c, "sed -i 16s/}/]/"));
	assert_true(is_touched(in_c, "sed -i 14d"));
}

static void test_what_is_behind_or_before_it_is_none_of_it(void **state)
{
	(void)state;
	assert_false(is_touched(in_c, "sed -i 9s/1/2/"));
	assert_false(is_touched(in_c, "sed -i 18s/next/last/"));
	assert_false(is_touched(in_c, "sed -i 20s/2/3/"));
	assert_false(is_touched(in_c, "sed -i 18,21d"));
	assert_false(is_touched(in_c, "sed -i '17s/$/\\nint new;/'"));
}

static void test_what_no_bracket_closes_is_not_followed(void **state)
{
	(void)state;
	assert_false(is_touched(in_python, "sed -i 14s/1/2/"));
	assert_false(is_touched(in_python, "sed -i 17s/2/3/"));
	assert_true(is_touched(in_python, "sed -i 11s/i/1/"));
	assert_false(is_touched(in_go, "sed -i 18s/2/3/"));
}

/* It is no more known where it ends than what it is in. */
static void test_what_does_not_begin_in_the_first_column_is_not_followed(void **state)
{
	(void)state;
	assert_false(is_touched(of_a_class, "sed -i 13s/3/4/"));
	assert_true(is_touched(of_a_class, "sed -i 11s/i/1/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_sampled_is_known_without_the_text),
		cmocka_unit_test(test_a_function_ends_where_its_brackets_do),
		cmocka_unit_test(test_what_is_behind_or_before_it_is_none_of_it),
		cmocka_unit_test(test_what_no_bracket_closes_is_not_followed),
		cmocka_unit_test(test_what_does_not_begin_in_the_first_column_is_not_followed),
	};

	isolate();
	return cmocka_run_group_tests_name("check/touched_bodies", tests, NULL, NULL);
}
