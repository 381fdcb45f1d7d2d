/* SPDX-License-Identifier: Apache-2.0 */
/* What was split, merged, inlined or outlined, and what only looks like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "gate/compare/comparison.h"
#include "gate/compare/same_code.h"
#include "tests/unit/compare/support.h"

#define MAX_FUNCTIONS 64

struct fixture {
	struct profile *profile[COMPARE_ARMS];
	bool has_code;
	const char *hash[COMPARE_ARMS][MAX_FUNCTIONS];
	uint32_t bytes[COMPARE_ARMS][MAX_FUNCTIONS];
	struct code_of_arm code[COMPARE_ARMS];
	struct comparison comparison;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	for (int arm = 0; arm < COMPARE_ARMS; arm++)
		f->profile[arm] = support_profile();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	comparison_release(&f->comparison);
	for (int arm = 0; arm < COMPARE_ARMS; arm++)
		profile_free(f->profile[arm]);
	free(f);
	return 0;
}

static void again(void **state)
{
	tear_down(state);
	set_up(state);
}

static void base(struct fixture *f, const char *stack, int64_t samples)
{
	support_add(f->profile[COMPARE_BASE], stack, "a.c", samples, 0);
}

static void head(struct fixture *f, const char *stack, int64_t samples)
{
	support_add(f->profile[COMPARE_HEAD], stack, "a.c", samples, 0);
}

/* Code of its own for each arm and size, unless a hash is given. */
static void know(struct fixture *f, int arm, const char *name, uint32_t bytes, const char *hash)
{
	const struct profile *profile = f->profile[arm];

	for (size_t i = 0; i < profile->function_count; i++) {
		if (strcmp(profile->functions[i].name, name) != 0)
			continue;
		f->bytes[arm][i] = bytes;
		f->hash[arm][i] = hash ? hash
				       : profile_intern(f->profile[arm],
						 arm == COMPARE_BASE ? "base's" : "head's");
		f->has_code = true;
		return;
	}
	fail_msg("no function is called %s", name);
}

static void sizes(struct fixture *f, const char *name, uint32_t in_base, uint32_t in_head)
{
	if (in_base)
		know(f, COMPARE_BASE, name, in_base, NULL);
	if (in_head)
		know(f, COMPARE_HEAD, name, in_head, NULL);
}

static void build(struct fixture *f)
{
	struct comparison_limits limits = {0};

	for (int arm = 0; arm < COMPARE_ARMS; arm++) {
		assert_true(f->profile[arm]->function_count <= MAX_FUNCTIONS);
		f->code[arm] =
			(struct code_of_arm){f->profile[arm], f->hash[arm], f->bytes[arm], NULL};
	}
	if (f->has_code)
		limits.code = f->code;
	assert_int_equal(comparison_build(&f->comparison, f->profile[COMPARE_BASE],
				 f->profile[COMPARE_HEAD], 1, &limits, NULL),
		ERR_OK);
}

static uint32_t function(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->comparison.matches.count; i++)
		if (strcmp(f->comparison.matches.functions[i].name, name) == 0)
			return (uint32_t)i;
	fail_msg("no function is called %s", name);
	return 0;
}

static const struct fold *fold(const struct fixture *f, const char *host, const char *part)
{
	uint32_t from = function(f, host), to = function(f, part);

	for (size_t i = 0; i < f->comparison.folds.count; i++)
		if (f->comparison.folds.items[i].host == from &&
			f->comparison.folds.items[i].part == to)
			return &f->comparison.folds.items[i];
	return NULL;
}

static void assert_fold(
	const struct fixture *f, const char *host, const char *part, enum fold_kind kind)
{
	const struct fold *found = fold(f, host, part);

	if (!found)
		fail_msg("%s does not count with %s", part, host);
	else
		assert_int_equal(found->kind, kind);
}

static void assert_none(const struct fixture *f)
{
	assert_int_equal(f->comparison.folds.count, 0);
}

