/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that a check looked at, one line each: the cells of that table, and its sentences. */
#ifndef FG_REPORT_METRIC_H
#define FG_REPORT_METRIC_H

#include <stdbool.h>

#include "gate/base/strbuf.h"
#include "report/findings/sentence.h"

struct result_benchmark;
struct result_metric;

#define METRICS_LISTED 30       /* there are fewer; a report of hostile origin may have more */
#define METRIC_COLUMNS 40       /* of a metric's meaning, which is hostile */
#define METRIC_TEST_COLUMNS 120 /* of its test and why it does not count */

/* CPU time alone is in the benchmark's sentence already. */
bool metrics_are_shown(const struct result_benchmark *benchmark);

/* "fails", "warns", "grew", "grew, not counted", "shrank", "the same", "not shown to grow", "not
 * decided". */
const char *metric_verdict(const struct result_metric *metric);
/* "+1.23 %", "+12.0 B", "new"; with_interval: "+1.2 % (-0.3 to +2.7 %)". Nothing if unknown. */
void metric_change(struct strbuf *out, const struct result_metric *metric, bool with_interval);
/* " (-0.3 to +2.7 %)"; nothing if unknown. */
void metric_interval(struct strbuf *out, const struct result_metric *metric);
/* "paired t, 16 runs: above all in f"; hostile as the test's name and the detail. */
void metric_test(struct strbuf *out, const struct result_metric *metric);
void metric_cost(struct strbuf *out, const struct result_metric *metric, double cost);

/* The first that made the status, if it is no profile's total (those are in `references`) and not
 * the CPU time; NULL if there is none. */
const struct result_metric *metric_that_decides(const struct result_benchmark *benchmark);
/* It made the status: of a failure one that fails, of a warning one that warns. */
bool metric_decides(const struct result_benchmark *benchmark, const struct result_metric *metric);
/* One other than the CPU time made the status, whatever else did. */
bool counts_decide(const struct result_benchmark *benchmark);
/* The CPU time made the status, perhaps with others: a regression, or what warns of moved cost. */
bool cpu_time_decides(const struct result_benchmark *benchmark);
/* Why the CPU time's growth is no regression; "" unsaid. Hostile. */
const char *cpu_time_why_uncounted(const struct result_benchmark *benchmark);
/* The CPU time has a regression, and its gate is none that fails. */
bool cpu_time_is_let_pass(const struct result_benchmark *benchmark);
/* "`largest resident set` grew: 100 MiB -> 112 MiB, +12.0 %". */
void sentence_of_metric(struct sentence *sentence, const struct result_metric *metric);

#endif
