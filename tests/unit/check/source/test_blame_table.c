/* SPDX-License-Identifier: Apache-2.0 */
/* The line that is named when a table or a macro changed that the culprit uses.
 * Real repositories. */
#include "tests/unit/check/synthetic.h"
#include "tests/unit/vcs/repo_scene.h"

#include "gate/base/error.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/check/source/sources.h"

/* As debug information says of all functions here: field() begins in line 10 of src/a.c. */
#define USER                                                                                       \
	"#include \"a.h\"\n\n\n\n\n\n\n\n\n"                                                       \
	"int field(int i) /* steps_limit */\n"                                                     \
	"{\n"                                                                                      \
	"\ti += hidden + STEEP(i) + item->wide + steps_sum(i); // unused \"\n"                     \
	"\treturn steps[i % WIDTH] + *\"unused\";\n"                                               \
	"}\n\n"                                                                                    \
	"int next(void) { return later; }\n\n"                                                     \
	"static const int own[] = {\n"                                                             \
	"\t1,\n"                                                                                   \
	"};\n"

#define TABLES                                                                                     \
	"#include \"a.h\"\n\n"                                                                     \
	"/* What is subtracted { */\n"                                                             \
	"const unsigned char steps[4] = {\n"                                                       \
	"\t8, 7, /* high */\n" /* 5 */                                                             \
	"\t6, 5,\n"                                                                                \
	"};\n"                                                                                     \
	"/* Behind it. */\n"                                                                       \
	"const int steps_limit = 3, unused = 4;\n"                                                 \
	"\n" /* 10 */                                                                              \
	"#define WIDTH 4\n"                                                                        \
	"#define STEEP(i) \\\n"                                                                    \
	"\t((i) * 3)\n"                                                                            \
	"\n"                                                                                       \
	"int steps_sum(int i)\n" /* 15 */                                                          \
	"{\n"                                                                                      \
	"\treturn steps[i];\n"                                                                     \
	"out:\n"                                                                                   \
	"\treturn 3;\n"                                                                            \
	"}\n" /* 20 */                                                                             \
	"static int hidden = 3;\n"                                                                 \
	"int later = 3;\n"                                                                         \
	"int wide = 3;\n"                                                                          \
	"int unused = 3;\n"                                                                        \
	"int step = 3;\n" /* 25 */

struct table_scene {
	struct scene *repo;
	struct measurements *measurements;
	struct result *result;
};

static struct table_scene *scene_begin(void)
{
	struct table_scene *scene = calloc(1, sizeof(*scene));
	char *user, *tables;

	scene->repo = scene_new(false);
	sh(scene->repo, "git init -q work && mkdir work/src work/tab");
	user = file_join(scene->repo->dir, "work/src/a.c");
	tables = file_join(scene->repo->dir, "work/tab/steps.c");
	assert_int_equal(file_write(user, USER, strlen(USER), &scene->repo->err), ERR_OK);
	assert_int_equal(file_write(tables, TABLES, strlen(TABLES), &scene->repo->err), ERR_OK);
	free(user);
	free(tables);
	sh(scene->repo,
		"cd work && cp tab/steps.c tab/steps.h && git add . && git commit -qm base &&"
		"git tag base");
	return scene;
}

static void scene_end(struct table_scene *scene)
{
	sources_free(scene->measurements ? scene->measurements->sources : NULL);
	measurements_free(scene->measurements);
	result_free(scene->result);
	tear_down((void **)&scene->repo);
	free(scene);
}

static void name_commit(struct table_scene *scene, const char *revision, const char **out)
{
	char id[OBJECT_ID_SIZE];

	assert_int_equal(
		repo_resolve_commit(scene->repo->repo, revision, id, &scene->repo->err), ERR_OK);
	*out = arena_strdup(&scene->measurements->arena, id);
}

/* All code is known, and only field()'s is not what it was. */
static void know_code(struct measurements *measurements)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = &measurements->benchmarks[0].recordings[version];
		size_t count = recording->profile->function_count;

		recording->code = arena_array(&recording->arena, count, sizeof(*recording->code));
		recording->code_count = count;
		for (size_t i = 0; i < count; i++) {
			const char *name = recording->profile->functions[i].name;
			bool changed = version == VERSION_HEAD && strcmp(name, "field") == 0;

			recording->code[i] = (struct recording_code){.function = (uint32_t)i,
				.bytes = 64,
				.hash = changed ? "another" : name};
		}
	}
}