/* Samples of its own, which take 1 ms each. */
static void assert_self(const struct fixture *f, const char *name, double in_base, double in_head)
{
	const double wanted[COMPARE_ARMS] = {in_base, in_head};

	for (int arm = 0; arm < COMPARE_ARMS; arm++) {
		const struct verdict_cell *cell =
			&f->comparison.function_self[arm][function(f, name)];

		if (fabs(cell->samples - wanted[arm]) > 1e-9 ||
			fabs(cell->x - wanted[arm] / 1000) > 1e-9)
			fail_msg("%s of arm %d: %g samples, %g s", name, arm, cell->samples,
				cell->x);
	}
}

/* Samples at a path and below it. */
static void assert_node(const struct fixture *f, const char *path, double in_base, double in_head)
{
	const struct comparison *c = &f->comparison;
	char copy[256], *name, *rest = copy;
	uint32_t at = 0;

	memcpy(copy, path, strlen(path) + 1);
	while ((name = strsep(&rest, ";"))) {
		uint32_t wanted = function(f, name), child = 0;

		for (uint32_t i = 1; i < c->node_count; i++)
			if (c->nodes[i].parent == at && c->nodes[i].function == wanted)
				child = i;
		if (!child)
			fail_msg("there is no %s", path);
		at = child;
	}
	assert_true(fabs(c->nodes[at].total[COMPARE_BASE] - in_base / 1000) < 1e-9);
	assert_true(fabs(c->nodes[at].total[COMPARE_HEAD] - in_head / 1000) < 1e-9);
}

/* ---- inlined, outlined ---------------------------------------------------------------------- */

static void test_what_is_inlined_in_one_version_counts_with_its_caller(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse", 100);
	base(f, "main|start;parse;field", 60);
	base(f, "main|start;parse;field;hash", 40);
	head(f, "main|start;parse", 110);
	head(f, "main|start;parse|field", 50);
	head(f, "main|start;parse|field;hash", 40);
	build(f);
	assert_int_equal(f->comparison.folds.count, 1);
	assert_fold(f, "parse", "field", FOLD_INLINED);
	assert_float_equal(fold(f, "parse", "field")->similarity, 1, 0);
	assert_self(f, "parse", 160, 160);
	assert_self(f, "field", 0, 0);
	assert_self(f, "hash", 40, 40);
	assert_node(f, "main;start;parse", 200, 200);
	assert_node(f, "main;start;parse;hash", 40, 40);
}

static void test_what_is_no_longer_inlined_counts_with_its_caller(void **state)
{
	struct fixture *f = *state;

	base(f, "main;parse|field", 60);
	head(f, "main|start;parse;field", 50);
	head(f, "main|start;parse", 10);
	build(f);
	assert_fold(f, "parse", "field", FOLD_OUTLINED);
	assert_self(f, "parse", 60, 60);
}

static void test_what_is_inlined_alike_is_a_function_of_its_own(void **state)
{
	struct fixture *f = *state;

	base(f, "main;parse|field", 60);
	head(f, "main;parse|field", 60);
	base(f, "main;print;number", 60);
	head(f, "main;print;number", 60);
	build(f);
	assert_none(f);
	assert_self(f, "field", 60, 60);
}

/* One caller in two versions each, and another that has it inlined in both. */
static void test_each_caller_is_looked_at_by_itself(void **state)
{
	struct fixture *f = *state;

	base(f, "main;parse;field", 60);
	head(f, "main;parse|field", 60);
	base(f, "main;print;field", 30);
	head(f, "main;print;field", 30);
	base(f, "main;scan|field", 20);
	head(f, "main;scan|field", 20);
	build(f);
	assert_int_equal(f->comparison.folds.count, 1);
	assert_self(f, "parse", 60, 60);
	assert_self(f, "field", 50, 50);
	assert_node(f, "main;print;field", 30, 30);
}

