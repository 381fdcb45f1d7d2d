/* SPDX-License-Identifier: Apache-2.0 */
/* What a report can be rendered as: each format's name, and its file in a report's folder. */
#ifndef FG_REPORT_FORMATS_H
#define FG_REPORT_FORMATS_H

#include <stdbool.h>

#include "gate/base/strbuf.h"
#include "report/view/view.h"

struct error;

struct report_format {
	const char *name; /* "sarif" */
	const char *file; /* "report.sarif"; NULL: it is only printed */
	bool always;      /* written by every command that writes a report */
	int (*render)(const struct report_view *view, struct strbuf *out, struct error *err);
};

#define REPORT_FORMATS_MAX 16

/* Ends with a NULL name. The terminal's is not among them: it depends on the terminal. */
extern const struct report_format report_formats[];

/* NULL: there is none of this name. */
const struct report_format *report_format_find(const char *name);

#endif
