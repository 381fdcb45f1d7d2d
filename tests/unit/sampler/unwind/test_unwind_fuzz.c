/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile registers, stacks and unwind information, from fixed seeds: nothing may crash, run for
 * ever or read outside what it was given (guard pages stand around the mutated copies).
 */
#include "tests/unit/sampler/unwind/test_unwind.h"

#include <search.h>

#include "gate/sampler/unwind/cfi_rule.h"

/* Emulated, the same number of rounds would take minutes. */
#ifdef __x86_64__
enum { SHARE = 1 };
#else
enum { SHARE = 10 };
#endif

static uint64_t seed;

static uint64_t next(void)
{
	uint64_t x = seed += 0x9e3779b97f4a7c15ULL; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static uint64_t below(uint64_t limit)
{
	return next() % limit;
}

/* ---- registers and stacks -------------------------------------------------------------------- */

enum { STACK_WORDS = 1 << 14 };
static uint64_t *stack;

static uint64_t in_stack(void)
{
	return (uint64_t)(uintptr_t)stack + below(STACK_WORDS * 8);
}

static uint64_t some_code(void)
{
	static const void *const code[] = {(const void *)qsort, (const void *)printf,
		(const void *)pthread_create, (const void *)fg_unwind, (const void *)some_code};
	uint64_t address = (uint64_t)(uintptr_t)code[below(5)];

	return below(2) ? address : address + below(1 << 14) - (1 << 13);
}

static uint64_t some_value(void)
{
	switch (below(10)) {
	case 0:
		return next();
	case 1:
		return 0;
	case 2:
		return ~0ULL - below(64);
	case 3:
		return (uint64_t)(uintptr_t)malloc;
	case 4:
	case 5:
	case 6:
		return in_stack() & ~7ULL;
	default:
		return some_code();
	}
}

static const long long *some_registers(void)
{
	static long long gregs[DWARF_REGISTERS];

	for (size_t i = 0; i < DWARF_REGISTERS; i++)
		gregs[i] = (long long)some_value();
	return below(2) ? gregs : NULL;
}

static void walk_hostile(struct test_walk *walk, size_t max)
{
	struct fg_registers registers = {.pc = below(8) ? some_code() : some_value(),
		.sp = below(8) ? in_stack() : some_value(),
		.fp = some_value(),
		.spare = some_value(),
		.gregs = some_registers()};
	uint64_t low = (uint64_t)(uintptr_t)stack;
	struct fg_stack_bounds bounds = {low, low + STACK_WORDS * 8};

	if (below(16) == 0)
		bounds.high = bounds.low;
	walk->end = FG_END_COUNT;
	walk->count = fg_unwind(
		test_cache(), &registers, &bounds, walk->pcs, walk->exact, max, &walk->end);
	assert_true(walk->count >= 1 && walk->count <= max);
	assert_true(walk->end < FG_END_COUNT);
	assert_int_equal(walk->pcs[0], registers.pc);
}

/* A stack between guard pages; the rule of a stray address must not lead outside. */
static void *guarded(size_t bytes, size_t *mapped)
{
	uint8_t *memory;

	bytes = (bytes + 4095) & ~(size_t)4095;
	*mapped = bytes + 2 * 4096;
	memory = mmap(NULL, *mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(mprotect(memory + 4096, bytes, PROT_READ | PROT_WRITE), 0);
	return memory + 4096;
}

static void test_hostile_registers_always_end(void **state)
{
	static struct test_walk walk;
	size_t mapped, ends[FG_END_COUNT] = {0};

	(void)state;
	seed = 1;
	stack = guarded(STACK_WORDS * 8, &mapped);
	for (int i = 0; i < 100000 / SHARE; i++) {
		if (i % 64 == 0)
			for (size_t word = 0; word < STACK_WORDS; word += 1 + below(3))
				stack[word] = some_value();
		walk_hostile(&walk, 1 + below(FG_MAX_DEPTH));
		ends[walk.end]++;
	}
	munmap((uint8_t *)stack - 4096, mapped);
	for (int end = 0; end < FG_END_COUNT; end++)
		print_message("# end %d: %zu\n", end, ends[end]);
	assert_true(ends[FG_END_BAD_LOAD] > 1000 / SHARE && ends[FG_END_NO_RULE] > 1000 / SHARE);
}

/* ---- unwind information ---------------------------------------------------------------------- */

/* A copy of the readable segment of libc that holds its unwind information, as an image. */
struct copy {
	uint8_t *bytes;
	size_t size, mapped;
	struct cfi_image image;
	uint64_t shift; /* what was added to its addresses */
};

/* A function in the middle of libc that sanitizers do not replace. */
static uint64_t libc_code(void)
{
	return (uint64_t)(uintptr_t)tdelete;
}

static void copy_libc(struct copy *copy)
{
	struct cfi_image image;
	const struct cfi_span *span;

	assert_true(fg_cfi_image_at(libc_code(), &image));
	span = fg_cfi_span(&image, image.hdr, 4);
	assert_non_null(span);
	copy->size = span->high - span->low;
	copy->bytes = guarded(copy->size, &copy->mapped);
	/* The copy ends where the guard page begins: reads behind the last byte fault. */
	copy->bytes += -copy->size & 4095;
	memcpy(copy->bytes, (const void *)(uintptr_t)span->low, copy->size);
	copy->shift = (uint64_t)(uintptr_t)copy->bytes - span->low;
	copy->image = (struct cfi_image){.hdr = image.hdr + copy->shift, .span_count = 1};
	copy->image.spans[0].low = (uint64_t)(uintptr_t)copy->bytes;
	copy->image.spans[0].high = copy->image.spans[0].low + copy->size;
}

static bool any_register(void *context, uint64_t number, uint64_t *value)
{
	(void)context;
	*value = number * 0x1000;
	return true;
}

static bool any_word(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	*value = address ^ 0x5555;
	return address % 5 != 0;
}

static void evaluate(const struct cfi_place *place)
{
	const struct cfi_machine machine = {any_register, any_word, NULL};
	const struct cfi_value first = {.add = 64, .reg = CFI_NO_REG};
	struct cfi_value result;

	if (place->how == CFI_AT_EXPR || place->how == CFI_IS_EXPR) {
		fg_cfi_evaluate(place, &machine, 0x1234, &first, &result);
		fg_cfi_evaluate(place, NULL, 0x1234, NULL, &result);
	}
}

static enum cfi_status look_up(const struct copy *copy, uint64_t pc)
{
	struct cfi_row row;
	enum cfi_status status = fg_cfi_row_at(&copy->image, pc, &row);

	if (status == CFI_OK) {
		fg_cfi_pack(&row, pc);
		evaluate(&row.cfa);
		for (int i = 0; i < FG_TRACKED; i++)
			evaluate(&row.reg[i]);
	}
	return status;
}

static void test_copied_tables_say_what_the_original_says(void **state)
{
	struct copy copy;
	struct cfi_image image;

	(void)state;
	seed = 2;
	copy_libc(&copy);
	assert_true(fg_cfi_image_at(libc_code(), &image));
	for (int i = 0; i < 2000; i++) {
		uint64_t pc = libc_code() + below(1 << 18) - (1 << 17);
		struct cfi_row here, there;
		enum cfi_status status = fg_cfi_row_at(&image, pc, &here);

		assert_int_equal(fg_cfi_row_at(&copy.image, pc + copy.shift, &there), status);
		if (status == CFI_OK) {
			assert_int_equal(here.cfa.offset, there.cfa.offset);
			assert_int_equal(here.start + copy.shift, there.start);
		}
	}
	munmap((void *)((uintptr_t)copy.bytes - 4096 - (-copy.size & 4095)), copy.mapped);
}

/* Where mutations hurt: the header, its table, and the entries that pc's lookup reads. */
static size_t place_to_mutate(const struct copy *copy, const struct cfi_fde *fde)
{
	size_t hdr = copy->image.hdr - copy->image.spans[0].low;
	size_t own = (size_t)(fde->own.at - copy->bytes),
	       common = (size_t)(fde->common.at - copy->bytes);

	switch (below(8)) {
	case 0:
		return hdr + below(12);
	case 1:
		return hdr + below(copy->size - hdr);
	case 2:
	case 3:
		return common - 24 + below(32);
	default:
		return own - 24 + below(24 + 2 + (size_t)(fde->own.end - fde->own.at));
	}
}

static void mutate_and_look_up(struct copy *copy, uint64_t pc, size_t counts[3])
{
	size_t places[16], count = 1 + below(16);
	uint8_t before[16];
	struct cfi_fde fde;

	if (fg_cfi_find_fde(&copy->image, pc, &fde) != CFI_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		places[i] = place_to_mutate(copy, &fde) % copy->size;
		before[i] = copy->bytes[places[i]];
		copy->bytes[places[i]] = below(3) ? (uint8_t)next() : (uint8_t)(0xff * below(2));
	}
	for (uint64_t i = 0; i < 4; i++)
		counts[look_up(copy, pc + i * 16)]++;
	while (count--)
		copy->bytes[places[count]] = before[count];
}

static void test_mutated_unwind_information_is_survived(void **state)
{
	struct copy copy;
	size_t counts[3] = {0};

	(void)state;
	seed = 3;
	copy_libc(&copy);
	for (int i = 0; i < 50000 / SHARE; i++) {
		uint64_t pc = libc_code() + below(1 << 19) - (1 << 18);

		mutate_and_look_up(&copy, pc + copy.shift, counts);
	}
	print_message("# found %zu, none %zu, bad %zu\n", counts[0], counts[1], counts[2]);
	assert_true(counts[CFI_OK] > 10000 / SHARE && counts[CFI_BAD] > 1000 / SHARE);
	munmap((void *)((uintptr_t)copy.bytes - 4096 - (-copy.size & 4095)), copy.mapped);
}

static void test_random_programs_are_survived(void **state)
{
	size_t mapped;
	uint8_t *page = guarded(4096, &mapped);

	(void)state;
	seed = 4;
	for (int i = 0; i < 200000 / SHARE; i++) {
		size_t size = 1 + below(64);
		uint8_t *bytes = page + 4096 - size;
		struct cfi_fde fde = {.start = 0x1000,
			.size = 0x1000,
			.common = {bytes, bytes + size / 2, false},
			.own = {bytes + size / 2, bytes + size, false},
			.code_align = 1 + below(4),
			.data_align = -8,
			.encoding = (uint8_t)next(),
			.signal = below(2)};
		struct cfi_row row;

		for (size_t at = 0; at < size; at++)
			bytes[at] = (uint8_t)(below(3) ? below(0x30) : next());
		if (fg_cfi_run(&fde, 0x1000 + below(0x1000), &row) == CFI_OK) {
			fg_cfi_pack(&row, 0x1800);
			evaluate(&row.cfa);
		}
	}
	munmap(page - 4096, mapped);
}

static void test_random_expressions_are_survived(void **state)
{
	size_t mapped;
	uint8_t *page = guarded(4096, &mapped);

	(void)state;
	seed = 5;
	for (int i = 0; i < 200000 / SHARE; i++) {
		size_t size = 1 + below(48);
		struct cfi_place place = {
			.how = CFI_IS_EXPR, .size = (uint32_t)size, .expr = page + 4096 - size};

		for (size_t at = 0; at < size; at++)
			page[4096 - size + at] = (uint8_t)(below(3) ? 0x10 + below(0x45) : next());
		evaluate(&place);
	}
	munmap(page - 4096, mapped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_registers_always_end),
		cmocka_unit_test(test_copied_tables_say_what_the_original_says),
		cmocka_unit_test(test_mutated_unwind_information_is_survived),
		cmocka_unit_test(test_random_programs_are_survived),
		cmocka_unit_test(test_random_expressions_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
