/* SPDX-License-Identifier: Apache-2.0 */
/* Who is named, what hangs on whom, and what each explains: trees with their costs written down. */
#include "tests/unit/verdict/tree_scene.h"

#define SAME VERDICT_FUNCTION_UNCHANGED
#define CHANGED (VERDICT_FUNCTION_CHANGED_CODE | VERDICT_FUNCTION_TOUCHED)

static bool has_reason(const struct scene *scene, enum verdict_reason reason)
{
	return (scene->result.reasons & reason) != 0;
}

/* ---- the culprit ---------------------------------------------------------------------------- */

enum { MAIN, PARSE, NOTIFY, REST };

/* parse takes 16 % more, what it calls a little more than that: in proportion it fits better. */
static void add_parser(struct scene *scene, double rest)
{
	uint32_t top = scene_add(scene, 0, MAIN, 0.002, 0.002);
	uint32_t parse = scene_add(scene, top, PARSE, 0.80, 0.93);

	scene_add(scene, parse, NOTIFY, 0.10, 0.12);
	scene_add(scene, top, REST, rest, rest);
}

static void test_confirmed_function_below_a_call_that_is_everything_is_named(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;

	add_parser(scene, 0.03);
	result = scene_decide(scene);
	assert_int_equal(result->status, VERDICT_REGRESSION);
	assert_int_equal(result->functions[PARSE].state, VERDICT_CONFIRMED);
	assert_true(result->cause_count > 0);
	assert_int_equal(result->culprits[0].kind, VERDICT_BLAME_SELF);
	assert_int_equal(result->culprits[0].function, PARSE);
	assert_non_null(scene_culprit(scene, NOTIFY));
	assert_false(has_reason(scene, VERDICT_REASON_SPREAD));
}

/* Forty functions that cost the same, ten per cent more each. */
static void test_what_grew_everywhere_has_no_cause_and_names_the_confirmed(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	size_t confirmed = 0;
	uint32_t top = scene_add(scene, 0, MAIN, 0.01, 0.011);

	for (uint32_t f = 1; f < 40; f++)
		scene_add(scene, top, f, 0.025, 0.0275);
	result = scene_decide(scene);
	assert_int_equal(result->status, VERDICT_REGRESSION);
	assert_true(has_reason(scene, VERDICT_REASON_SPREAD));
	assert_int_equal(result->cause_count, 0);
	for (uint32_t f = 0; f < 40; f++) {
		const struct verdict_culprit *culprit = scene_culprit(scene, f);

		if (result->functions[f].state != VERDICT_CONFIRMED)
			continue;
		confirmed++;
		assert_non_null(culprit);
		assert_int_equal(culprit->kind, VERDICT_BLAME_CARRIED);
		assert_int_equal(culprit->cause, VERDICT_NONE);
	}
	assert_true(confirmed >= 39);
	assert_int_equal(result->culprit_count, confirmed);
}

/* One grew twice as much as the others: more than everything is. */
static void test_what_grew_more_than_everything_else_is_a_cause(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	uint32_t top = scene_add(scene, 0, MAIN, 0.01, 0.0105);

	for (uint32_t f = 1; f < 40; f++)
		scene_add(scene, top, f, 0.025, f == 7 ? 0.035 : 0.02625);
	result = scene_decide(scene);
	assert_int_equal(result->status, VERDICT_REGRESSION);
	assert_true(has_reason(scene, VERDICT_REASON_SPREAD));
	assert_int_equal(result->cause_count, 1);
	assert_int_equal(result->culprits[0].function, 7);
}

