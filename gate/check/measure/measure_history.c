/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_history.h"

#include <math.h>
#include <stdlib.h>

#include "gate/base/error.h"
#include "gate/bench/config/metric.h"
#include "gate/check/decide/decide_counted.h"
#include "gate/check/runs/measure_side.h"

#define MOST_UNREADABLE 4

void history_release(struct history *history)
{
	free(history->found);
	history->found = NULL;
}

/* Of one run, or of one unit of work. False: there is no such number. */
static bool total_of(const struct recording *recording, double *total)
{
	enum metric metric = metric_of_type(recording->profile_type);
	bool per_work =
		metric != METRIC_COUNT && metrics[metric].per_work && recording->counted_work;
	int type = recording_value_type(recording);
	double sum = 0, work = 0;

	if (type < 0)
		return false;
	for (size_t i = 0; i < recording->profile->sample_count; i++)
		sum += (double)recording->profile->samples[i].values[type];
	for (size_t i = 0; i < recording->round_count; i++)
		work += per_work ? recording->rounds[i].iterations : 1;
	*total = sum / work;
	return work > 0 && sum >= 0 && isfinite(*total);
}

/* Of two that were built alike: what differs is the code's. False: nothing can be said. */
static bool change_between(
	const struct recording *older, const struct recording *newer, double *change)
{
	struct arena scratch = ARENA_INIT;
	const char *difference;
	double before, after;
	bool known = counts_are_comparable(older, newer, &scratch, &difference) &&
		     total_of(older, &before) && total_of(newer, &after) && before > 0;

	if (known)
		*change = fabs(after / before - 1);
	arena_release(&scratch);
	return known;
}

static bool find_commits(struct history *history)
{
	struct error ignored;
	size_t count = history->count < HISTORY_REACH ? history->count : HISTORY_REACH;

	if (history->found)
		return true;
	history->found = xcalloc(count, sizeof(*history->found));
	history->count = count;
	if (!store_find(history->store, history->ancestors, count, history->found, &ignored))
		return true;
	history->count = 0;
	return false;
}

/* The nearest first; *count baselines are there afterwards, to be released. */
static void read_baselines(struct history *history, const char *benchmark, const char *type,
	struct recording *baselines, size_t *count)
{
	double start = monotonic_seconds();
	size_t unreadable = 0;

	*count = 0;
	for (size_t i = 0; i < history->count && *count < HISTORY_ENTRIES; i++) {
		const struct baseline_key key = {history->ancestors[i], benchmark, type, NULL};
		enum baseline_detail detail;
		struct error ignored;

		if (history->spent_seconds + monotonic_seconds() - start > HISTORY_SECONDS ||
			unreadable == MOST_UNREADABLE)
			break;
		if (!history->found[i])
			continue;
		if (store_get(history->store, &key, &baselines[*count], &detail, &ignored)) {
			unreadable++;
			continue;
		}
		/* Servers round; a change of theirs would be none of the code's. */
		if (detail == BASELINE_SERVER)
			recording_release(&baselines[*count]);
		else
			++*count;
	}
	history->spent_seconds += monotonic_seconds() - start;
}

void history_read(struct history *history, const char *benchmark, struct arena *arena,
	struct measured_reference *reference)
{
	struct recording *baselines = xcalloc(HISTORY_ENTRIES, sizeof(*baselines));
	double *changes = arena_array(arena, HISTORY_ENTRIES, sizeof(*changes));
	size_t count = 0;

	if (find_commits(history))
		read_baselines(history, benchmark, reference->profile_type, baselines, &count);
	reference->history = changes;
	for (size_t i = 1; i < count; i++)
		if (change_between(
			    &baselines[i], &baselines[i - 1], &changes[reference->history_count]))
			reference->history_count++;
	for (size_t i = 0; i < count; i++)
		recording_release(&baselines[i]);
	free(baselines);
}
