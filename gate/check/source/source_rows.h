/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: the lines of two versions of a file as one text, with their costs. */
#ifndef FG_CHECK_SOURCE_ROWS_H
#define FG_CHECK_SOURCE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/check/measurements/measurements.h"
#include "gate/check/result.h"
#include "gate/compare/comparison.h"

/* A line of base's file, of head's, or of both. */
struct source_row {
	int64_t line[VERSION_COUNT]; /* 0: not there */
	enum result_line_kind kind;
	double cost[VERSION_COUNT]; /* seconds, all pairs */
	bool chosen;
};

/* In the order of the files: what a hunk removes stands before what it adds. */
struct source_rows {
	struct source_row *items;
	size_t count, capacity;
};
void source_rows_release(struct source_rows *rows);

/*
 * Head's line that base's (up to 2^31) became, or the place where it was. change: of the file, its
 * hunks in order; NULL: none.
 */
int64_t source_place_in_head(const struct repo_file_change *change, int64_t line);

/*
 * Head's lines first..last and what was there in base; last_line: how many each file has (base 0:
 * its lines are not to be had). A change's hunks are in order. At most 100,000 rows.
 */
struct source_range {
	const struct repo_file_change *change; /* NULL: both files are the same */
	bool has_base;                         /* base has the file, whatever is known of it */
	int64_t first, last;
	int64_t inner[2];   /* within these: what head's costs show to be the function's */
	int64_t in_base[2]; /* its lines in base's file; last 0: not known */
	int64_t last_line[VERSION_COUNT];
};
void source_rows_unite(struct source_rows *rows, const struct source_range *range);
/* Base's lines first..last alone. */
void source_rows_base(struct source_rows *rows, const struct source_range *range);

/* Adds what the version's samples say of its lines. */
void source_rows_cost(struct source_rows *rows, int version, const struct comparison_line *lines,
	size_t line_count);

/*
 * Chooses at most `room` rows: what costs `least` seconds or more, and what changed, each with
 * three rows around it, the most telling first; then, if there is room, head's line `definition`.
 * Returns how many.
 */
size_t source_rows_choose(struct source_rows *rows, double least, int64_t definition, size_t room);

#endif