static void test_stray_samples_do_not_disagree_and_many_do(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse;field", 96);
	base(f, "main|start;parse|field", 4);
	head(f, "main|start;parse|field", 97);
	head(f, "main|start;parse;field", 3);
	build(f);
	assert_fold(f, "parse", "field", FOLD_INLINED);
	assert_self(f, "parse", 100, 100);
	again(state);
	f = *state;
	base(f, "main|start;parse;field", 100);
	head(f, "main|start;parse|field", 80);
	head(f, "main|start;parse;field", 20);
	build(f);
	assert_none(f);
}

static void test_a_few_samples_prove_nothing(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse;field", 100);
	head(f, "main|start;parse|field", 19);
	build(f);
	assert_none(f);
	again(state);
	f = *state;
	base(f, "main|start;parse;field", 19);
	head(f, "main|start;parse|field", 100);
	build(f);
	assert_none(f);
}

/* A build without debug information, or a baseline that keeps no inlined frames. */
static void test_what_would_not_be_seen_inlined_is_not_known_to_be_called(void **state)
{
	struct fixture *f = *state;

	base(f, "main;parse;field", 100);
	head(f, "main;parse|field", 100);
	build(f);
	assert_none(f);
	again(state);
	f = *state;
	base(f, "main;parse;field", 100);
	head(f, "main;parse|field", 100);
	f->profile[COMPARE_BASE]->mapping_count = 0;
	profile_add_mapping(f->profile[COMPARE_BASE],
		&(struct profile_mapping){
			.file = "bench", .build_id = "", .has_inline_frames = true});
	for (size_t i = 0; i < f->profile[COMPARE_BASE]->location_count; i++)
		f->profile[COMPARE_BASE]->locations[i].mapping = 0;
	build(f);
	assert_fold(f, "parse", "field", FOLD_INLINED);
}

static void test_code_without_names_is_no_part_and_no_host(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;[libz.so];field", 100);
	head(f, "main|start;[libz.so]|field", 100);
	base(f, "main|start;parse;[unknown]", 100);
	head(f, "main|start;parse|[unknown]", 100);
	build(f);
	assert_none(f);
}

static void test_folds_chain(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse;field;digit", 50);
	base(f, "main|start;parse;field;digit;hash", 20);
	head(f, "main|start;parse|field|digit", 50);
	head(f, "main|start;parse|field|digit;hash", 20);
	build(f);
	assert_fold(f, "parse", "field", FOLD_INLINED);
	assert_fold(f, "field", "digit", FOLD_INLINED);
	assert_self(f, "parse", 50, 50);
	assert_node(f, "main;start;parse;hash", 20, 20);
}

static void test_a_part_that_calls_itself_is_one(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse;field;field;field;hash", 50);
	head(f, "main|start;parse|field;field;field;hash", 50);
	base(f, "main|start;parse;field;parse;field", 30);
	head(f, "main|start;parse|field;parse|field", 30);
	build(f);
	assert_fold(f, "parse", "field", FOLD_INLINED);
	assert_node(f, "main;start;parse;hash", 50, 50);
	assert_node(f, "main;start;parse;parse", 30, 30);
}

static void test_nobody_is_the_host_of_its_host(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;even;odd", 100);
	head(f, "main|start;even|odd", 100);
	base(f, "main|start;odd;even", 60);
	head(f, "main|start;odd|even", 60);
	build(f);
	assert_int_equal(f->comparison.folds.count, 1);
	assert_fold(f, "even", "odd", FOLD_INLINED);
}

/* A function that was renamed is known as one: it counts with its host under both names. */
static void test_a_part_may_be_renamed(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse;next_field", 100);
	head(f, "main|start;parse|next_fields", 100);
	know(f, COMPARE_BASE, "next_field", 64, "the same");
	know(f, COMPARE_HEAD, "next_fields", 64, "the same");
	build(f);
	assert_int_equal(f->comparison.folds.count, 1);
	assert_fold(f, "parse", "next_fields", FOLD_INLINED);
}

