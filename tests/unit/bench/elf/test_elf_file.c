/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/elf/elf_file.h"

#include "gate/base/error.h"
#include "gate/bench/elf/identical.h"
#include "gate/bench/preload/preload.h"
#include "tests/unit/bench/scene.h"

#define PROGRAM                                                                                    \
	"#include <stdio.h>\n"                                                                     \
	"static const char text[] = \"hello\";\n"                                                  \
	"static int twice(int number) { return number * 2; } /* a comment */\n"                    \
	"int main(int argc, char **argv) { (void)argv; return puts(text) + twice(argc); }\n"

static bool equivalent(struct scene *scene, const char *a, const char *b)
{
	bool equal = false;

	assert_ok(scene, files_equivalent(at(scene, a), at(scene, b), &equal, &scene->err));
	return equal;
}

/* Two programs, the second one after an edit by sed, compiled at one path like two versions. */
static void compile_two(const struct scene *scene, const char *edit, const char *flags)
{
	char script[512];

	put_file(scene, "main.c", PROGRAM);
	snprintf(script, sizeof(script),
		"cc -g %s -o a main.c && sed -i '%s' main.c && cc -g %s -o b main.c", flags, edit,
		flags);
	sh(scene, script);
}

static void test_programs_with_another_build_id_are_equivalent(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -g -Wl,--build-id=0x11223344 -o a main.c && "
		  "cc -g -Wl,--build-id=0xaabbccdd -o b main.c && ! cmp -s a b");
	assert_true(equivalent(scene, "a", "b"));
}

static void test_build_ids_of_other_length_are_not_equivalent(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -Wl,--build-id=0x11223344 -o a main.c && "
		  "cc -Wl,--build-id=0xaabbccddeeff00112233445566778899 -o b main.c");
	assert_false(equivalent(scene, "a", "b"));
}

static void test_comment_change_is_equivalent(void **state)
{
	struct scene *scene = *state;

	compile_two(scene, "s/a comment/another one/", "-O0");
	assert_true(equivalent(scene, "a", "b"));
}

static void test_change_of_debug_information_alone_is_equivalent(void **state)
{
	struct scene *scene = *state;

	compile_two(scene, "s/number/renamed_parameter/g", "-O0");
	sh(scene, "! cmp -s a b");
	assert_true(equivalent(scene, "a", "b"));
	sh(scene, "strip -g -o stripped a");
	assert_true(equivalent(scene, "a", "stripped"));
	assert_true(equivalent(scene, "stripped", "b"));
	sh(scene, "strip -s -o bare b");
	assert_true(equivalent(scene, "bare", "a"));
}

static void test_change_of_a_local_functions_name_is_equivalent(void **state)
{
	struct scene *scene = *state;

	compile_two(scene, "s/twice/double_of/g", "-O0");
	sh(scene, "! cmp -s a b");
	assert_true(equivalent(scene, "a", "b"));
}

static void test_changed_code_differs(void **state)
{
	struct scene *scene = *state;

	compile_two(scene, "s/number \\* 2/number * 5/", "-O0");
	assert_false(equivalent(scene, "a", "b"));
}

static void test_changed_constant_of_equal_length_differs(void **state)
{
	struct scene *scene = *state;

	compile_two(scene, "s/hello/hellO/", "-O1 -Wl,--build-id=none");
	assert_false(equivalent(scene, "a", "b"));
}

static void test_changed_line_number_in_code_differs(void **state)
{
	struct scene *scene = *state;

	compile_two(scene, "s/number \\* 2/number * __LINE__/;1i\\\\", "-O0");
	assert_false(equivalent(scene, "a", "b"));
}

/* Archives behind a program (self-extracting tools, bundled scripts) are its input. */
static void test_appended_payload_counts(void **state)
{
	struct scene *scene = *state;

	compile_two(scene, "s/number/renamed/g", "-O0");
	sh(scene, "cp a c; cp a d; cp b e; printf one >>c; printf two >>d; printf one >>e");
	assert_false(equivalent(scene, "a", "c"));
	assert_false(equivalent(scene, "c", "d"));
	assert_true(equivalent(scene, "c", "e"));
}

