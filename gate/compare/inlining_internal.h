/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by inlining.c (who calls whom how, and what is inlined) and inlining_split.c (what was
 * split or merged). */
#ifndef FG_COMPARE_INLINING_INTERNAL_H
#define FG_COMPARE_INLINING_INTERNAL_H

#include "gate/compare/inlining.h"

/* A part of a caller's samples that may say otherwise than the rest: stray ones. */
#define INLINING_STRAY 0.05

/* How a callee's frame hangs below its caller's. */
enum inlining_way {
	WAY_INLINED,
	WAY_OWN,
	WAY_UNTOLD, /* its own, where nothing would tell that it was inlined */
	WAYS,
};

struct inlining_call {
	uint32_t caller, callee; /* two matched functions; caller may be COMPARE_NONE: the root */
	double samples[COMPARE_VERSIONS][WAYS];
};

struct inlining_finder {
	struct inlining_map *out;
	const struct function_matches *matches;
	const struct profile *const *profiles;
	const struct code_of_version *code; /* or NULL */
	struct map index;                   /* (caller, callee) -> calls */
	struct inlining_call *calls;        /* sorted by caller and callee, once complete */
	size_t call_count, call_capacity;
	double least[COMPARE_VERSIONS]; /* samples that say something */
	bool is_counted;                /* both profiles count samples; else each row is one */
	double *self[COMPARE_VERSIONS]; /* [matched function]: own samples */
	struct inlining *found;
	size_t found_count, found_capacity;
};

double inlining_call_samples(const struct inlining_call *call, int version);
void inlining_add(struct inlining_finder *finder, const struct inlining *inlining);
/* Stripped code: its name is not one function's. */
bool inlining_has_name(const struct inlining_finder *finder, uint32_t function);

/* inlining_split.c. After the calls are complete. */
void inlining_find_split(struct inlining_finder *finder);

#endif
