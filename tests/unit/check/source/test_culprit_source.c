/* SPDX-License-Identifier: Apache-2.0 */
/* A culprit's source: which lines, at what cost, and from where it may come. Real repositories. */
#include "tests/unit/check/synthetic.h"
#include "tests/unit/vcs/repo_scene.h"

#include "gate/base/error.h"
#include "gate/base/text.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/check/source/sources.h"

/* field() takes 0.1 s a run in base, and 0.1 s more in head where `grown` says. */
struct source_scene {
	struct scene *repo;
	struct synthetic_function functions[8];
	size_t function_count;
	struct measurements *measurements;
	struct result *result;
};

static int set_up(void **state)
{
	struct source_scene *scene = calloc(1, sizeof(*scene));

	scene->repo = scene_new(false);
	scene->functions[0] = (struct synthetic_function){"main", {0.5, 0.5}};
	scene->functions[1] = (struct synthetic_function){"main;other", {0.4, 0.4}};
	scene->function_count = 2;
	sh(scene->repo, "git init -q work && mkdir work/src && cd work &&"
			"for i in $(seq 1 40); do echo \"line $i;\"; done >src/a.c && git add . &&"
			"git commit -qm base && git tag base");
	*state = scene;
	return 0;
}

static int tear_down_scene(void **state)
{
	struct source_scene *scene = *state;

	sources_free(scene->measurements ? scene->measurements->sources : NULL);
	measurements_free(scene->measurements);
	result_free(scene->result);
	tear_down((void **)&scene->repo);
	free(scene);
	return 0;
}

static void add(struct source_scene *scene, const char *stack, double base, double head)
{
	scene->functions[scene->function_count++] =
		(struct synthetic_function){stack, {base, head}};
}

static void name_commit(struct source_scene *scene, const char *revision, const char **out)
{
	char id[OBJECT_ID_SIZE];

	assert_int_equal(
		repo_resolve_commit(scene->repo->repo, revision, id, &scene->repo->err), ERR_OK);
	*out = arena_strdup(&scene->measurements->arena, id);
}

static char *repo_path(const struct source_scene *scene)
{
	return file_join(scene->repo->dir, "work");
}

/* Measurements of the commits base and HEAD. */
static void make_measurements(struct source_scene *scene)
{
	struct measurements *measurements =
		synthetic_measurements(scene->functions, scene->function_count, 42);

	scene->measurements = measurements;
	open_repo(scene->repo, "work");
	name_commit(scene, "base", &measurements->base.id);
	name_commit(scene, "HEAD", &measurements->head.id);
	assert_int_equal(repo_diff(scene->repo->repo, measurements->base.id, measurements->head.id,
				 &measurements->arena, &measurements->diff, &scene->repo->err),
		ERR_OK);
}

static const struct result_culprit *decide(struct source_scene *scene)
{
	char *path = repo_path(scene);
	const struct result_benchmark *benchmark;

	if (!scene->measurements)
		make_measurements(scene);
	scene->measurements->sources = sources_open(path, scene->measurements);
	scene->result = decide_measurements(scene->measurements);
	benchmark = &scene->result->benchmarks[0];
	assert_int_equal(benchmark->status, RESULT_FAIL);
	assert_true(benchmark->culprit_count > 0);
	free(path);
	return &benchmark->culprits[0];
}

/* The row of this text, which must be there. */
static const struct result_line *line_of(const struct result_source *source, const char *text)
{
	assert_non_null(source);
	for (size_t i = 0; i < source->line_count; i++)
		if (strcmp(source->lines[i].text, text) == 0)
			return &source->lines[i];
	fail_msg("no line \"%s\"", text);
	return NULL;
}

static void assert_line(const struct result_source *source, const char *text, int64_t base,
	int64_t head, enum result_line_kind kind)
{
	const struct result_line *line = line_of(source, text);

	assert_int_equal(line->base, base);
	assert_int_equal(line->head, head);
	assert_int_equal(line->kind, kind);
}

static void assert_cost(
	const struct result_source *source, const char *text, double base, double head)
{
	const struct result_line *line = line_of(source, text);
	const double wanted[] = {base, head};

	for (int version = 0; version < VERSION_COUNT; version++)
		assert_true(fabs(line->cost[version] - wanted[version]) <
			    0.1 * (wanted[version] + 0.02));
}

