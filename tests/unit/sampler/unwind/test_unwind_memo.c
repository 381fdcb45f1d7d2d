/* SPDX-License-Identifier: Apache-2.0 */
/* The remembering walk against the plain one, at every look of random call patterns. */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>

#include "gate/sampler/context.h"
#include "gate/sampler/unwind/unwind_memo.h"

enum { LAYOUT = 3, MAX_CALLS = 45 };

/* Of one test thread. */
struct bench {
	struct fg_memo *memo;
	struct fg_stack_bounds bounds;
	uint64_t random;
	unsigned looks, differences, hash_differences, joined;
	size_t deepest;
	jmp_buf escape;
	bool may_escape;
};
static _Thread_local struct bench *bench;

static void *pages(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

static uint32_t chance(uint32_t bound)
{
	bench->random = bench->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(bench->random >> 33) % bound;
}

/* What a memo that remembers nothing makes of the same place. */
static uint64_t fresh_hash(const struct fg_registers *registers, uint32_t layout)
{
	static _Thread_local struct fg_memo *empty;
	struct fg_walk walk;

	if (!empty)
		empty = pages(fg_memo_bytes());
	memset(empty, 0, fg_memo_bytes());
	fg_memo_walk(empty, test_cache(), layout, registers, &bench->bounds, &walk);
	return walk.hash;
}

ALONE static void look(void)
{
	struct fg_registers registers;
	struct test_walk plain;
	struct fg_walk walk;

	FG_REGISTERS_HERE(&registers);
	plain.count = fg_unwind(test_cache(), &registers, &bench->bounds, plain.pcs, plain.exact,
		FG_MAX_DEPTH, &plain.end);
	fg_memo_walk(bench->memo, test_cache(), LAYOUT, &registers, &bench->bounds, &walk);
	bench->looks++;
	bench->differences += !test_same_walk(&walk, &plain);
	bench->hash_differences += walk.hash != fresh_hash(&registers, LAYOUT);
	if (walk.depth > bench->deepest)
		bench->deepest = walk.depth;
	NO_TAIL_CALL;
}

/* ---- callers of many shapes ------------------------------------------------------------------ */

static void wander(int left);

ALONE static uint64_t many_saved(int left, uint64_t a, uint64_t b)
{
	uint64_t c = a * 3 + b, d = a ^ b, e = a - b, f = a * b;

	wander(left);
	look();
	wander(left - 1);
	return a + b + c + d + e + f;
}

ALONE static uint64_t with_alloca(int left, uint64_t size)
{
	volatile char *room = alloca(size + 16);
	uint64_t kept = size * 7;

	room[size] = 1;
	wander(left);
	look();
	return kept + (uint64_t)room[size];
}

ALONE static uint64_t realigned(int left, uint64_t size)
{
	volatile char aligned[64] __attribute__((aligned(64)));
	volatile char *room = alloca(size + 16);

	aligned[size % 64] = 1;
	room[0] = 2;
	look();
	wander(left);
	return (uint64_t)aligned[0] + (uint64_t)room[0];
}

static int compare(const void *a, const void *b)
{
	static _Thread_local int depth;

	if (depth == 0 && chance(4) == 0) {
		depth++;
		look();
		depth--;
	}
	return *(const int *)a - *(const int *)b;
}

ALONE static void through_libc(int left)
{
	int numbers[5] = {5, 3, 1, 4, 2};

	qsort(numbers, 5, sizeof(numbers[0]), compare);
	wander(left);
	look();
	NO_TAIL_CALL;
}

static void on_signal(int signal)
{
	(void)signal;
	look();
	look();
	NO_TAIL_CALL;
}

ALONE static void through_signal(int left)
{
	raise(SIGUSR1);
	wander(left);
	raise(SIGUSR1);
	NO_TAIL_CALL;
}

ALONE static void loop(int left)
{
	for (uint32_t i = 0, n = chance(4); i < n; i++) {
		look();
		wander(left - 2);
	}
	NO_TAIL_CALL;
}

ALONE static void jump_out(int left)
{
	look();
	if (bench->may_escape && chance(3) == 0)
		longjmp(bench->escape, 1);
	wander(left);
	NO_TAIL_CALL;
}

static void wander(int left)
{
	if (left <= 0)
		return;
	switch (chance(9)) {
	case 0:
		many_saved(left - 1, chance(100), chance(3));
		break;
	case 1:
		with_alloca(left - 1, chance(200));
		break;
	case 2:
		realigned(left - 1, chance(2) * 64);
		break;
	case 3:
		through_libc(left - 1);
		break;
	case 4:
		through_signal(left - 3);
		break;
	case 5:
		loop(left - 1);
		break;
	case 6:
		jump_out(left - 1);
		break;
	default:
		look();
		wander(left - 1);
		NO_TAIL_CALL;
		break;
	}
}

static void begin(struct bench *new_bench, uint64_t seed)
{
	*new_bench = (struct bench){.random = seed};
	new_bench->memo = pages(fg_memo_bytes());
	bench = new_bench;
	bench->bounds = test_bounds();
	signal(SIGUSR1, on_signal);
}

static void assert_equal_walks(const struct bench *done, unsigned looks)
{
	assert_true(done->looks >= looks);
	assert_int_equal(done->differences, 0);
	assert_int_equal(done->hash_differences, 0);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void test_random_calls_give_the_plain_walk_s_frames(void **state)
{
	struct bench here;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		begin(&here, seed);
		for (int round = 0; here.looks < 300 && round < 300; round++)
			wander((int)chance(MAX_CALLS));
		assert_equal_walks(&here, 300);
	}
}

static void test_frames_that_longjmp_left_are_forgotten(void **state)
{
	static struct bench here;

	(void)state;
	begin(&here, 77);
	here.may_escape = true;
	for (volatile int round = 0; round < 400; round++)
		if (setjmp(here.escape) == 0)
			wander(20);
	assert_equal_walks(&here, 1000);
}

ALONE static uint64_t dive(int left, uint64_t salt)
{
	uint64_t result = 0;

	if (left == 0)
		look();
	else
		result = dive(left - 1, salt * 3) + salt;
	if (left % 50 == 0)
		look();
	return result;
}

static void test_deeper_than_the_limit_is_cut_like_the_plain_walk(void **state)
{
	struct bench here;

	(void)state;
	begin(&here, 5);
	for (int depth = FG_MAX_DEPTH - 30; depth < FG_MAX_DEPTH + 100; depth += 3)
		dive(depth, (uint64_t)depth);
	assert_equal_walks(&here, 100);
	assert_int_equal(here.deepest, FG_MAX_DEPTH);
}

static void *wander_in_thread(void *argument)
{
	struct bench here;

	begin(&here, (uint64_t)(uintptr_t)argument);
	for (int i = 0; i < 20; i++)
		wander(20);
	munmap(here.memo, fg_memo_bytes());
	return (void *)(uintptr_t)(here.differences + here.hash_differences + (here.looks < 20));
}

static void test_threads_have_their_own(void **state)
{
	pthread_t threads[4];
	void *result;

	(void)state;
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, wander_in_thread, (void *)(i + 9)), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		assert_null(result);
	}
}

