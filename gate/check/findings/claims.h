/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what can be said of culprits, of cost that moved and of improvements.
 * A claim is made only where something besides the samples shows it, or where it says no more than
 * they do.
 */
#ifndef FG_CHECK_CLAIMS_H
#define FG_CHECK_CLAIMS_H

#include "gate/check/analysis/known_calls.h"
#include "gate/check/findings/call_pairs.h"
#include "gate/check/result.h"

struct claims {
	const struct analysis *analysis;
	const struct result_benchmark *benchmark; /* its functions, nodes, shifts and total */
	struct known_calls calls;
	struct call_pairs pairs;
	struct arena *arena;
	struct result_claim *items; /* RESULT_MAX_CLAIMS */
	size_t count;
};

/* Sets culprits[].claim; culprits are the benchmark's. */
void claims_fill(const struct analysis *analysis, struct result_benchmark *out,
	struct result_culprit *culprits, struct arena *arena);

/* NULL: there are as many as there may be. The new claim is about no more than its kind, subject
 * and others; the last of these may be COMPARE_NONE, and is then none. */
struct result_claim *claims_add(struct claims *claims, enum result_claim_kind kind,
	uint32_t subject, uint32_t first, uint32_t second);
/* The code of the function is not what it was: its machine code differs, only one version has it,
 * or, where neither is known, the diff touches it. */
bool claims_is_changed(const struct claims *claims, uint32_t function);
/* It is known that neither the diff nor the machine code changes it. */
bool claims_is_unchanged(const struct claims *claims, uint32_t function);
/* In head alone the caller calls it: as counted, or as the machine code says. */
bool claims_calls_newly(const struct claims *claims, uint32_t caller, uint32_t callee);
/* Counted calls, or both versions' machine code, say that the caller calls `to` as of late and
 * `from` no more. */
bool claims_calls_instead(const struct claims *claims, uint32_t caller, uint32_t from, uint32_t to);
/* As the evidence for a changed function: "src/hash.c: lines 12-14 changed", "its machine code
 * changed". */
void claims_say_changed(const struct claims *claims, uint32_t function, struct result_claim *claim);

/* claims_moved.c: of the benchmark's shifts, once for each cause. */
void claims_of_moved(struct claims *claims);

#endif