static void test_confirmed_functions_below_a_blamed_call_are_carried_by_it(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	uint32_t top = scene_add(scene, 0, MAIN, 0.05, 0.05);
	uint32_t parse = scene_add(scene, top, PARSE, 0.10, 0.15);

	scene_add(scene, parse, NOTIFY, 0.20, 0.30);
	scene_add(scene, top, REST, 0.65, 0.65);
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 1);
	assert_int_equal(result->culprits[0].kind, VERDICT_BLAME_CALLED);
	assert_int_equal(result->culprits[0].function, PARSE);
	assert_int_equal(result->functions[NOTIFY].state, VERDICT_CONFIRMED);
	assert_int_equal(result->culprit_count, 2);
	assert_int_equal(result->culprits[1].kind, VERDICT_BLAME_CARRIED);
	assert_int_equal(result->culprits[1].function, NOTIFY);
	assert_int_equal(result->culprits[1].cause, 0);
}

/* ---- evidence is relative ------------------------------------------------------------------- */

/* What notify grew, as a part of what in proportion to parse it should have. */
static const struct verdict_culprit *blame_at(
	struct scene *scene, double rate, double kept, const uint8_t flags[4])
{
	uint32_t top, parse;

	scene->rate = rate;
	scene->node_count = 1;
	memcpy(scene->flags, flags, 4);
	top = scene_add(scene, 0, MAIN, 0.10, 0.10);
	parse = scene_add(scene, top, PARSE, 0.10, 0.11);
	scene_add(scene, parse, NOTIFY, 0.03, 0.03 * (1 + 0.1 * kept));
	scene_add(scene, top, REST, 0.77, 0.77);
	assert_int_equal(scene_decide(scene)->status, VERDICT_REGRESSION);
	assert_true(scene->result.cause_count > 0);
	return &scene->result.culprits[0];
}

#define RATE_OF_T(t) ((t) * (t)*0.21 / 0.01 / 0.01 / SCENE_PAIRS)

static void test_same_relative_evidence_decides_the_same_at_any_size_beyond_chance(void **state)
{
	static const uint8_t unknown[4] = {0}, diff[4] = {[MAIN] = CHANGED, [PARSE] = SAME},
			     own[4] = {[MAIN] = SAME, [PARSE] = CHANGED};
	static const uint8_t *const flags[] = {unknown, diff, own};
	size_t called = 0, self = 0;

	for (size_t i = 0; i < 3; i++)
		for (int tenth = -10; tenth <= 12; tenth++) {
			enum verdict_blame weak =
				blame_at(*state, RATE_OF_T(9), tenth / 10.0, flags[i])->kind;
			enum verdict_blame strong =
				blame_at(*state, RATE_OF_T(90), tenth / 10.0, flags[i])->kind;

			if (weak != strong)
				fail_msg("flags %zu, callee at %d tenths: %d at t 9, %d at t 90", i,
					tenth, (int)weak, (int)strong);
			called += weak == VERDICT_BLAME_CALLED;
			self += weak == VERDICT_BLAME_SELF;
		}
	assert_true(called > 10 && self > 10);
}

/* Calls that fit better by little: with much evidence they are it, with little that is chance. */
static void test_calls_that_fit_hardly_better_are_blamed_with_much_evidence(void **state)
{
	static const uint8_t unknown[4] = {0};

	assert_int_equal(blame_at(*state, RATE_OF_T(5), 0.6, unknown)->kind, VERDICT_BLAME_SELF);
	assert_int_equal(blame_at(*state, RATE_OF_T(9), 0.6, unknown)->kind, VERDICT_BLAME_CALLED);
}

/* ---- one cause is one culprit --------------------------------------------------------------- */

enum { HOST = 1, FIRST = 2, CALLEES = 20, OTHER = FIRST + CALLEES, FUNCTIONS };

/* host calls twenty functions more often than before, each by its own factor. */
static void add_host(struct scene *scene, double host)
{
	uint32_t top, node;

	memset(scene->flags, SAME, FUNCTIONS);
	scene->flags[HOST] = CHANGED;
	top = scene_add(scene, 0, MAIN, 0.02, 0.02);
	node = scene_add(scene, top, HOST, 0.02, host);
	for (uint32_t i = 0; i < CALLEES; i++)
		scene_add(scene, node, FIRST + i, 0.01, 0.01 * (1.2 + 0.15 * i));
}

