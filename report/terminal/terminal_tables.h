/* SPDX-License-Identifier: Apache-2.0 */
/* Private to terminal*.c: the tables of a report. Nothing is put for an empty one. */
#ifndef FG_REPORT_TERMINAL_TABLES_H
#define FG_REPORT_TERMINAL_TABLES_H

#include "report/terminal/terminal_print.h"

struct result;
struct result_benchmark;

/* The largest changes of self cost, or the largest self costs without a base. */
void terminal_functions(struct printer *printer, const struct result_benchmark *benchmark);
void terminal_improvements(struct printer *printer, const struct result_benchmark *benchmark);
/* Everything that was looked at, if that is more than the CPU time. */
void terminal_metrics(struct printer *printer, const struct result_benchmark *benchmark);
/* What was recorded: a line for each benchmark. */
void terminal_recorded(struct printer *printer, const struct result *result);
/* terminal_groups.c: many benchmarks, a line for each that has a finding, by what they have in
 * common. */
void terminal_groups(struct printer *printer, const struct result *result);

#endif
