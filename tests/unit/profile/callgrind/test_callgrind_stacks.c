/* SPDX-License-Identifier: Apache-2.0 */
/* From a call graph to stacks: what is exact stays exact, whatever the graph. */
#include "tests/unit/profile/callgrind_scene.h"

#include <stdio.h>

#include "gate/base/error.h"
#include "gate/profile/pprof.h"

#define RANDOM_FUNCTIONS 12
#define RANDOM_GRAPHS 200

static struct callgrind_limits limits_with(size_t max_stacks, uint32_t max_depth)
{
	struct callgrind_limits limits = callgrind_default_limits;

	limits.max_stacks = max_stacks;
	limits.max_depth = max_depth;
	return limits;
}

static void test_callers_share_by_the_cost_of_their_calls(void **state)
{
	struct profile *profile = profile_of(HEAD
		"fl=a.c\nfn=main\n1 10\ncfn=a\ncalls=1 1\n2 101\ncfn=b\ncalls=9 1\n3 302\n"
		"fn=a\n1 1\ncfn=work\ncalls=1 1\n2 100\nfn=b\n1 2\ncfn=work\ncalls=9 1\n2 300\n"
		"fn=work\n1 40\ncfn=leaf\ncalls=1 1\n2 360\nfn=leaf\n1 360\ntotals: 413\n",
		NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "main"), 10);
	assert_int_equal(stack_of(profile, "main;a;work"), 10);
	assert_int_equal(stack_of(profile, "main;b;work"), 30);
	assert_int_equal(stack_of(profile, "main;a;work;leaf"), 90);
	assert_int_equal(stack_of(profile, "main;b;work;leaf"), 270);
	assert_int_equal(grand_total(profile), 413);
	assert_int_equal(profile->comment_count, 1);
	assert_non_null(strstr(profile->comments[0], "shared out by the cost of their calls"));
	profile_free(profile);
}

static void test_what_nobody_called_is_a_root(void **state)
{
	struct profile *profile = profile_of(HEAD
		"fl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 30\nfn=f\n1 100\ntotals: 110\n",
		NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "main;f"), 30);
	assert_int_equal(stack_of(profile, "f"), 70);
	profile_free(profile);
}

static void test_recursion_of_one_function_is_one_frame(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 1\n2 100\n"
				"fn=f\n1 10\ncfn=f'2\ncalls=1 1\n2 90\n"
				"fn=f'2\n1 90\ncfn=f'2\ncalls=9 1\n2 500\ntotals: 101\n",
			NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "main;f"), 10);
	assert_int_equal(stack_of(profile, "main;f;f"), 90);
	assert_int_equal(total_of(profile, "f"), 100);
	assert_int_equal(profile->comment_count, 1);
	profile_free(profile);
}

static void test_members_of_a_cycle_stand_below_its_entry(void **state)
{
	/* eval and call call each other; both call leaf; main enters by eval, hook by call. */
	struct profile *profile = profile_of(HEAD
		"fl=a.c\nfn=main\n1 1\ncfn=eval\ncalls=1 1\n2 300\ncfn=hook\ncalls=1 1\n3 110\n"
		"fn=hook\n1 10\ncfn=call\ncalls=1 1\n2 100\n"
		"fn=eval\n1 80\ncfn=call\ncalls=5 1\n2 999\ncfn=leaf\ncalls=1 1\n3 120\n"
		"fn=call\n1 40\ncfn=eval\ncalls=5 1\n2 777\ncfn=leaf\ncalls=1 1\n3 160\n"
		"fn=leaf\n1 280\ntotals: 411\n",
		NULL);

	(void)state;
	assert_int_equal(grand_total(profile), 411);
	assert_int_equal(total_of(profile, "main"), 411);
	assert_int_equal(total_of(profile, "hook"), 110);
	assert_int_equal(self_of(profile, "eval"), 80);
	assert_int_equal(self_of(profile, "call"), 40);
	assert_int_equal(stack_of(profile, "main;eval"), 60);
	assert_int_equal(stack_of(profile, "main;eval;call"), 30);
	assert_int_equal(stack_of(profile, "main;eval;leaf"), 90);
	assert_int_equal(stack_of(profile, "main;eval;call;leaf"), 120);
	assert_int_equal(stack_of(profile, "main;hook;call"), 10);
	assert_int_equal(stack_of(profile, "main;hook;call;eval"), 20);
	assert_int_equal(profile->comment_count, 2);
	assert_non_null(strstr(profile->comments[1], "recursion"));
	profile_free(profile);
}

