/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/bench/recording/memory_line.h"
#include "gate/bench/recording/recording.h"

#define WARM_UP_PART 4 /* of the epochs: one in so many */
#define MOST 1e15      /* a capture says what the measured code wants: more is no reading */

/* ---- growth of what is in use -------------------------------------------------------------- */

/* How many epochs have begun with this one: they are in order. */
static size_t epochs_begun(const struct capture_process *process, uint32_t epoch)
{
	size_t low = 0, high = process->epoch_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->epochs[middle].epoch <= epoch)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What each epoch added to the heap; growth[0] came before the first. */
static void add_growth(const struct capture_process *process, double *growth)
{
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *entry = &process->entries[i];

		if (entry->kind == CAPTURE_HEAP)
			growth[epochs_begun(process, entry->epoch)] +=
				(double)entry->sum - (double)entry->gone_sum;
	}
}

/* Sums of a line's least squares. */
struct line {
	double n, x, y, xx, xy;
};

static void line_add(struct line *line, double x, double y)
{
	line->n++;
	line->x += x;
	line->y += y;
	line->xx += x * x;
	line->xy += x * y;
}

static double line_slope(const struct line *line)
{
	double spread = line->n * line->xx - line->x * line->x;

	return spread > 0 ? (line->n * line->xy - line->x * line->y) / spread : 0;
}

/* In use where an epoch begins, against the iterations done by then: both are of that moment. */
static void add_leak(const struct capture_process *process, struct recording_round *round)
{
	size_t count = process->epoch_count, warm_up = count / WARM_UP_PART;
	double *growth, live = 0, first;
	struct line line = {0};

	if (count < warm_up + LEAK_EPOCHS_MIN)
		return;
	growth = xcalloc(count + 1, sizeof(*growth));
	add_growth(process, growth);
	first = (double)process->epochs[warm_up].iterations;
	for (size_t i = 0; i < count; i++) {
		live += growth[i];
		if (i >= warm_up)
			line_add(&line, (double)process->epochs[i].iterations - first, live);
	}
	free(growth);
	round->leak_bytes += line_slope(&line);
	round->leak_epochs += (uint32_t)line.n;
}

/* ---- all of them --------------------------------------------------------------------------- */

static void add_waits(const struct capture_process *process, struct recording_round *round)
{
	static const enum capture_kind locks[] = {
		CAPTURE_MUTEX, CAPTURE_RWLOCK, CAPTURE_CONDITION, CAPTURE_FUTEX};

	round->off_cpu_seconds += (double)process->totals[CAPTURE_OFF_CPU].sum / 1e9;
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++) {
		round->lock_seconds += (double)process->totals[locks[i]].sum / 1e9;
		round->contentions += (double)process->totals[locks[i]].count;
	}
}

static double within(double number)
{
	return fmax(-MOST, fmin(number, MOST));
}

static void limit(struct recording_round *round)
{
	round->max_rss_bytes = within(round->max_rss_bytes);
	round->off_cpu_seconds = within(round->off_cpu_seconds);
	round->lock_seconds = within(round->lock_seconds);
	round->contentions = within(round->contentions);
	round->leak_bytes = within(round->leak_bytes);
}

uint64_t readings_resident(const struct run *run)
{
	uint64_t most = 0;

	for (size_t i = 0; i < run->captures.process_count; i++) {
		const struct capture_process *process = &run->captures.processes[i];

		if (!process->excluded && process->max_rss_bytes > most)
			most = process->max_rss_bytes;
	}
	return most;
}

void readings_take(const struct run *run, struct recording_round *round)
{
	round->max_rss_bytes = fmax(round->max_rss_bytes, (double)readings_resident(run));
	for (size_t i = 0; i < run->captures.process_count; i++) {
		const struct capture_process *process = &run->captures.processes[i];

		if (process->excluded)
			continue;
		round->threads += process->threads;
		add_waits(process, round);
		if (process->kinds >> CAPTURE_HEAP & 1)
			add_leak(process, round);
	}
	limit(round);
}

void readings_take_memory(const struct run *run, struct recording *recording)
{
	struct memory_line line = memory_line_of(run, &recording->arena), *lines;

	if (!line.count)
		return;
	lines = arena_array(&recording->arena, recording->memory_count + 1, sizeof(*lines));
	if (recording->memory_count)
		memcpy(lines, recording->memory, recording->memory_count * sizeof(*lines));
	lines[recording->memory_count++] = line;
	recording->memory = lines;
}

void readings_add(const struct run *run, struct recording_round *round)
{
	struct recording_round more = {0};

	readings_take(run, &more);
	round->max_rss_bytes = fmax(round->max_rss_bytes, more.max_rss_bytes);
	round->threads = more.threads > round->threads ? more.threads : round->threads;
	round->off_cpu_seconds += more.off_cpu_seconds;
	round->lock_seconds += more.lock_seconds;
	round->contentions += more.contentions;
	/* A slope says more, the more epochs it is laid through. */
	if (more.leak_epochs > round->leak_epochs) {
		round->leak_bytes = more.leak_bytes;
		round->leak_epochs = more.leak_epochs;
	}
	limit(round);
}
