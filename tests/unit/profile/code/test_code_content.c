/* SPDX-License-Identifier: Apache-2.0 */
/* What a function reads counts as its code by its content; what is not understood is in doubt. */
#include "tests/unit/profile/code_program.h"

static size_t read_fixture(const char *name, char *bytes, size_t capacity)
{
	FILE *file = fopen(fixture_path(name), "rb");
	assert_non_null(file);
	size_t size = fread(bytes, 1, capacity, file);
	fclose(file);
	assert_true(size > sizeof(Elf64_Ehdr) && size < capacity);
	return size;
}

static void write_fixture(const char *name, const char *bytes, size_t size)
{
	FILE *file = fopen(fixture_path(name), "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

/* The same but for a flag in its header, which changes no code. */
static void copy_changed(const char *from, const char *to)
{
	char bytes[65536];
	size_t size = read_fixture(from, bytes, sizeof(bytes));
	((Elf64_Ehdr *)bytes)->e_flags ^= 1;
	write_fixture(to, bytes, size);
}

/* What the build id says is the linker's affair: two files may be told to have one. */
static void test_code_that_is_not_understood_is_the_same_in_the_same_file_alone(void **state)
{
	struct program first, second, other;
	(void)state;
	copy_changed("stripped.so", "stripped-changed.so");
	assert_true(program_open(&first, "stripped.so", "0123"));
	assert_true(program_open(&second, "stripped.so", "4567"));
	assert_true(program_open(&other, "stripped-changed.so", "0123"));
	struct code_identity a = hash_of(&first, "fixture_outer");
	struct code_identity b = hash_of(&second, "fixture_outer");
	struct code_identity c = hash_of(&other, "fixture_outer");
	assert_int_equal(strlen(a.hash), CODE_HASH_DIGITS);
	assert_string_equal(a.hash, b.hash);
	assert_string_not_equal(a.hash, c.hash);
	program_close(&first);
	program_close(&second);
	program_close(&other);
}

/* A shared library reaches it through a slot that the loader fills. */
static void test_an_exported_constant_counts_by_its_content(void **state)
{
	struct program before, after;
	(void)state;
	assert_true(program_open(&before, "exported-100.so", ""));
	assert_true(program_open(&after, "exported-200.so", ""));
	assert_string_not_equal(
		hash_of(&before, "exported_loop").hash, hash_of(&after, "exported_loop").hash);
	assert_int_equal(strlen(hash_of(&before, "exported_loop").hash), CODE_HASH_DIGITS);
	assert_string_equal(
		hash_of(&before, "exported_other").hash, hash_of(&after, "exported_other").hash);
	program_close(&before);
	program_close(&after);
}

/* What it holds is for the module that the loader takes it from to say. */
static void test_another_modules_data_is_in_doubt(void **state)
{
	struct program program;
	(void)state;
	assert_true(program_open(&program, "exported-100.so", ""));
	assert_string_equal(hash_of(&program, "exported_elsewhere").hash, "");
	program_close(&program);
}

/* Whatever of it was met before, on the way of another function that begins further down. */
static void test_a_chain_of_pointers_longer_than_is_followed_is_in_doubt(void **state)
{
	struct program program;
	(void)state;
	assert_true(program_open(&program, "code-native-moving-none", ""));
	assert_int_equal(strlen(hash_of(&program, "reads_chain").hash), CODE_HASH_DIGITS);
	assert_string_equal(hash_of(&program, "reads_too_long_a_chain").hash, "");
	program_close(&program);
}

static void test_an_address_in_or_beside_an_array_is_of_that_array(void **state)
{
	static const char *const all[] = {"reads_before_letters", "reads_before_all",
		"reads_to_the_end", "reads_both", "reads_the_middle", "reads_letters_by_character",
		"makes_a_kind"};
	struct program same, moved, before, letters;
	(void)state;
#ifndef __x86_64__
	skip();
#endif
	assert_true(program_open(&same, "code-places-none", ""));
	assert_true(program_open(&moved, "code-places-relinked", ""));
	assert_true(program_open(&before, "code-places-before", ""));
	assert_true(program_open(&letters, "code-places-letters", ""));
	for (size_t i = 0; i < COUNT(all); i++)
		assert_same(&same, &moved, all[i]);
	/* the address is in one and may be meant before the other: both count */
	assert_changed(&same, &before, "reads_before_letters");
	assert_changed(&same, &letters, "reads_before_letters");
	assert_changed(&same, &before, "reads_both");
	assert_changed(&same, &letters, "reads_both");
	assert_changed(&same, &letters, "reads_letters_by_character");
	assert_same(&same, &letters, "reads_the_middle");
	assert_same(&same, &before, "reads_to_the_end");
	assert_same(&same, &before, "makes_a_kind");
	assert_string_equal(hash_of(&same, "reads_beyond").hash, "");
	program_close(&letters);
	program_close(&before);
	program_close(&moved);
	program_close(&same);
}

static void test_nops_are_padding_only_where_they_align(void **state)
{
	struct program same, nops;
	(void)state;
#ifndef __x86_64__
	skip();
#endif
	assert_true(program_open(&same, "code-places-none", ""));
	assert_true(program_open(&nops, "code-places-nops", ""));
	assert_changed(&same, &nops, "waits");
	assert_same(&same, &nops, "aligns");
	assert_int_equal(hash_of(&same, "has_alias").bytes, 6);
	program_close(&nops);
	program_close(&same);
}

static void test_a_text_goes_on_where_another_begins(void **state)
{
	struct program same, tail;
	(void)state;
#ifndef __x86_64__
	skip();
#endif
	assert_true(program_open(&same, "code-places-none", ""));
	assert_true(program_open(&tail, "code-places-tail", ""));
	assert_changed(&same, &tail, "reads_tail");
	assert_changed(&same, &tail, "reads_text");
	program_close(&tail);
	program_close(&same);
}

/* By this the two are found to be one. */
static void test_a_name_is_no_part_of_the_code(void **state)
{
	struct program same, renamed;
	(void)state;
	assert_true(program_open(&same, "code-native-moving-none", ""));
	assert_true(program_open(&renamed, "code-native-moving-renamed", ""));
	assert_int_equal(strlen(hash_of(&same, "has_cold_part").hash), CODE_HASH_DIGITS);
	assert_string_equal(
		hash_of(&same, "has_cold_part").hash, hash_of(&renamed, "is_rarely_cold").hash);
	program_close(&renamed);
	program_close(&same);
}

/* By the file's own line table, as the symbolizer's child does. */
static uint32_t line_of(void *data, uint64_t address)
{
	Dwarf_Die unit;
	Dwarf_Line *line;
	int number;
	if (dwarf_addrdie(data, address, &unit) == NULL)
		return 0;
	line = dwarf_getsrc_die(&unit, address);
	return line != NULL && dwarf_lineno(line, &number) == 0 ? (uint32_t)number : 0;
}

/* An assertion's line is no change of the code; another number of the same size is. */
static void test_a_function_that_only_stands_further_down_is_the_same(void **state)
{
	static const char *const own[] = {
		"tells_its_line", "stores_its_line", "pushes_its_line", "stores_a_large_line"};
	static const char *const other[] = {"tells_a_number", "tells_the_line_before",
		"tells_the_line_after", "compares_with_its_line", "stores_its_line_once"};
	static const char *const files[] = {"code-lines-first.so", "code-lines-shifted.so"};
	struct program programs[2];
	Dwarf *lines[2];
	(void)state;
#ifndef __x86_64__
	skip();
#endif
	for (int i = 0; i < 2; i++)
		assert_true(program_open(&programs[i], files[i], ""));
	assert_changed(&programs[0], &programs[1], own[0]);
	for (int i = 0; i < 2; i++) {
		program_close(&programs[i]);
		assert_true(program_open(&programs[i], files[i], ""));
		lines[i] = dwarf_begin_elf(programs[i].elf, DWARF_C_READ, NULL);
		assert_non_null(lines[i]);
		code_hasher_know_lines(programs[i].hasher, line_of, lines[i]);
	}
	for (size_t f = 0; f < COUNT(own); f++)
		assert_same(&programs[0], &programs[1], own[f]);
	for (size_t f = 0; f < COUNT(other); f++)
		assert_changed(&programs[0], &programs[1], other[f]);
	for (int i = 0; i < 2; i++) {
		dwarf_end(lines[i]);
		program_close(&programs[i]);
	}
}

static uint32_t no_line(void *data, uint64_t address)
{
	(void)data;
	(void)address;
	return 0;
}

static void test_a_nought_is_not_the_line_of_what_has_none(void **state)
{
	struct program programs[2];
	(void)state;
	for (int i = 0; i < 2; i++)
		assert_true(program_open(&programs[i], "code-lines-first.so", ""));
	code_hasher_know_lines(programs[1].hasher, no_line, NULL);
	assert_same(&programs[0], &programs[1], "stores_nothing");
	for (int i = 0; i < 2; i++)
		program_close(&programs[i]);
}

/* A slot of the global offset table that is told to point to itself. */
static void test_a_cycle_of_pointers_ends(void **state)
{
	struct program program;
	char bytes[65536];
	(void)state;
	size_t size = read_fixture("exported-100.so", bytes, sizeof(bytes));
	for (size_t at = 0; at + sizeof(Elf64_Rela) <= size; at += 8) {
		Elf64_Rela *found = (Elf64_Rela *)(bytes + at);
		if (ELF64_R_TYPE(found->r_info) != R_X86_64_GLOB_DAT ||
			ELF64_R_SYM(found->r_info) == 0 || found->r_addend != 0)
			continue;
		found->r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
		found->r_addend = (int64_t)found->r_offset;
	}
	write_fixture("exported-cycle.so", bytes, size);
	assert_true(program_open(&program, "exported-cycle.so", ""));
#ifdef __x86_64__
	assert_string_equal(hash_of(&program, "exported_loop").hash, "");
#endif
	assert_int_equal(strlen(hash_of(&program, "exported_other").hash), CODE_HASH_DIGITS);
	program_close(&program);
}

/* Whatever is left out, and wherever that happens: it is not known, not another hash. */
static void test_what_exceeds_the_budget_is_not_known(void **state)
{
	struct program whole, cut;
	size_t known = 0, unknown = 0;
	(void)state;
	assert_true(program_open(&whole, "code-native-moving-none", ""));
	uint64_t most = UINT64_MAX;
	for (size_t i = 0; i < COUNT(changes); i++)
		assert_true(hash_of(&whole, changes[i]).hash[0] != '\0');
	most -= whole.budget.left;
	for (uint64_t units = 0; units <= most; units += most / 300) {
		assert_true(program_open_within(&cut, "code-native-moving-none", "0123", units));
		for (size_t i = 0; i < COUNT(changes); i++) {
			struct code_identity found = hash_of(&cut, changes[i]);
			struct code_identity wanted = hash_of(&whole, changes[i]);
			if (found.hash[0] != '\0') {
				assert_string_equal(found.hash, wanted.hash);
				assert_string_equal(found.callees, wanted.callees);
			}
			assert_true(found.hash[0] != '\0' || found.shape[0] == '\0');
			known += found.hash[0] != '\0';
			unknown += found.hash[0] == '\0';
		}
		program_close(&cut);
	}
	assert_true(known > 100 && unknown > 100);
	program_close(&whole);
}

static void test_without_a_build_id_it_is_in_doubt(void **state)
{
	struct program program;
	(void)state;
	assert_true(program_open(&program, "stripped.so", ""));
	assert_string_equal(hash_of(&program, "fixture_outer").hash, "");
	program_close(&program);
}

static void test_clones_have_the_stem_of_their_function(void **state)
{
	(void)state;
	assert_int_equal(function_stem_length("parse"), 5);
	assert_int_equal(function_stem_length("parse.part.0"), 5);
	assert_int_equal(function_stem_length("parse.constprop.1.cold"), 5);
	assert_int_equal(function_stem_length("parse.isra.12"), 5);
	assert_int_equal(function_stem_length(".cold"), 5);
	assert_int_equal(function_stem_length("parse.rest"), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_code_that_is_not_understood_is_the_same_in_the_same_file_alone),
		cmocka_unit_test(test_an_exported_constant_counts_by_its_content),
		cmocka_unit_test(test_another_modules_data_is_in_doubt),
		cmocka_unit_test(test_a_chain_of_pointers_longer_than_is_followed_is_in_doubt),
		cmocka_unit_test(test_an_address_in_or_beside_an_array_is_of_that_array),
		cmocka_unit_test(test_nops_are_padding_only_where_they_align),
		cmocka_unit_test(test_a_text_goes_on_where_another_begins),
		cmocka_unit_test(test_a_name_is_no_part_of_the_code),
		cmocka_unit_test(test_a_function_that_only_stands_further_down_is_the_same),
		cmocka_unit_test(test_a_nought_is_not_the_line_of_what_has_none),
		cmocka_unit_test(test_a_cycle_of_pointers_ends),
		cmocka_unit_test(test_what_exceeds_the_budget_is_not_known),
		cmocka_unit_test(test_without_a_build_id_it_is_in_doubt),
		cmocka_unit_test(test_clones_have_the_stem_of_their_function),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