/* Of a type whose samples are not counted three rows in each say as much. */
static void test_counts_need_three_rows(void **state)
{
	for (int rows = 2; rows <= 3; rows++) {
		struct fixture *f = *state;

		for (int arm = 0; arm < COMPARE_ARMS; arm++) {
			profile_free(f->profile[arm]);
			f->profile[arm] = profile_new();
			profile_add_type(f->profile[arm], "alloc_bytes", "bytes");
		}
		for (int row = 0; row < rows; row++) {
			base(f, "main|start;parse;field", 5);
			head(f, "main|start;parse|field", 5);
		}
		build(f);
		assert_int_equal(f->comparison.folds.count, rows == 3);
		again(state);
	}
}

/* ---- split, merged -------------------------------------------------------------------------- */

static void split_glob(struct fixture *f)
{
	base(f, "main;glob", 100);
	base(f, "main;glob;fold", 20);
	head(f, "main;glob", 40);
	head(f, "main;glob;tail", 60);
	head(f, "main;glob;tail;fold", 20);
}

static void test_a_function_split_in_two_counts_as_one(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_int_equal(f->comparison.folds.count, 1);
	assert_fold(f, "glob", "tail", FOLD_SPLIT);
	assert_float_equal(fold(f, "glob", "tail")->similarity, 200.0 / 220, 1e-6);
	assert_self(f, "glob", 100, 100);
	assert_self(f, "tail", 0, 0);
	assert_node(f, "main;glob;fold", 20, 20);
}

/* As its own caller it is nobody else. */
static void test_a_part_may_call_itself(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	head(f, "main;glob;tail;tail", 50);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_fold(f, "glob", "tail", FOLD_SPLIT);
	assert_self(f, "glob", 100, 150);
	assert_node(f, "main;glob", 120, 170);
}

static void test_a_function_split_in_three_counts_as_one(void **state)
{
	struct fixture *f = *state;

	base(f, "main;glob", 100);
	head(f, "main;glob", 40);
	head(f, "main;glob;tail", 30);
	head(f, "main;glob;class", 20);
	head(f, "main;glob;class;range", 30);
	sizes(f, "glob", 900, 300);
	sizes(f, "tail", 0, 220);
	sizes(f, "class", 0, 220);
	sizes(f, "range", 0, 220);
	build(f);
	assert_int_equal(f->comparison.folds.count, 3);
	assert_fold(f, "glob", "range", FOLD_SPLIT);
	assert_self(f, "glob", 100, 120);
}

static void test_a_function_merged_into_its_caller_counts_as_one(void **state)
{
	struct fixture *f = *state;

	base(f, "main;parse", 50);
	base(f, "main;parse;field", 60);
	base(f, "main;parse;field;hash", 30);
	head(f, "main;parse", 105);
	head(f, "main;parse;hash", 30);
	sizes(f, "parse", 300, 480);
	sizes(f, "field", 200, 0);
	build(f);
	assert_fold(f, "parse", "field", FOLD_MERGED);
	assert_self(f, "parse", 110, 105);
	assert_node(f, "main;parse;hash", 30, 30);
}

/* A copy of it is left, which somebody calls now and then. */
static void test_a_stray_sample_of_a_merged_function_does_not_matter(void **state)
{
	struct fixture *f = *state;

	base(f, "main;parse", 50);
	base(f, "main;parse;field", 100);
	base(f, "main;print;field", 2);
	head(f, "main;parse", 150);
	head(f, "main;print;field", 4);
	sizes(f, "parse", 300, 480);
	sizes(f, "field", 200, 200);
	build(f);
	assert_fold(f, "parse", "field", FOLD_MERGED);
	assert_self(f, "parse", 150, 150);
	assert_self(f, "field", 2, 4);
	again(state);
	f = *state;
	base(f, "main;parse", 50);
	base(f, "main;parse;field", 100);
	head(f, "main;parse", 150);
	head(f, "main;print;field", 20);
	sizes(f, "parse", 300, 480);
	sizes(f, "field", 200, 200);
	build(f);
	assert_none(f);
}

