/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/hidden.h"

#include "gate/base/arena.h"
#include "gate/bench/recording/recording.h"

#define MOST_GROWTH 0.05 /* of base's CPU time: shells and the like vary by less */

/* Over all rounds. */
struct spending {
	double counted, paused, left_out, work;
};

static struct spending spending_of(const struct recording *recording)
{
	struct spending sum = {0};

	for (size_t i = 0; i < recording->round_count; i++) {
		const struct recording_round *round = &recording->rounds[i];

		sum.counted += round->cpu_seconds;
		sum.paused += round->paused_seconds;
		sum.left_out += round->left_out_seconds;
		sum.work += round->iterations;
	}
	return sum;
}

static double part(double seconds, const struct spending *of)
{
	double all = of->counted + of->paused + of->left_out;

	return all > 0 ? seconds / all : 0;
}

double paused_share(const struct recording *recording)
{
	struct spending spending = spending_of(recording);

	return part(spending.paused, &spending);
}

double left_out_share(const struct recording *recording)
{
	struct spending spending = spending_of(recording);

	return part(spending.left_out, &spending);
}

bool counts_everything(const struct recording *recording)
{
	for (size_t i = 0; i < recording->round_count; i++)
		if (recording->rounds[i].lost || recording->rounds[i].paused_seconds > 0)
			return false;
	return true;
}

const char *hidden_growth(
	const struct recording *base, const struct recording *head, struct arena *arena)
{
	struct spending there = spending_of(base), here = spending_of(head);
	double before, after;

	if (!(there.work > 0) || !(here.work > 0))
		return "";
	before = part(there.paused + there.left_out, &there);
	/* In units of what base uses, so that a version that is merely faster hides no more. */
	after = part((here.paused + here.left_out) * there.work / here.work, &there);
	if (!(after - before > MOST_GROWTH))
		return "";
	return arena_printf(arena,
		"head leaves out more than base: CPU time worth %.0f %% of the base's is paused "
		"(flamegate.h), before the first iteration or spent in processes that do not "
		"count, %.0f %% in the base itself; "
		"what was moved there is not judged",
		100 * after, 100 * before);
}
