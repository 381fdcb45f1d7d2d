/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The remembering walk against the plain one on made-up stacks: rules of every form are put into
 * the cache for addresses that hold no code, frames are laid out by them, and then words, registers
 * and the leaf's side change at random between two walks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "gate/sampler/unwind/unwind_memo.h"
#include "gate/sampler/unwind/unwind_step.h"

enum {
	WORDS = 2600,
	CODES = 120,
	BRIDGES = 60, /* codes whose frames are 1, 2, 3... words large */
	ROOT_CODE = BRIDGES,
	SIGNAL_CODE,
	FIRST_RANDOM,
	EPISODES = 150,
	CHANGES = 1200,
	LAYOUT = 1
};

struct layout {
	size_t count;
	struct fg_frame frames[WORDS];
};

static struct fg_rule_cache *cache;
static struct fg_memo *memo, *empty;
static struct fg_cfi_rule rules[CODES];
/*
 * No stack lies in an object: what is found out of an object's address is kept in the cache, and
 * could take a made-up rule's place.
 */
static uint64_t *stack;
static uint64_t *elsewhere; /* another stack, which comes and goes */
static struct layout built;
static uint64_t random_state;

static uint32_t chance(uint32_t bound)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(random_state >> 33) % bound;
}

static uint64_t address_of(const uint64_t *word)
{
	return (uint64_t)(uintptr_t)word;
}

static uint64_t code(uint32_t number)
{
	return UINT64_C(0x10000) + number * UINT64_C(16);
}

static void keep_rule(uint64_t pc, bool exact, struct fg_cfi_rule rule)
{
	const union fg_packed_rule packed = {.rule = rule};
	size_t home = fg_rule_home(pc);

	for (size_t i = 0; i < FG_RULE_BUCKET; i++) {
		struct fg_rule_slot *slot = &cache->slots[home ^ i];

		if (slot->tag | slot->bits)
			continue;
		slot->tag = fg_rule_key(pc, exact) ^ packed.bits;
		slot->bits = packed.bits;
		return;
	}
	fail();
}

/* Ten bits, signed. */
static uint32_t words_below(uint32_t words)
{
	return (0 - words) & 0x3ff;
}

static struct fg_cfi_rule random_rule(void)
{
	static const uint8_t kinds[] = {CFI_RULE_SP, CFI_RULE_SP, CFI_RULE_SP, CFI_RULE_SP,
		CFI_RULE_FP, CFI_RULE_FP, CFI_RULE_SPARE, CFI_RULE_DEREF_SP, CFI_RULE_DEREF_FP,
		CFI_RULE_DEREF_SPARE};
	uint32_t kind = kinds[chance(sizeof(kinds))];
	bool deref = kind >= CFI_RULE_DEREF_SP;

	return (struct fg_cfi_rule){.kind = kind & 15,
		.cfa_offset = 8 * (deref ? (int32_t)chance(6) - 2 : 2 + (int32_t)chance(5)),
		.add_words = (deref ? chance(3) : 0) & 15,
		.fp_saved = chance(3) & 3,
		.spare_saved = chance(3) & 3,
		.fp_words = words_below(1 + chance(5)) & 0x3ff,
		.spare_words = words_below(1 + chance(5)) & 0x3ff};
}

static struct fg_cfi_rule rule_of(uint32_t number)
{
	static const uint8_t last[] = {
		CFI_RULE_START, CFI_RULE_SLOW, CFI_RULE_BAD, CFI_RULE_NONE, CFI_RULE_NONE};

	if (number < BRIDGES)
		return (struct fg_cfi_rule){.kind = CFI_RULE_SP,
			.cfa_offset = 8 * (int32_t)(number + 1),
			.fp_saved = chance(2) & 3,
			.fp_words = words_below(2) & 0x3ff};
	if (number == ROOT_CODE)
		return (struct fg_cfi_rule){.kind = CFI_RULE_ROOT};
	if (number == SIGNAL_CODE)
		return (struct fg_cfi_rule){.kind = CFI_RULE_SIGNAL};
	if (number >= CODES - sizeof(last))
		return (struct fg_cfi_rule){.kind = last[CODES - 1 - number] & 15u};
	return random_rule();
}