static void test_the_changed_line_stands_beside_the_old_one_with_what_each_costs(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && sed -i '13s/.*/slow(13);/' src/a.c && git commit -qam slow");
	add(scene, "main;field#12", 0.05, 0.05);
	add(scene, "main;field#13", 0.05, 0.2);
	source = decide(scene)->source;
	assert_line(source, "line 13;", 13, 0, SOURCE_REMOVED);
	assert_line(source, "slow(13);", 0, 13, SOURCE_ADDED);
	assert_line(source, "line 12;", 12, 12, SOURCE_SAME);
	assert_line(source, "line 10;", 10, 10, SOURCE_SAME);
	assert_line(source, "line 16;", 16, 16, SOURCE_SAME);
	assert_cost(source, "line 13;", 0.05, 0);
	assert_cost(source, "slow(13);", 0, 0.2);
	assert_cost(source, "line 12;", 0.05, 0.05);
	assert_int_equal(source->line_count, 9);
	assert_string_equal(source->file, "src/a.c");
	assert_string_equal(source->base_file, "src/a.c");
	assert_true(line_of(source, "line 13;") + 1 == line_of(source, "slow(13);"));
}

static void test_lines_keep_their_cost_when_others_are_put_above_or_taken_away(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && sed -i -e '30,31d' -e '11s/$/\\nnew;\\nnewer;/' src/a.c &&"
			"git commit -qam shift");
	add(scene, "main;field#20", 0.1, 0);
	add(scene, "main;field#22", 0, 0.25);
	add(scene, "main;field#33", 0.05, 0.05);
	source = decide(scene)->source;
	assert_line(source, "line 20;", 20, 22, SOURCE_SAME);
	assert_cost(source, "line 20;", 0.1, 0.25);
	assert_line(source, "new;", 0, 12, SOURCE_ADDED);
	assert_line(source, "line 30;", 30, 0, SOURCE_REMOVED);
	assert_line(source, "line 31;", 31, 0, SOURCE_REMOVED);
	assert_line(source, "line 33;", 33, 33, SOURCE_SAME);
	assert_cost(source, "line 33;", 0.05, 0.05);
	/* Far from what costs and from what changed. */
	for (size_t i = 0; i < source->line_count; i++)
		assert_true(source->lines[i].base < 16 || source->lines[i].base > 16);
}

static void test_a_renamed_file_is_one_text(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && git mv src/a.c src/b.c && sed -i '13s/.*/slow(13);/' src/b.c &&"
			"git commit -qam rename");
	add(scene, "field#13@src/a.c", 0.1, 0);
	add(scene, "field#13@src/b.c", 0, 0.25);
	source = decide(scene)->source;
	assert_string_equal(source->file, "src/b.c");
	assert_string_equal(source->base_file, "src/a.c");
	assert_line(source, "line 12;", 12, 12, SOURCE_SAME);
	assert_cost(source, "line 13;", 0.1, 0);
	assert_cost(source, "slow(13);", 0, 0.25);
}

static void test_a_function_that_moved_shows_where_it_was(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && sed -i '10,14d' src/a.c &&"
			"for i in $(seq 1 20); do echo \"other $i;\"; done >src/b.c &&"
			"git add . && git commit -qm move");
	add(scene, "field#13@src/a.c", 0.1, 0);
	add(scene, "field#13@src/b.c", 0, 0.25);
	source = decide(scene)->source;
	assert_string_equal(source->base_file, "src/a.c");
	assert_line(source, "line 13;", 13, 0, SOURCE_REMOVED);
	assert_line(source, "line 16;", 16, 0, SOURCE_SAME);
	assert_cost(source, "line 13;", 0.1, 0);
	assert_line(source, "other 13;", 0, 13, SOURCE_ADDED);
	assert_cost(source, "other 13;", 0, 0.25);
	assert_true(line_of(source, "line 16;") < line_of(source, "other 13;"));
}

