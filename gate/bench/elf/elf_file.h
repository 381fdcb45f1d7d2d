/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small ELF reader over bytes in memory, for what is decided before a program runs: can it be
 * preloaded, and are two builds the same program. ELF files are hostile input: every offset, count
 * and string is checked against the file's size, and work is bounded by it.
 */
#ifndef FG_BENCH_ELF_FILE_H
#define FG_BENCH_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_MAX_FILE_BYTES ((size_t)1 << 30)

enum elf_kind {
	ELF_KIND_NONE,    /* not an ELF file */
	ELF_KIND_BROKEN,  /* begins like one, but its headers lie outside the file or contradict */
	ELF_KIND_FOREIGN, /* for another machine, word size or byte order: nothing else is readable
			   */
	ELF_KIND_NATIVE,
};

/* Refers to the caller's bytes, which must stay. */
struct elf_file {
	const unsigned char *data;
	size_t size;
	Elf64_Ehdr header;
	size_t segment_count, section_count;
	const char *section_names; /* not terminated: see section_names_size */
	size_t section_names_size;
};

enum elf_kind elf_file_open(struct elf_file *elf, const void *data, size_t size);

/* index < segment_count, section_count. */
Elf64_Phdr elf_file_segment(const struct elf_file *elf, size_t index);
Elf64_Shdr elf_file_section(const struct elf_file *elf, size_t index);
/* "" if the name lies outside the table. Terminated, inside the file. */
const char *elf_file_section_name(const struct elf_file *elf, const Elf64_Shdr *section);
bool elf_file_has_section(const struct elf_file *elf, const char *name);

/* The program's dynamic loader, or NULL: statically linked (or a library). */
const char *elf_file_interpreter(const struct elf_file *elf);
/* It names some shared library that it needs: of those with a loader,
 * all that use the C library. */
bool elf_file_needs_library(const struct elf_file *elf);
/* A string with this prefix is in the dynamic string table: a library's name or a symbol's. */
bool elf_file_has_dynamic_string(const struct elf_file *elf, const char *prefix);
/* File range of the GNU build id's bytes (at most 64). */
bool elf_file_build_id(const struct elf_file *elf, size_t *offset, size_t *length);

struct elf_function {
	uint64_t address, size; /* link-time */
};
/*
 * elf_functions.c: the one function of this symbol. False where there is none or it has no size,
 * where files have one each, and where the compiler has made several of it: its clones are
 * "symbol.*", of which one alone will do, but no part of it.
 */
bool elf_file_function(
	const struct elf_file *elf, const char *symbol, struct elf_function *function);
/*
 * No jump may lead from a function back to its beginning: it is run once for each call. Whatever
 * looks like one counts as one; false also where the code is not in the file.
 */
bool elf_function_begins_once(const struct elf_file *elf, const struct elf_function *function);
/* The bytes of a link-time range, or NULL if they are not all in the file. */
const unsigned char *elf_file_bytes(const struct elf_file *elf, uint64_t address, uint64_t size);

/*
 * Two native programs or libraries that run alike: equal headers, segments and allocated sections
 * but for the build id's bytes, and equal everything else that is not debug information, a symbol
 * table or a compiler's comment. Payload that is appended to a program counts as content.
 */
bool elf_files_run_alike(const struct elf_file *a, const struct elf_file *b);

#endif
