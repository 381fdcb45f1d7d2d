/* SPDX-License-Identifier: Apache-2.0 */
/* Annotations by workflow commands; only for stdout of a step on GitHub's (or a compatible) runner.
 */
#ifndef FG_REPORT_WORKFLOW_H
#define FG_REPORT_WORKFLOW_H

#include "gate/base/strbuf.h"
#include "report/view.h"

/* The runner shows the first ten of each kind. */
#define WORKFLOW_MAX_COMMANDS 10

/*
 * Appends at most ten ::error commands (culprits of failed benchmarks, then what could not be
 * measured), the worst first, and at most ten ::warning commands, one a line.
 */
void report_workflow(const struct report_view *view, struct strbuf *out);

#endif
