/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known while one gate is decided; private to the verdict. Until of_base_convert() all
 * changes and shares are fractions of the mean of both versions' totals, result's too; only the
 * total's own change is relative to base (stage_of_base() is what lies between them).
 */
#ifndef FG_VERDICT_GATE_H
#define FG_VERDICT_GATE_H

#include "gate/verdict/stage.h"
#include "gate/verdict/verdict.h"

struct gate {
	const struct verdict_input *input;
	struct arena *arena;
	struct verdict_result *result;
	bool has_stage2;
	struct stage stage[2], pooled; /* pooled: stage 1 alone as long as there is no stage 2 */
	size_t flagged;                /* functions and nodes */
};

/* effects.c: the numbers of result's functions, nodes and total, with flagged and confirmed set. */
void effects_flag(struct gate *gate);    /* after stage 1 */
void effects_confirm(struct gate *gate); /* after stage 2 */
void effects_describe(struct gate *gate);
/*
 * The pairs that all of these numbers are of, so that they add up: stage 2 alone where stage 1
 * flagged anything, since being flagged selects upwards; else all.
 */
const struct stage *effects_shown(const struct gate *gate);

/* judge.c: what of the confirmed counts; culprits, shifts; sets the reasons of a regression. */
void judge_confirmed(struct gate *gate);
/* The same for the states alone: nobody is named, and nothing is decided. */
void judge_states(struct gate *gate);

/* improve.c: what went down, without what only moved. After judge_confirmed(). */
void judge_improvements(struct gate *gate);

/* of_base.c: makes result's changes and shares fractions of base's total. Last of all, once. */
void of_base_convert(struct gate *gate);

#endif
