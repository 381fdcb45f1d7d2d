/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by fold.c (who calls whom how, and what is inlined) and fold_split.c (what was split or
 * merged). */
#ifndef FG_COMPARE_FOLD_INTERNAL_H
#define FG_COMPARE_FOLD_INTERNAL_H

#include "gate/compare/fold.h"

/* A part of a caller's samples that may say otherwise than the rest: stray ones. */
#define FOLD_STRAY 0.05

/* How a callee's frame hangs below its caller's. */
enum fold_way {
	WAY_INLINED,
	WAY_OWN,
	WAY_UNTOLD, /* its own, where nothing would tell that it was inlined */
	WAYS,
};

struct fold_call {
	uint32_t caller, callee; /* two matched functions; caller may be COMPARE_NONE: the root */
	double samples[COMPARE_ARMS][WAYS];
};

struct fold_finder {
	struct folds *out;
	const struct function_matches *matches;
	const struct profile *const *profiles;
	const struct code_of_arm *code; /* or NULL */
	struct map index;               /* (caller, callee) -> calls */
	struct fold_call *calls;        /* sorted by caller and callee, once complete */
	size_t call_count, call_capacity;
	double least[COMPARE_ARMS]; /* samples that say something */
	bool is_counted;            /* both profiles count samples; else each row is one */
	double *self[COMPARE_ARMS]; /* [matched function]: own samples */
	struct fold *found;
	size_t found_count, found_capacity;
};

double fold_call_samples(const struct fold_call *call, int arm);
void fold_add(struct fold_finder *finder, const struct fold *fold);
/* Stripped code: its name is not one function's. */
bool fold_has_name(const struct fold_finder *finder, uint32_t function);

/* fold_split.c. After the calls are complete. */
void fold_find_split(struct fold_finder *finder);

#endif
