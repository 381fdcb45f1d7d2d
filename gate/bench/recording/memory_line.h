/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap over time: a line for each run that counted it, of the process whose heap grew largest.
 * It stands in recording.json, and through it in report.json; no verdict looks at it.
 */
#ifndef FG_BENCH_MEMORY_LINE_H
#define FG_BENCH_MEMORY_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"

#define MEMORY_LINE_MOST 200 /* moments of a line */

struct run;

/*
 * What happened since the moment before (of the first: since the process began). Moments are in
 * order of seconds, and of iterations; most_bytes is at least inuse_bytes.
 */
struct memory_moment {
	double seconds;    /* CPU time of the process, in this run that counts its heap */
	double iterations; /* done by then (flamegate_iteration); 0 in all: it tells none */
	double inuse_bytes, most_bytes;
};

struct memory_line {
	struct memory_moment *moments; /* the last is the process's end */
	size_t count;                  /* 0: no heap was counted */
	uint32_t processes;            /* that counted their heap: this is one of them */
	uint32_t runs;                 /* that this one was chosen from */
};

/* The run's line, in arena; empty where no process that counts has counted its heap. */
struct memory_line memory_line_of(const struct run *run, struct arena *arena);

/* The largest heap of all; 0 of an empty line. */
double memory_line_peak(const struct memory_line *line);

/*
 * The line with the median peak (of an even number the lower one, of equal ones the first), its
 * runs those of all that are not empty. Borrows the moments; all empty: an empty line.
 */
struct memory_line memory_line_median(const struct memory_line *lines, size_t count);

/*
 * At most so many moments, where each stands for several: the last of them, with the most of all.
 * In arena; peak and end stay what they are. most > 0.
 */
struct memory_line memory_line_thin(
	const struct memory_line *line, size_t most, struct arena *arena);

struct memory_line memory_line_copy(const struct memory_line *line, struct arena *arena);

#endif