static void make_rules(void)
{
	fg_rule_cache_forget(cache);
	for (uint32_t i = 0; i < CODES; i++) {
		rules[i] = rule_of(i);
		keep_rule(code(i), true, rules[i]);
		keep_rule(code(i), false, rules[i]);
	}
}

static void put(uint64_t address, uint64_t value)
{
	if (address >= address_of(stack) && address < address_of(stack + WORDS) && address % 8 == 0)
		*(uint64_t *)(uintptr_t)address = value;
}

/* Above the address, mostly near; seldom on another stack. */
static uint64_t pointer_above(uint64_t address)
{
	if (chance(200) == 0)
		return address_of(elsewhere + chance(WORDS));
	return address + chance(chance(4) ? 8 : 60) * UINT64_C(8);
}

static void lay_signal(const struct fg_frame *frame, struct fg_frame *caller)
{
	*caller = (struct fg_frame){.pc = code(FIRST_RANDOM + chance(20)),
		.sp = frame->sp + (32 + chance(8)) * UINT64_C(8),
		.fp = pointer_above(frame->sp),
		.spare = pointer_above(frame->sp)};
	put(frame->sp + SIGNAL_PC, caller->pc);
	put(frame->sp + SIGNAL_SP, caller->sp);
	put(frame->sp + SIGNAL_FP, caller->fp);
	put(frame->sp + SIGNAL_SPARE, caller->spare);
}

static uint64_t saved_at(uint32_t saved, uint32_t words, uint64_t cfa, const struct fg_frame *frame)
{
	return (saved == CFI_SAVED_CFA ? cfa : frame->fp) + fg_saved_offset(words);
}

/* Lays the frame out for its rule, so that it has a caller with this pc. */
static void lay_frame(const struct fg_frame *frame, uint64_t pc, struct fg_frame *caller)
{
	struct fg_cfi_rule rule = rules[(frame->pc - code(0)) / 16];
	uint32_t base = (uint32_t)rule.kind % 3;
	uint64_t cfa = (base == 0          ? frame->sp
			       : base == 1 ? frame->fp
					   : frame->spare) +
		       fg_cfa_offset(rule);

	*caller = *frame;
	if (rule.kind >= CFI_RULE_DEREF_SP) {
		uint64_t pointer = pointer_above(frame->sp + 16);

		put(cfa, pointer);
		cfa = pointer + rule.add_words * UINT64_C(8);
	}
	if (rule.fp_saved)
		put(saved_at(rule.fp_saved, rule.fp_words, cfa, frame),
			caller->fp = pointer_above(cfa));
	if (rule.spare_saved)
		put(saved_at(rule.spare_saved, rule.spare_words, cfa, frame),
			caller->spare = pointer_above(cfa));
	put(cfa - 8, pc);
	caller->pc = pc;
	caller->sp = cfa;
}

static uint64_t next_code(bool small)
{
	if (chance(small ? 2000 : 40) == 0)
		return code(chance(10) ? SIGNAL_CODE : chance(CODES));
	return small ? code(chance(3)) : code(chance(2) ? chance(12) : FIRST_RANDOM + chance(40));
}

/* Frames from *leaf on, to the root or where one cannot be laid out. */
static void build(const struct fg_frame *leaf, bool small)
{
	struct fg_frame frame = *leaf;

	for (built.count = 0; built.count < WORDS; built.count++) {
		struct fg_frame caller;

		built.frames[built.count] = frame;
		if (frame.sp + 80 * UINT64_C(8) > address_of(stack + WORDS))
			break;
		if (frame.pc == code(SIGNAL_CODE))
			lay_signal(&frame, &caller);
		else
			lay_frame(&frame, next_code(small), &caller);
		if (caller.sp <= frame.sp || caller.sp - frame.sp > 700)
			break;
		frame = caller;
	}
	put(frame.sp + 8, code(ROOT_CODE));
}

static struct fg_frame low_leaf(void)
{
	uint64_t sp = address_of(stack + 8 + chance(100));

	return (struct fg_frame){.pc = next_code(false),
		.sp = sp,
		.fp = pointer_above(sp),
		.spare = pointer_above(sp)};
}

