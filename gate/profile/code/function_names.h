/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions a set of object files has, sampled or not: those of the symbol tables and those
 * that debug information knows, also where they were inlined everywhere. Each has one entry by its
 * name and one by its name and file; an entry is some digits of a hash. What is not in a complete
 * set is in none of the objects.
 */
#ifndef FG_PROFILE_FUNCTION_NAMES_H
#define FG_PROFILE_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"

#define FUNCTION_NAME_DIGITS 10 /* lower-case hex: a false "yes" in a full set once in 10^7 */
#define FUNCTION_NAMES_MAX 100000

struct function_names {
	const char *digits; /* count times FUNCTION_NAME_DIGITS, ascending, each once */
	size_t count;       /* 0: nothing is known */
	bool complete;
};

/* Without a compiler clone's suffix: .part.N, .constprop.N, .isra.N, .cold, .lto_priv.N, .llvm.N */
size_t function_stem_length(const char *name);

/*
 * name: as the linker knows it. Clones count as the function that they were cloned from, and what
 * Rust adds to tell one build of a crate from another does not count. Adds the NUL.
 */
void function_name_digits(const char *name, char digits[FUNCTION_NAME_DIGITS + 1]);
/* The entry by name and file; name: what the above made. */
void function_place_digits(
	const char *name, const char *file, char digits[FUNCTION_NAME_DIGITS + 1]);

bool function_names_have(const struct function_names *names, const char *digits);
/* In a complete set. */
bool function_names_lack(const struct function_names *names, const char *digits);

/* Whether this can be the digits of a set: whole entries, ascending, not too many. */
bool function_names_are_valid(const char *digits, size_t length);
/* Sorts the entries in `digits`, drops those that come twice, and copies the rest into the arena;
 * none at all if there are too many. */
void function_names_finish(struct function_names *names, const struct strbuf *digits, bool complete,
	struct arena *arena);

#endif