/* Measurements of the commits base and HEAD. */
static void make_measurements_of(
	struct table_scene *scene, const struct synthetic_function *functions, size_t count)
{
	struct measurements *measurements = synthetic_measurements(functions, count, 42);

	scene->measurements = measurements;
	know_code(measurements);
	open_repo(scene->repo, "work");
	name_commit(scene, "base", &measurements->base.id);
	name_commit(scene, "HEAD", &measurements->head.id);
	assert_int_equal(repo_diff(scene->repo->repo, measurements->base.id, measurements->head.id,
				 &measurements->arena, &measurements->diff, &scene->repo->err),
		ERR_OK);
}

/* field() is the culprit in it. */
static void make_measurements(struct table_scene *scene, const char *field)
{
	const struct synthetic_function functions[] = {
		{"main", {0.5, 0.5}}, {"main;other", {0.4, 0.4}}, {field, {0.1, 0.25}}};

	make_measurements_of(scene, functions, 3);
}

static void open_sources(struct table_scene *scene)
{
	char *path = file_join(scene->repo->dir, "work");

	scene->measurements->sources = sources_open(path, scene->measurements);
	assert_non_null(scene->measurements->sources);
	free(path);
}

static void assert_named(struct table_scene *scene, const char *file, int64_t line)
{
	const struct result_benchmark *benchmark;
	const struct result_culprit *culprit;

	scene->result = decide_measurements(scene->measurements);
	benchmark = &scene->result->benchmarks[0];
	assert_int_equal(benchmark->status, RESULT_FAIL);
	assert_int_equal(benchmark->culprit_count, 1);
	culprit = &benchmark->culprits[0];
	assert_string_equal(benchmark->functions[culprit->function].name, "field");
	assert_string_equal(culprit->file, file);
	assert_int_equal(culprit->line, line);
	assert_int_equal(
		culprit->link, strcmp(file, "src/a.c") == 0 && line == 10 ? LINK_NONE : LINK_DATA);
}

static struct table_scene *scene_changed(const char *change)
{
	struct table_scene *scene = scene_begin();
	char script[512];

	snprintf(script, sizeof(script), "cd work && %s && git add -A . && git commit -qm change",
		change);
	sh(scene->repo, script);
	return scene;
}

static void assert_change_is_named(const char *change, const char *file, int64_t line)
{
	struct table_scene *scene = scene_changed(change);

	make_measurements(scene, "main;field#12");
	open_sources(scene);
	assert_named(scene, file, line);
	scene_end(scene);
}

/* The definition of field(), which the diff does not have. */
static void assert_change_is_not_named(const char *change)
{
	assert_change_is_named(change, "src/a.c", 10);
}

static void test_the_changed_line_of_a_table_in_another_file_is_named(void **state)
{
	(void)state;
	assert_change_is_named("sed -i 5s/8/4/ tab/steps.c", "tab/steps.c", 5);
	assert_change_is_named("sed -i 4s/4/5/ tab/steps.c", "tab/steps.c", 4);
	assert_change_is_named("sed -i '5,6s/,/ ,/' tab/steps.c", "tab/steps.c", 5);
	assert_change_is_named("sed -i '3s/{/}/;6s/6/5/' tab/steps.c", "tab/steps.c", 6);
	/* All of them are in one place of the diff. */
	assert_change_is_named("sed -i '1,25s/$/ /' tab/steps.c", "tab/steps.c", 4);
}

static void test_where_a_table_has_lost_a_line_the_one_before_is_named(void **state)
{
	(void)state;
	assert_change_is_named("sed -i 6d tab/steps.c", "tab/steps.c", 5);
	assert_change_is_named("sed -i 5d tab/steps.c", "tab/steps.c", 4);
	assert_change_is_not_named("sed -i 8d tab/steps.c");
	assert_change_is_not_named("sed -i 1,25d tab/steps.c");
	assert_change_is_not_named("rm tab/steps.c");
}

static void test_a_table_in_the_functions_own_file_is_found_below_it_too(void **state)
{
	(void)state;
	assert_change_is_named("sed -i '12s/hidden/own[0]/' src/a.c && git commit -qam own &&"
			       "git tag -f base >/dev/null && sed -i '19s/1/2/' src/a.c",
		"src/a.c", 19);
}

static void test_of_several_the_first_in_the_diffs_order_is_named(void **state)
{
	(void)state;
	assert_change_is_named(
		"sed -i '6s/6/2/;11s/4/8/' tab/steps.c tab/steps.h", "tab/steps.c", 6);
	assert_change_is_named(
		"sed -i '23s/3/2/' tab/steps.c; sed -i '11s/4/8/' tab/steps.h", "tab/steps.h", 11);
}

