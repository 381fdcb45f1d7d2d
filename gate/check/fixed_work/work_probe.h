/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: does a benchmark do fixed work? A run that is slowed to half its speed
 * all over is compared with a plain one, by work_judge.h. What is found is kept with the build, so
 * that a later check of it runs nothing (work_known.h).
 */
#ifndef FG_CHECK_WORK_PROBE_H
#define FG_CHECK_WORK_PROBE_H

#include "gate/bench/harness/harness_flags.h"
#include "gate/check/runs/measure_side.h"

struct work_finding {
	enum work_verdict verdict; /* never WORK_ASK_AGAIN */
	/* For people: the refusal, the warning, or why it could not be told. "" for fixed work.
	 * Owned by the measurements' arena. */
	const char *text;
	/* What all runs of this build printed so far (printed.h); "" they disagree, or were not
	 * looked at. */
	char printed[65];
	const struct harness_flag *harness; /* that is recognised in it; NULL: none */
};

/* That base runs for a fixed time, and its clock was replayed: a later check asks nothing before it
 * replays. */
void work_keep_timed(const struct side *side, const struct harness_flag *harness);

/*
 * The rounds alone, with the side's clock, whatever is known, and nothing is kept: of a benchmark
 * whose clock is replayed. ERR_BENCHMARK where a run fails, or reads the clock another number of
 * times than the record has.
 */
int work_probe_replayed(struct side *side, struct work_finding *out, struct error *err);

/*
 * After side_probe(). Nothing is found (WORK_FIXED, "") where a self-test plants slowdowns itself,
 * but of work: auto. A run that fails only when it is slowed down proves nothing: WORK_UNKNOWN. Otherwise only
 * interruptions and a cache that cannot be used are errors.
 */
int work_probe(struct side *side, struct work_finding *out, struct error *err);

#endif
