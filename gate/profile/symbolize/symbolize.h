/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From captured addresses to functions, files and lines, by elfutils' libdw in a child process with
 * resource limits (address space, CPU time, no new files): debug information is hostile input, and
 * a crash or a hang there costs hashes or names, never the run. debuginfod is never asked.
 */
#ifndef FG_PROFILE_SYMBOLIZE_H
#define FG_PROFILE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/profile/capture/capture_read.h"
#include "gate/profile/code/function_names.h"
#include "gate/profile/profile.h"
#include "gate/profile/profile_kind.h"

struct error;

struct symbolizer_options {
	uint64_t max_memory_bytes; /* 0: 4 GiB */
	uint64_t max_cpu_seconds;  /* 0: 60 */
	uint64_t max_wait_seconds; /* for an answer, and 20 more for each CPU second used; 0: 120 */
	uint64_t max_code_units;   /* of work on code hashes, about 10 ns each; 0: 2.5e9 */
	/*
	 * Path prefixes to cut from source files, so that both versions' paths agree
	 * ("build dir/" -> ""). NULL-terminated; may be NULL.
	 */
	const char *const *strip_prefixes;
	bool hash_code; /* symbolizer_code() is wanted */
};

/* A function's machine code, with its parts and clones and what is inlined into it. */
struct symbolized_code {
	const char *hash; /* the same in two builds where the code is; "" in doubt */
	uint32_t bytes;   /* 0 unknown */
	/* The hash without the names of callees, and these (code_callee.h); "" none or in doubt */
	const char *shape, *callees;
};

/*
 * Remembers what it has resolved by (module path, build id, address), so that later rounds are
 * cheap. Not thread safe.
 */
struct symbolizer;
struct symbolizer *symbolizer_new(const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *symbolizer);

/*
 * Adds the set's samples that the kind counts (profile_kind.h; excluded processes' not) to profile,
 * with label "round", where not 0 "epoch", and the program's own regions and labels: "region" (the
 * path, outermost first, joined by '/') and each label's key with the innermost value ("round",
 * "epoch", "state" and "wait" with "label." before them). Where the kind counts several captured
 * ones, "state" or "wait" says which. A heap's sample has the epoch in which it was allocated; what
 * is in use at the end or was at the peak is in samples without epoch, so that each column's sum
 * over all samples is its total.
 * Frames without a symbol are named "[module basename+0xaddress]", with the start of the function
 * where unwind information tells it, else with the frame's address; frames without a module
 * "[unknown]"; "[vdso]" is its own name. A module that cannot be read, or whose build id on disk
 * differs from the captured one, is not symbolised: the profile gets a comment "warning: no names
 * for ...". Samples are summed over processes. Stacks that were cut at the depth limit get the root
 * frame "[cut: too deep]". Only ERR_INTERRUPTED and ERR_USAGE (the profile holds other value types)
 * are errors. No child process is left when this returns.
 */
int symbolizer_add_captures(struct symbolizer *symbolizer, const struct capture_set *set,
	const struct profile_kind *kind, int64_t round, struct profile *profile, struct error *err);

/*
 * The code of a profile's function that this symbolizer has met as a function of its own, not only
 * inlined; owned by the symbolizer. Two functions that a profile cannot tell apart have none.
 */
struct symbolized_code symbolizer_code(
	const struct symbolizer *symbolizer, const struct profile_function *function);

/*
 * Which functions the objects below the prefixes have, of all that captured processes had mapped;
 * objects that are met later are not among them. Into the arena. Not complete where one of them
 * could not be read, or has no debug information; count 0 where there are more than
 * FUNCTION_NAMES_MAX entries.
 */
void symbolizer_list_functions(
	struct symbolizer *symbolizer, struct function_names *names, struct arena *arena);

#endif