static void test_a_ring_is_one_cycle(void **state)
{
	struct profile *profile = profile_of(HEAD
		"fl=a.c\nfn=main\n1 1\ncfn=a\ncalls=1 1\n2 60\n"
		"fn=a\n1 10\ncfn=b\ncalls=1 1\n2 50\nfn=b\n1 20\ncfn=c\ncalls=1 1\n2 70\n"
		"fn=c\n1 30\ncfn=a\ncalls=1 1\n2 99\ntotals: 61\n",
		NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "main;a"), 10);
	assert_int_equal(stack_of(profile, "main;a;b"), 20);
	assert_int_equal(stack_of(profile, "main;a;c"), 30);
	assert_int_equal(total_of(profile, "main"), 61);
	profile_free(profile);
}

static void test_a_cycle_that_nobody_called_begins_with_its_heaviest(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=a\n1 10\ncfn=b\ncalls=1 1\n2 20\n"
				"fn=b\n1 20\ncfn=a\ncalls=1 1\n2 50\ntotals: 30\n",
			NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "b"), 20);
	assert_int_equal(stack_of(profile, "b;a"), 10);
	profile_free(profile);
}

static void test_calls_that_claim_too_much_are_cut_down(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=a\n1 1\ncfn=f\ncalls=1 1\n2 300\n"
				"fn=b\n1 1\ncfn=f\ncalls=1 1\n2 18446744073709551615\n"
				"fn=c\n1 1\ncfn=f\ncalls=1 1\n2 18446744073709551615\n"
				"fn=f\n1 100\ntotals: 103\n",
			NULL);

	(void)state;
	assert_int_equal(grand_total(profile), 103);
	assert_int_equal(self_of(profile, "f"), 100);
	assert_int_equal(stack_of(profile, "f"), 0);
	assert_int_equal(profile->comment_count, 2);
	assert_non_null(strstr(profile->comments[1], "warning: the counts of calls are larger"));
	profile_free(profile);
}

static void test_what_is_cut_down_keeps_its_shares(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=a\n1 1\ncfn=f\ncalls=1 1\n2 200\n"
				"fn=b\n1 1\ncfn=f\ncalls=1 1\n2 600\nfn=f\n1 100\ntotals: 102\n",
			NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "a;f"), 25);
	assert_int_equal(stack_of(profile, "b;f"), 75);
	profile_free(profile);
}

static void test_claims_that_overflow_are_claims(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=a\n1 1\ncfn=f\ncalls=1 1\n2 9223372036854775808\n"
				"fn=b\n1 1\ncfn=f\ncalls=1 1\n2 9223372036854775808\n"
				"fn=f\n1 100\ntotals: 102\n",
			NULL);

	(void)state;
	assert_int_equal(grand_total(profile), 102);
	assert_int_equal(stack_of(profile, "f"), 0);
	profile_free(profile);
}

