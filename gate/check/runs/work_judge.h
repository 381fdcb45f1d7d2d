/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a benchmark's work fixed? Slowed down all over it must cost what was burnt. One that runs for
 * a fixed time costs as much as before and does less, and a regression would hide in the same way.
 * What the self-test and the work probe share. No clock, no I/O.
 */
#ifndef FG_CHECK_WORK_JUDGE_H
#define FG_CHECK_WORK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/arena.h"

/*
 * The part of its own CPU time that a benchmark is slowed down by. Many harnesses double their
 * rounds until a measurement is long enough, and it ends up to twice as long: slowed down by less
 * than its whole time such a one often does as many rounds as before, as fixed work would.
 */
#define WORK_PART 1.0

/* Some runs: their CPU time, how much work they did, and what a slowdown burnt in them. */
struct work_tally {
	double cpu_seconds, iterations, burnt_seconds;
};

/* Some runs without a slowdown against as many with it. */
struct work_round {
	double before; /* CPU seconds without, for as much work as the slowed ones did */
	double after;  /* CPU seconds with */
	double burnt;  /* part of after */
};

enum work_verdict {
	WORK_FIXED,      /* what was burnt shows in the CPU time */
	WORK_DOUBTFUL,   /* a part of it shows: a warning */
	WORK_FIXED_TIME, /* most of it does not: refused */
	WORK_UNKNOWN,    /* too little was burnt to tell */
	WORK_ASK_AGAIN,  /* another round must tell */
};

/* False: one of them says nothing (no work, or nothing was burnt). */
bool work_round_of(
	const struct work_tally *plain, const struct work_tally *slowed, struct work_round *out);
/* The part of what was burnt by which the CPU time rose: 1 for fixed work, 0 for a fixed time. */
double work_follows(const struct work_round *round);
/* As much as one must see of what was burnt, where several pairs were measured. */
bool work_is_fixed(double follows);

/*
 * What the rounds so far say together. The first that clearly follows settles it, but not that of a
 * suspect. Otherwise the first two in a row that agree do, if all together say the same; of a
 * suspect three, unless they refuse it. A single run's CPU time varies by several per cent on a
 * busy machine, and by more where a loop ends by the clock on the wall. Nothing is refused by one
 * round. After WORK_MOST_ROUNDS each second round, and the others, make two longer ones; if these
 * do not agree either it is doubtful.
 */
enum work_trust {
	WORK_TRUSTED,
	WORK_CROWDED, /* work_is_crowded(): one round is not enough */
	/* A harness that runs for a fixed time is known in it (some calibrate by a single call, and
	 * their work jumps from run to run), or work_waits_for_time(). */
	WORK_SUSPECT,
};
#define WORK_MOST_ROUNDS 8
enum work_verdict work_judge(const struct work_round *rounds, size_t count, enum work_trust trust);
/* The round to tell of where these have settled it: the last, or the mean of all where no two
 * agreed. */
struct work_round work_seen(const struct work_round *rounds, size_t count);
/* The slowed run was over at about the same time as the plain one, where fixed work takes
 * twice as long. So is one that mostly sleeps. */
bool work_waits_for_time(double plain_wall_seconds, double slowed_wall_seconds);
/* These runs had to share the processors: how much one that runs for a fixed time did is then
 * chance, and it may look as if it followed. So may one that waits. */
bool work_is_crowded(const struct work_tally *runs, double wall_seconds);

/* What to do, where nothing better is known: a sentence. */
#define WORK_ADVICE                                                                                \
	"Its work must be counted: give it a fixed number of iterations, or `work:` that reads "   \
	"how many it did."

/*
 * Says that a benchmark's work is not fixed, what to do about it (a sentence), and what was seen.
 */
const char *work_text(const struct work_round *round, const char *advice, struct arena *arena);
/* The same where it is counted, and the count does not go with the work. */
const char *work_count_text(const struct work_round *round, struct arena *arena);
/* The same where only a part of the work is not fixed. */
const char *work_doubt_text(const struct work_round *round, struct arena *arena);

#endif