static void test_what_a_changed_function_calls_more_often_is_one_cause(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;

	add_host(scene, 0.02);
	scene_add(scene, 1, OTHER, 0.7, 0.7);
	result = scene_decide(scene);
	assert_int_equal(result->status, VERDICT_REGRESSION);
	assert_int_equal(result->cause_count, 1);
	assert_int_equal(result->culprits[0].function, HOST);
	assert_int_equal(result->culprits[0].cause, VERDICT_NONE);
	assert_int_equal(result->culprit_count, 1 + CALLEES);
	for (size_t i = 1; i < result->culprit_count; i++)
		assert_int_equal(result->culprits[i].cause, 0);
	assert_true(fabs(result->culprits[0].together - result->nodes[2].change) < 0.001);
}

enum { KIND = 2, MIDDLE, DEEP, BESIDE };

/* The changed host calls kind more often; what it calls by way of middle grew far more. */
static void add_deep(struct scene *scene, double kind)
{
	uint32_t top, host, middle;

	memset(scene->flags, SAME, BESIDE + 1);
	scene->flags[HOST] = CHANGED;
	top = scene_add(scene, 0, MAIN, 0.02, 0.02);
	host = scene_add(scene, top, HOST, 0.05, 0.05);
	scene_add(scene, host, KIND, 0.01, 0.01 + kind);
	middle = scene_add(scene, host, MIDDLE, 0.10, 0.10);
	scene_add(scene, middle, DEEP, 0.10, 0.20);
	scene_add(scene, top, BESIDE, 0.72, 0.72);
}

static void assert_heads(struct scene *scene, uint32_t head, uint32_t hanging)
{
	const struct verdict_result *result = scene_decide(scene);

	assert_int_equal(result->status, VERDICT_REGRESSION);
	assert_int_equal(result->cause_count, 1);
	assert_int_equal(result->culprits[0].function, head);
	assert_int_equal(result->culprits[0].cause, VERDICT_NONE);
	assert_non_null(scene_culprit(scene, hanging));
	assert_int_equal(scene_culprit(scene, hanging)->cause, 0);
	assert_true(fabs(result->culprits[0].together - result->total.change) < 0.002);
}

static void test_a_small_call_does_not_head_what_is_not_below_it(void **state)
{
	struct scene *scene = *state;

	add_deep(scene, 0.01);
	assert_heads(scene, DEEP, KIND);
}

static void test_a_call_of_some_weight_heads_what_grew_with_it(void **state)
{
	struct scene *scene = *state;

	add_deep(scene, 0.05);
	assert_heads(scene, KIND, DEEP);
}

/* What the small call carries goes with it to the head that it gets. */
static void test_what_a_small_call_carries_goes_with_it(void **state)
{
	struct scene *scene = *state;
	uint32_t top, host, kind, middle;

	memset(scene->flags, SAME, BESIDE + 2);
	scene->flags[HOST] = CHANGED;
	top = scene_add(scene, 0, MAIN, 0.02, 0.02);
	host = scene_add(scene, top, HOST, 0.05, 0.05);
	kind = scene_add(scene, host, KIND, 0.01, 0.02);
	scene_add(scene, kind, BESIDE + 1, 0.01, 0.02);
	middle = scene_add(scene, host, MIDDLE, 0.10, 0.10);
	scene_add(scene, middle, DEEP, 0.10, 0.20);
	scene_add(scene, top, BESIDE, 0.70, 0.70);
	assert_heads(scene, DEEP, KIND);
	assert_non_null(scene_culprit(scene, BESIDE + 1));
	assert_int_equal(scene_culprit(scene, BESIDE + 1)->kind, VERDICT_BLAME_CARRIED);
	assert_int_equal(scene_culprit(scene, BESIDE + 1)->cause, 0);
}

/* Where something else makes the total fail, what went down by half of it is no reason: it is
 * blamed as it would be without that. */
