/* SPDX-License-Identifier: Apache-2.0 */
/* What the change of a part makes of its host: the diff's link, and the line to annotate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "tests/unit/compare/support.h"

struct fixture {
	struct profile *profile[COMPARE_VERSIONS];
	struct comparison comparison;
	struct arena arena;
};

/* field, of another file, is inlined into parse in head only; digit stays in it. */
static int set_up(void **state)
{
	static const char *const stacks[COMPARE_VERSIONS][3] = {
		{"main|start;parse#5", "main|start;parse#6;field#31@b.h",
			"main|start;parse#6;field#32@b.h;digit#3@c.h"},
		{"main|start;parse#5", "main|start;parse#6|field#31@b.h",
			"main|start;parse#6|field#32@b.h|digit#3@c.h"},
	};
	struct fixture *f = calloc(1, sizeof(*f));

	arena_init(&f->arena);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		f->profile[version] = support_profile();
		for (int i = 0; i < 3; i++)
			support_add(f->profile[version], stacks[version][i], "a.c", 40, 0);
	}
	assert_int_equal(comparison_build(&f->comparison, f->profile[COMPARE_BASE],
				 f->profile[COMPARE_HEAD], 1, NULL, NULL),
		ERR_OK);
	assert_int_equal(f->comparison.inlinings.count, 2);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	comparison_release(&f->comparison);
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		profile_free(f->profile[version]);
	arena_release(&f->arena);
	free(f);
	return 0;
}

static bool is_touched(struct fixture *f, const char *name, const char *path, int line)
{
	struct repo_hunk hunk = {.old_start = (uint32_t)line,
		.old_lines = 1,
		.new_start = (uint32_t)line,
		.new_lines = 1};
	struct repo_file_change change = {
		.old_path = path, .new_path = path, .hunks = &hunk, .hunk_count = 1};
	struct repo_diff diff = {.files = &change, .file_count = 1};
	const struct function_matches *matches = &f->comparison.matches;
	const uint32_t *files;
	const uint8_t *flags;

	describe_functions(&f->comparison, &diff, &f->arena, &files, &flags);
	for (size_t i = 0; i < matches->count; i++)
		if (strcmp(matches->functions[i].name, name) == 0)
			return flags[i] & VERDICT_FUNCTION_TOUCHED;
	fail_msg("no function is called %s", name);
	return false;
}

static void test_who_changes_a_part_changes_its_host(void **state)
{
	struct fixture *f = *state;

	assert_true(is_touched(f, "field", "b.h", 31));
	assert_true(is_touched(f, "parse", "b.h", 31));
	assert_false(is_touched(f, "start", "b.h", 31));
	assert_false(is_touched(f, "parse", "b.h", 40));
	assert_true(is_touched(f, "parse", "c.h", 3)); /* a part's part */
	assert_true(is_touched(f, "parse", "a.c", 5));
	assert_false(is_touched(f, "field", "a.c", 5));
}

/* A part's lines say nothing of what lies in the host's file between them and the host. */
static void test_what_lies_between_a_host_and_its_part_is_neither(void **state)
{
	struct fixture *f = *state;

	assert_false(is_touched(f, "parse", "a.c", 31));
	assert_false(is_touched(f, "parse", "a.c", 20));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_who_changes_a_part_changes_its_host),
		CASE(test_what_lies_between_a_host_and_its_part_is_neither),
	};

	return cmocka_run_group_tests_name("inlinings", tests, NULL, NULL);
}
