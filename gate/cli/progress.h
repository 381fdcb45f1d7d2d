/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is shown while check and record measure. On a terminal one line that is written over and
 * over: a bar and the time left. Everywhere else plain lines alone, as a log keeps them.
 */
#ifndef FG_CLI_PROGRESS_H
#define FG_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

#include "gate/base/strbuf.h"
#include "gate/check/check.h"

struct progress_style {
	unsigned width; /* columns */
	bool unicode;   /* else ASCII */
	bool color;
};

struct progress {
	FILE *stream;
	struct progress_style style;
	bool on;             /* the stream is a terminal that can erase a line */
	bool shown;          /* a bar stands in the last line */
	double start;        /* of the stage */
	double (*now)(void); /* seconds; tests have their own */
};

/* Looks at the stream and at TERM, NO_COLOR and output_is_utf8(). */
void progress_init(struct progress *progress, FILE *stream);
/* A check_progress: the line takes the place of the bar. */
void progress_say(void *progress, const char *line);
/* A check_steps, for where progress is on. */
void progress_step(void *progress, const struct check_step *step);
/* The bar goes away. */
void progress_end(struct progress *progress);

/*
 * Appends the line, at most style->width - 1 columns without colours: the last column of some
 * terminals breaks the line. elapsed: seconds since the stage began.
 */
void progress_line(struct strbuf *out, const struct check_step *step, double elapsed,
	const struct progress_style *style);

#endif
