/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a regression sits: a matched filter over the call tree. Two kinds of hypotheses compete by
 * the log-likelihood that they gain over "nothing changed":
 *
 *   self     function f's own code got slower:
 *              1/2 (m_f / se_f)^2
 *   called   f is called more often from a caller, so that all that runs below grows in
 *            proportion to its cost c:
 *              1/2 (sum m_u c_u w_u)^2 / sum c_u^2 w_u
 *
 * m: the changes of the nodes' self cost; w = 1 / se^2; the sums are over the subtrees. Each kind
 * is also asked per pair (caller, callee) over all contexts, since a program calls one function
 * from many.
 */
#ifndef FG_VERDICT_LOCALISE_H
#define FG_VERDICT_LOCALISE_H

#include "gate/verdict/localise/tree.h"
#include "gate/verdict/stage.h"

struct localise {
	const struct verdict_input *input;
	const struct stage *pooled;
	const struct tree *tree;
	double *change, *weight,
		*cost;         /* [node]: m, w, c of the self cost; weight 0 = nothing there */
	double *along, *power; /* [node]: the sums over its subtree */
	double *function_change, *function_se; /* [function] */
	uint32_t *edge;                        /* [node]: number of its (caller, callee) pair */
	bool *outermost;                       /* [node]: no ancestor has the same edge */
	size_t edge_count;
};

void localise_init(struct localise *localise, const struct verdict_input *input,
	const struct stage *pooled, const struct tree *tree, struct arena *arena);

/* Takes a function's change out of the picture: it is known not to be a regression. */
void localise_forget(struct localise *localise, uint32_t function);

/* Takes a call out of the picture, whose cost has moved here: nobody below it is called more often.
 * What is below it may still be slower by its own, in all its contexts together. */
void localise_forget_call(struct localise *localise, uint32_t node);

/*
 * Whether a function with unchanged code grew by its own: no changed caller above the node where it
 * grew most explains the growth about as well by calling more often. Call before any forget.
 */
bool localise_unchanged(struct localise *localise, uint32_t function);

struct localised {
	struct verdict_culprit culprits[VERDICT_CULPRITS_MAX]; /* by evidence, strongest first */
	size_t count;
	bool spread; /* something grew in proportion all over the benchmark */
};

/*
 * Greedy: takes the best hypothesis, subtracts what it explains, and goes on while the evidence is
 * above least (for the first, above a small constant). Estimates come from the stage given as
 * display. confirmed: [function], those that count as slower themselves: where everything seems to
 * grow in proportion and one of them holds half of that, it is the one. Changes localise.
 */
void localise_run(struct localise *localise, const struct stage *display, double least,
	const bool *confirmed, struct localised *result);

/* The function as a culprit by its own cost, of the kind given. */
void localise_describe(const struct localise *localise, const struct stage *display,
	uint32_t function, enum verdict_blame kind, struct verdict_culprit *culprit);

/* Whether node is the top of one of the calls that a culprit of BLAME_CALLED is about. */
bool localise_is_top(
	const struct localise *localise, const struct verdict_culprit *culprit, size_t node);

#endif
