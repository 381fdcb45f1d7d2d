/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a benchmark's work, kept beside its build; and what it printed. */
#include "gate/check/fixed_work/work_known.h"

#include "gate/check/runs/printed.h"
#include "tests/unit/bench/scene.h"

static const char *const argv[] = {"sh", "-c", "./bench", NULL};
static const char *const more[] = {"MORE=x", NULL};

static struct config_benchmark benchmark(void)
{
	return (struct config_benchmark){.argv = argv, .directory = ".", .iterations_file = ""};
}

static struct build build_in(const struct scene *scene)
{
	return (struct build){.known_path = (char *)at(scene, "known")};
}

static void key_of(const struct config_benchmark *config, char key[65])
{
	work_known_key(config, NULL, key);
}

static void test_what_was_kept_is_found(void **state)
{
	struct scene *scene = *state;
	const struct build build = build_in(scene);
	struct work_known known = {.verdict = WORK_DOUBTFUL, .round = {1.5, 1.75, 0.5}}, found;
	struct config_benchmark config = benchmark();
	char key[65], other[65];

	key_of(&config, key);
	config.env = more;
	key_of(&config, other);
	memset(known.printed, 'a', 64);
	known.harness = harness_flag_named("go test");
	assert_non_null(known.harness);
	assert_false(work_known_find(&build, key, &found));
	work_known_keep(&build, key, &known);
	assert_true(work_known_find(&build, key, &found));
	assert_int_equal(found.verdict, WORK_DOUBTFUL);
	assert_true(
		found.round.before == 1.5 && found.round.after == 1.75 && found.round.burnt == 0.5);
	assert_string_equal(found.printed, known.printed);
	assert_ptr_equal(found.harness, known.harness);
	assert_false(work_known_find(&build, other, &found));
	/* Another benchmark beside it; and the first once more, in its old place. */
	work_known_keep(&build, other, &(struct work_known){.verdict = WORK_UNKNOWN});
	work_known_keep(&build, key, &(struct work_known){.verdict = WORK_FIXED});
	assert_true(work_known_find(&build, other, &found));
	assert_int_equal(found.verdict, WORK_UNKNOWN);
	assert_string_equal(found.printed, "");
	assert_true(work_known_find(&build, key, &found));
	assert_int_equal(found.verdict, WORK_FIXED);
	sh(scene, "[ $(wc -l <known) = 2 ]");
	/* One whose clock was replayed. */
	work_known_keep(&build, key, &(struct work_known){.verdict = WORK_FIXED_TIME});
	assert_true(work_known_find(&build, key, &found));
	assert_int_equal(found.verdict, WORK_FIXED_TIME);
}

static void test_all_that_changes_a_run_changes_the_key(void **state)
{
	static const char *const bash[] = {"bash", "-c", "./bench", NULL};
	struct config_benchmark variants[6];
	char keys[8][65];

	(void)state;
	for (size_t i = 0; i < 6; i++)
		variants[i] = benchmark();
	variants[1].argv = bash;
	variants[2].env = more;
	variants[3].directory = "sub";
	variants[4].work = CONFIG_WORK_MARKS;
	variants[5].start_paused = true;
	for (size_t i = 0; i < 6; i++)
		key_of(&variants[i], keys[i]);
	variants[0].processes = more;
	key_of(&variants[0], keys[6]);
	variants[0].processes = NULL;
	work_known_key(&variants[0], "posix", keys[7]);
	for (size_t i = 0; i < 8; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(keys[i], keys[k]);
}

static void test_a_damaged_file_knows_nothing(void **state)
{
	static const char *const tails[] = {"", " fixed", " fixed 1 2", " fixed 1 2 inf -",
		" fixed 1 nan 2 -", " refused 1 2 3 -", " fixed 1 2 3 abc", " fixed x 2 3 -"};
	struct scene *scene = *state;
	const struct build build = build_in(scene);
	struct config_benchmark config = benchmark();
	struct work_known found;
	char key[65], line[256];

	key_of(&config, key);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		snprintf(line, sizeof(line), "%s%s\n", key, tails[i]);
		put_file(scene, "known", line);
		if (work_known_find(&build, key, &found))
			fail_msg("'%s' was taken", tails[i]);
	}
	snprintf(line, sizeof(line), "%s fixed 1 2 3 -\n", key);
	put_file(scene, "known", line);
	assert_true(work_known_find(&build, key, &found));
	sh(scene, "mv known real; ln -s real known");
	assert_false(work_known_find(&build, key, &found));
}

/* ---- what it printed ----------------------------------------------------------------------- */

static void hash_of(const struct scene *scene, const char *text, char *path, char hex[65])
{
	char build_path[] = "/cache/build";
	const struct build build = {.path = path, .build_path = build_path};
	const struct run run = {.output_path = (char *)at(scene, "output")};

	put_file(scene, "output", text);
	printed_hash(&run, &build, hex);
}

static void test_only_the_folder_of_the_build_may_differ(void **state)
{
	struct scene *scene = *state;
	char base[] = "/cache/builds/aaaa", head[] = "/cache/builds/bbbb", one[65], two[65];

	hash_of(scene, "in /cache/builds/aaaa/x: 42 /cache/builds/aaaa\n", base, one);
	hash_of(scene, "in /cache/builds/bbbb/x: 42 /cache/builds/bbbb\n", head, two);
	assert_string_equal(one, two);
	hash_of(scene, "in /cache/builds/bbbb/x: 43 /cache/builds/bbbb\n", head, two);
	assert_string_not_equal(one, two);
	hash_of(scene, "", base, one);
	hash_of(scene, "", head, two);
	assert_string_equal(one, two);
	assert_int_equal(strlen(one), 64);
}

static void test_what_cannot_be_compared_has_no_hash(void **state)
{
	struct scene *scene = *state;
	char path[] = "/a", hex[65];
	const struct build build = {.path = path, .build_path = path};
	struct run run = {.output_path = NULL};

	printed_hash(&run, &build, hex);
	assert_string_equal(hex, "");
	sh(scene, "truncate -s 33M large");
	run.output_path = (char *)at(scene, "large");
	printed_hash(&run, &build, hex);
	assert_string_equal(hex, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_what_was_kept_is_found),
		cmocka_unit_test(test_all_that_changes_a_run_changes_the_key),
		scene_test(test_a_damaged_file_knows_nothing),
		scene_test(test_only_the_folder_of_the_build_may_differ),
		scene_test(test_what_cannot_be_compared_has_no_hash),
	};

	return cmocka_run_group_tests_name("check/work_known", tests, NULL, NULL);
}
