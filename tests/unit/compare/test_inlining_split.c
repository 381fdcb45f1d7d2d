/* SPDX-License-Identifier: Apache-2.0 */
/* What was split or merged, as the size of machine code says, and what only looks like it. */
#include "tests/unit/compare/inlining_scene.h"

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
	assert_int_equal(f->comparison.inlinings.count, 1);
	assert_inlining(f, "glob", "tail", INLINING_SPLIT);
	assert_float_equal(inlining(f, "glob", "tail")->similarity, 200.0 / 220, 1e-6);
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
	assert_inlining(f, "glob", "tail", INLINING_SPLIT);
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
	assert_int_equal(f->comparison.inlinings.count, 3);
	assert_inlining(f, "glob", "range", INLINING_SPLIT);
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
	assert_inlining(f, "parse", "field", INLINING_MERGED);
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
	assert_inlining(f, "parse", "field", INLINING_MERGED);
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

/* Beside a hot host a part is small: half of it comes and goes by chance. */
static void test_what_a_hot_host_costs_less_by_chance_has_not_moved(void **state)
{
	static const struct {
		int64_t less;
		bool is_part;
	} hosts[] = {{150, false}, {250, false}, {480, false}, {530, true}, {600, true}};

	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		struct fixture *f = *state;

		base(f, "main;glob", 32000);
		head(f, "main;glob", 32000 - hosts[i].less);
		head(f, "main;glob;slow", 400);
		sizes(f, "glob", 500, 440);
		sizes(f, "slow", 0, 80);
		build(f);
		assert_int_equal(f->comparison.inlinings.count, hosts[i].is_part);
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
		assert_inlining(f, "glob", "tail", INLINING_SPLIT);
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
			assert_inlining(f, "glob", "tail", INLINING_SPLIT);
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
	assert_int_equal(f->comparison.inlinings.count, 1);
	assert_inlining(f, "glob", "tail", INLINING_SPLIT);
	assert_self(f, "slow", 1, 40);
}

static void test_one_part_has_one_inlining(void **state)
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
	assert_int_equal(f->comparison.inlinings.count, 1);
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
	assert_inlining(f, "glob", "tail", INLINING_SPLIT);
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
	assert_inlining(f, "glob", "tail", INLINING_SPLIT);
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
	assert_inlining(f, "glob", "tail", INLINING_SPLIT);
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

/* The helper's host is inlined itself: its code is that of what it is inlined into. */
static void test_a_new_inlined_part_of_what_is_inlined_into_the_same_code_is_one(void **state)
{
	struct fixture *f = *state;
	const char *const more[] = {"", "main;other|glob", "main;glob"};

	for (int i = 0; i < 4; i++) {
		base(f, "main;add|glob", 100);
		head(f, "main;add|glob", 40);
		head(f, "main;add|glob|tail", 60);
		know(f, COMPARE_BASE, "add", 500, "the same");
		know(f, COMPARE_HEAD, "add", 500, i < 3 ? "the same" : "another");
		if (i == 1 || i == 2) /* who else has it, as changed code or as a function */
			head(f, more[i], 10);
		build(f);
		if (i == 0)
			assert_inlining(f, "glob", "tail", INLINING_SPLIT);
		else
			assert_none(f);
		again(state);
		f = *state;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_function_split_in_two_counts_as_one),
		CASE(test_a_part_may_call_itself),
		CASE(test_a_function_split_in_three_counts_as_one),
		CASE(test_a_function_merged_into_its_caller_counts_as_one),
		CASE(test_a_function_that_was_hardly_called_is_no_part),
		CASE(test_what_a_hot_host_costs_less_by_chance_has_not_moved),
		CASE(test_what_the_host_called_before_is_no_part),
		CASE(test_a_stray_sample_of_a_part_does_not_matter),
		CASE(test_a_function_that_was_there_is_a_part_by_what_it_grew),
		CASE(test_a_function_that_was_there_twice_is_no_part),
		CASE(test_beside_a_part_may_be_who_was_called_before),
		CASE(test_one_part_has_one_inlining),
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
		CASE(test_a_new_inlined_part_of_what_is_inlined_into_the_same_code_is_one),
	};

	return cmocka_run_group_tests_name("inlinings of what is split", tests, NULL, NULL);
}
