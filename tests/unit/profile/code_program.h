/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled programs that the code hash is tested on, and what is compared with each other. */
#ifndef FG_TEST_PROFILE_CODE_PROGRAM_H
#define FG_TEST_PROFILE_CODE_PROGRAM_H

#include "tests/unit/profile/symbolize_fixture.h"

#include <elfutils/libdw.h>
#include <fcntl.h>

#include "gate/profile/code/code_image.h"

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

static inline bool program_open_within(
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

static inline bool program_open(struct program *program, const char *name, const char *build_id)
{
	return program_open_within(program, name, build_id, UINT64_MAX);
}

static inline void program_close(struct program *program)
{
	code_hasher_free(program->hasher);
	code_image_release(&program->image);
	elf_end(program->elf);
	close(program->fd);
}

static inline struct code_identity hash_of(const struct program *program, const char *function)
{
	struct code_identity identity = {.callees = ""};
	for (size_t i = 0; i < program->image.symbol_count; i++)
		if (program->image.symbols[i].stem == strlen(function) &&
			strncmp(program->image.symbols[i].name, function, strlen(function)) == 0)
			code_hasher_find(program->hasher, program->image.symbols[i].low, &identity);
	return identity;
}

static inline void assert_same(
	const struct program *a, const struct program *b, const char *function)
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
static inline bool may_differ(const struct program *program, const char *function)
{
	static const char *const without_data[] = {"loop_bound", "calls_other", "inlines_helper",
		"recurses", "unchanged", "other_sum", "reads_field", "calls_last", "assembled",
		"has_cold_part", "calls_both", "calls_twice", "calls_clone"};
	for (size_t i = 0; i < COUNT(without_data); i++)
		if (strcmp(function, without_data[i]) == 0)
			return false;
	return program->image.machine == CODE_AARCH64;
}

static inline void assert_changed(
	const struct program *a, const struct program *b, const char *function)
{
	struct code_identity left = hash_of(a, function), right = hash_of(b, function);
	bool known = left.hash[0] != '\0' && right.hash[0] != '\0';
	if (known ? strcmp(left.hash, right.hash) == 0 : !may_differ(a, function))
		fail_msg("%s: '%s' and '%s'", function, left.hash, right.hash);
}

static inline void assert_all_same(
	const struct program *a, const struct program *b, const char *but)
{
	for (size_t i = 0; i < COUNT(changes); i++)
		if ((but == NULL || strcmp(changes[i], but) != 0) && !may_differ(a, changes[i]))
			assert_same(a, b, changes[i]);
	for (size_t i = 0; i < COUNT(bystanders); i++)
		assert_same(a, b, bystanders[i]);
}

static inline void skip_without(bool opened)
{
	if (!opened) {
		print_message("no compiler for it\n");
		skip();
	}
}

#endif
