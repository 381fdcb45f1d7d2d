/* SPDX-License-Identifier: Apache-2.0 */
/* The report as plain text for a terminal or a log. */
#ifndef FG_REPORT_TERMINAL_H
#define FG_REPORT_TERMINAL_H

#include <stdbool.h>

#include "gate/base/strbuf.h"
#include "report/view/view.h"

struct terminal_options {
	unsigned width; /* columns; 0: 100. Less than 40 is taken as 40 */
	bool color;     /* ANSI colours; the text says everything without them */
	bool brief;     /* verdicts and culprits only */
	bool ascii;     /* no other characters, not in names either */
};

/*
 * Appends the report to out. Names are one line, without control characters or workflow commands,
 * and cut in the middle to fit. No line is longer than the width, colours not counted.
 */
void report_terminal(
	const struct report_view *view, const struct terminal_options *options, struct strbuf *out);

#endif
