/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/memory_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/bench/run/run.h"

#define MOST 1e15 /* a capture says what the measured code wants: more is no reading */

/* ---- one process ---------------------------------------------------------------------------- */

/* What has been read of a process so far. */
struct drawing {
	const struct capture_process *process;
	size_t epoch; /* those before it have begun */
	struct memory_moment *moments;
	size_t count;
};

static double seconds_since(const struct capture_process *process, uint64_t cpu_ns)
{
	return cpu_ns > process->cpu_start_ns
		       ? round((double)(cpu_ns - process->cpu_start_ns) / 1e3) / 1e6
		       : 0;
}

static uint64_t end_ns(const struct capture_process *process)
{
	return process->cpu_start_ns + process->cpu_ns + process->paused_ns;
}

/*
 * Between the beginnings of two epochs the work is taken to be as even as the CPU time; after the
 * last one it ends with the process.
 */
static double iterations_at(struct drawing *drawing, uint64_t cpu_ns)
{
	const struct capture_process *process = drawing->process;
	const struct capture_epoch *epochs = process->epochs, *before, *after;
	const struct capture_epoch end = {0, process->iterations, end_ns(process)};

	while (drawing->epoch < process->epoch_count && epochs[drawing->epoch].cpu_ns <= cpu_ns)
		drawing->epoch++;
	if (!drawing->epoch)
		return 0;
	before = &epochs[drawing->epoch - 1];
	after = drawing->epoch < process->epoch_count ? before + 1 : &end;
	if (after->cpu_ns <= before->cpu_ns || after->iterations <= before->iterations)
		return (double)before->iterations;
	return (double)before->iterations +
	       floor((double)(after->iterations - before->iterations) *
		       fmin(1, (double)(cpu_ns - before->cpu_ns) /
				       (double)(after->cpu_ns - before->cpu_ns)));
}

/* Whatever the capture says, moments are in order. */
static void add_moment(struct drawing *drawing, uint64_t cpu_ns, uint64_t inuse, uint64_t most)
{
	struct memory_moment *moment = &drawing->moments[drawing->count++];
	const struct memory_moment *before = drawing->count > 1 ? moment - 1 : NULL;

	*moment = (struct memory_moment){
		.seconds = fmin(MOST, seconds_since(drawing->process, cpu_ns)),
		.iterations = fmin(MOST, iterations_at(drawing, cpu_ns)),
		.inuse_bytes = fmin(MOST, (double)inuse),
		.most_bytes = fmin(MOST, (double)(most > inuse ? most : inuse)),
	};
	if (before) {
		moment->seconds = fmax(moment->seconds, before->seconds);
		moment->iterations = fmax(moment->iterations, before->iterations);
	}
}

/* The end has no moment of its own: what was largest after the last one only the totals know. */
static void add_end(struct drawing *drawing)
{
	const struct capture_process *process = drawing->process;
	uint64_t most = process->live_bytes, seen = 0;

	for (size_t i = 0; i < process->moment_count; i++)
		if (process->moments[i].most_bytes > seen)
			seen = process->moments[i].most_bytes;
	if (process->peak_bytes > seen)
		most = process->peak_bytes;
	add_moment(drawing, end_ns(process), process->live_bytes, most);
	/* Its last iterations came before it, whatever the clocks say. */
	if (process->epoch_count)
		drawing->moments[drawing->count - 1].iterations =
			fmax(drawing->moments[drawing->count - 1].iterations,
				fmin(MOST, (double)process->iterations));
}

static struct memory_line line_of(const struct capture_process *process, struct arena *arena)
{
	struct drawing drawing = {.process = process,
		.moments = arena_array(
			arena, process->moment_count + 1, sizeof(struct memory_moment))};
	struct memory_line line = {.runs = 1};

	for (size_t i = 0; i < process->moment_count; i++)
		add_moment(&drawing, process->moments[i].cpu_ns, process->moments[i].live_bytes,
			process->moments[i].most_bytes);
	add_end(&drawing);
	line.moments = drawing.moments;
	line.count = drawing.count;
	return memory_line_thin(&line, MEMORY_LINE_MOST, arena);
}

struct memory_line memory_line_of(const struct run *run, struct arena *arena)
{
	const struct capture_process *largest = NULL;
	struct memory_line line = {0};
	uint32_t processes = 0;

	for (size_t i = 0; i < run->captures.process_count; i++) {
		const struct capture_process *process = &run->captures.processes[i];

		if (process->excluded || !(process->kinds >> CAPTURE_HEAP & 1) ||
			!process->peak_bytes)
			continue;
		processes++;
		if (!largest || process->peak_bytes > largest->peak_bytes)
			largest = process;
	}
	if (largest)
		line = line_of(largest, arena);
	line.processes = processes;
	return line;
}

/* ---- of several runs ------------------------------------------------------------------------ */

double memory_line_peak(const struct memory_line *line)
{
	double peak = 0;

	for (size_t i = 0; i < line->count; i++)
		peak = fmax(peak, line->moments[i].most_bytes);
	return peak;
}

struct ranked {
	double peak;
	size_t index;
};

static int by_peak(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->peak != right->peak)
		return left->peak < right->peak ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

struct memory_line memory_line_median(const struct memory_line *lines, size_t count)
{
	struct ranked *ranked = xcalloc(count ? count : 1, sizeof(*ranked));
	struct memory_line median = {0};
	uint32_t runs = 0;
	size_t filled = 0;

	for (size_t i = 0; i < count; i++)
		if (lines[i].count) {
			ranked[filled++] = (struct ranked){memory_line_peak(&lines[i]), i};
			runs += lines[i].runs;
		}
	if (filled) {
		qsort(ranked, filled, sizeof(*ranked), by_peak);
		median = lines[ranked[(filled - 1) / 2].index];
		median.runs = runs;
	}
	free(ranked);
	return median;
}

struct memory_line memory_line_copy(const struct memory_line *line, struct arena *arena)
{
	struct memory_line copy = *line;

	copy.moments = arena_array(arena, line->count, sizeof(*copy.moments));
	if (line->count)
		memcpy(copy.moments, line->moments, line->count * sizeof(*copy.moments));
	return copy;
}

struct memory_line memory_line_thin(
	const struct memory_line *line, size_t most, struct arena *arena)
{
	struct memory_line thin = memory_line_copy(line, arena);
	size_t kept = line->count < most ? line->count : most;

	for (size_t i = 0, from = 0; i < kept; i++) {
		size_t limit = (i + 1) * line->count / kept;
		double largest = 0;

		for (; from < limit; from++)
			largest = fmax(largest, line->moments[from].most_bytes);
		thin.moments[i] = line->moments[limit - 1];
		thin.moments[i].most_bytes = largest;
	}
	thin.count = kept;
	return thin;
}
