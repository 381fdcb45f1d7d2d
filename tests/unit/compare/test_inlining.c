/* SPDX-License-Identifier: Apache-2.0 */
/* What was inlined or outlined, what only looks like it, and what hangs on an inlining. */
#include "gate/base/error.h"
#include "gate/compare/unchanged_code.h"
#include "tests/unit/compare/inlining_scene.h"

#include <stdio.h>

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
	assert_int_equal(f->comparison.inlinings.count, 1);
	assert_inlining(f, "parse", "field", INLINING_INLINED);
	assert_float_equal(inlining(f, "parse", "field")->similarity, 1, 0);
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
	assert_inlining(f, "parse", "field", INLINING_OUTLINED);
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
	assert_int_equal(f->comparison.inlinings.count, 1);
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
	assert_inlining(f, "parse", "field", INLINING_INLINED);
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
	assert_inlining(f, "parse", "field", INLINING_INLINED);
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

static void test_inlinings_chain(void **state)
{
	struct fixture *f = *state;

	base(f, "main|start;parse;field;digit", 50);
	base(f, "main|start;parse;field;digit;hash", 20);
	head(f, "main|start;parse|field|digit", 50);
	head(f, "main|start;parse|field|digit;hash", 20);
	build(f);
	assert_inlining(f, "parse", "field", INLINING_INLINED);
	assert_inlining(f, "field", "digit", INLINING_INLINED);
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
	assert_inlining(f, "parse", "field", INLINING_INLINED);
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
	assert_int_equal(f->comparison.inlinings.count, 1);
	assert_inlining(f, "even", "odd", INLINING_INLINED);
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
	assert_int_equal(f->comparison.inlinings.count, 1);
	assert_inlining(f, "parse", "next_fields", INLINING_INLINED);
}

/* Of a type whose samples are not counted three rows in each say as much. */
static void test_counts_need_three_rows(void **state)
{
	for (int rows = 2; rows <= 3; rows++) {
		struct fixture *f = *state;

		for (int version = 0; version < COMPARE_VERSIONS; version++) {
			profile_free(f->profile[version]);
			f->profile[version] = profile_new();
			profile_add_type(f->profile[version], "alloc_bytes", "bytes");
		}
		for (int row = 0; row < rows; row++) {
			base(f, "main|start;parse;field", 5);
			head(f, "main|start;parse|field", 5);
		}
		build(f);
		assert_int_equal(f->comparison.inlinings.count, rows == 3);
		again(state);
	}
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
	assert_int_equal(c->inlinings.count, 1);
	assert_int_equal(c->part_count, 1);
	assert_int_equal(c->parts[0].function, function(f, "parse"));
	row = comparison_part_lines(c, 0);
	parse = function(f, "parse");
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		assert_int_equal(
			c->line_start[version][parse + 1] - c->line_start[version][parse], 1);
		assert_int_equal(c->lines[version][c->line_start[version][parse]].line, 5);
		assert_int_equal(c->line_start[version][row + 1] - c->line_start[version][row], 1);
		assert_int_equal(c->lines[version][c->line_start[version][row]].line, 31 + version);
		assert_float_equal(
			c->lines[version][c->line_start[version][row]].seconds, 0.06, 1e-6);
	}
	row = function(f, "field");
	assert_int_equal(
		c->line_start[COMPARE_BASE][row + 1] - c->line_start[COMPARE_BASE][row], 1);
}

static double seconds_of_part(
	const struct fixture *f, int version, const char *host, const char *part)
{
	const struct comparison *c = &f->comparison;
	double sum = 0;

	for (size_t i = 0; i < c->part_count; i++) {
		size_t row = comparison_part_lines(c, i);

		if (c->parts[i].function != function(f, host) ||
			c->inlinings.items[c->parts[i].inlining].part != function(f, part))
			continue;
		for (size_t k = c->line_start[version][row]; k < c->line_start[version][row + 1];
			k++)
			sum += c->lines[version][k].seconds;
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
	assert_int_equal(f->comparison.inlinings.count, 2);
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
	enum code_state code[8];

	base(f, "main|start;parse;field", 100);
	head(f, "main|start;parse|field", 100);
	build(f);
	for (size_t i = 0; i < f->comparison.matches.count; i++)
		code[i] = CODE_UNCHANGED;
	unchanged_code_of_hosts(&f->comparison.inlinings, code);
	assert_int_equal(code[function(f, "parse")], CODE_UNCHANGED);
	code[function(f, "field")] = CODE_UNKNOWN;
	unchanged_code_of_hosts(&f->comparison.inlinings, code);
	assert_int_equal(code[function(f, "parse")], CODE_UNKNOWN);
	assert_int_equal(code[function(f, "main")], CODE_UNCHANGED);
	code[function(f, "parse")] = CODE_UNCHANGED;
	code[function(f, "field")] = CODE_CHANGED;
	unchanged_code_of_hosts(&f->comparison.inlinings, code);
	assert_int_equal(code[function(f, "parse")], CODE_CHANGED);
}

/* The heaviest are kept: past the limit parts are functions of their own. */
static void test_there_are_only_so_many(void **state)
{
	struct fixture *f = *state;
	char stack[64];

	for (int i = 0; i < INLININGS_MAX + 5; i++) {
		snprintf(stack, sizeof(stack), "main|start;parse;field%d", i);
		base(f, stack, 20 + (i == INLININGS_MAX + 4));
		snprintf(stack, sizeof(stack), "main|start;parse|field%d", i);
		head(f, stack, 20);
	}
	assert_int_equal(comparison_build(&f->comparison, f->profile[COMPARE_BASE],
				 f->profile[COMPARE_HEAD], 1, NULL, NULL),
		ERR_OK);
	assert_int_equal(f->comparison.inlinings.count, INLININGS_MAX);
	assert_int_equal(f->comparison.inlinings.items[0].part, function(f, "field1004"));
}

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
		CASE(test_inlinings_chain),
		CASE(test_a_part_that_calls_itself_is_one),
		CASE(test_nobody_is_the_host_of_its_host),
		CASE(test_a_part_may_be_renamed),
		CASE(test_counts_need_three_rows),
		CASE(test_lines_stay_the_parts),
		CASE(test_lines_of_a_parts_part_are_those_of_whom_it_counts_as),
		CASE(test_a_host_is_the_same_code_with_its_parts_alone),
		CASE(test_there_are_only_so_many),
	};

	return cmocka_run_group_tests_name("inlinings of what is inlined", tests, NULL, NULL);
}