static ucontext_t outside, coroutine;

static void coroutine_body(void)
{
	for (int i = 0; i < 6; i++) {
		wander(12);
		swapcontext(&coroutine, &outside);
	}
}

static void test_coroutines_give_the_plain_walk_s_frames(void **state)
{
	struct bench here;
	size_t bytes = (size_t)1 << 20;

	(void)state;
	begin(&here, 31);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = pages(bytes);
	coroutine.uc_stack.ss_size = bytes;
	coroutine.uc_link = &outside;
	makecontext(&coroutine, coroutine_body, 0);
	for (int i = 0; i < 6; i++) {
		swapcontext(&outside, &coroutine);
		wander(12);
	}
	assert_equal_walks(&here, 20);
}

/* Rules that a walk had to look up, seen as words of a cache that was empty. */
static size_t steps_taken(struct fg_rule_cache *cache)
{
	const uint64_t *words = (const uint64_t *)cache;
	size_t steps = 0;

	for (size_t i = 0; i < 2 * (size_t)FG_RULE_SLOTS; i += 2)
		steps += words[i] != 0 || words[i + 1] != 0;
	return steps;
}

struct visit {
	size_t steps, depth;
	uint64_t hash;
};

ALONE static void visit(uint32_t layout, struct visit *visit)
{
	static struct fg_rule_cache *empty;
	struct fg_registers registers;
	struct fg_walk walk;

	if (!empty)
		empty = pages(fg_rule_cache_bytes());
	fg_rule_cache_forget(empty);
	FG_REGISTERS_HERE(&registers);
	fg_memo_walk(bench->memo, empty, layout, &registers, &bench->bounds, &walk);
	*visit = (struct visit){steps_taken(empty), walk.depth, walk.hash};
}

ALONE static void visit_twice(int down, uint32_t layout, struct visit *visits)
{
	if (down) {
		visit_twice(down - 1, layout, visits);
	} else {
		visit(LAYOUT, &visits[0]);
		visit(layout, &visits[1]);
	}
	NO_TAIL_CALL;
}

static void test_a_second_walk_takes_few_steps(void **state)
{
	struct visit visits[2];
	struct bench here;

	(void)state;
	begin(&here, 1);
	visit_twice(20, LAYOUT, visits);
	assert_true(visits[0].depth > 20);
	assert_true(visits[0].steps > 5);
	assert_int_equal(visits[1].depth, visits[0].depth);
	assert_true(visits[1].steps <= 2);
}

static void test_another_layout_is_another_walk(void **state)
{
	struct visit visits[2];
	struct bench here;

	(void)state;
	begin(&here, 1);
	visit_twice(20, LAYOUT + 1, visits);
	assert_int_equal(visits[1].steps, visits[0].steps);
	assert_int_not_equal(visits[1].hash, visits[0].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_calls_give_the_plain_walk_s_frames),
		cmocka_unit_test(test_frames_that_longjmp_left_are_forgotten),
		cmocka_unit_test(test_deeper_than_the_limit_is_cut_like_the_plain_walk),
		cmocka_unit_test(test_threads_have_their_own),
		cmocka_unit_test(test_coroutines_give_the_plain_walk_s_frames),
		cmocka_unit_test(test_a_second_walk_takes_few_steps),
		cmocka_unit_test(test_another_layout_is_another_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