static void test_sections_of_unknown_use_count(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -o a main.c; printf one >1; printf two >2; "
		  "objcopy --add-section payload=1 a b; objcopy --add-section payload=2 a c");
	assert_false(equivalent(scene, "a", "b"));
	assert_false(equivalent(scene, "b", "c"));
	assert_true(equivalent(scene, "b", "b"));
}

static void test_object_files_are_compared_byte_for_byte(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -g -c -o a main.c; sed -i s/number/renamed/g main.c; cc -g -c -o b main.c");
	assert_false(equivalent(scene, "a", "b"));
	assert_true(equivalent(scene, "a", "a"));
}

static void test_text_files_are_compared_byte_for_byte(void **state)
{
	struct scene *scene = *state;
	bool equal;

	sh(scene, "seq 1 100000 >a; cp a b; seq 1 100001 >c; mkfifo fifo; ln -s a link");
	assert_true(equivalent(scene, "a", "b"));
	assert_false(equivalent(scene, "a", "c"));
	assert_fails(scene,
		files_equivalent(at(scene, "a"), at(scene, "none"), &equal, &scene->err),
		ERR_NOT_FOUND, "none");
	assert_fails(scene,
		files_equivalent(at(scene, "a"), at(scene, "fifo"), &equal, &scene->err),
		ERR_CORRUPT, "not a regular file");
	assert_fails(scene,
		files_equivalent(at(scene, "link"), at(scene, "a"), &equal, &scene->err),
		ERR_CORRUPT, "symbolic link");
}

static void test_truncated_programs_are_never_equivalent(void **state)
{
	struct scene *scene = *state;
	char script[128];
	int size;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -g -o a main.c");
	for (size = 0; size < 2000; size += 37) {
		snprintf(script, sizeof(script), "head -c %d a >b", size);
		sh(scene, script);
		assert_false(equivalent(scene, "a", "b"));
	}
}

/* Every reader on one file; nothing is asserted but that none reads
 * outside (under ASan) or hangs. */
static void read_everything(const struct elf_file *whole, const unsigned char *data, size_t size)
{
	unsigned char *exact = malloc(size ? size : 1);
	size_t offset, length, i;
	struct elf_file elf;

	assert_non_null(exact);
	memcpy(exact, data, size);
	if (elf_file_open(&elf, exact, size) == ELF_KIND_NATIVE) {
		for (i = 0; i < elf.section_count && i < 100; i++) {
			Elf64_Shdr section = elf_file_section(&elf, i);

			assert_true(strlen(elf_file_section_name(&elf, &section)) < size);
		}
		elf_file_interpreter(&elf);
		elf_file_has_dynamic_string(&elf, "__asan_init");
		if (elf_file_build_id(&elf, &offset, &length))
			assert_true(offset + length <= size);
		elf_files_run_alike(&elf, whole);
		elf_files_run_alike(whole, &elf);
		elf_files_run_alike(&elf, &elf);
	}
	preload_check_elf("x", exact, size, NULL);
	free(exact);
}

/* What runs is said by the segments; section headers can be made to say nothing. */
static void test_code_that_no_section_describes_counts(void **state)
{
	struct scene *scene = *state;
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct elf_file x, y;
	size_t i;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -O1 -o a main.c");
	assert_ok(scene, file_read(at(scene, "a"), 1 << 20, &a, &scene->err));
	assert_int_equal(elf_file_open(&x, a.data, a.length), ELF_KIND_NATIVE);
	memset(a.data + x.header.e_shoff, 0, x.section_count * sizeof(Elf64_Shdr));
	strbuf_add(&b, a.data, a.length);
	assert_int_equal(elf_file_open(&y, b.data, b.length), ELF_KIND_NATIVE);
	assert_true(elf_files_run_alike(&x, &y));
	for (i = 0; i < y.segment_count; i++) {
		Elf64_Phdr segment = elf_file_segment(&y, i);

		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		b.data[segment.p_offset + segment.p_filesz / 2] ^= 1;
		assert_false(elf_files_run_alike(&x, &y));
	}
	strbuf_release(&a);
	strbuf_release(&b);
}