static void test_the_largest_callers_are_served_first(void **state)
{
	/* small comes first in the file, but is too small to be shared out. */
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=small\n1 1\ncfn=f\ncalls=1 1\n2 10\n"
				"fn=smaller\n1 1\ncfn=f\ncalls=1 1\n2 5\n"
				"fn=large\n1 1\ncfn=f\ncalls=1 1\n2 999985\n"
				"fn=f\n1 600000\ncfn=g\ncalls=1 1\n2 400000\nfn=g\n1 400000\n"
				"totals: 1000003\n",
			NULL);

	(void)state;
	assert_int_equal(stack_of(profile, "large;f"), 599991);
	assert_int_equal(stack_of(profile, "large;f;g"), 399994);
	assert_int_equal(stack_of(profile, "small;f"), 9);
	assert_int_equal(stack_of(profile, "small;f;g"), 1);
	assert_int_equal(stack_of(profile, "smaller;f;g"), 5);
	profile_free(profile);
}

static void test_numbers_may_be_large(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=a\n1 1\ncfn=f\ncalls=1 1\n2 4611686018427387904\n"
				"fn=b\n1 1\ncfn=f\ncalls=1 1\n2 4611686018427387901\n"
				"fn=f\n1 9000000000000000000\n2 223372036854775805\n"
				"totals: 9223372036854775807\n",
			NULL);

	(void)state;
	assert_int_equal(grand_total(profile), INT64_MAX);
	assert_int_equal(stack_of(profile, "a;f"), 4611686018427387904);
	assert_int_equal(stack_of(profile, "b;f"), 4611686018427387901);
	assert_int_equal(line_of(profile, "f", 1), 9000000000000000000);
	profile_free(profile);
}

/* ---- random programs ------------------------------------------------------------------------ */

/* A program that calls at random, without recursion, and what callgrind would say of it. */
struct program {
	uint64_t seed;
	int64_t self[RANDOM_FUNCTIONS][3], total[RANDOM_FUNCTIONS];
	int64_t calls[RANDOM_FUNCTIONS][RANDOM_FUNCTIONS];
};

static unsigned random_below(struct program *program, unsigned limit)
{
	program->seed = program->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(program->seed >> 33) % limit;
}

static int64_t execute(struct program *program, unsigned function, unsigned depth)
{
	int64_t cost = 0;

	for (unsigned line = 0; line < 3; line++) {
		int64_t own = random_below(program, 50);

		program->self[function][line] += own;
		cost += own;
	}
	for (unsigned i = random_below(program, depth > 7 ? 1 : 4); i; i--) {
		unsigned callee = function + 1 + random_below(program, RANDOM_FUNCTIONS / 2);

		if (callee < RANDOM_FUNCTIONS) {
			int64_t inside = execute(program, callee, depth + 1);

			program->calls[function][callee] += inside;
			cost += inside;
		}
	}
	program->total[function] += cost;
	return cost;
}

static void describe(const struct program *program, struct strbuf *text)
{
	int64_t sum = 0;

	strbuf_addstr(text, HEAD "fl=a.c\n");
	for (unsigned f = 0; f < RANDOM_FUNCTIONS; f++) {
		strbuf_addf(text, "fn=f%u\n", f);
		for (unsigned line = 0; line < 3; line++) {
			strbuf_addf(text, "%u %lld\n", line + 1, (long long)program->self[f][line]);
			sum += program->self[f][line];
		}
		for (unsigned g = 0; g < RANDOM_FUNCTIONS; g++)
			if (program->calls[f][g])
				strbuf_addf(text, "cfn=f%u\ncalls=1 1\n9 %lld\n", g,
					(long long)program->calls[f][g]);
	}
	strbuf_addf(text, "totals: %lld\n", (long long)sum);
}

/* What the call of `to` by `from` costs, over all stacks. */
static int64_t call_of(const struct profile *profile, const char *from, const char *to)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++)
		for (uint32_t d = 1; d < profile->samples[i].depth; d++)
			if (strcmp(name_of(profile, &profile->samples[i], d), from) == 0 &&
				strcmp(name_of(profile, &profile->samples[i], d - 1), to) == 0)
				sum += profile->samples[i].values[0];
	return sum;
}