/* The leaf's side is another one, and its last frame returns into one that was there before. */
static void rebuild_leaf(struct fg_frame *leaf)
{
	struct fg_frame old = built.frames[chance((uint32_t)built.count)], bridge, caller;
	uint64_t words = 1 + chance(BRIDGES);

	if (old.sp < address_of(stack) + (words + 4) * 8)
		return;
	bridge = (struct fg_frame){.pc = code((uint32_t)words - 1),
		.sp = old.sp - words * 8,
		.fp = chance(2) ? old.fp : pointer_above(old.sp),
		.spare = chance(2) ? old.spare : pointer_above(old.sp)};
	lay_frame(&bridge, chance(10) ? old.pc : next_code(false), &caller);
	*leaf = bridge;
}

/* In or just below a frame that was laid out, or anywhere. */
static uint64_t *random_word(void)
{
	uint64_t near = built.frames[chance((uint32_t)built.count)].sp + chance(16) * UINT64_C(8) -
			6 * UINT64_C(8);

	if (chance(10) == 0 || near < address_of(stack) || near >= address_of(stack + WORDS))
		return &stack[chance(WORDS)];
	return (uint64_t *)(uintptr_t)near;
}

static void change(struct fg_frame *leaf)
{
	uint64_t *word;

	switch (chance(8)) {
	case 0:
		rebuild_leaf(leaf);
		break;
	case 1:
		leaf->fp = pointer_above(leaf->sp);
		break;
	case 2:
		leaf->spare = pointer_above(leaf->sp);
		break;
	case 3:
		mprotect(elsewhere, WORDS * sizeof(*elsewhere),
			chance(2) ? PROT_NONE : PROT_READ | PROT_WRITE);
		break;
	case 4:
		*leaf = built.frames[chance((uint32_t)built.count)];
		break;
	default:
		word = random_word();
		*word = chance(2) ? next_code(false) : pointer_above(address_of(word));
		break;
	}
}

static void walk(struct fg_memo *with, const struct fg_frame *leaf, struct fg_walk *result)
{
	const struct fg_stack_bounds bounds = {address_of(stack), address_of(stack + WORDS)};
	const struct fg_registers registers = {
		.pc = leaf->pc, .sp = leaf->sp, .fp = leaf->fp, .spare = leaf->spare};

	fg_memo_walk(with, cache, LAYOUT, &registers, &bounds, result);
}

/* The made-up rules stand nowhere but in the cache: none may have given way to another. */
static void assert_rules_are_kept(void)
{
	for (uint32_t i = 0; i < CODES; i++) {
		union fg_packed_rule is, was = {.rule = rules[i]};

		is.rule = fg_rule_for(cache, code(i), i % 2);
		assert_int_equal(is.bits, was.bits);
	}
}

static void compare(const struct fg_frame *leaf)
{
	const struct fg_stack_bounds bounds = {address_of(stack), address_of(stack + WORDS)};
	const struct fg_registers registers = {
		.pc = leaf->pc, .sp = leaf->sp, .fp = leaf->fp, .spare = leaf->spare};
	uint64_t pcs[FG_MAX_DEPTH], exact[FG_MAX_DEPTH / 64];
	struct fg_walk remembered, fresh;
	enum fg_walk_end end;
	size_t depth;

	assert_rules_are_kept();
	depth = fg_unwind(cache, &registers, &bounds, pcs, exact, FG_MAX_DEPTH, &end);
	walk(memo, leaf, &remembered);
	assert_int_equal(remembered.depth, depth);
	assert_int_equal(remembered.end, end);
	assert_memory_equal(remembered.pcs, pcs, depth * sizeof(pcs[0]));
	for (size_t i = 0; i < depth; i++)
		assert_int_equal(
			remembered.exact[i / 64] >> (i % 64) & 1, exact[i / 64] >> (i % 64) & 1);
	memset(empty, 0, 64);
	walk(empty, leaf, &fresh);
	assert_int_equal(fresh.depth, depth);
	assert_int_equal(remembered.hash, fresh.hash);
}

static size_t deepest(const struct fg_frame *leaf)
{
	struct fg_walk result;

	walk(empty, leaf, &result);
	return result.depth;
}

