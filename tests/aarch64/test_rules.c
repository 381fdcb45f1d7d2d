/* SPDX-License-Identifier: Apache-2.0 */
/* aarch64's rules on hand-made descriptions and stacks; runs on aarch64 alone. */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include "gate/sampler/unwind/code_arch.h"
#include "gate/sampler/unwind/unwind_step.h"

/* ---- descriptions ---------------------------------------------------------------------------- */

static const uint8_t common[] = {0x0c, 31, 0}; /* CFA = sp */

static enum cfi_status run_at(uint64_t pc, const uint8_t *program, size_t size, struct cfi_row *row)
{
	const struct cfi_fde fde = {.start = 0x1000,
		.size = 0x1000,
		.common = {common, common + sizeof(common), false},
		.own = {program, program + size, false},
		.code_align = 4,
		.data_align = -8};

	return fg_cfi_run(&fde, pc, row);
}

/* paciasp; stp x29, x30, [sp, #-32]!; mov x29, sp; ...; ldp; autiasp */
static const uint8_t signed_function[] = {
	0x41, 0x2d, 0x41, 0x0e, 32, 0x9d, 4, 0x9e, 3, 0x44, 0xdd, 0xde, 0x0e, 0, 0x41, 0x2d};

static struct fg_cfi_rule rule_at(uint64_t pc)
{
	struct cfi_row row;

	assert_int_equal(run_at(pc, signed_function, sizeof(signed_function), &row), CFI_OK);
	return fg_cfi_pack(&row, pc);
}

static void test_return_address_is_in_the_link_register_until_it_is_saved(void **state)
{
	(void)state;
	for (uint64_t pc = 0x1000; pc < 0x1020; pc += 4) {
		struct fg_cfi_rule rule = rule_at(pc);
		bool has_frame = pc >= 0x1008 && pc < 0x1018;

		assert_int_equal(rule.kind, CFI_RULE_SP);
		assert_int_equal(rule.cfa_offset, has_frame ? 32 : 0);
		assert_int_equal(rule.spare_saved, has_frame ? CFI_SAVED_CFA : CFI_SAVED_NOT);
		assert_int_equal(rule.fp_saved, has_frame ? CFI_SAVED_CFA : CFI_SAVED_NOT);
	}
	assert_int_equal(fg_saved_offset(rule_at(0x1008).spare_words), -24);
	assert_int_equal(fg_saved_offset(rule_at(0x1008).fp_words), -32);
}

static void test_frames_by_the_frame_pointer_and_the_unusual_are_told_apart(void **state)
{
	static const uint8_t by_fp[] = {0x0c, 29, 32}, by_link[] = {0x0c, 30, 0};
	static const uint8_t root[] = {0x07, 30}, moved[] = {0x09, 30, 9};
	struct cfi_row row;

	(void)state;
	assert_int_equal(run_at(0x1000, by_fp, sizeof(by_fp), &row), CFI_OK);
	assert_int_equal(fg_cfi_pack(&row, 0x1000).kind, CFI_RULE_FP);
	assert_int_equal(run_at(0x1000, by_link, sizeof(by_link), &row), CFI_OK);
	assert_int_equal(fg_cfi_pack(&row, 0x1000).kind, CFI_RULE_SLOW);
	assert_int_equal(run_at(0x1000, root, sizeof(root), &row), CFI_OK);
	assert_int_equal(fg_cfi_pack(&row, 0x1000).kind, CFI_RULE_ROOT);
	assert_int_equal(run_at(0x1000, moved, sizeof(moved), &row), CFI_OK);
	assert_int_equal(fg_cfi_pack(&row, 0x1000).kind, CFI_RULE_SLOW);
}