/* Its stacks are said to be of src/a.c; this one function is of another file. */
static void move_function(struct source_scene *scene, const char *name, const char *file)
{
	make_measurements(scene);
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct profile *profile =
			scene->measurements->benchmarks[0].recordings[version].profile;

		for (size_t i = 0; i < profile->function_count; i++)
			if (strcmp(profile->functions[i].name, name) == 0)
				profile->functions[i].file = profile_intern(profile, file);
	}
}

static void test_a_culprit_without_text_shows_who_calls_it(void **state)
{
	struct source_scene *scene = *state;
	const struct result_culprit *culprit;
	const struct result_benchmark *benchmark;

	sh(scene->repo, "cd work && sed -i '13s/.*/strlen(13);/' src/a.c && git commit -qam slow");
	add(scene, "main;low#13;libc", 0.02, 0.2);
	add(scene, "main;low#14;libc", 0.05, 0.05);
	/* Its own cost, and what is not by way of it. */
	add(scene, "main;low#13", 0.06, 0.06);
	add(scene, "main;libc", 0.05, 0.05);
	move_function(scene, "libc", "string/strlen.c");
	culprit = decide(scene);
	benchmark = &scene->result->benchmarks[0];
	assert_string_equal(benchmark->functions[culprit->function].name, "libc");
	assert_non_null(culprit->source);
	assert_string_equal(benchmark->functions[culprit->source->function].name, "low");
	assert_cost(culprit->source, "line 13;", 0.02, 0);
	assert_cost(culprit->source, "strlen(13);", 0, 0.2);
	assert_cost(culprit->source, "line 14;", 0.05, 0.05);
}

/* Its changed call is known, though none of its own lines was sampled. */
static void test_a_caller_that_only_calls_is_said_to_be_changed(void **state)
{
	struct source_scene *scene = *state;
	const struct result_culprit *culprit;

	sh(scene->repo, "cd work && cp src/a.c src/b.c && git add . && git commit -qm b &&"
			"git tag -f base >/dev/null && sed -i '13s/.*/twice(13);/' src/a.c &&"
			"git commit -qam slow");
	add(scene, "main;low#13;field", 0.1, 0.25);
	move_function(scene, "field", "src/b.c");
	culprit = decide(scene);
	assert_string_equal(culprit->file, "src/a.c");
	assert_int_equal(culprit->line, 13);
	assert_int_equal(culprit->link, LINK_CALLER);
	assert_string_equal(scene->result->benchmarks[0].functions[culprit->linked].name, "low");
}

static void test_a_touched_caller_goes_before_the_culprits_own_text(void **state)
{
	struct source_scene *scene = *state;
	const struct result_culprit *culprit;

	sh(scene->repo, "cd work && cp src/a.c src/b.c && git add . && git commit -qm b &&"
			"git tag -f base >/dev/null && sed -i '13s/.*/twice(13);/' src/a.c &&"
			"git commit -qam slow");
	add(scene, "main;low#14", 0.03, 0.03);
	add(scene, "main;low#13;field", 0.1, 0.25);
	move_function(scene, "field", "src/b.c");
	culprit = decide(scene);
	assert_int_equal(culprit->link, LINK_CALLER);
	assert_non_null(culprit->source);
	assert_int_equal(culprit->source->function, culprit->linked);
	assert_cost(culprit->source, "twice(13);", 0, 0.25);
}

static void test_a_working_tree_shows_what_was_built(void **state)
{
	struct source_scene *scene = *state;
	size_t modified, untracked;
	char id[OBJECT_ID_SIZE];

	sh(scene->repo, "cd work && git commit -q --allow-empty -m head &&"
			"sed -i '13s/.*/uncommitted;/' src/a.c");
	add(scene, "main;field#13", 0.1, 0.25);
	make_measurements(scene);
	scene->measurements->head.dirty = true;
	assert_int_equal(repo_snapshot(scene->repo->repo, id, &modified, &untracked, NULL,
				 &scene->repo->err),
		ERR_OK);
	scene->measurements->snapshot = id;
	assert_int_equal(
		repo_diff(scene->repo->repo, scene->measurements->base.id, id,
			&scene->measurements->arena, &scene->measurements->diff, &scene->repo->err),
		ERR_OK);
	/* What is on the disk by now is not what was built. */
	sh(scene->repo, "cd work && sed -i '13s/.*/later;/' src/a.c");
	assert_line(decide(scene)->source, "uncommitted;", 0, 13, SOURCE_ADDED);
}

