/* SPDX-License-Identifier: Apache-2.0 */
/* What the linker moves keeps its hash, and what a programmer changes does not. */
#include "tests/unit/profile/symbolize_fixture.h"

#include <elfutils/libdw.h>
#include <fcntl.h>

#include "gate/profile/code_image.h"

static const char *const changes[] = {"reads_table", "loop_bound", "reads_text", "calls_other",
	"calls_library", "switches", "reads_variable", "inlines_helper", "dispatches",
	"reads_names", "reads_float", "reads_unnamed", "reads_thread", "recurses", "starts_thread",
	"reads_before", "reads_chain", "reads_field", "calls_last", "returns_function", "assembled",
	"has_cold_part", "calls_both", "calls_twice", "calls_clone"};
static const char *const bystanders[] = {"unchanged", "other_sum"};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A compiled file with its hasher. */
struct program {
	int fd;
	Elf *elf;
	struct code_image image;
	struct code_hasher *hasher;
	struct code_budget plenty, budget;
};

static bool program_open_within(
	struct program *program, const char *name, const char *build_id, uint64_t units)
{
	program->plenty.left = UINT64_MAX;
	program->budget.left = units;
	elf_version(EV_CURRENT);
	program->fd = open(fixture_path(name), O_RDONLY);
	if (program->fd < 0)
		return false;
	program->elf = elf_begin(program->fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(program->elf);
	assert_true(code_image_read(program->elf, NULL, &program->plenty, &program->image));
	program->hasher = code_hasher_new(program->elf, NULL, build_id, &program->budget);
	return true;
}

static bool program_open(struct program *program, const char *name, const char *build_id)
{
	return program_open_within(program, name, build_id, UINT64_MAX);
}

static void program_close(struct program *program)
{
	code_hasher_free(program->hasher);
	code_image_release(&program->image);
	elf_end(program->elf);
	close(program->fd);
}

static struct code_identity hash_of(const struct program *program, const char *function)
{
	struct code_identity identity = {.callees = ""};
	for (size_t i = 0; i < program->image.symbol_count; i++)
		if (program->image.symbols[i].stem == strlen(function) &&
			strncmp(program->image.symbols[i].name, function, strlen(function)) == 0)
			code_hasher_find(program->hasher, program->image.symbols[i].low, &identity);
	return identity;
}

static void assert_same(const struct program *a, const struct program *b, const char *function)
{
	struct code_identity left = hash_of(a, function), right = hash_of(b, function);
	if (left.hash[0] == '\0' || strcmp(left.hash, right.hash) != 0)
		fail_msg("%s: '%s' and '%s'", function, left.hash, right.hash);
	assert_true(left.bytes > 0 && right.bytes > 0);
}

/*
 * On aarch64 the address of a group of constants stands for all of them, and that of a thread-local
 * variable is a plain number, which is in doubt: there a function with data need not be the same,
 * only not be taken for the same when it has changed.
 */
static bool may_differ(const struct program *program, const char *function)
{
	static const char *const without_data[] = {"loop_bound", "calls_other", "inlines_helper",
		"recurses", "unchanged", "other_sum", "reads_field", "calls_last", "assembled",
		"has_cold_part", "calls_both", "calls_twice", "calls_clone"};
	for (size_t i = 0; i < COUNT(without_data); i++)
		if (strcmp(function, without_data[i]) == 0)
			return false;
	return program->image.machine == CODE_AARCH64;
}

static void assert_changed(const struct program *a, const struct program *b, const char *function)
{
	struct code_identity left = hash_of(a, function), right = hash_of(b, function);
	bool known = left.hash[0] != '\0' && right.hash[0] != '\0';
	if (known ? strcmp(left.hash, right.hash) == 0 : !may_differ(a, function))
		fail_msg("%s: '%s' and '%s'", function, left.hash, right.hash);
}

static void assert_all_same(const struct program *a, const struct program *b, const char *but)
{
	for (size_t i = 0; i < COUNT(changes); i++)
		if ((but == NULL || strcmp(changes[i], but) != 0) && !may_differ(a, changes[i]))
			assert_same(a, b, changes[i]);
	for (size_t i = 0; i < COUNT(bystanders); i++)
		assert_same(a, b, bystanders[i]);
}

static void skip_without(bool opened)
{
	if (!opened) {
		print_message("no compiler for it\n");
		skip();
	}
}

/* Each changed program against the unchanged one, and against that in another order. */
static void check_changes(const char *kind)
{
	struct program same, moved, changed;
	char name[64];
	snprintf(name, sizeof(name), "code-%s-none", kind);
	skip_without(program_open(&same, name, ""));
	snprintf(name, sizeof(name), "code-%s-relinked", kind);
	assert_true(program_open(&moved, name, ""));
	assert_all_same(&same, &moved, NULL);
	for (size_t i = 0; i < COUNT(changes); i++) {
		snprintf(name, sizeof(name), "code-%s-%s", kind, changes[i]);
		assert_true(program_open(&changed, name, ""));
		assert_changed(&same, &changed, changes[i]);
		assert_changed(&moved, &changed, changes[i]);
		assert_all_same(&moved, &changed, changes[i]);
		program_close(&changed);
	}
	program_close(&moved);
	program_close(&same);
}

static void test_only_the_changed_function_changes(void **state)
{
	(void)state;
	check_changes("native-moving");
}

static void test_only_the_changed_function_changes_in_a_fixed_program(void **state)
{
	(void)state;
	check_changes("native-fixed");
}

static void test_only_the_changed_function_changes_on_aarch64(void **state)
{
	(void)state;
	check_changes("aarch64-moving");
}

static void test_only_the_changed_function_changes_in_a_fixed_aarch64_program(void **state)
{
	(void)state;
	check_changes("aarch64-fixed");
}

/* names: NULL-terminated. */
static void assert_calls(
	const struct program *program, const char *function, const char *const *names)
{
	struct code_identity found = hash_of(program, function);
	assert_int_equal(strlen(found.shape), CODE_HASH_DIGITS);
	for (; *names != NULL; names++, found.callees += CODE_CALLEE_DIGITS) {
		char digits[CODE_CALLEE_DIGITS + 1];
		code_callee_digits(*names, strlen(*names), digits);
		if (strncmp(found.callees, digits, CODE_CALLEE_DIGITS) != 0)
			fail_msg("%s: '%s' is not %s", function, found.callees, *names);
	}
	assert_string_equal(found.callees, "");
}

#define CALLS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A clone counts by the name of its function, and a part with it. */
static const struct {
	const char *function;
	const char *const *before, *const *after;
} callers[] = {
	{"calls_other", CALLS("other_first"), CALLS("first_anew")},
	{"calls_last", CALLS("other_first"), CALLS("first_anew")},
	{"calls_both", CALLS("other_first", "other_second"), CALLS("first_anew", "other_second")},
	{"calls_twice", CALLS("other_first"), CALLS("first_anew")},
	{"calls_clone", CALLS("other_clone"), CALLS("clone_anew")},
	{"has_cold_part", CALLS("unlikely"), CALLS("rare_anew")},
};

/* A function whose address is taken has its name: what calls it is not known. */
static void check_renamed(const char *kind)
{
	struct program before, after;
	char name[64];
	snprintf(name, sizeof(name), "code-%s-none", kind);
	skip_without(program_open(&before, name, ""));
	snprintf(name, sizeof(name), "code-%s-called_anew", kind);
	assert_true(program_open(&after, name, ""));
	for (size_t i = 0; i < COUNT(callers); i++) {
		assert_changed(&before, &after, callers[i].function);
		assert_calls(&before, callers[i].function, callers[i].before);
		assert_calls(&after, callers[i].function, callers[i].after);
		assert_string_equal(hash_of(&before, callers[i].function).shape,
			hash_of(&after, callers[i].function).shape);
	}
	for (size_t i = 0; i < COUNT(bystanders); i++)
		assert_same(&before, &after, bystanders[i]);
	assert_changed(&before, &after, "returns_function");
	assert_string_equal(hash_of(&before, "returns_function").shape, "");
	program_close(&before);
	program_close(&after);
}

static void test_a_renamed_callee_changes_no_shape(void **state)
{
	(void)state;
	check_renamed("native-moving");
}

static void test_a_renamed_callee_changes_no_shape_in_a_fixed_program(void **state)
{
	(void)state;
	check_renamed("native-fixed");
}

static void test_a_renamed_callee_changes_no_shape_on_aarch64(void **state)
{
	(void)state;
	check_renamed("aarch64-moving");
}

static void test_a_renamed_callee_changes_no_shape_in_a_fixed_aarch64_program(void **state)
{
	(void)state;
	check_renamed("aarch64-fixed");
}

/* By who is called, by the order, by who is called again, and by whether it is a clone of it. */
static void test_other_calls_are_told_apart(void **state)
{
	struct program before, other, both, twice, clone;
	(void)state;
	assert_true(program_open(&before, "code-native-moving-none", ""));
	assert_true(program_open(&other, "code-native-moving-calls_other", ""));
	assert_true(program_open(&both, "code-native-moving-calls_both", ""));
	assert_true(program_open(&twice, "code-native-moving-calls_twice", ""));
	assert_true(program_open(&clone, "code-native-moving-calls_clone", ""));
	assert_calls(&before, "calls_other", CALLS("other_first"));
	assert_calls(&other, "calls_other", CALLS("other_second"));
	assert_calls(&before, "calls_both", CALLS("other_first", "other_second"));
	assert_calls(&both, "calls_both", CALLS("other_second", "other_first"));
	assert_string_not_equal(
		hash_of(&before, "calls_twice").shape, hash_of(&twice, "calls_twice").shape);
	assert_string_not_equal(
		hash_of(&before, "calls_both").shape, hash_of(&before, "calls_twice").shape);
	assert_string_not_equal(
		hash_of(&before, "calls_clone").shape, hash_of(&clone, "calls_clone").shape);
	program_close(&before);
	program_close(&other);
	program_close(&both);
	program_close(&twice);
	program_close(&clone);
}

static void test_of_too_many_callees_there_is_no_shape(void **state)
{
	struct program program;
	(void)state;
	assert_true(program_open(&program, "code-many.so", ""));
	struct code_identity most = hash_of(&program, "calls_many");
	struct code_identity more = hash_of(&program, "calls_too_many");
	assert_int_equal(strlen(most.shape), CODE_HASH_DIGITS);
	assert_int_equal(strlen(most.callees), CODE_MAX_CALLEES * CODE_CALLEE_DIGITS);
	assert_true(code_callees_are_valid(most.callees, strlen(most.callees)));
	assert_int_equal(strlen(more.hash), CODE_HASH_DIGITS);
	assert_string_equal(more.shape, "");
	assert_string_equal(more.callees, "");
	program_close(&program);
}

/* Whose function that is only the loader knows, by its name. */
static void test_what_a_stub_reaches_is_no_callee(void **state)
{
	struct program program;
	(void)state;
	assert_true(program_open(&program, "code-shared-none", ""));
	assert_int_equal(strlen(hash_of(&program, "calls_other").hash), CODE_HASH_DIGITS);
	assert_string_equal(hash_of(&program, "calls_other").shape, "");
	program_close(&program);
}

/* Unchanged in another order all are the same; with everything changed none is that could be. */
static void check_kind(const char *kind)
{
	struct program same, moved, changed;
	char name[64];
	snprintf(name, sizeof(name), "code-%s-none", kind);
	skip_without(program_open(&same, name, ""));
	snprintf(name, sizeof(name), "code-%s-relinked", kind);
	assert_true(program_open(&moved, name, ""));
	snprintf(name, sizeof(name), "code-%s-all", kind);
	assert_true(program_open(&changed, name, ""));
	/* A library finds its threads' variables by the distance from the first of them. */
	assert_all_same(&same, &moved, strcmp(kind, "shared") == 0 ? "reads_thread" : NULL);
	for (size_t i = 0; i < COUNT(changes); i++) {
		assert_changed(&same, &changed, changes[i]);
		assert_changed(&moved, &changed, changes[i]);
	}
	for (size_t i = 0; i < COUNT(bystanders); i++)
		assert_same(&moved, &changed, bystanders[i]);
	program_close(&changed);
	program_close(&moved);
	program_close(&same);
}

static void test_without_optimisation(void **state)
{
	(void)state;
	check_kind("plain");
}

static void test_with_a_section_for_each_function(void **state)
{
	(void)state;
	check_kind("sections");
}

static void test_with_guarded_branches(void **state)
{
	(void)state;
	check_kind("guarded");
}

static void test_in_a_shared_library(void **state)
{
	(void)state;
	check_kind("shared");
}

static void test_with_packed_relocations(void **state)
{
	(void)state;
	check_kind("packed");
}

static void test_optimised_as_a_whole(void **state)
{
	(void)state;
	check_kind("whole");
}

static void test_by_clang(void **state)
{
	(void)state;
	check_kind("clang");
}

static void test_of_classes_and_templates_only_what_changed_changes(void **state)
{
	static const char *const changed[] = {"makes_square", "_Z6scaledIsEiT_", "catches"};
	static const char *const kept[] = {"makes_triangle", "_Z6scaledIiEiT_", "_Z9may_throwi"};
	struct program same, moved, all;
	(void)state;
	assert_true(program_open(&same, "code-class-none", ""));
	assert_true(program_open(&moved, "code-class-relinked", ""));
	assert_true(program_open(&all, "code-class-all", ""));
	for (size_t i = 0; i < COUNT(changed); i++) {
		assert_same(&same, &moved, changed[i]);
		assert_changed(&moved, &all, changed[i]);
		assert_same(&same, &moved, kept[i]);
		assert_same(&same, &all, kept[i]);
	}
	program_close(&all);
	program_close(&moved);
	program_close(&same);
}

/* Nearly every function of this program can be hashed, and hardly one depends on the linker's
 * order. */
static void test_a_real_program_linked_in_another_order_is_the_same(void **state)
{
	struct program there, back;
	size_t functions = 0, doubtful = 0, differing = 0;
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* the sanitizer's own tables follow the order of the files */
#endif
	assert_true(program_open(&there, "real-there", "") && program_open(&back, "real-back", ""));
	for (size_t i = 0; i < there.image.symbol_count; i++) {
		const struct code_symbol *symbol = &there.image.symbols[i];
		struct code_identity left, right;
		char stem[256];
		if (symbol->kind != CODE_SYMBOL_FUNCTION)
			continue;
		code_hasher_find(there.hasher, symbol->low, &left);
		snprintf(stem, sizeof(stem), "%.*s", (int)symbol->stem, symbol->name);
		right = hash_of(&back, stem);
		functions++;
		doubtful += left.hash[0] == '\0';
		if (strcmp(left.hash, right.hash) == 0) {
			assert_string_equal(left.shape, right.shape);
			assert_string_equal(left.callees, right.callees);
			continue;
		}
		differing++;
		print_message("differs: %s\n", symbol->name);
	}
	print_message("%zu functions, %zu in doubt, %zu differ\n", functions, doubtful, differing);
	assert_true(functions > 1000);
	assert_true(doubtful * 20 < functions);
	/* A loop's address before or behind its array may be that of a neighbour. */
	assert_true(differing * 50 < functions);
	program_close(&there);
	program_close(&back);
}

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
	assert_int_equal(code_stem_length("parse"), 5);
	assert_int_equal(code_stem_length("parse.part.0"), 5);
	assert_int_equal(code_stem_length("parse.constprop.1.cold"), 5);
	assert_int_equal(code_stem_length("parse.isra.12"), 5);
	assert_int_equal(code_stem_length(".cold"), 5);
	assert_int_equal(code_stem_length("parse.rest"), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_the_changed_function_changes),
		cmocka_unit_test(test_only_the_changed_function_changes_in_a_fixed_program),
		cmocka_unit_test(test_only_the_changed_function_changes_on_aarch64),
		cmocka_unit_test(test_only_the_changed_function_changes_in_a_fixed_aarch64_program),
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape),
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape_in_a_fixed_program),
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape_on_aarch64),
		cmocka_unit_test(test_a_renamed_callee_changes_no_shape_in_a_fixed_aarch64_program),
		cmocka_unit_test(test_other_calls_are_told_apart),
		cmocka_unit_test(test_of_too_many_callees_there_is_no_shape),
		cmocka_unit_test(test_what_a_stub_reaches_is_no_callee),
		cmocka_unit_test(test_without_optimisation),
		cmocka_unit_test(test_with_a_section_for_each_function),
		cmocka_unit_test(test_with_guarded_branches),
		cmocka_unit_test(test_in_a_shared_library),
		cmocka_unit_test(test_with_packed_relocations),
		cmocka_unit_test(test_optimised_as_a_whole),
		cmocka_unit_test(test_by_clang),
		cmocka_unit_test(test_of_classes_and_templates_only_what_changed_changes),
		cmocka_unit_test(test_a_real_program_linked_in_another_order_is_the_same),
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