static void test_any_change_is_noticed(void **state)
{
	size_t deep = 0, cut = 0;

	(void)state;
	for (uint64_t episode = 1; episode <= EPISODES; episode++) {
		struct fg_frame leaf;

		random_state = episode;
		make_rules();
		memset(stack, 0, WORDS * sizeof(*stack));
		leaf = low_leaf();
		build(&leaf, episode % 3 == 0);
		deep += deepest(&leaf) > 20;
		cut += deepest(&leaf) == FG_MAX_DEPTH;
		for (int i = 0; i < CHANGES; i++) {
			compare(&leaf);
			for (uint32_t n = chance(3); n > 0; n--)
				change(&leaf);
		}
	}
	/* The stacks are worth comparing. */
	assert_true(deep > EPISODES / 10);
	assert_true(cut > 2 || FG_LINK_REGISTER);
}

/* Of a walk of a copy, as the stack is nobody's: it is never remembered. */
static uint64_t full_hash(const struct fg_frame *leaf)
{
	const struct fg_stack_bounds bounds = {0, 0};
	const struct fg_registers registers = {.pc = leaf->pc, .sp = leaf->sp};
	struct fg_walk result;

	fg_memo_walk(empty, cache, LAYOUT, &registers, &bounds, &result);
	return result.hash;
}

/* The same addresses, of a frame that was interrupted and of one that called. */
static void test_interrupted_frames_have_hashes_of_their_own(void **state)
{
	const struct fg_cfi_rule call = {.kind = CFI_RULE_SP, .cfa_offset = 8};
	struct fg_frame leaf = {.pc = code(SIGNAL_CODE), .sp = address_of(stack)}, caller;
	struct fg_walk calls, interrupted;

	(void)state;
	random_state = 1;
	make_rules();
	memset(stack, 0, WORDS * sizeof(*stack));
	lay_signal(&leaf, &caller);
	put(leaf.sp + SIGNAL_PC, code(ROOT_CODE));
	memset(empty, 0, 64);
	walk(empty, &leaf, &interrupted);
	assert_int_equal(interrupted.depth, 2);
	assert_int_equal(interrupted.exact[0], 2);
	assert_int_equal(full_hash(&leaf), interrupted.hash);
	fg_rule_cache_forget(cache);
	keep_rule(code(SIGNAL_CODE), true, call);
	keep_rule(code(ROOT_CODE), false, rules[ROOT_CODE]);
	put(leaf.sp, code(ROOT_CODE));
	memset(empty, 0, 64);
	walk(empty, &leaf, &calls);
	assert_int_equal(full_hash(&leaf), calls.hash);
	assert_int_not_equal(calls.hash, interrupted.hash);
	if (FG_LINK_REGISTER)
		return;
	assert_int_equal(calls.depth, 2);
	assert_int_equal(calls.exact[0], 0);
}

/* What is remembered of a stack that was larger is not read in a smaller one. */
static void test_another_stack_at_the_same_place_is_another(void **state)
{
	const size_t page = 4096;
	unsigned char *pages =
		mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t base = (uint64_t)(uintptr_t)pages;
	struct fg_registers registers = {.pc = code(2), .sp = base + 2 * page - 24};
	struct fg_stack_bounds bounds = {base, base + 4 * page};
	struct fg_walk result;

	(void)state;
	make_rules();
	/* A frame of three words that ends where the third page begins, its caller in that. */
	*(uint64_t *)(pages + 2 * page - 8) = code(2);
	*(uint64_t *)(pages + 2 * page + 16) = code(ROOT_CODE);
	fg_memo_walk(memo, cache, LAYOUT, &registers, &bounds, &result);
	munmap(pages + 2 * page, 2 * page);
	bounds.high = base + 2 * page;
	fg_memo_walk(memo, cache, LAYOUT, &registers, &bounds, &result);
	assert_true(result.depth <= 2);
	munmap(pages, 2 * page);
}

static void *pages_of(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_change_is_noticed),
		cmocka_unit_test(test_interrupted_frames_have_hashes_of_their_own),
		cmocka_unit_test(test_another_stack_at_the_same_place_is_another),
	};

	cache = pages_of(fg_rule_cache_bytes());
	memo = pages_of(fg_memo_bytes());
	empty = pages_of(fg_memo_bytes());
	stack = pages_of(WORDS * sizeof(*stack));
	elsewhere = pages_of(WORDS * sizeof(*elsewhere));
	for (uint32_t i = 0; i < WORDS; i++)
		elsewhere[i] =
			chance(2) ? code(i % CODES) : pointer_above(address_of(elsewhere + i));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