static void test_without_the_snapshot_nothing_is_shown_of_a_working_tree(void **state)
{
	struct source_scene *scene = *state;

	sh(scene->repo, "cd work && git commit -q --allow-empty -m head");
	add(scene, "main;field#13", 0.1, 0.25);
	make_measurements(scene);
	scene->measurements->head.dirty = true;
	assert_null(decide(scene)->source);
}

static void test_commits_that_the_repository_does_not_have_show_nothing(void **state)
{
	static const char *const ids[] = {
		"", "HEAD", "base", "--help", "0123456789012345678901234567890123456789"};
	struct source_scene *scene = *state;
	char *path = repo_path(scene);

	add(scene, "main;field#13", 0.1, 0.25);
	make_measurements(scene);
	scene->measurements->sources = sources_open(path, scene->measurements);
	assert_non_null(scene->measurements->sources);
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		scene->measurements->base.id = ids[i];
		assert_null(sources_open(path, scene->measurements));
	}
	assert_null(sources_open("/", scene->measurements));
	free(path);
}

/* A partial clone asks for what it does not have,
 * which is not for foreign measurements to begin. */
static void test_a_made_up_commit_asks_no_server(void **state)
{
	struct source_scene *scene = *state;
	char *partial = file_join(scene->repo->dir, "partial");
	struct sources *sources;

	add(scene, "main;field#13", 0.1, 0.25);
	make_measurements(scene);
	sh(scene->repo, "git -C work config uploadpack.allowFilter true &&"
			"git -C work config uploadpack.allowAnySHA1InWant true &&"
			"git clone -q --filter=blob:none \"file://$PWD/work\" partial &&"
			"git -C partial config remote.origin.uploadpack"
			" \"touch '$PWD/asked'; git-upload-pack\"");
	sources = sources_open(partial, scene->measurements);
	assert_non_null(sources);
	sources_free(sources);
	scene->measurements->base.id = "0123456789012345678901234567890123456789";
	assert_null(sources_open(partial, scene->measurements));
	sh(scene->repo, "test ! -e asked");
	free(partial);
}

/* ---- hostile debug information ------------------------------------------------------------- */

#define SECRET "the secret"

static void make_traps(struct source_scene *scene)
{
	sh(scene->repo,
		"for i in $(seq 1 20); do echo '" SECRET
		"'; done >secret && cp secret work/untracked.c &&"
		"git init -q sub && cp secret sub/x.c && git -C sub add . && git -C sub commit -qm "
		"s &&"
		"cd work && git -c protocol.file.allow=always submodule --quiet add ../sub sub &&"
		"ln -s ../secret link.c && ln -s \"$(seq 1 20)\" lines.c && ln -s .. up && ln -s "
		"src tree &&"
		"seq 1 20 | sed 's/$/\\x00" SECRET
		"/' >binary.c && git add binary.c link.c lines.c up tree &&"
		"git commit -qm traps && git tag -f base >/dev/null && git commit -q --allow-empty "
		"-m "
		"head");
}

static const char *file_of_first(const struct result_benchmark *benchmark)
{
	return benchmark->functions[benchmark->culprits[0].function].file;
}

static void test_only_text_of_the_commits_trees_is_shown(void **state)
{
	struct source_scene *scene = *state;
	char outside[4096];
	const char *const files[] = {"/proc/self/environ", "../secret", "../../secret",
		"src/../../secret", outside, "link.c", "lines.c", "up/secret", "tree/a.c", "sub",
		"sub/x.c", "binary.c", "untracked.c", ".git/config", "src", "src/", "/src/a.c",
		"./src/a.c", "", ".", "..", ":(top)src/a.c", "src/a.c\nsrc/a.c", "HEAD:src/a.c",
		"--help"};

	make_traps(scene);
	snprintf(outside, sizeof(outside), "%s/secret", scene->repo->dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char stack[4200];

		snprintf(stack, sizeof(stack), "field@%s", files[i]);
		scene->function_count = 2;
		add(scene, stack, 0.1, 0.25);
		if (decide(scene)->source)
			fail_msg("%s is shown", files[i]);
		assert_string_equal(file_of_first(&scene->result->benchmarks[0]), files[i]);
		sources_free(scene->measurements->sources);
		measurements_free(scene->measurements);
		result_free(scene->result);
		repo_free(scene->repo->repo);
		scene->measurements = NULL;
		scene->result = NULL;
		scene->repo->repo = NULL;
	}
	scene->function_count = 2;
	add(scene, "field@src/a.c", 0.1, 0.25);
	assert_non_null(decide(scene)->source);
}