/* As glibc describes _dl_runtime_resolve, which a linkage stub jumps to. */
static void test_cfa_is_raised_above_a_return_address_that_lies_over_it(void **state)
{
	static const uint8_t resolver[] = {0x11, 30, 0x7f, 0x0e, 0xd0, 1, 0x9d, 26};
	struct fg_cfi_rule rule;
	struct cfi_row row;

	(void)state;
	assert_int_equal(run_at(0x1000, resolver, sizeof(resolver), &row), CFI_OK);
	rule = fg_cfi_pack(&row, 0x1000);
	assert_int_equal(rule.kind, CFI_RULE_SP);
	assert_int_equal(rule.cfa_offset, 208 + 16);
	assert_int_equal(fg_saved_offset(rule.spare_words), -8);
	assert_int_equal(fg_saved_offset(rule.fp_words), -208 - 16);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static uint64_t words[64];

static struct fg_steps steps_on_words(void)
{
	struct fg_steps steps = {.cache = test_cache()};

	fg_stack_open(&steps.stack, &steps.cache->copy, (uint64_t)(uintptr_t)words,
		(uint64_t)(uintptr_t)(words + 64), (uint64_t)(uintptr_t)words);
	return steps;
}

static uint64_t at(size_t word)
{
	return (uint64_t)(uintptr_t)(words + word);
}

static void test_leaf_returns_through_the_link_register_without_its_signature(void **state)
{
	struct fg_cfi_rule leaf = {.kind = CFI_RULE_SP};
	struct fg_frame frame = {.sp = at(4), .fp = 7, .spare = 0x3a00000000401234};
	struct fg_steps steps = steps_on_words();

	(void)state;
	assert_int_equal(fg_packed_step(&steps, leaf, &frame, NULL), FG_GO_ON);
	assert_int_equal(frame.pc, 0x401234);
	assert_int_equal(frame.sp, at(4));
	assert_int_equal(frame.fp, 7);
	assert_int_equal(frame.spare, FG_SPARE_UNKNOWN);
	/* Behind a call the link register is the callee's: such a rule cannot be true. */
	assert_int_equal(fg_packed_step(&steps, leaf, &frame, NULL), FG_END_NO_RULE);
}

static void test_saved_return_address_and_frame_pointer_are_loaded(void **state)
{
	struct fg_cfi_rule rule = rule_at(0x1008);
	struct fg_step_loads loads = {{0}};
	struct fg_frame frame = {.sp = at(4), .spare = 0x99};
	struct fg_steps steps = steps_on_words();

	(void)state;
	words[4] = 0x1111;
	words[5] = 0x55000000402000;
	assert_int_equal(fg_packed_step(&steps, rule, &frame, &loads), FG_GO_ON);
	assert_int_equal(frame.pc, 0x402000);
	assert_int_equal(frame.sp, at(8));
	assert_int_equal(frame.fp, 0x1111);
	assert_int_equal(loads.address[FG_LOAD_PC], at(5));
	assert_int_equal(loads.address[FG_LOAD_FP], at(4));
	assert_int_equal(loads.address[FG_LOAD_SPARE], 0);
}

/* The frame record of a function that was found by it tells where its CFA is;
 * a wrong sp does not. */
static void test_record_stands_in_for_an_unknown_sp(void **state)
{
	struct fg_cfi_rule rule = rule_at(0x1008), bare = {.kind = CFI_RULE_SP};
	struct fg_frame frame = {.sp = at(6), .fp = at(10), .spare = FG_SPARE_NO_SP};
	struct fg_steps steps = steps_on_words();

	(void)state;
	words[10] = 0x2222;
	words[11] = 0x403000;
	assert_int_equal(fg_packed_step(&steps, rule, &frame, NULL), FG_GO_ON);
	assert_int_equal(frame.sp, at(14));
	assert_int_equal(frame.pc, 0x403000);
	frame = (struct fg_frame){.sp = at(6), .fp = at(10), .spare = FG_SPARE_DOUBTFUL_SP};
	assert_int_equal(fg_packed_step(&steps, rule, &frame, NULL), FG_GO_ON);
	assert_int_equal(frame.sp, at(14));
	/* Without a record of its own only a doubtful sp is worth a try. */
	bare.cfa_offset = 32;
	bare.spare_saved = CFI_SAVED_CFA;
	bare.spare_words = -1 & 0x3ff;
	words[9] = 0x404000;
	frame = (struct fg_frame){.sp = at(6), .fp = 3, .spare = FG_SPARE_DOUBTFUL_SP};
	assert_int_equal(fg_packed_step(&steps, bare, &frame, NULL), FG_GO_ON);
	assert_int_equal(frame.pc, 0x404000);
	frame = (struct fg_frame){.sp = at(6), .fp = 3, .spare = FG_SPARE_NO_SP};
	assert_int_equal(fg_packed_step(&steps, bare, &frame, NULL), FG_END_NO_RULE);
}

static void test_frames_only_grow_upwards(void **state)
{
	struct fg_cfi_rule by_fp = {.kind = CFI_RULE_FP,
		.cfa_offset = 16,
		.spare_saved = CFI_SAVED_CFA,
		.spare_words = -1 & 0x3ff};
	struct fg_frame frame = {.sp = at(20), .fp = at(10)};
	struct fg_steps steps = steps_on_words();

	(void)state;
	assert_int_equal(fg_packed_step(&steps, by_fp, &frame, NULL), FG_END_BAD_LOAD);
}

/* ---- code ------------------------------------------------------------------------------------ */

static bool follows(uint32_t instruction)
{
	uint32_t code[2] = {instruction, 0};

	return fg_code_follows_call((uint64_t)(uintptr_t)&code[1]);
}

static uint64_t distance(uint32_t instruction)
{
	uint32_t code[2] = {instruction, 0};
	uint64_t target = fg_code_call_target((uint64_t)(uintptr_t)&code[1]);

	return target ? target - (uint64_t)(uintptr_t)&code[0] : 0;
}

static void test_calls_are_known_by_their_instructions(void **state)
{
	(void)state;
	assert_true(follows(0x94000010));  /* bl . + 64 */
	assert_true(follows(0xd63f0200));  /* blr x16 */
	assert_true(follows(0xd63f0a1f));  /* blraaz x16 */
	assert_true(follows(0xd73f0e11));  /* blrab x16, x17 */
	assert_false(follows(0x14000010)); /* b */
	assert_false(follows(0xd61f0200)); /* br x16 */
	assert_false(follows(0xd65f03c0)); /* ret */
	assert_int_equal(distance(0x94000010), 64);
	assert_int_equal(distance(0x97ffffff), -4);
	assert_int_equal(distance(0xd63f0200), 0);
}

static void test_restorer_is_known_by_its_instructions(void **state)
{
	static const uint32_t restorer[] = {0xd2801168, 0xd4000001},
			      other[] = {0xd2801148, 0xd4000001};

	(void)state;
	assert_true(fg_code_is_restorer((uint64_t)(uintptr_t)restorer));
	assert_false(fg_code_is_restorer((uint64_t)(uintptr_t)other));
}

/* ---- registers and calls --------------------------------------------------------------------- */

static ALONE void walk_from_here(struct test_walk *walk)
{
	struct fg_registers registers;

	FG_REGISTERS_HERE(&registers);
	test_walk_registers(walk, &registers, FG_MAX_DEPTH);
}

static void test_walk_from_an_ordinary_call_is_complete(void **state)
{
	struct test_walk walk;
	uint64_t here = (uint64_t)(uintptr_t)walk_from_here;
	uint64_t caller = (uint64_t)(uintptr_t)test_walk_from_an_ordinary_call_is_complete;

	(void)state;
	walk_from_here(&walk);
	assert_true(test_complete(&walk));
	assert_true(walk.pcs[0] - here < 256);
	assert_true(walk.pcs[1] - caller < 256);
}

static uint64_t stack_seen;

static void note_stack(void *argument)
{
	stack_seen = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	*(int *)argument += 1;
}

static void test_call_on_another_stack_comes_back(void **state)
{
	static unsigned char other[1 << 16] __attribute__((aligned(16)));
	int calls = 0;

	(void)state;
	fg_call_on_stack(other + sizeof(other), note_stack, &calls);
	assert_int_equal(calls, 1);
	assert_true(stack_seen - (uint64_t)(uintptr_t)other < sizeof(other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cfa_is_raised_above_a_return_address_that_lies_over_it),
		cmocka_unit_test(test_return_address_is_in_the_link_register_until_it_is_saved),
		cmocka_unit_test(test_frames_by_the_frame_pointer_and_the_unusual_are_told_apart),
		cmocka_unit_test(test_leaf_returns_through_the_link_register_without_its_signature),
		cmocka_unit_test(test_saved_return_address_and_frame_pointer_are_loaded),
		cmocka_unit_test(test_record_stands_in_for_an_unknown_sp),
		cmocka_unit_test(test_frames_only_grow_upwards),
		cmocka_unit_test(test_calls_are_known_by_their_instructions),
		cmocka_unit_test(test_restorer_is_known_by_its_instructions),
		cmocka_unit_test(test_walk_from_an_ordinary_call_is_complete),
		cmocka_unit_test(test_call_on_another_stack_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
