/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what a reader must know of a benchmark that runs for a fixed time. */
#ifndef FG_CHECK_FILL_WORK_H
#define FG_CHECK_FILL_WORK_H

#include "gate/base/arena.h"

struct result;
struct result_benchmark;
struct result_work;

/* What was done to its clock, and what a run takes by it: a sentence. */
const char *work_clock_text(const struct result_work *work, struct arena *arena);
/*
 * Where most of a run is its start, a change of what is measured shows as less of the run: which one
 * of it is found, by mde_total. "" where it is not most, or not known.
 */
const char *work_start_text(const struct result_work *work, double mde_total, struct arena *arena);

/* Adds both to out->excluded, after out->mde_total is known. Nothing where the clock is the real one. */
void fill_work(struct result *result, struct result_benchmark *out);

#endif