static void test_lines_that_the_file_does_not_have_show_nothing(void **state)
{
	struct source_scene *scene = *state;
	const struct repo_hunk hunks[] = {{0, 0, 0, 0}, {1, UINT32_MAX, 1, UINT32_MAX},
		{UINT32_MAX, 9, UINT32_MAX, 9}, {3, 2, 3, 2}, {12, 40, 12, 0}};
	struct repo_file_change change = {.old_path = "src/a.c",
		.new_path = "src/a.c",
		.hunks = hunks,
		.hunk_count = sizeof(hunks) / sizeof(*hunks)};
	const struct result_source *source;

	add(scene, "main;field#2147483647", 0.1, 0.1);
	add(scene, "main;field#-5", 0.01, 0.01);
	add(scene, "main;field#13", 0.1, 0.25);
	make_measurements(scene);
	scene->measurements->diff = (struct repo_diff){&change, 1};
	source = decide(scene)->source;
	assert_non_null(source);
	assert_true(source->line_count <= RESULT_SOURCE_LINES);
	for (size_t i = 0; i < source->line_count; i++) {
		assert_true(source->lines[i].head <= 40);
		assert_true(source->lines[i].base <= 40 || source->lines[i].head);
	}
}

/* Only UBSan sees what a sum overflows into. */
static void test_line_numbers_without_end_show_nothing(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && sed -i '13s/.*/slow(13);/' src/a.c && git commit -qam slow");
	add(scene, "main;field#9223372036854775807", 0.05, 0.1);
	add(scene, "main;field#-9223372036854775807", 0.01, 0.01);
	add(scene, "main;field#2147483648", 0.01, 0.01);
	add(scene, "main;field#13", 0.1, 0.2);
	source = decide(scene)->source;
	assert_line(source, "slow(13);", 0, 13, SOURCE_ADDED);
	assert_int_equal(source->line_count, 8);
}

/* ---- other functions ----------------------------------------------------------------------- */

static size_t count_removed(const struct result_source *source, int64_t first, int64_t last)
{
	size_t count = 0;

	for (size_t i = 0; i < source->line_count; i++)
		count += source->lines[i].kind == SOURCE_REMOVED &&
			 source->lines[i].base >= first && source->lines[i].base <= last;
	return count;
}

/* field() is at line 10, says its debug information: in both versions. */
static void test_of_what_is_removed_around_a_function_only_its_edge_is_shown(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && sed -i -e '1s/$/\\nnew;\\nnew;\\nnew;\\nnew;\\nnew;\\nnew;/' "
			"-e '3,6d;22,36d' "
			"src/a.c && git commit -qam fewer");
	add(scene, "main;field#20", 0.1, 0);
	add(scene, "main;field#22", 0, 0.25);
	source = decide(scene)->source;
	assert_cost(source, "line 20;", 0.1, 0.25);
	assert_line(source, "line 6;", 6, 0, SOURCE_REMOVED);
	assert_line(source, "line 22;", 22, 0, SOURCE_REMOVED);
	assert_int_equal(count_removed(source, 3, 6), 3);
	assert_int_equal(count_removed(source, 22, 36), 3);
}

static void test_what_cost_base_is_shown_though_a_hunk_takes_more_away(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && sed -i '22,36d' src/a.c && git commit -qam fewer");
	add(scene, "main;field#20", 0.05, 0.25);
	add(scene, "main;field#27", 0.05, 0);
	source = decide(scene)->source;
	assert_cost(source, "line 27;", 0.05, 0);
	assert_line(source, "line 30;", 30, 0, SOURCE_REMOVED);
	assert_int_equal(count_removed(source, 31, 36), 0);
}

