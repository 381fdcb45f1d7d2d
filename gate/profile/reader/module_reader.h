/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer's child: one module's symbols, debug information and code. What is read
 * is hostile; the limits below are also those that the parent holds the child to.
 */
#ifndef FG_PROFILE_MODULE_READER_H
#define FG_PROFILE_MODULE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"
#include "gate/profile/code/code_hash.h"
#include "gate/profile/code/function_names.h"

struct error;

#define SYMBOL_MAX_NAME_BYTES 4096
#define SYMBOL_MAX_PATH_BYTES 4096
#define SYMBOL_MAX_INLINED 128 /* frames at one address */

/* What a module's names come with. */
enum symbol_flags {
	SYMBOL_HAS_FUNCTIONS = 1,
	SYMBOL_HAS_FILES = 2,
	SYMBOL_HAS_LINES = 4,
	SYMBOL_HAS_INLINED = 8,
	SYMBOL_CODE_CUT = 16, /* some code has no hash, because the budget was spent */
};

struct symbol_function {
	const char *name;        /* demangled */
	const char *system_name; /* "" if the same */
	const char *file;        /* "" unknown */
	uint32_t start_line;     /* 0 unknown */
};

struct symbol_frame {
	uint32_t function; /* index */
	uint32_t line;     /* 0 unknown */
};

struct module_reader;
/*
 * build_id "" is not checked. ERR_NOT_FOUND, ERR_IO: no such file; ERR_CORRUPT: not an ELF file, or
 * another build of it; ERR_LIMIT: too large.
 */
int module_reader_open(
	const char *path, const char *build_id, struct module_reader **out, struct error *err);
void module_reader_close(struct module_reader *reader);
unsigned module_reader_flags(const struct module_reader *reader);
/*
 * The frames at a link-time address, innermost first; returns how many (0: no symbol). `function`
 * is an id for module_reader_function(), the same for equal functions.
 */
size_t module_reader_resolve(struct module_reader *reader, uint64_t address,
	struct symbol_frame frames[SYMBOL_MAX_INLINED]);
const struct symbol_function *module_reader_function(
	const struct module_reader *reader, uint32_t function);
/* Of the function whose code is at an address; all calls have the same budget, which outlives the
 * reader. */
void module_reader_code(struct module_reader *reader, struct code_budget *budget, uint64_t address,
	struct code_identity *identity);

/* All functions of a module, as they go over the line. */
struct module_listing {
	struct strbuf files; /* each a string */
	struct strbuf names; /* each FUNCTION_NAME_DIGITS and its file's number from 1; 0: none */
	uint32_t file_count, name_count; /* at most FUNCTION_NAMES_MAX names */
	bool complete;                   /* also what is static, and what was inlined everywhere */
};
void module_reader_list(struct module_reader *reader, struct module_listing *listing);

/* Collapses "//", "." and ".." without looking at the file system; in place. */
void symbol_path_normalize(char *path);

#endif