/* One step, and no more. */
static void test_what_a_definition_uses_that_the_function_uses_is_named(void **state)
{
	(void)state;
	assert_change_is_named(
		"sed -i '4s/4/later/' tab/steps.c tab/steps.h && git commit -qam two &&"
		"git tag -f base >/dev/null && sed -i 22s/3/4/ tab/steps.c",
		"tab/steps.c", 22);
	assert_change_is_not_named(
		"sed -i '9s/3/later/' tab/steps.c tab/steps.h && git commit -qam two &&"
		"git tag -f base >/dev/null && sed -i 22s/3/4/ tab/steps.c");
	assert_change_is_not_named(
		"sed -i '4s/4/wide/;23s/3/later/' tab/steps.c tab/steps.h && git commit -qam two &&"
		"git tag -f base >/dev/null && sed -i 22s/3/4/ tab/steps.c");
}

static void test_a_macro_that_the_function_uses_is_named(void **state)
{
	(void)state;
	assert_change_is_named("sed -i 11s/4/8/ tab/steps.c", "tab/steps.c", 11);
	assert_change_is_named("sed -i '12s/(i)/(j)/' tab/steps.c", "tab/steps.c", 12);
	assert_change_is_named("sed -i 13s/3/9/ tab/steps.c", "tab/steps.c", 13);
	assert_change_is_named("sed -i '11s/#define/#\\tdefine /' tab/steps.c", "tab/steps.c", 11);
	assert_change_is_not_named("sed -i 11s/WIDTH/WIDTHS/ tab/steps.c");
}

static void test_a_name_that_is_only_part_of_a_word_is_not_meant(void **state)
{
	(void)state;
	assert_change_is_not_named("sed -i 9s/3/4/ tab/steps.c");
	assert_change_is_not_named("sed -i 25s/3/4/ tab/steps.c");
}

static void test_what_only_a_comment_a_string_or_a_member_is_called_is_not_meant(void **state)
{
	(void)state;
	assert_change_is_not_named("sed -i 23s/3/4/ tab/steps.c");
	assert_change_is_not_named("sed -i 24s/3/4/ tab/steps.c");
}

static void test_a_function_is_no_table(void **state)
{
	(void)state;
	assert_change_is_not_named("sed -i '15s/int i/long i/' tab/steps.c");
	assert_change_is_not_named("sed -i '17s/i/0/' tab/steps.c");
	assert_change_is_not_named("sed -i '19s/3/steps[0]/' tab/steps.c");
}

static void test_comments_and_blank_lines_are_no_change_of_a_table(void **state)
{
	(void)state;
	assert_change_is_not_named("sed -i '8s/B/b/' tab/steps.c");
	assert_change_is_not_named("sed -i '4s/$/\\n\\t/' tab/steps.c");
}

static void test_what_the_next_function_uses_is_not_this_ones(void **state)
{
	(void)state;
	assert_change_is_not_named("sed -i 22s/3/4/ tab/steps.c");
}

/* Another unit's static is not what the name means here; that of a header may be. */
static void test_a_static_of_another_unit_is_not_meant(void **state)
{
	(void)state;
	assert_change_is_not_named("sed -i 21s/3/4/ tab/steps.c");
	assert_change_is_named("sed -i 21s/3/4/ tab/steps.h", "tab/steps.h", 21);
}

static void test_other_languages_definitions_are_found(void **state)
{
	static const char *const definitions[] = {"pub static WIDTH: [u8; 2] = [3, 4];",
		"var WIDTH = [...]int{3, 4}", "static constexpr std::array<int, 2> WIDTH{3, 4};",
		"struct WIDTH : base { int a; };", "typedef int WIDTH;", "enum WIDTH { ONE = 3 };"};

	(void)state;
	for (size_t i = 0; i < sizeof(definitions) / sizeof(*definitions); i++) {
		char change[256];

		snprintf(change, sizeof(change), "echo '%s' >tab/width.h", definitions[i]);
		assert_change_is_named(change, "tab/width.h", 1);
	}
}

static void test_prose_defines_nothing(void **state)
{
	(void)state;
	assert_change_is_not_named("echo 'The new WIDTH: 4' >tab/changes.md");
	assert_change_is_not_named("echo 'steps = 4' >tab/steps");
	assert_change_is_not_named("mkdir tab.h && echo 'steps = 4' >tab.h/steps");
}