static void test_a_call_that_is_half_made_up_for_is_blamed_where_the_total_fails(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	const struct verdict_culprit *kind;
	uint32_t top, host, call;

	memset(scene->flags, SAME, BESIDE + 2);
	scene->flags[HOST] = scene->flags[MIDDLE] = scene->flags[DEEP] = CHANGED;
	top = scene_add(scene, 0, MAIN, 0.01, 0.01);
	host = scene_add(scene, top, HOST, 0.02, 0.02);
	call = scene_add(scene, host, KIND, 0.10, 0.16);
	scene_add(scene, call, BESIDE + 1, 0.01, 0.016);
	scene_add(scene, host, MIDDLE, 0.10, 0.06);
	scene_add(scene, top, DEEP, 0.40, 0.50);
	scene_add(scene, top, BESIDE, 0.30, 0.30);
	result = scene_decide(scene);
	assert_true(has_reason(scene, VERDICT_REASON_TOTAL));
	assert_int_equal(result->functions[KIND].state, VERDICT_CONFIRMED);
	assert_int_equal(result->nodes[call].state, VERDICT_CONFIRMED);
	for (size_t i = 0; i < result->shift_count; i++)
		assert_int_not_equal(result->shifts[i].function, KIND);
	kind = scene_culprit(scene, KIND);
	assert_non_null(kind);
	assert_int_equal(kind->kind, VERDICT_BLAME_CALLED);
}

/* Smaller than each of what hangs on the host. */
static void test_a_second_cause_is_named_beside_many_that_hang_on_the_first(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	const struct verdict_culprit *other;

	add_host(scene, 0.05);
	scene->flags[OTHER] = CHANGED;
	scene_add(scene, 1, OTHER, 0.08, 0.085);
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 2);
	assert_int_equal(result->culprits[1].function, OTHER);
	assert_int_equal(result->culprits[1].kind, VERDICT_BLAME_SELF);
	other = &result->culprits[1];
	assert_int_equal(other->cause, VERDICT_NONE);
	for (size_t i = 2; i < result->culprit_count; i++)
		assert_int_equal(result->culprits[i].cause, 0);
	assert_non_null(scene_culprit(scene, HOST));
}

/* Both are changed: the inner one's increase is its own. */
static void test_changed_function_below_a_blamed_one_is_a_cause_of_its_own(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	uint32_t top, parse;

	scene->flags[MAIN] = scene->flags[REST] = SAME;
	scene->flags[PARSE] = scene->flags[NOTIFY] = CHANGED;
	top = scene_add(scene, 0, MAIN, 0.05, 0.05);
	parse = scene_add(scene, top, PARSE, 0.20, 0.25);
	scene_add(scene, parse, NOTIFY, 0.20, 0.40);
	scene_add(scene, top, REST, 0.55, 0.55);
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 2);
	assert_int_equal(result->culprits[0].function, NOTIFY);
	assert_int_equal(result->culprits[1].function, PARSE);
	/* and where its code is the same, it is below what changed */
	scene->flags[NOTIFY] = SAME;
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 1);
	assert_int_equal(scene_culprit(scene, NOTIFY) ? 1 : 0, 1);
	assert_int_equal(scene_culprit(scene, PARSE) ? 1 : 0, 1);
}

/* main calls both; neither hangs on the other because of that. */
static void test_two_slower_functions_of_one_unchanged_caller_are_two_causes(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	uint32_t top = scene_add(scene, 0, MAIN, 0.05, 0.05);

	scene_add(scene, top, PARSE, 0.20, 0.25);
	scene_add(scene, top, NOTIFY, 0.20, 0.24);
	scene_add(scene, top, REST, 0.55, 0.55);
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 2);
	assert_int_equal(result->culprit_count, 2);
}

/* ---- what is new, and what only stands beside it -------------------------------------------- */

enum { INDEX = 1, SOUND, NORMALISE, NEXT, LETTER, TABLE, REPORT, WORDS };

