/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of a thread that sleeps, from outside. Context: any. */
#ifndef FG_SAMPLER_OFF_CPU_WALK_H
#define FG_SAMPLER_OFF_CPU_WALK_H

#include "gate/sampler/unwind/unwind.h"

/*
 * As fg_unwind(), for a thread of which pc and sp alone are known, and from copies of its stack:
 * whatever it does meanwhile, a wrong address is an error and never a fault. What was walked is
 * good if the thread has not run since pc and sp were read.
 */
size_t fg_unwind_sleeper(struct fg_rule_cache *cache, uint64_t pc, uint64_t sp, uint64_t *pcs,
	uint64_t *exact, size_t max, enum fg_walk_end *end);

#endif