/* New work in a new function: the host is as large as it was, or larger. */
static void test_a_new_helper_is_no_part(void **state)
{
	static const uint32_t in_head[] = {500, 520, 480, 100};

	for (size_t i = 0; i < sizeof(in_head) / sizeof(in_head[0]); i++) {
		struct fixture *f = *state;

		split_glob(f);
		sizes(f, "glob", 500, in_head[i]);
		sizes(f, "tail", 0, 120);
		build(f);
		assert_none(f);
		assert_self(f, "tail", 0, 60);
		again(state);
	}
}

/* What samples show of one version alone may be there in both, and be called more often now. */
static void test_a_function_that_was_hardly_called_is_no_part(void **state)
{
	for (int64_t before = 0; before < 2; before++) {
		struct fixture *f = *state;

		base(f, "main;glob", 400);
		if (before)
			base(f, "main;glob;slow", before);
		head(f, "main;glob", 398);
		head(f, "main;glob;slow", 40);
		sizes(f, "glob", 500, 440);
		sizes(f, "slow", before ? 80 : 0, 80);
		build(f);
		assert_none(f);
		assert_self(f, "slow", (double)before, 40);
		again(state);
	}
}

/* Nor by chance: the host got faster by as much. */
static void test_what_the_host_called_before_is_no_part(void **state)
{
	struct fixture *f = *state;

	base(f, "main;glob", 400);
	base(f, "main;glob;slow", 1);
	head(f, "main;glob", 360);
	head(f, "main;glob;slow", 40);
	sizes(f, "glob", 500, 440);
	sizes(f, "slow", 80, 80);
	build(f);
	assert_none(f);
}

/* A stray one: that version has no code of the name. But for a twentieth, as with all strays. */
static void test_a_stray_sample_of_a_part_does_not_matter(void **state)
{
	for (int64_t stray = 1; stray <= 4; stray++) {
		struct fixture *f = *state;

		split_glob(f);
		base(f, "main;glob;tail", stray);
		sizes(f, "glob", 500, 300);
		sizes(f, "tail", 0, 220);
		build(f);
		assert_fold(f, "glob", "tail", FOLD_SPLIT);
		assert_self(f, "glob", 100 + (double)stray, 100);
		again(state);
	}
	for (int64_t stray = 5; stray <= 6; stray++) {
		struct fixture *f = *state;

		split_glob(f);
		base(f, "main;glob;tail", stray);
		sizes(f, "glob", 500, 300);
		sizes(f, "tail", 0, 220);
		build(f);
		assert_none(f);
		assert_self(f, "tail", (double)stray, 60);
		again(state);
	}
}

/* The host called it before: then only what its code is larger by can have been the host's. */
static void test_a_function_that_was_there_is_a_part_by_what_it_grew(void **state)
{
	static const struct {
		uint32_t before, after;
		bool is_part;
	} tails[] = {
		{40, 240, true},
		{220, 440, true},
		{220, 251, false}, /* as small as any difference */
		{220, 220, false},
		{240, 140, false},
		{190, 290, true}, /* half of what the host lost */
		{190, 289, false},
	};

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		struct fixture *f = *state;

		split_glob(f);
		base(f, "main;glob;tail", 1);
		sizes(f, "glob", 500, 300);
		sizes(f, "tail", tails[i].before, tails[i].after);
		build(f);
		if (tails[i].is_part)
			assert_fold(f, "glob", "tail", FOLD_SPLIT);
		else
			assert_none(f);
		again(state);
	}
}

/* Two bodies of one name: it is there, and nobody knows how large. */
static void test_a_function_that_was_there_twice_is_no_part(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	base(f, "main;glob;tail", 1);
	base(f, "main;print;tail.part.0", 1);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 40, 240);
	know(f, COMPARE_BASE, "tail.part.0", 60, "another body");
	build(f);
	assert_none(f);
}