/* index calls sound, which is new, and others as before, whose code is the same. */
static void add_words(struct scene *scene, double normalise)
{
	uint32_t top, index, next;

	scene->places = true;
	scene->flags[MAIN] = scene->flags[NORMALISE] = scene->flags[NEXT] = SAME;
	scene->flags[LETTER] = scene->flags[TABLE] = scene->flags[REPORT] = SAME;
	scene->flags[INDEX] = CHANGED;
	scene->flags[SOUND] = VERDICT_FUNCTION_NEW | CHANGED;
	top = scene_add(scene, 0, MAIN, 0.02, 0.02);
	index = scene_add(scene, top, INDEX, 0.02, 0.033);
	scene_add(scene, index, SOUND, 0, 0.11);
	scene_add(scene, index, NORMALISE, 0.05, normalise);
	next = scene_add(scene, index, NEXT, 0.03, 0.042);
	scene_add(scene, next, LETTER, 0.02, 0.028);
	scene_add(scene, index, TABLE, 0.20, 0.20);
	scene_add(scene, top, REPORT, 0.60, 0.60);
}

static void test_new_function_comes_before_another_call_beside_it(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;

	add_words(scene, 0.075);
	result = scene_decide(scene);
	assert_int_equal(result->status, VERDICT_REGRESSION);
	assert_int_equal(result->cause_count, 2);
	assert_int_equal(result->culprits[0].function, SOUND);
	assert_int_equal(result->culprits[1].function, NORMALISE);
	assert_non_null(scene_culprit(scene, INDEX));
	assert_int_equal(scene_culprit(scene, INDEX)->cause, 0);
}

/* What is the same, is called as often and grew within what its place explains is ruled out. */
static void assert_in_its_place(const struct scene *scene, uint32_t function)
{
	assert_null(scene_culprit(scene, function));
	assert_int_equal(scene->result.functions[function].state, VERDICT_UNCHANGED_CODE);
	assert_true(scene->result.reasons & VERDICT_REASON_UNCHANGED_CODE);
	for (size_t v = 1; v < scene->node_count; v++)
		if (scene->nodes[v].function == function)
			assert_int_equal(scene->result.nodes[v].state, VERDICT_UNCHANGED_CODE);
}

static void test_same_code_called_as_often_hangs_on_nothing_that_is_new(void **state)
{
	static const double calls[WORDS] = {1, 1, NAN, 1, 1, NAN, 1, 1};
	struct scene *scene = *state;
	const struct verdict_result *result;

	add_words(scene, 0.075);
	scene->calls = calls;
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 1);
	assert_int_equal(result->culprits[0].function, SOUND);
	assert_int_equal(scene_culprit(scene, INDEX)->cause, 0);
	assert_in_its_place(scene, NORMALISE);
	assert_in_its_place(scene, NEXT);
	assert_true(fabs(result->culprits[0].together - 0.123 / 0.94) < 0.003);
}

/* Two changed functions call it, each as often as before. */
static void test_same_code_is_ruled_out_whoever_calls_it(void **state)
{
	static const double calls[WORDS] = {1, 1, NAN, 1, 1, 1, 1, 1};
	struct scene *scene = *state;
	const uint32_t callers[] = {INDEX, TABLE};
	uint32_t top, caller, call;

	scene->places = true;
	scene->flags[MAIN] = scene->flags[NEXT] = scene->flags[NORMALISE] = SAME;
	scene->flags[INDEX] = scene->flags[TABLE] = CHANGED;
	scene->flags[SOUND] = VERDICT_FUNCTION_NEW | CHANGED;
	scene->calls = calls;
	top = scene_add(scene, 0, MAIN, 0.62, 0.62);
	for (size_t i = 0; i < 2; i++) {
		caller = scene_add(scene, top, callers[i], 0.02, 0.02);
		if (i == 0)
			scene_add(scene, caller, SOUND, 0, 0.11);
		call = scene_add(scene, caller, NEXT, 0.03, 0.042);
		scene_add(scene, call, NORMALISE, 0.03, 0.042);
	}
	assert_int_equal(scene_decide(scene)->status, VERDICT_REGRESSION);
	assert_int_equal(scene->result.culprits[0].function, SOUND);
	assert_in_its_place(scene, NEXT);
	assert_in_its_place(scene, NORMALISE);
}

