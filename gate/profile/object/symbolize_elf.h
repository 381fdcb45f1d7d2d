/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer's child: finds a module's files (itself, its separate debug file) and
 * reads its symbol tables.
 */
#ifndef FG_PROFILE_SYMBOLIZE_ELF_H
#define FG_PROFILE_SYMBOLIZE_ELF_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/profile/object/range_table.h"

struct error;

struct elf_file {
	int fd; /* -1: none */
	Elf *elf;
	char *path;
};

struct elf_module {
	struct elf_file file;
	struct elf_file debug;   /* separate debug information, where there is any */
	struct range_table text; /* executable segments */
	struct arena arena;
	struct range_table symbols;
	const char **names; /* of the symbols' entries */
	size_t name_count, name_capacity;
	bool symbols_read;
};

/* As module_reader_open(). */
int elf_module_open(
	const char *path, const char *build_id, struct elf_module *module, struct error *err);
void elf_module_release(struct elf_module *module);
/* The file with DWARF in it, or NULL. */
Elf *elf_module_debug_info(const struct elf_module *module);
/*
 * A table of names; elf_strptr() would look for the end of each name from the table's end. Empty if
 * the section is none, or if its last name has no end.
 */
struct elf_names {
	const char *bytes;
	size_t size;
};
struct elf_names elf_names_read(Elf *elf, size_t section);
/* NULL if there is none at this place. */
const char *elf_name(const struct elf_names *names, size_t offset);

/* The symbol at an address as the linker knows it, or NULL. */
const char *elf_module_symbol(struct elf_module *module, uint64_t address);

/* Called with the name of each function symbol.
 * Returns whether static functions' are among them. */
typedef void elf_name_callback(void *data, const char *name);
bool elf_module_list(struct elf_module *module, elf_name_callback *callback, void *data);

/* "name@plt" symbols for procedure linkage stubs (x86-64), called with each stub found. */
typedef void elf_plt_callback(void *data, uint64_t address, uint64_t size, const char *name);
void elf_read_plt(Elf *elf, elf_plt_callback *callback, void *data);

/* Called with the address of each function that the unwinder knows, in no promised order. */
typedef void elf_start_callback(void *data, uint64_t address);
void elf_read_starts(Elf *elf, elf_start_callback *callback, void *data);

#endif
