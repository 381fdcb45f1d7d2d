/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a line: one JSON object. Private to baseline/line*.c and note.c. */
#ifndef FG_BASELINE_LINE_HEAD_H
#define FG_BASELINE_LINE_HEAD_H

#include <stdint.h>

#include "baseline/line/line.h"
#include "gate/bench/recording/recording.h"
#include "gate/net/json.h"

#define LINE_PREFIX "{\"flamegate\":"

/* Mean and sample standard deviation over the rounds. */
struct line_spread {
	double mean, sd;
};
struct line_spread line_spread_of(const double *values, size_t count);

/* What the head says of the rounds, beside the recording's own members. */
struct line_totals {
	size_t rounds;
	int64_t quantum; /* mean weight of a sample in the value's unit; 1 for a counted type */
	const char *unit;
	struct line_spread cpu;  /* seconds */
	struct line_spread cost; /* of the profile, in the value's unit */
};

/* A line taken apart; nothing in it is trusted further than its head was checked. */
struct line_parts {
	struct json *head;          /* line_parts_release() */
	struct recording recording; /* without rounds and profile; its policy is the default */
	const char *environment;    /* in the recording's arena */
	enum baseline_detail detail;
	struct line_totals totals;
	const char *payload; /* base64; NULL in a summary */
	size_t payload_length;
};

/* Begins the object and writes all but what follows for its detail; the caller ends it. */
void line_head_write(struct json_writer *writer, const struct recording *recording,
	enum baseline_detail detail, const struct line_totals *totals);

/* As line_read_head(). Release only after ERR_OK. */
int line_parts_read(const char *text, size_t length, const char *commit, struct line_parts *parts,
	struct error *err);
void line_parts_release(struct line_parts *parts);
/* Appends the deflated payload after comparing its hash with the head's. */
int line_parts_payload(const struct line_parts *parts, struct strbuf *out, struct error *err);

/* A pair [mean, sd] that `rounds` non-negative numbers can have. */
void line_write_spread(struct json_writer *writer, const struct line_spread *spread);
int line_read_spread(const struct json *mean, const struct json *sd, size_t rounds,
	struct line_spread *out, struct error *err);

#endif