/* More than its place explains, less than what is new: it was given more work, unless it executes
 * as many instructions. */
static void test_same_code_with_as_many_instructions_is_ruled_out(void **state)
{
	static const double calls[WORDS] = {1, 1, NAN, 1, 1, NAN, 1, 1};
	static const double same[WORDS] = {1.1, 1.2, NAN, 1, 1.004, NAN, 1, 1};
	static const double more[WORDS] = {1.1, 1.2, NAN, 1.8, 1, NAN, 1, 1};
	struct scene *scene = *state;

	add_words(scene, 0.10);
	scene->calls = calls;
	scene_decide(scene);
	assert_non_null(scene_culprit(scene, NORMALISE));
	scene->instructions = more;
	scene_decide(scene);
	assert_non_null(scene_culprit(scene, NORMALISE));
	scene->instructions = same;
	assert_int_equal(scene_decide(scene)->status, VERDICT_REGRESSION);
	assert_int_equal(scene->result.culprits[0].function, SOUND);
	assert_in_its_place(scene, NORMALISE);
}

/* Above the function that has changed, whose last loads its caller waits for. */
static void test_unchanged_caller_with_as_many_instructions_of_its_own_is_ruled_out(void **state)
{
	static const double calls[WORDS] = {1, 1, 1, 1, 1, 1, 1, 1};
	static const double below[WORDS] = {4, 1, 1, 4.7, 4.9, 1, 1, 1};
	static const double own[WORDS] = {1, 1, 1, 1, 5, 1, 1, 1};
	static const double more[WORDS] = {1, 1, 1, 4, 5, 1, 1, 1};
	struct scene *scene = *state;
	uint32_t top, normalise;

	scene->places = true;
	scene->flags[MAIN] = scene->flags[NORMALISE] = scene->flags[TABLE] = SAME;
	scene->flags[NEXT] = CHANGED;
	top = scene_add(scene, 0, MAIN, 0.05, 0.05);
	normalise = scene_add(scene, top, NORMALISE, 0.03, 0.12);
	scene_add(scene, normalise, NEXT, 0.50, 2.50);
	scene_add(scene, top, TABLE, 0.42, 0.42);
	scene->calls = calls;
	scene->instructions = below;
	scene->own_instructions = more;
	assert_int_equal(scene_decide(scene)->status, VERDICT_REGRESSION);
	assert_int_equal(scene->result.functions[NORMALISE].state, VERDICT_CONFIRMED);
	scene->own_instructions = own;
	assert_int_equal(scene_decide(scene)->status, VERDICT_REGRESSION);
	assert_int_equal(scene->result.culprits[0].function, NEXT);
	assert_int_equal(scene->result.culprit_count, 1);
	assert_int_equal(scene->result.functions[NORMALISE].state, VERDICT_UNCHANGED_CODE);
}

