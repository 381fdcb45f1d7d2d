/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls whom how often, by the addresses of the instructions that call: what callgrind counted
 * in one or two runs of a program. By address, because the symbolizer then names callers and
 * callees as it names them in the CPU profile, the inlined ones among the callers too.
 *
 * A function that the compiler has split is one: a jump into its unlikely part (.cold) and back is
 * no call, and a call of a part of it (.part) says nothing about how often the whole is called.
 */
#ifndef FG_BENCH_CALL_SITES_H
#define FG_BENCH_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"
#include "gate/bench/instructions/instructions.h"
#include "gate/profile/profile.h"

struct error;

#define CALL_SITES_RUNS 2

struct call_site {
	uint32_t object, callee_object; /* indices */
	uint64_t from, to;              /* addresses as in the objects' files */
	uint64_t calls[CALL_SITES_RUNS];
	uint64_t instructions[CALL_SITES_RUNS]; /* in the callee and all that it calls */
};

struct call_sites {
	struct arena arena;
	struct map object_index, index;
	const char **objects; /* paths */
	size_t object_count, object_capacity;
	struct call_site *items;
	size_t count, capacity;
	unsigned runs;                      /* at most CALL_SITES_RUNS */
	double iterations[CALL_SITES_RUNS]; /* that each of them did */
	bool lost; /* a process of a run left no counts, so that calls are missing */
};

void call_sites_init(struct call_sites *sites);
void call_sites_release(struct call_sites *sites);
/* Past CALL_SITES_RUNS, and of a run that callgrind did not count, nothing is added. */
void call_sites_add(struct call_sites *sites, const struct instructions_run *run);

/*
 * A new profile of them, where the objects' files still are as they were run: for each place and
 * each callee a sample with the label "round" (the run), whose first value, PROFILE_TYPE_SAMPLES,
 * is the number of calls, and whose second is their instructions. Its first location's last line is
 * the callee, its second location's first line the caller. Only ERR_INTERRUPTED is an error.
 */
int call_sites_profile(const struct call_sites *sites, const char *const *strip_prefixes,
	struct profile **out, struct error *err);

#endif