static void check_program(const struct program *program, const struct profile *profile)
{
	char f_name[16], g_name[16];

	for (unsigned f = 0; f < RANDOM_FUNCTIONS; f++) {
		snprintf(f_name, sizeof(f_name), "f%u", f);
		for (unsigned line = 0; line < 3; line++)
			assert_int_equal(
				line_of(profile, f_name, line + 1), program->self[f][line]);
		assert_int_equal(total_of(profile, f_name), program->total[f]);
		for (unsigned g = 0; g < RANDOM_FUNCTIONS; g++) {
			snprintf(g_name, sizeof(g_name), "f%u", g);
			assert_int_equal(call_of(profile, f_name, g_name), program->calls[f][g]);
		}
	}
	for (size_t i = 0; i < profile->sample_count; i++)
		assert_true(profile->samples[i].values[0] > 0);
}

static void test_random_programs_keep_every_number(void **state)
{
	static const size_t max_stacks[] = {1, 60, 16000};

	(void)state;
	for (unsigned graph = 0; graph < RANDOM_GRAPHS; graph++) {
		struct callgrind_limits limits = limits_with(max_stacks[graph % 3], 512);
		struct program program = {.seed = graph};
		struct strbuf text = STRBUF_INIT;
		struct profile *profile;

		for (int i = 0; i < 5; i++)
			execute(&program, random_below(&program, 2), 0);
		describe(&program, &text);
		profile = profile_of(text.data, &limits);
		check_program(&program, profile);
		profile_free(profile);
		strbuf_release(&text);
	}
}

/* ---- size ------------------------------------------------------------------------------------ */

/* Each of `levels` calls both of the next level's two functions: 2^levels paths. */
static void ladder(struct strbuf *text, unsigned levels, long cost)
{
	strbuf_addstr(text, HEAD "fl=a.c\nfn=top\n1 1\ncfn=a0\ncalls=1 1\n");
	strbuf_addf(text, "2 %ld\ncfn=b0\ncalls=1 1\n3 %ld\n", cost * levels, cost * levels);
	for (unsigned i = 0; i < levels; i++)
		for (char side = 'a'; side <= 'b'; side++) {
			long below = cost * (levels - i - 1);

			strbuf_addf(text, "fn=%c%u\n1 %ld\n", side, i, cost);
			if (below)
				strbuf_addf(text,
					"cfn=a%u\ncalls=1 1\n2 %ld\ncfn=b%u\ncalls=1 1\n3 %ld\n",
					i + 1, below / 2, i + 1, below - below / 2);
		}
	strbuf_addf(text, "totals: %ld\n", 2 * cost * levels + 1);
}

static void test_many_paths_become_few_stacks(void **state)
{
	struct callgrind_limits limits = limits_with(1000, 512);
	struct strbuf text = STRBUF_INIT;
	struct profile *profile;
	char name[16];

	(void)state;
	ladder(&text, 40, 1000000);
	profile = profile_of(text.data, &limits);
	assert_true(profile->sample_count <= 1000);
	assert_true(profile->sample_count > 160);
	assert_int_equal(grand_total(profile), 80000001);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "a%d", i);
		assert_int_equal(self_of(profile, name), 1000000);
		assert_int_equal(total_of(profile, name), 1000000 * (40 - i));
	}
	/* The first levels are large: shared out evenly. */
	assert_int_equal(stack_of(profile, "top;a0;a1"), 500000);
	assert_int_equal(stack_of(profile, "top;b0;a1;b2"), 250000);
	profile_free(profile);
	strbuf_release(&text);
}

