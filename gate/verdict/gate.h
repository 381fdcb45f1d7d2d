/* SPDX-License-Identifier: Apache-2.0 */
/* What is known while one gate is decided; private to the verdict. */
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

/* judge.c: what of the confirmed counts; culprits, shifts; sets the reasons of a regression. */
void judge_confirmed(struct gate *gate);
/* The same for the states alone: nobody is named, and nothing is decided. */
void judge_states(struct gate *gate);

/* improve.c: what went down, without what only moved. After judge_confirmed(). */
void judge_improvements(struct gate *gate);

#endif
