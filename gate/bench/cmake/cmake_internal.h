/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of cmake.h share. Not for others. */
#ifndef FG_BENCH_CMAKE_INTERNAL_H
#define FG_BENCH_CMAKE_INTERNAL_H

#include "gate/base/map.h"
#include "gate/bench/cmake/cmake.h"

#define CMAKE_MAX_STEPS 400000
#define CMAKE_MAX_DEPTH 40
#define CMAKE_MAX_EXPANDED_BYTES ((size_t)64 * 1024 * 1024)
#define CMAKE_MAX_WORD_BYTES ((size_t)64 * 1024)
#define CMAKE_MAX_NEEDS 64
#define CMAKE_MAX_FUNCTIONS 2000
#define CMAKE_MAX_VARIABLES 20000

/* ---- a file, taken apart -------------------------------------------------------------------- */

struct cmake_word {
	const char *text;
	bool quoted;
	bool known; /* when expanded: no part of it is missing */
};
struct cmake_words {
	struct cmake_word *items;
	size_t count, capacity;
};
struct cmake_command {
	const char *name; /* in lower case */
	struct cmake_words words;
	size_t line;
};
struct cmake_script {
	const struct cmake_text *source;
	struct cmake_command *commands;
	size_t count;
	bool reached, running;
};

/* The rest of a text that is no CMake is left out. Words are the arena's. */
void cmake_parse(struct arena *arena, struct cmake_script *script);
/* The command that ends the block that begins at `first`; end if there is none. */
size_t cmake_block_end(const struct cmake_script *script, size_t first, size_t end);
bool cmake_is(const struct cmake_command *command, const char *name);

/* ---- following it --------------------------------------------------------------------------- */

/* An option's setting. */
struct cmake_need {
	const char *name;
	bool on;
};

struct cmake_variable {
	const char *name;
	const char *text;    /* NULL: not known */
	bool option;         /* can be set from outside */
	bool maybe;          /* set only under what is not known */
	const char *depends; /* of cmake_dependent_option(); NULL: none */
	/* text is its value under these alone, else other (NULL: none) is. */
	const struct cmake_need *needs;
	size_t need_count;
	const char *other;
};

struct cmake_function {
	const char *name;
	const struct cmake_script *script;
	size_t first, end;                    /* of the commands: the body */
	const struct cmake_words *parameters; /* the first is the name */
	bool is_macro;
};

struct cmake_run {
	struct arena *arena;
	struct cmake_script *scripts;
	size_t script_count;
	struct cmake_sites *sites;
	size_t site_capacity;
	struct map names, paths;                /* of variables; of scripts */
	struct cmake_variable *variables, none; /* none: beyond the limit */
	size_t variable_count, variable_capacity;
	struct cmake_function *functions;
	size_t function_count, function_capacity;
	/* Under which the commands now read are reached; with what is not known, maybe. */
	struct cmake_need needs[CMAKE_MAX_NEEDS];
	size_t need_count, maybe;
	const struct cmake_script *script;
	const char *project, *folder, *binary; /* binary: from the build folder */
	size_t steps_left, depth;
	size_t most_bytes; /* of the arena */
};

/* How sure it is that CMake goes this way, with the needs that have been added for it. */
enum cmake_fit { CMAKE_NEVER, CMAKE_MAYBE, CMAKE_SURELY };

/* The condition, in words that are not expanded, comes out like this: what that takes is added to
 * the needs. */
enum cmake_fit cmake_want(struct cmake_run *run, const struct cmake_words *words, bool on);
/* CMake's constants; else whether it is a value that counts as true. */
bool cmake_is_true(const char *text);

struct cmake_variable *cmake_find(const struct cmake_run *run, const char *name);
struct cmake_variable *cmake_make(struct cmake_run *run, const char *name);
/* By set(), or with text NULL by what is not known. */
void cmake_set(struct cmake_run *run, const char *name, const char *text);
/* What is not known stays as it is written; *known then becomes false. */
const char *cmake_expand(struct cmake_run *run, const char *text, bool *known);
/* Each word expanded, lists that are not quoted taken apart; the arena's. */
struct cmake_words cmake_expand_all(
	struct cmake_run *run, const struct cmake_words *words, size_t first);
void cmake_add_word(struct arena *arena, struct cmake_words *words, struct cmake_word word);

/* Bytes that the arena may still grow by; at 0 the reading is cut. */
size_t cmake_room(const struct cmake_run *run);

/* How folders stand in variables: both are no paths of a file system. */
#define CMAKE_SOURCE_ROOT "/@source"
#define CMAKE_BINARY_ROOT "/@binary"

/* Commands that end or change the flow are the caller's. False: it is none that is known. */
bool cmake_run_command(struct cmake_run *run, const struct cmake_command *command);
/* Commands that are about targets. */
void cmake_add_executable(struct cmake_run *run, const struct cmake_command *command);
void cmake_add_to_target(struct cmake_run *run, const struct cmake_command *command);
/* All of a file, in the folder that it is read for. */
void cmake_run_script(struct cmake_run *run, struct cmake_script *script);
struct cmake_script *cmake_script_of(struct cmake_run *run, const char *path);

#endif