/* Who was called now and then stays what it was; the other one is new. */
static void test_beside_a_part_may_be_who_was_called_before(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	base(f, "main;glob;slow", 1);
	head(f, "main;glob;slow", 40);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	sizes(f, "slow", 80, 80);
	build(f);
	assert_int_equal(f->comparison.folds.count, 1);
	assert_fold(f, "glob", "tail", FOLD_SPLIT);
	assert_self(f, "slow", 1, 40);
}

static void test_one_part_has_one_fold(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 50; i++)
		base(f, "main|start;glob|tail", 1);
	base(f, "main|start;glob", 1000);
	head(f, "main|start;glob", 50);
	head(f, "main|start;glob;tail", 1000);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_int_equal(f->comparison.folds.count, 1);
}

static void test_without_sizes_nothing_is_split(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	build(f);
	assert_none(f);
	again(state);
	f = *state;
	split_glob(f);
	sizes(f, "glob", 500, 300);
	build(f);
	assert_none(f);
	again(state);
	f = *state;
	split_glob(f);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 20); /* as small as any difference */
	build(f);
	assert_none(f);
}

static void test_what_others_call_too_is_no_part(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	head(f, "main;print;tail", 20);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_none(f);
}

/* A few calls from elsewhere: there it is a function of its own. */
static void test_a_part_is_a_function_where_others_call_it(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	head(f, "main;print;tail", 3);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_fold(f, "glob", "tail", FOLD_SPLIT);
	assert_self(f, "glob", 100, 100);
	assert_self(f, "tail", 0, 3);
	assert_node(f, "main;print;tail", 0, 3);
}

static void test_a_part_in_another_file_is_none(void **state)
{
	struct fixture *f = *state;

	base(f, "main;glob", 100);
	head(f, "main;glob", 40);
	head(f, "main;glob;tail@b.c", 60);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_none(f);
	again(state);
	f = *state;
	base(f, "main;glob", 100);
	head(f, "main;glob", 40);
	head(f, "main;glob;tail@", 60); /* its file is not known */
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_fold(f, "glob", "tail", FOLD_SPLIT);
}

static void test_one_part_of_unknown_size_spoils_all(void **state)
{
	struct fixture *f = *state;

	split_glob(f);
	head(f, "main;glob;class", 30);
	sizes(f, "glob", 500, 300);
	sizes(f, "tail", 0, 220);
	build(f);
	assert_none(f);
}

/* Another algorithm: what went and what came are not the same. */
static void test_a_part_for_a_part_is_neither_split_nor_merged(void **state)
{
	struct fixture *f = *state;

	base(f, "main;glob", 50);
	base(f, "main;glob;backtrack", 50);
	head(f, "main;glob", 50);
	head(f, "main;glob;tail", 50);
	sizes(f, "glob", 500, 300);
	sizes(f, "backtrack", 200, 0);
	sizes(f, "tail", 0, 200);
	build(f);
	assert_none(f);
}

static void test_what_a_match_explains_is_no_part(void **state)
{
	struct fixture *f = *state;

	base(f, "main;glob", 50);
	base(f, "main;glob;tail_of", 50);
	head(f, "main;glob", 50);
	head(f, "main;glob;tail_at", 50);
	sizes(f, "glob", 500, 300);
	know(f, COMPARE_BASE, "tail_of", 200, "the same");
	know(f, COMPARE_HEAD, "tail_at", 200, "the same");
	build(f);
	assert_none(f);
	assert_int_equal(
		f->comparison.matches.functions[function(f, "tail_at")].kind, MATCHED_RENAMED);
}

/* A helper that was taken out and inlined again: all that is new is its name. */
static void test_a_new_inlined_part_of_the_same_code_is_one(void **state)
{
	struct fixture *f = *state;

	base(f, "main;glob", 100);
	head(f, "main;glob", 40);
	head(f, "main;glob|tail", 60);
	know(f, COMPARE_BASE, "glob", 500, "the same");
	know(f, COMPARE_HEAD, "glob", 500, "the same");
	build(f);
	assert_fold(f, "glob", "tail", FOLD_SPLIT);
	assert_self(f, "glob", 100, 100);
	again(state);
	f = *state;
	base(f, "main;glob", 100);
	head(f, "main;glob", 40);
	head(f, "main;glob|tail", 60);
	sizes(f, "glob", 500, 500);
	build(f);
	assert_none(f);
}