/* ---- hostile text -------------------------------------------------------------------------- */

static void test_text_is_one_valid_line_of_bounded_length(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;

	sh(scene->repo, "cd work && { seq 1 9; printf "
			"'a\\r\\nb\\001\\033[31m\\rc\\n\\377\\376</script>\\n';"
			"printf '%0500d\\n' 0; printf '\\303\\244%.0s' $(seq 1 300); printf '\\n"
			"\\342\\200\\256bidi'; } >src/a.c && git commit -qam hostile");
	add(scene, "main;field#12", 0.1, 0.25);
	source = decide(scene)->source;
	assert_line(source, "a", 0, 10, SOURCE_ADDED);
	assert_line(source, "b\001\033[31m\rc", 0, 11, SOURCE_ADDED);
	assert_line(source, "\xef\xbf\xbd\xef\xbf\xbd</script>", 0, 12, SOURCE_ADDED);
	assert_line(source,
		"\xe2\x80\xae"
		"bidi",
		0, 15, SOURCE_ADDED);
	for (size_t i = 0; i < source->line_count; i++) {
		struct strbuf valid = STRBUF_INIT;
		const char *text = source->lines[i].text;

		assert_true(strlen(text) <= RESULT_SOURCE_LINE_BYTES);
		assert_null(strchr(text, '\n'));
		text_add_utf8(&valid, text, strlen(text));
		assert_string_equal(valid.data, text);
		strbuf_release(&valid);
	}
}

static void test_a_huge_change_leaves_the_costly_lines_and_the_caps_hold(void **state)
{
	struct source_scene *scene = *state;
	const struct result_source *source;
	size_t bytes = 0;

	sh(scene->repo,
		"cd work && { seq 1 9; for i in $(seq 10 3000); do printf 'new %d %0600d\\n' "
		"$i 0; done; } >src/a.c && git commit -qam huge");
	add(scene, "main;field#12", 0.1, 0);
	add(scene, "main;field#2900", 0, 0.25);
	source = decide(scene)->source;
	assert_non_null(source);
	assert_true(source->line_count <= RESULT_SOURCE_LINES);
	for (size_t i = 0; i < source->line_count; i++) {
		bytes += strlen(source->lines[i].text);
		if (source->lines[i].head == 2900)
			assert_true(source->lines[i].cost[VERSION_HEAD] > 0.2);
	}
	assert_true(bytes <= RESULT_SOURCE_BYTES && bytes > 2000);
	assert_line(source, "line 12;", 12, 0, SOURCE_REMOVED);
	assert_true(line_of(source, "line 12;")->cost[VERSION_BASE] > 0.08);
}

/* next() is inlined in head only, and counts with field(); its lines are where they were. */
static void test_a_part_of_the_culprit_shows_its_lines(void **state)
{
	struct source_scene *scene = *state;
	const struct result_culprit *culprit;

	sh(scene->repo, "cd work && sed -i '20s/.*/slow(20);/' src/a.c && git commit -qam slow");
	add(scene, "main|aside", 0.1, 0.1);
	add(scene, "main;field#12", 0.05, 0.05);
	add(scene, "main;field;next#20", 0.1, 0);
	add(scene, "main;field|next#20", 0, 0.25);
	culprit = decide(scene);
	assert_string_equal(
		scene->result->benchmarks[0].functions[culprit->function].name, "field");
	assert_int_equal(culprit->line, 20);
	assert_cost(culprit->source, "line 12;", 0.05, 0.05);
	assert_cost(culprit->source, "line 20;", 0.1, 0);
	assert_cost(culprit->source, "slow(20);", 0, 0.25);
}

