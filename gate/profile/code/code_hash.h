/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the symbolizer's child: a hash of each function's machine code that says whether two
 * builds hold the same code, wherever the linker has put it
 * (gate/verdict/README.md: unchanged code is excused). Into it go the instructions; what a call or
 * jump goes to, by name; what is read, by its content where it is constant, otherwise by its name
 * and its value at the start; jump tables by where they lead. A function's parts and clones (.cold,
 * .part.N, .constprop.N, .isra.N) count with it, and so does, by construction, what is inlined into
 * it. Beside the hash stands one without the names of the module's own functions that are called,
 * and these.
 */
#ifndef FG_PROFILE_CODE_HASH_H
#define FG_PROFILE_CODE_HASH_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "gate/profile/code/code_budget.h"
#include "gate/profile/code/code_callee.h"

#define CODE_HASH_DIGITS 32

struct code_hasher;
/*
 * elf: the module; debug: its separate debug file or NULL; budget: what hashes may cost. All must
 * outlive the hasher. build_id: of the module, "" unknown. Never NULL: where nothing can be hashed,
 * there are no hashes.
 */
struct code_hasher *code_hasher_new(
	Elf *elf, Elf *debug, const char *build_id, struct code_budget *budget);
void code_hasher_free(struct code_hasher *hasher);

/* The source line of the instruction at a link-time address; 0 unknown. */
typedef uint32_t code_line_of(void *data, uint64_t address);
/*
 * From here on an instruction that holds the number of its own line holds that instead of the
 * number: __LINE__, which assertions and checked allocators pass, is another in every function
 * below a line that was added. x86-64 only. data must outlive the hasher.
 */
void code_hasher_know_lines(struct code_hasher *hasher, code_line_of *line_of, void *data);

struct code_identity {
	char hash[CODE_HASH_DIGITS + 1]; /* lower-case hex; "" if in doubt */
	uint32_t bytes;                  /* of machine code; 0 unknown */
	/* The hash without the callees' names, and these (code_callee.h); "" where the hash is, if
	 * there are none, and if there are too many. The hasher owns callees. */
	char shape[CODE_HASH_DIGITS + 1];
	const char *callees;
};

/*
 * Of the function at a link-time address. Where its code is not understood, the hash is of the
 * build id and its place: the same in the same file alone.
 * None from where the budget is spent.
 */
void code_hasher_find(struct code_hasher *hasher, uint64_t address, struct code_identity *identity);

#endif