static void test_many_callers_of_many_callees_become_few_stacks(void **state)
{
	struct callgrind_limits limits = limits_with(1000, 512);
	struct strbuf text = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	strbuf_addstr(&text, HEAD "fl=a.c\n");
	for (int i = 0; i < 64; i++)
		strbuf_addf(&text, "fn=in%d\n1 1\ncfn=f\ncalls=1 1\n2 6400\n", i);
	strbuf_addstr(&text, "fn=f\n");
	for (int i = 0; i < 64; i++)
		strbuf_addf(&text, "cfn=out%d\ncalls=1 1\n2 6400\n", i);
	for (int i = 0; i < 64; i++)
		strbuf_addf(&text, "fn=out%d\n1 6400\n", i);
	strbuf_addf(&text, "totals: %d\n", 64 * 6401);
	profile = profile_of(text.data, &limits);
	assert_true(profile->sample_count <= 1000);
	assert_int_equal(total_of(profile, "in7"), 6401);
	assert_int_equal(self_of(profile, "out7"), 6400);
	profile_free(profile);
	profile = profile_of(text.data, NULL);
	assert_int_equal(stack_of(profile, "in3;f;out5"), 100);
	profile_free(profile);
	strbuf_release(&text);
}

/* 400 callers of the first of 400 functions in a row: no file may cost the product of the two. */
static void test_many_callers_of_a_long_chain_are_joined(void **state)
{
	struct callgrind_limits limits = limits_with(10, 512);
	struct strbuf text = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	limits.max_pieces = 20000;
	strbuf_addstr(&text, HEAD "fl=a.c\n");
	for (int i = 0; i < 400; i++)
		strbuf_addf(&text, "fn=caller%d\ncfn=link0\ncalls=1 1\n1 1\n", i);
	for (int i = 0; i < 399; i++)
		strbuf_addf(&text, "fn=link%d\ncfn=link%d\ncalls=1 1\n1 400\n", i, i + 1);
	strbuf_addstr(&text, "fn=link399\n1 400\ntotals: 400\n");
	profile = profile_of(text.data, &limits);
	assert_int_equal(profile->sample_count, 1);
	assert_int_equal(grand_total(profile), 400);
	assert_int_equal(total_of(profile, "link0"), 400);
	assert_non_null(strstr(profile->comments[1], "lost frames"));
	profile_free(profile);
	limits.max_pieces = 200000;
	profile = profile_of(text.data, &limits);
	assert_int_equal(profile->sample_count, 400);
	assert_int_equal(profile->comment_count, 1);
	profile_free(profile);
	strbuf_release(&text);
}

static void test_a_small_change_moves_no_large_stack(void **state)
{
	struct callgrind_limits limits = limits_with(1000, 512);
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	struct profile *left, *right;

	(void)state;
	ladder(&before, 30, 100000);
	ladder(&after, 30, 100100);
	left = profile_of(before.data, &limits);
	right = profile_of(after.data, &limits);
	assert_int_equal(stack_of(left, "top;b0;a1;b2"), 25000);
	assert_int_equal(stack_of(right, "top;b0;a1;b2"), 25025);
	profile_free(left);
	profile_free(right);
	strbuf_release(&before);
	strbuf_release(&after);
}

/* f0 calls f1 calls f2 ... */
static void chain(struct strbuf *text, unsigned length)
{
	strbuf_addstr(text, HEAD "fl=a.c\n");
	for (unsigned i = 0; i < length; i++) {
		strbuf_addf(text, "fn=f%u\n1 1\n", i);
		if (i + 1 < length)
			strbuf_addf(text, "cfn=f%u\ncalls=1 1\n2 %u\n", i + 1, length - i - 1);
	}
	strbuf_addf(text, "totals: %u\n", length);
}

static void test_deep_stacks_lose_frames_but_no_cost(void **state)
{
	struct callgrind_limits limits = limits_with(16000, 20);
	struct strbuf text = STRBUF_INIT;
	struct profile *profile;
	uint32_t deepest = 0;

	(void)state;
	chain(&text, 3000);
	profile = profile_of(text.data, &limits);
	assert_int_equal(grand_total(profile), 3000);
	assert_int_equal(total_of(profile, "f0"), 3000);
	assert_int_equal(total_of(profile, "f18"), 2982);
	assert_int_equal(self_of(profile, "f2999"), 1);
	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile->samples[i].depth > deepest)
			deepest = profile->samples[i].depth;
	assert_int_equal(deepest, 20);
	assert_int_equal(profile->comment_count, 2);
	assert_non_null(strstr(profile->comments[1], "warning: the deepest stacks"));
	profile_free(profile);
	strbuf_release(&text);
}

