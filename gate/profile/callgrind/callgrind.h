/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that valgrind counted: callgrind's format (version 1, as its manual's "Callgrind
 * Format Specification" has it) and cachegrind's, which is a subset, into the profile's type
 * instructions/count. Files are hostile input: sizes, numbers and names are checked, and messages
 * say which line is wrong.
 *
 * callgrind counts per function, per line and per call, but it keeps no stacks. They are made so
 * that, as integers:
 *   - the grand total, each function's own cost and each line's are what the file says;
 *   - each function's total is what the file says, outside of recursive cycles and short of
 *     max_depth; the cost of each call likewise;
 *   - the cost of a function that has several callers is shared out among its stacks by the cost of
 *     their calls: gprof's assumption that every call costs alike. That share is all that is
 *     assumed.
 * Members of a recursive cycle stand directly below the member by which it was entered. Stacks
 * whose cost is small are not shared out further but given whole calls, largest first, so that
 * there are at most max_stacks of them, or as many as the file has functions, lines and calls; past
 * max_pieces (of hostile files) small callers are joined, and a comment says that frames are lost.
 * Equal files give equal stacks, and a small change of the costs a small change of the large ones.
 *
 * Functions are named as valgrind has them, but for the level of recursion ("f'2" is f); one that
 * has no symbol is "[object+0xaddress]", as the symbolizer names it. A cost in another file than
 * its function's is inlined code, of which no name is known: it has line 0. Lines of next to no
 * cost (below 1/131,072 of all) have line 0 as well where there are many.
 */
#ifndef FG_PROFILE_CALLGRIND_H
#define FG_PROFILE_CALLGRIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/profile/profile.h"

struct error;

struct callgrind_limits {
	size_t max_bytes; /* of one file */
	size_t max_functions, max_names, max_calls, max_costs;
	size_t max_name_bytes;
	size_t max_stacks;
	size_t max_pieces;  /* of cost on their way from callers to callees */
	uint32_t max_depth; /* of a stack; what lies deeper loses the frames in between */
};
extern const struct callgrind_limits callgrind_default_limits;

struct callgrind;
/* limits NULL: the defaults; otherwise they must stay. */
struct callgrind *callgrind_new(const struct callgrind_limits *limits);
void callgrind_free(struct callgrind *callgrind);

/*
 * Adds a file's costs to what is there. name is for messages. ERR_CORRUPT for what is not in the
 * format, for a count other than of instructions ("Ir"), where the totals that the file states are
 * not the sum of its costs, or where it states none and so may be cut; ERR_LIMIT past a limit.
 * After an error only callgrind_free() is left to do.
 */
int callgrind_add(struct callgrind *callgrind, const void *data, size_t length, const char *name,
	struct error *err);

/*
 * Before anything is added: calls are kept by the address of the instruction that makes them, of
 * files that have addresses (--dump-instr=yes). A jump into another function, as compilers make of
 * a call in the end of a function, is a call.
 */
void callgrind_keep_calls(struct callgrind *callgrind);
struct callgrind_calls {
	const char *caller, *callee; /* symbols, as valgrind has them */
	const char *caller_object, *callee_object;
	uint64_t from,
		to; /* addresses as in the objects' files: of the instruction, of its target */
	uint64_t count;
	uint64_t instructions; /* in the callee and all that it calls */
};
size_t callgrind_calls_count(const struct callgrind *callgrind);
/* index < callgrind_calls_count(). One instruction and target may come several times. Strings are
 * owned by callgrind. */
struct callgrind_calls callgrind_calls_at(const struct callgrind *callgrind, size_t index);

/* Of all that was added. */
uint64_t callgrind_instructions(const struct callgrind *callgrind);
/* The last file's command line ("cmd:"); "" unknown. Owned by callgrind. */
const char *callgrind_command(const struct callgrind *callgrind);
/*
 * The program of the last file that named one: among the objects that it executed the one that the
 * command names, else the first that is no shared library; else the command's first word. Owned by
 * callgrind.
 */
const char *callgrind_program(const struct callgrind *callgrind);

struct callgrind_options {
	int64_t round;                     /* label "round" */
	const char *const *strip_prefixes; /* as symbolizer_options; may be NULL */
	/* The build id of an executed object's file, or ""; may be NULL. */
	const char *(*build_id)(void *data, const char *object);
	void *build_id_data;
};

/*
 * Appends samples to profile, whose types are instructions/count or none yet; ERR_USAGE otherwise.
 * Comments say what was assumed.
 */
int callgrind_add_samples(const struct callgrind *callgrind,
	const struct callgrind_options *options, struct profile *profile, struct error *err);

/* The bytes look like one of the two formats (their first lines). */
bool callgrind_is_format(const void *data, size_t length);
/* One file's bytes as a profile; *out is new and untouched on failure. name is for messages. */
int callgrind_decode(const void *data, size_t length, const char *name,
	const struct callgrind_limits *limits, struct profile **out, struct error *err);

#endif
