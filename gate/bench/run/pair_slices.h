/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pair's rules, without clocks and processes: which version runs next, and whether the other
 * one stood still meanwhile. Versions are 0 and 1.
 */
#ifndef FG_BENCH_PAIR_SLICES_H
#define FG_BENCH_PAIR_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gate/base/process/process_look.h"

#define SLICES_OVER (-1)

/* Pairs of slices, each pair in random order; who is left alone runs on to its end. */
struct slices {
	uint64_t random; /* state of splitmix64 */
	int second;      /* of the pair that has begun; SLICES_OVER: the next pair begins */
	bool ended[2];
	uint32_t count[2]; /* slices given to each */
};

void slices_init(struct slices *slices, uint64_t seed);
/* The version whose slice is next; SLICES_OVER when both have ended. */
int slices_next(struct slices *slices);
void slices_end(struct slices *slices, int version);
/* The other one has ended: there is nobody to make room for. */
bool slices_alone(const struct slices *slices, int version);

/*
 * What one version did while it was to stand still. A thread that stops in its next sample runs on
 * for up to one sampling period; two are allowed for each thread.
 */
struct idle_account {
	uint64_t period_ns;     /* between two samples of a busy thread */
	uint32_t slices;        /* idle ones that were judged */
	uint32_t leaks;         /* processes that went on although they should have been stopped */
	uint64_t cpu_ns;        /* all that was used in idle slices */
	int64_t unaccounted_ns; /* of that, what was not allowed and nobody was stopped for */
	uint64_t excused_ns;    /* what was not allowed and somebody was stopped for */
};

/*
 * Adds one idle slice: before is the look at its beginning, after the one at its end. held: the
 * processes that are stopped by signal, held_count of them. Those that went on too far and are not
 * among them are written to offenders, room for after->count; their number is returned: stop them
 * from now on. Of those that are, and of processes that began meanwhile, going on is a leak.
 */
size_t idle_judge(struct idle_account *account, const struct process_look *before,
	const struct process_look *after, const pid_t *held, size_t held_count, pid_t *offenders);

/* It cannot be made to stand still: no pair with this one. */
bool idle_is_hopeless(const struct idle_account *account);

#endif