static void test_lines_of_no_weight_lose_their_number_where_there_are_many(void **state)
{
	struct callgrind_limits limits = limits_with(100, 512);
	struct strbuf text = STRBUF_INIT;
	struct profile *profile;

	(void)state;
	strbuf_addstr(&text, HEAD "fl=a.c\nfn=f\n1 10000000\n");
	for (int line = 2; line < 302; line++)
		strbuf_addf(&text, "%d 1\n", line);
	strbuf_addstr(&text, "totals: 10000300\n");
	profile = profile_of(text.data, &limits);
	assert_int_equal(line_of(profile, "f", 1), 10000000);
	assert_int_equal(line_of(profile, "f", 0), 300);
	assert_int_equal(profile->sample_count, 2);
	profile_free(profile);
	profile = profile_of(text.data, NULL);
	assert_int_equal(line_of(profile, "f", 301), 1);
	profile_free(profile);
	strbuf_release(&text);
}

static void test_equal_files_give_equal_bytes(void **state)
{
	struct strbuf text = STRBUF_INIT, left = STRBUF_INIT, right = STRBUF_INIT;
	struct profile *profile;
	struct error err;

	(void)state;
	ladder(&text, 25, 77777);
	profile = profile_of(text.data, NULL);
	assert_int_equal(pprof_encode(profile, &left, &err), ERR_OK);
	profile_free(profile);
	profile = profile_of(text.data, NULL);
	assert_int_equal(pprof_encode(profile, &right, &err), ERR_OK);
	profile_free(profile);
	assert_int_equal(left.length, right.length);
	assert_memory_equal(left.data, right.data, left.length);
	strbuf_release(&text);
	strbuf_release(&left);
	strbuf_release(&right);
}

static void test_an_empty_run_has_no_samples(void **state)
{
	struct profile *profile =
		profile_of(HEAD "fl=a.c\nfn=f\n1 0\ncfn=g\ncalls=1 1\n2 0\ntotals: 0\n", NULL);

	(void)state;
	assert_int_equal(profile->sample_count, 0);
	assert_int_equal(profile->type_count, 1);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers_share_by_the_cost_of_their_calls),
		cmocka_unit_test(test_what_nobody_called_is_a_root),
		cmocka_unit_test(test_recursion_of_one_function_is_one_frame),
		cmocka_unit_test(test_members_of_a_cycle_stand_below_its_entry),
		cmocka_unit_test(test_a_ring_is_one_cycle),
		cmocka_unit_test(test_a_cycle_that_nobody_called_begins_with_its_heaviest),
		cmocka_unit_test(test_calls_that_claim_too_much_are_cut_down),
		cmocka_unit_test(test_what_is_cut_down_keeps_its_shares),
		cmocka_unit_test(test_claims_that_overflow_are_claims),
		cmocka_unit_test(test_the_largest_callers_are_served_first),
		cmocka_unit_test(test_numbers_may_be_large),
		cmocka_unit_test(test_random_programs_keep_every_number),
		cmocka_unit_test(test_many_paths_become_few_stacks),
		cmocka_unit_test(test_many_callers_of_many_callees_become_few_stacks),
		cmocka_unit_test(test_many_callers_of_a_long_chain_are_joined),
		cmocka_unit_test(test_a_small_change_moves_no_large_stack),
		cmocka_unit_test(test_deep_stacks_lose_frames_but_no_cost),
		cmocka_unit_test(test_lines_of_no_weight_lose_their_number_where_there_are_many),
		cmocka_unit_test(test_equal_files_give_equal_bytes),
		cmocka_unit_test(test_an_empty_run_has_no_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