/* One function below a call by two paths has one place: a bias of it is one of both together. */
static void test_same_code_below_a_call_has_one_place_in_all_its_contexts(void **state)
{
	static const double calls[WORDS] = {1, 1, NAN, 1, 1, 1, 1, 1};
	struct scene *scene = *state;
	uint32_t top, index, next, normalise;

	scene->places = true;
	scene->flags[MAIN] = scene->flags[NEXT] = scene->flags[NORMALISE] = SAME;
	scene->flags[LETTER] = SAME;
	scene->flags[INDEX] = CHANGED;
	scene->flags[SOUND] = VERDICT_FUNCTION_NEW | CHANGED;
	scene->calls = calls;
	top = scene_add(scene, 0, MAIN, 0.72, 0.72);
	index = scene_add(scene, top, INDEX, 0.02, 0.02);
	scene_add(scene, index, SOUND, 0, 0.15);
	next = scene_add(scene, index, NEXT, 0.001, 0.0014);
	scene_add(scene, next, LETTER, 0.05, 0.0775);
	normalise = scene_add(scene, next, NORMALISE, 0.001, 0.0014);
	scene_add(scene, normalise, LETTER, 0.05, 0.0775);
	assert_int_equal(scene_decide(scene)->status, VERDICT_REGRESSION);
	assert_int_equal(scene->result.culprits[0].function, SOUND);
	assert_int_equal(scene->result.culprit_count, 1);
	assert_in_its_place(scene, LETTER);
}

/* It may have been given more work. */
static void test_same_code_called_as_often_that_grew_more_is_the_cause(void **state)
{
	static const double calls[WORDS] = {1, 1, NAN, 1, 1, NAN, 1, 1};
	struct scene *scene = *state;
	const struct verdict_result *result;

	add_words(scene, 0.25);
	scene->calls = calls;
	result = scene_decide(scene);
	assert_true(result->cause_count > 0);
	assert_int_equal(result->culprits[0].function, NORMALISE);
	assert_int_equal(scene_culprit(scene, SOUND)->cause, VERDICT_NONE);
}

static void test_same_code_called_as_often_is_the_cause_where_there_is_no_other(void **state)
{
	static const double calls[WORDS] = {1, 1, NAN, 1, 1, NAN, 1, 1};
	struct scene *scene = *state;
	uint32_t top, index;

	scene->places = true;
	scene->flags[MAIN] = scene->flags[NORMALISE] = scene->flags[TABLE] = SAME;
	scene->flags[INDEX] = CHANGED;
	scene->calls = calls;
	top = scene_add(scene, 0, MAIN, 0.02, 0.02);
	index = scene_add(scene, top, INDEX, 0.02, 0.02);
	scene_add(scene, index, NORMALISE, 0.10, 0.14);
	scene_add(scene, top, TABLE, 0.80, 0.80);
	assert_int_equal(scene_decide(scene)->status, VERDICT_REGRESSION);
	assert_int_equal(scene->result.cause_count, 1);
	assert_int_equal(scene->result.culprits[0].function, NORMALISE);
}

/* ---- what each explains --------------------------------------------------------------------- */

static double explained_by_causes(const struct verdict_result *result)
{
	double sum = 0;

	for (size_t i = 0; i < result->cause_count; i++)
		sum += result->culprits[i].explained;
	return sum;
}

/* Parse has with all below it 0.34 more; of that is 0.26 notify's, with what it calls. */
static void test_culprits_of_one_path_explain_no_second_twice(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	const struct verdict_culprit *inner;
	uint32_t top, parse, node;

	scene->flags[MAIN] = scene->flags[REST] = SAME;
	scene->flags[PARSE] = scene->flags[NOTIFY] = CHANGED;
	scene->flags[4] = scene->flags[5] = SAME;
	top = scene_add(scene, 0, MAIN, 0.05, 0.05);
	parse = scene_add(scene, top, PARSE, 0.10, 0.14);
	node = scene_add(scene, parse, NOTIFY, 0.10, 0.34);
	scene_add(scene, node, 4, 0.05, 0.07);
	scene_add(scene, parse, 5, 0.10, 0.14);
	scene_add(scene, top, REST, 0.60, 0.60);
	result = scene_decide(scene);
	inner = scene_culprit(scene, NOTIFY);
	assert_int_equal(result->cause_count, 2);
	assert_non_null(inner);
	assert_true(fabs(explained_by_causes(result) - 1) < 0.02);
	assert_true(fabs(inner->explained - 0.26 / 0.34) < 0.02);
}