static size_t random_place(const struct elf_file *elf, unsigned *seed)
{
	size_t span = 64 + elf->segment_count * sizeof(Elf64_Phdr);

	switch (rand_r(seed) % 4) {
	case 0:
		return (size_t)rand_r(seed) % elf->size;
	case 1:
		return elf->header.e_shoff +
		       (size_t)rand_r(seed) % (elf->section_count * sizeof(Elf64_Shdr));
	default:
		return (size_t)rand_r(seed) % span;
	}
}

static void test_mutated_programs_are_read_within_bounds(void **state)
{
	static const unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFF};
	struct scene *scene = *state;
	struct strbuf program = STRBUF_INIT;
	unsigned char *copy;
	struct elf_file elf;
	unsigned seed = 1;
	int round, edits;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -O1 -o a main.c");
	assert_ok(scene, file_read(at(scene, "a"), 1 << 20, &program, &scene->err));
	assert_int_equal(elf_file_open(&elf, program.data, program.length), ELF_KIND_NATIVE);
	copy = malloc(program.length);
	assert_non_null(copy);
	for (round = 0; round < 20000; round++) {
		size_t size = program.length;

		memcpy(copy, program.data, size);
		for (edits = rand_r(&seed) % 6; edits >= 0; edits--)
			copy[random_place(&elf, &seed)] = rand_r(&seed) % 2
								  ? values[rand_r(&seed) % 5]
								  : (unsigned char)rand_r(&seed);
		if (rand_r(&seed) % 8 == 0)
			size = (size_t)rand_r(&seed) % size;
		read_everything(&elf, copy, size);
	}
	free(copy);
	strbuf_release(&program);
}

static void test_build_id_and_names_are_found(void **state)
{
	struct scene *scene = *state;
	struct strbuf program = STRBUF_INIT;
	size_t offset, length;
	struct elf_file elf;

	put_file(scene, "main.c", PROGRAM);
	sh(scene, "cc -Wl,--build-id=0x11223344 -o a main.c");
	assert_ok(scene, file_read(at(scene, "a"), 1 << 20, &program, &scene->err));
	assert_int_equal(elf_file_open(&elf, program.data, program.length), ELF_KIND_NATIVE);
	assert_true(elf_file_build_id(&elf, &offset, &length));
	assert_int_equal(length, 4);
	assert_memory_equal(program.data + offset, "\x11\x22\x33\x44", 4);
	assert_true(elf_file_has_section(&elf, ".text"));
	assert_false(elf_file_has_section(&elf, ".no_such"));
	assert_true(elf_file_has_dynamic_string(&elf, "libc.so.6"));
	assert_false(elf_file_has_dynamic_string(&elf, "__asan_init"));
	assert_contains(elf_file_interpreter(&elf), "ld-linux");
	strbuf_release(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_programs_with_another_build_id_are_equivalent),
		scene_test(test_build_ids_of_other_length_are_not_equivalent),
		scene_test(test_comment_change_is_equivalent),
		scene_test(test_change_of_debug_information_alone_is_equivalent),
		scene_test(test_change_of_a_local_functions_name_is_equivalent),
		scene_test(test_changed_code_differs),
		scene_test(test_changed_constant_of_equal_length_differs),
		scene_test(test_changed_line_number_in_code_differs),
		scene_test(test_appended_payload_counts),
		scene_test(test_sections_of_unknown_use_count),
		scene_test(test_object_files_are_compared_byte_for_byte),
		scene_test(test_text_files_are_compared_byte_for_byte),
		scene_test(test_truncated_programs_are_never_equivalent),
		scene_test(test_code_that_no_section_describes_counts),
		scene_test(test_mutated_programs_are_read_within_bounds),
		scene_test(test_build_id_and_names_are_found),
	};

	return cmocka_run_group_tests_name("elf_file", tests, NULL, NULL);
}