/* A part of a part: digit() counts with field(), as next() does, which calls it. */
static void test_a_part_of_the_culprits_part_shows_its_lines(void **state)
{
	struct source_scene *scene = *state;
	const struct result_culprit *culprit;

	sh(scene->repo, "cd work && sed -i '25s/.*/slow(25);/' src/a.c && git commit -qam slow");
	add(scene, "main|aside", 0.1, 0.1);
	add(scene, "main;field#12", 0.05, 0.05);
	add(scene, "main;field;next#20", 0.05, 0);
	add(scene, "main;field|next#20", 0, 0.05);
	add(scene, "main;field;next#20;digit#25", 0.1, 0);
	add(scene, "main;field|next#20|digit#25", 0, 0.25);
	culprit = decide(scene);
	assert_string_equal(
		scene->result->benchmarks[0].functions[culprit->function].name, "field");
	assert_int_equal(culprit->line, 25);
	assert_cost(culprit->source, "line 12;", 0.05, 0.05);
	assert_cost(culprit->source, "line 20;", 0.05, 0.05);
	assert_cost(culprit->source, "line 25;", 0.1, 0);
	assert_cost(culprit->source, "slow(25);", 0, 0.25);
}

/* As libc's debug information does: the path looks like one of the repository's. */
static void test_a_file_that_is_not_in_the_repository_is_not_to_be_annotated(void **state)
{
	struct source_scene *scene = *state;

	add(scene, "main;grow@malloc/malloc.c", 0.1, 0.3);
	assert_string_equal(decide(scene)->file, "");
	assert_int_equal(scene->result->benchmarks[0].culprits[0].line, 0);
}

/* The tree names a commit there, and no files. */
static void test_a_file_in_a_submodule_is_the_repositorys(void **state)
{
	struct source_scene *scene = *state;

	sh(scene->repo, "cd work && id=$(git rev-parse HEAD) &&"
			"git update-index --add --cacheinfo 160000,$id,third/lib &&"
			"git commit -qm submodule && git tag -f base");
	add(scene, "main;grow@third/lib/deep/a.c", 0.1, 0.3);
	assert_string_equal(decide(scene)->file, "third/lib/deep/a.c");
	assert_int_equal(scene->result->benchmarks[0].culprits[0].line, 10);
	assert_true(sources_has(scene->measurements->sources, VERSION_HEAD, "third/lib/b.c"));
	assert_false(sources_has(scene->measurements->sources, VERSION_HEAD, "third/other.c"));
	assert_false(
		sources_has(scene->measurements->sources, VERSION_HEAD, "third/lib/../../b.c"));
	assert_true(sources_lack(scene->measurements->sources, VERSION_HEAD, "third/library/a.c"));
	assert_true(sources_lack(scene->measurements->sources, VERSION_HEAD, "a.c"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down_scene)
		TEST(test_a_file_in_a_submodule_is_the_repositorys),
		TEST(test_a_file_that_is_not_in_the_repository_is_not_to_be_annotated),
		TEST(test_the_changed_line_stands_beside_the_old_one_with_what_each_costs),
		TEST(test_lines_keep_their_cost_when_others_are_put_above_or_taken_away),
		TEST(test_a_renamed_file_is_one_text),
		TEST(test_a_function_that_moved_shows_where_it_was),
		TEST(test_a_culprit_without_text_shows_who_calls_it),
		TEST(test_a_caller_that_only_calls_is_said_to_be_changed),
		TEST(test_a_touched_caller_goes_before_the_culprits_own_text),
		TEST(test_a_working_tree_shows_what_was_built),
		TEST(test_without_the_snapshot_nothing_is_shown_of_a_working_tree),
		TEST(test_commits_that_the_repository_does_not_have_show_nothing),
		TEST(test_only_text_of_the_commits_trees_is_shown),
		TEST(test_lines_that_the_file_does_not_have_show_nothing),
		TEST(test_line_numbers_without_end_show_nothing),
		TEST(test_of_what_is_removed_around_a_function_only_its_edge_is_shown),
		TEST(test_what_cost_base_is_shown_though_a_hunk_takes_more_away),
		TEST(test_a_made_up_commit_asks_no_server),
		TEST(test_text_is_one_valid_line_of_bounded_length),
		TEST(test_a_part_of_the_culprit_shows_its_lines),
		TEST(test_a_part_of_the_culprits_part_shows_its_lines),
		TEST(test_a_huge_change_leaves_the_costly_lines_and_the_caps_hold),
	};

	isolate();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