/* A time and a half as much as the benchmark gained, since something else takes less. */
static void test_more_than_all_is_explained_by_as_much_as_shrank(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	uint32_t top = scene_add(scene, 0, MAIN, 0.05, 0.05);

	scene_add(scene, top, PARSE, 0.20, 0.35);
	scene_add(scene, top, NOTIFY, 0.20, 0.15);
	scene_add(scene, top, REST, 0.55, 0.55);
	result = scene_decide(scene);
	assert_int_equal(result->status, VERDICT_REGRESSION);
	assert_int_equal(result->cause_count, 1);
	assert_true(fabs(result->culprits[0].explained - 1.5) < 0.02);
}

/* By the samples parse takes 0.06 more, by the clock the benchmark does 0.05. */
static void test_samples_that_exceed_the_clock_explain_all_and_not_more(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	uint32_t top = scene_add(scene, 0, MAIN, 0.05, 0.05);

	scene_add(scene, top, PARSE, 0.20, 0.26);
	scene_add(scene, top, REST, 0.75, 0.75);
	scene->clock[0] = 1;
	scene->clock[1] = 1.05;
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 1);
	assert_true(fabs(result->culprits[0].explained - 1) < 1e-9);
}

/* From 1 to 10: all of it is the one function's. */
static void test_one_function_explains_a_tenfold_total(void **state)
{
	struct scene *scene = *state;
	const struct verdict_result *result;
	uint32_t top = scene_add(scene, 0, MAIN, 0.05, 0.05);

	scene_add(scene, top, PARSE, 0.20, 9.20);
	scene_add(scene, top, REST, 0.75, 0.75);
	result = scene_decide(scene);
	assert_int_equal(result->cause_count, 1);
	assert_true(fabs(result->culprits[0].explained - 1) < 0.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(test_confirmed_function_below_a_call_that_is_everything_is_named),
		SCENE(test_what_grew_everywhere_has_no_cause_and_names_the_confirmed),
		SCENE(test_what_grew_more_than_everything_else_is_a_cause),
		SCENE(test_confirmed_functions_below_a_blamed_call_are_carried_by_it),
		SCENE(test_same_relative_evidence_decides_the_same_at_any_size_beyond_chance),
		SCENE(test_calls_that_fit_hardly_better_are_blamed_with_much_evidence),
		SCENE(test_what_a_changed_function_calls_more_often_is_one_cause),
		SCENE(test_a_small_call_does_not_head_what_is_not_below_it),
		SCENE(test_a_call_of_some_weight_heads_what_grew_with_it),
		SCENE(test_what_a_small_call_carries_goes_with_it),
		SCENE(test_a_call_that_is_half_made_up_for_is_blamed_where_the_total_fails),
		SCENE(test_a_second_cause_is_named_beside_many_that_hang_on_the_first),
		SCENE(test_changed_function_below_a_blamed_one_is_a_cause_of_its_own),
		SCENE(test_two_slower_functions_of_one_unchanged_caller_are_two_causes),
		SCENE(test_new_function_comes_before_another_call_beside_it),
		SCENE(test_same_code_called_as_often_hangs_on_nothing_that_is_new),
		SCENE(test_same_code_is_ruled_out_whoever_calls_it),
		SCENE(test_same_code_with_as_many_instructions_is_ruled_out),
		SCENE(test_unchanged_caller_with_as_many_instructions_of_its_own_is_ruled_out),
		SCENE(test_same_code_below_a_call_has_one_place_in_all_its_contexts),
		SCENE(test_same_code_called_as_often_that_grew_more_is_the_cause),
		SCENE(test_same_code_called_as_often_is_the_cause_where_there_is_no_other),
		SCENE(test_culprits_of_one_path_explain_no_second_twice),
		SCENE(test_more_than_all_is_explained_by_as_much_as_shrank),
		SCENE(test_samples_that_exceed_the_clock_explain_all_and_not_more),
		SCENE(test_one_function_explains_a_tenfold_total),
	};

	return cmocka_run_group_tests_name("verdict culprits", tests, NULL, NULL);
}
