/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/findings/fill_work.h"

#include <string.h>

#include "gate/check/result.h"

#define MOST_START 0.5 /* of a run, that need not be told */

static const char *replayed_text(const struct result_work *work, struct arena *arena)
{
	const char *faster =
		work->speed > 1 ? arena_printf(arena, ", %u times as fast", work->speed) : "";

	return arena_printf(arena,
		"every run of both versions gets what base's clock said in one, so that both do "
		"the same work: %llu call%s in %u process%s%s; a run takes %.2g s of CPU "
		"time, as it is %.2g s",
		(unsigned long long)work->calls, work->calls == 1 ? "" : "s", work->processes,
		work->processes == 1 ? "" : "es", faster, work->run_seconds, work->real_seconds);
}

const char *work_clock_text(const struct result_work *work, struct arena *arena)
{
	if (work->kind == RESULT_WORK_REPLAYED)
		return replayed_text(work, arena);
	return arena_printf(arena,
		"in every run its clock goes on by %g us at each call, so that both versions do the "
		"same work",
		work->step_seconds * 1e6);
}

const char *work_start_text(const struct result_work *work, double mde_total, struct arena *arena)
{
	double own = work->run_seconds - work->start_seconds;

	if (!(work->start_seconds > MOST_START * work->run_seconds) || !(mde_total > 0) ||
		!(own > 0))
		return "";
	return arena_printf(arena,
		"%.2g of the %.2g s of CPU time a run are its start, which no clock shortens: of "
		"what is measured after it a change of %.2g %% is found four times out of five, and "
		"smaller ones with a longer 'benchmark_time'",
		work->start_seconds, work->run_seconds, 100 * mde_total * work->run_seconds / own);
}

void fill_work(struct result *result, struct result_benchmark *out)
{
	const char **lines, *start;

	if (out->work.kind == RESULT_WORK_AS_IT_IS)
		return;
	lines = arena_array(&result->arena, out->excluded_count + 2, sizeof(*lines));
	lines[0] = work_clock_text(&out->work, &result->arena);
	if (out->excluded_count)
		memcpy(lines + 1, out->excluded, out->excluded_count * sizeof(*lines));
	out->excluded_count++;
	start = work_start_text(&out->work, out->mde_total, &result->arena);
	if (start[0])
		lines[out->excluded_count++] = start;
	out->excluded = lines;
}