/* ---- what hangs on it ------------------------------------------------------------------------ */

/* A part's lines may be in another file than its host's. */
static void test_lines_stay_the_parts(void **state)
{
	struct fixture *f = *state;
	const struct comparison *c = &f->comparison;
	size_t row, parse;

	base(f, "main|start;parse#5", 10);
	base(f, "main|start;parse#6;field#31@b.h", 60);
	base(f, "main|start;print;field#31@b.h", 7);
	head(f, "main|start;parse#5", 10);
	head(f, "main|start;parse#6|field#32@b.h", 60);
	build(f);
	assert_int_equal(c->folds.count, 1);
	assert_int_equal(c->part_count, 1);
	assert_int_equal(c->parts[0].function, function(f, "parse"));
	row = comparison_part_lines(c, 0);
	parse = function(f, "parse");
	for (int arm = 0; arm < COMPARE_ARMS; arm++) {
		assert_int_equal(c->line_start[arm][parse + 1] - c->line_start[arm][parse], 1);
		assert_int_equal(c->lines[arm][c->line_start[arm][parse]].line, 5);
		assert_int_equal(c->line_start[arm][row + 1] - c->line_start[arm][row], 1);
		assert_int_equal(c->lines[arm][c->line_start[arm][row]].line, 31 + arm);
		assert_float_equal(c->lines[arm][c->line_start[arm][row]].seconds, 0.06, 1e-6);
	}
	row = function(f, "field");
	assert_int_equal(
		c->line_start[COMPARE_BASE][row + 1] - c->line_start[COMPARE_BASE][row], 1);
}

static double seconds_of_part(const struct fixture *f, int arm, const char *host, const char *part)
{
	const struct comparison *c = &f->comparison;
	double sum = 0;

	for (size_t i = 0; i < c->part_count; i++) {
		size_t row = comparison_part_lines(c, i);

		if (c->parts[i].function != function(f, host) ||
			c->folds.items[c->parts[i].fold].part != function(f, part))
			continue;
		for (size_t k = c->line_start[arm][row]; k < c->line_start[arm][row + 1]; k++)
			sum += c->lines[arm][k].seconds;
	}
	return sum;
}

/* field is a part of parse alone; elsewhere digit counts with field itself. */
static void test_lines_of_a_parts_part_are_those_of_whom_it_counts_as(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse;field#31;digit#41", 60);
	head(f, "main|start;parse|field#31|digit#41", 50);
	base(f, "main|start;print;field#31;digit#42", 30);
	head(f, "main|start;print;field#31|digit#42", 20);
	build(f);
	assert_int_equal(f->comparison.folds.count, 2);
	assert_self(f, "parse", 60, 50);
	assert_self(f, "field", 30, 20);
	assert_float_equal(seconds_of_part(f, COMPARE_BASE, "parse", "digit"), 0.06, 1e-6);
	assert_float_equal(seconds_of_part(f, COMPARE_HEAD, "parse", "digit"), 0.05, 1e-6);
	assert_float_equal(seconds_of_part(f, COMPARE_BASE, "field", "digit"), 0.03, 1e-6);
	assert_float_equal(seconds_of_part(f, COMPARE_HEAD, "field", "digit"), 0.02, 1e-6);
}