static void test_without_a_repository_nothing_is_found(void **state)
{
	struct table_scene *scene = scene_changed("sed -i 5s/8/4/ tab/steps.c");

	(void)state;
	make_measurements(scene, "main;field#12");
	assert_named(scene, "src/a.c", 10);
	scene_end(scene);
}

static void test_where_the_code_is_not_known_to_differ_nothing_is_looked_for(void **state)
{
	struct table_scene *scene = scene_changed("sed -i 5s/8/4/ tab/steps.c");

	(void)state;
	make_measurements(scene, "main;field#12");
	open_sources(scene);
	for (int version = 0; version < VERSION_COUNT; version++)
		scene->measurements->benchmarks[0].recordings[version].code_count = 0;
	assert_named(scene, "src/a.c", 10);
	scene_end(scene);
}

/* next() is inlined in head only: its text is field()'s. */
static void test_a_table_that_a_part_of_the_function_reads_is_named(void **state)
{
	const struct synthetic_function functions[] = {{"main|aside", {0.5, 0.5}},
		{"main;field#12", {0.05, 0.05}}, {"main;field;next#16", {0.1, 0}},
		{"main;field|next#16", {0, 0.25}}};
	struct table_scene *scene = scene_changed("sed -i 22s/3/4/ tab/steps.c");

	(void)state;
	make_measurements_of(scene, functions, 4);
	open_sources(scene);
	assert_named(scene, "tab/steps.c", 22);
	scene_end(scene);
}

/* A profile and a diff that came from elsewhere can say anything; only sanitizers see the rest. */
static void test_hostile_numbers_and_names_find_nothing(void **state)
{
	static const struct repo_hunk hunks[] = {{0, 0, 0, 0}, {0, 0, UINT32_MAX, UINT32_MAX},
		{1, 1, 300, UINT32_MAX}, {1, 1, UINT32_MAX, 0}, {9, 9, 3, 0}, {3, 1, 2, 1}};
	static const char *const files[] = {"", "/etc/passwd", "../a.c", "tab", "tab/steps.c",
		"tab/binary.h", "tab/long.h", "tab/open.h", "none"};
	static const char *const lines[] = {"main;field#9223372036854775807",
		"main;field#-9223372036854775807", "main;field#4294967296", "main;field#21"};
	struct repo_file_change changes[sizeof(files) / sizeof(*files)];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct table_scene *scene =
			scene_changed("printf 'int steps[\\000] = 1;' >tab/binary.h;"
				      "{ printf '%100000s'; printf '%0100000d'; seq 1 2000; } | tr "
				      "'0\\n' 'a ' >tab/long.h;"
				      "printf 'x = \"\\\\' >tab/open.h");

		make_measurements(scene, lines[i]);
		open_sources(scene);
		for (size_t k = 0; k < sizeof(files) / sizeof(*files); k++)
			changes[k] = (struct repo_file_change){
				files[k], files[k], hunks, sizeof(hunks) / sizeof(*hunks), false};
		scene->measurements->diff =
			(struct repo_diff){changes, sizeof(files) / sizeof(*files)};
		assert_named(scene, "src/a.c", 10);
		scene_end(scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test(f)
		TEST(test_the_changed_line_of_a_table_in_another_file_is_named),
		TEST(test_where_a_table_has_lost_a_line_the_one_before_is_named),
		TEST(test_a_table_in_the_functions_own_file_is_found_below_it_too),
		TEST(test_of_several_the_first_in_the_diffs_order_is_named),
		TEST(test_what_a_definition_uses_that_the_function_uses_is_named),
		TEST(test_a_macro_that_the_function_uses_is_named),
		TEST(test_a_name_that_is_only_part_of_a_word_is_not_meant),
		TEST(test_what_only_a_comment_a_string_or_a_member_is_called_is_not_meant),
		TEST(test_a_function_is_no_table),
		TEST(test_comments_and_blank_lines_are_no_change_of_a_table),
		TEST(test_what_the_next_function_uses_is_not_this_ones),
		TEST(test_a_static_of_another_unit_is_not_meant),
		TEST(test_other_languages_definitions_are_found),
		TEST(test_prose_defines_nothing),
		TEST(test_without_a_repository_nothing_is_found),
		TEST(test_where_the_code_is_not_known_to_differ_nothing_is_looked_for),
		TEST(test_a_table_that_a_part_of_the_function_reads_is_named),
		TEST(test_hostile_numbers_and_names_find_nothing),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
