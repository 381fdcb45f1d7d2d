/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/runs/work_judge.h"

#include <math.h>

/* Of what is burnt all over fixed work all shows, of a fixed time nothing. */
#define LEAST_FOLLOWS 0.7
#define LEAST_SHOWN 0.5
/* Of the CPU time of the cheaper run: as much is planted, and half is left of that where the time
 * is fixed. Below this the noise of a single run is as large as what is looked for. */
#define LEAST_BURNT 0.2
#define MOST_ASIDE 1.25   /* seconds on the wall, for one of CPU time */
#define MOST_WAITING 1.25 /* times as long on the wall, of fixed work twice */

bool work_round_of(
	const struct work_tally *plain, const struct work_tally *slowed, struct work_round *out)
{
	if (!(plain->iterations > 0) || !(slowed->iterations > 0) || !(slowed->burnt_seconds > 0))
		return false;
	*out = (struct work_round){
		.before = plain->cpu_seconds / plain->iterations * slowed->iterations,
		.after = slowed->cpu_seconds,
		.burnt = slowed->burnt_seconds,
	};
	return true;
}

double work_follows(const struct work_round *round)
{
	return (round->after - round->before) / round->burnt;
}

bool work_is_fixed(double follows)
{
	return follows >= LEAST_FOLLOWS;
}

/* ---- single runs --------------------------------------------------------------------------- */

/* One round alone; never WORK_ASK_AGAIN. */
static enum work_verdict look_at(const struct work_round *round)
{
	double follows;

	if (!(round->burnt >= LEAST_BURNT * fmin(round->before, round->after)) ||
		!(round->burnt > 0))
		return WORK_UNKNOWN;
	follows = work_follows(round);
	if (follows < LEAST_SHOWN)
		return WORK_FIXED_TIME;
	return work_is_fixed(follows) ? WORK_FIXED : WORK_DOUBTFUL;
}

/* The mean of every step-th round from `first` on. */
static struct work_round mean_of(
	const struct work_round *rounds, size_t count, size_t first, size_t step)
{
	struct work_round mean = {0};
	double taken = 0;

	for (size_t i = first; i < count; i += step) {
		mean.before += rounds[i].before;
		mean.after += rounds[i].after;
		mean.burnt += rounds[i].burnt;
		taken++;
	}
	if (taken > 0) {
		mean.before /= taken;
		mean.after /= taken;
		mean.burnt /= taken;
	}
	return mean;
}

static bool agree(const struct work_round *a, const struct work_round *b)
{
	return look_at(a) == look_at(b);
}

/* The last `least`, and all together. */
static bool all_agree(const struct work_round *rounds, size_t count, size_t least)
{
	const struct work_round mean = mean_of(rounds, count, 0, 1);

	if (count < least || !agree(&rounds[count - 1], &mean))
		return false;
	for (size_t i = count - least; i + 1 < count; i++)
		if (!agree(&rounds[i], &rounds[count - 1]))
			return false;
	return true;
}

static bool is_settled(const struct work_round *rounds, size_t count, enum work_trust trust)
{
	enum work_verdict last = count ? look_at(&rounds[count - 1]) : WORK_ASK_AGAIN;

	if (count == 1)
		return last == WORK_FIXED && trust == WORK_TRUSTED;
	return all_agree(rounds, count, trust == WORK_SUSPECT && last != WORK_FIXED_TIME ? 3 : 2);
}

/* Two longer rounds, from beginning to end in turns. */
static enum work_verdict judge_longer(const struct work_round *rounds, size_t count)
{
	const struct work_round even = mean_of(rounds, count, 0, 2);
	const struct work_round odd = mean_of(rounds, count, 1, 2);

	return agree(&even, &odd) ? look_at(&even) : WORK_DOUBTFUL;
}

enum work_verdict work_judge(const struct work_round *rounds, size_t count, enum work_trust trust)
{
	if (is_settled(rounds, count, trust))
		return look_at(&rounds[count - 1]);
	return count < WORK_MOST_ROUNDS ? WORK_ASK_AGAIN : judge_longer(rounds, count);
}

struct work_round work_seen(const struct work_round *rounds, size_t count)
{
	bool all = !count || (count == WORK_MOST_ROUNDS && !all_agree(rounds, count, 2));

	return all ? mean_of(rounds, count, 0, 1) : rounds[count - 1];
}

bool work_waits_for_time(double plain_wall_seconds, double slowed_wall_seconds)
{
	return slowed_wall_seconds < MOST_WAITING * plain_wall_seconds;
}

bool work_is_crowded(const struct work_tally *runs, double wall_seconds)
{
	return wall_seconds > MOST_ASIDE * runs->cpu_seconds;
}

/* ---- words --------------------------------------------------------------------------------- */

const char *work_text(const struct work_round *round, const char *advice, struct arena *arena)
{
	double own = round->after - round->burnt;

	return arena_printf(arena,
		"this benchmark runs for a fixed time instead of doing fixed work, so a regression "
		"would hide. %s Seen: with %.3f s of CPU time burnt in each run it took %.3f s "
		"instead of %.3f s, so its own part fell to %.0f %% (%.3f s)",
		advice, round->burnt, round->after, round->before, 100 * own / round->before, own);
}

const char *work_count_text(const struct work_round *round, struct arena *arena)
{
	return arena_printf(arena,
		"the count that the benchmark tells does not go with the work that it does, so a "
		"regression would hide. Let it count what it does, or do fixed work (`work: "
		"fixed`). Seen: of %.3f s of CPU time burnt in each run only %.0f %% show in the "
		"cost of an iteration",
		round->burnt, 100 * work_follows(round));
}

const char *work_doubt_text(const struct work_round *round, struct arena *arena)
{
	return arena_printf(arena,
		"The work may not be fixed, and a part of a regression would hide: of %.3f s of "
		"CPU time burnt in a run %.0f %% show (%.3f s instead of %.3f s). Does a part "
		"of the benchmark, such as its warm-up, run for a fixed time?",
		round->burnt, 100 * work_follows(round), round->after, round->before);
}