static void test_a_host_is_the_same_code_with_its_parts_alone(void **state)
{
	struct fixture *f = *state;
	enum same_code code[8];

	base(f, "main|start;parse;field", 100);
	head(f, "main|start;parse|field", 100);
	build(f);
	for (size_t i = 0; i < f->comparison.matches.count; i++)
		code[i] = CODE_SAME;
	same_code_fold(&f->comparison.folds, code);
	assert_int_equal(code[function(f, "parse")], CODE_SAME);
	code[function(f, "field")] = CODE_UNKNOWN;
	same_code_fold(&f->comparison.folds, code);
	assert_int_equal(code[function(f, "parse")], CODE_UNKNOWN);
	assert_int_equal(code[function(f, "main")], CODE_SAME);
	code[function(f, "parse")] = CODE_SAME;
	code[function(f, "field")] = CODE_CHANGED;
	same_code_fold(&f->comparison.folds, code);
	assert_int_equal(code[function(f, "parse")], CODE_CHANGED);
}

/* The heaviest are kept: past the limit parts are functions of their own. */
static void test_there_are_only_so_many(void **state)
{
	struct fixture *f = *state;
	char stack[64];

	for (int i = 0; i < FOLDS_MAX + 5; i++) {
		snprintf(stack, sizeof(stack), "main|start;parse;field%d", i);
		base(f, stack, 20 + (i == FOLDS_MAX + 4));
		snprintf(stack, sizeof(stack), "main|start;parse|field%d", i);
		head(f, stack, 20);
	}
	assert_int_equal(comparison_build(&f->comparison, f->profile[COMPARE_BASE],
				 f->profile[COMPARE_HEAD], 1, NULL, NULL),
		ERR_OK);
	assert_int_equal(f->comparison.folds.count, FOLDS_MAX);
	assert_int_equal(f->comparison.folds.items[0].part, function(f, "field1004"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_what_is_inlined_in_one_version_counts_with_its_caller),
		CASE(test_what_is_no_longer_inlined_counts_with_its_caller),
		CASE(test_what_is_inlined_alike_is_a_function_of_its_own),
		CASE(test_each_caller_is_looked_at_by_itself),
		CASE(test_stray_samples_do_not_disagree_and_many_do),
		CASE(test_a_few_samples_prove_nothing),
		CASE(test_what_would_not_be_seen_inlined_is_not_known_to_be_called),
		CASE(test_code_without_names_is_no_part_and_no_host),
		CASE(test_folds_chain),
		CASE(test_a_part_that_calls_itself_is_one),
		CASE(test_nobody_is_the_host_of_its_host),
		CASE(test_a_part_may_be_renamed),
		CASE(test_counts_need_three_rows),
		CASE(test_a_function_split_in_two_counts_as_one),
		CASE(test_a_part_may_call_itself),
		CASE(test_a_function_split_in_three_counts_as_one),
		CASE(test_a_function_merged_into_its_caller_counts_as_one),
		CASE(test_a_function_that_was_hardly_called_is_no_part),
		CASE(test_what_the_host_called_before_is_no_part),
		CASE(test_a_stray_sample_of_a_part_does_not_matter),
		CASE(test_a_function_that_was_there_is_a_part_by_what_it_grew),
		CASE(test_a_function_that_was_there_twice_is_no_part),
		CASE(test_beside_a_part_may_be_who_was_called_before),
		CASE(test_one_part_has_one_fold),
		CASE(test_a_stray_sample_of_a_merged_function_does_not_matter),
		CASE(test_a_new_helper_is_no_part),
		CASE(test_without_sizes_nothing_is_split),
		CASE(test_what_others_call_too_is_no_part),
		CASE(test_a_part_is_a_function_where_others_call_it),
		CASE(test_a_part_in_another_file_is_none),
		CASE(test_one_part_of_unknown_size_spoils_all),
		CASE(test_a_part_for_a_part_is_neither_split_nor_merged),
		CASE(test_what_a_match_explains_is_no_part),
		CASE(test_a_new_inlined_part_of_the_same_code_is_one),
		CASE(test_lines_stay_the_parts),
		CASE(test_lines_of_a_parts_part_are_those_of_whom_it_counts_as),
		CASE(test_a_host_is_the_same_code_with_its_parts_alone),
		CASE(test_there_are_only_so_many),
	};

	return cmocka_run_group_tests_name("fold", tests, NULL, NULL);
}
