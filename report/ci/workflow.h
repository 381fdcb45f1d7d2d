/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations by workflow commands;
 * only for stdout of a step on GitHub's (or a compatible) runner. */
#ifndef FG_REPORT_WORKFLOW_H
#define FG_REPORT_WORKFLOW_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

/* The runner shows the first ten of each kind. */
#define WORKFLOW_MAX_COMMANDS 10

/*
 * Appends at most ten ::error commands (culprits of failed benchmarks and what grew against a
 * stored baseline that decided, then what could not be measured), and at most ten ::warning
 * commands (what grew against a stored baseline that made a warning, or the benchmark), one a line,
 * the worst first.
 */
void report_workflow(const struct report_view *view, struct strbuf *out);

#endif
