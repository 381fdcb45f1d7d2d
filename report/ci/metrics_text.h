/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as OpenMetrics text: GitLab's metrics report (metrics.txt) and whatever scrapes files.
 * Names and units:
 *
 *   flamegate_status{benchmark}          0 pass, 1 warning, 2 regression, 3 not measured
 *   flamegate_change_ratio{benchmark}              head / base - 1
 *   flamegate_change_low_ratio, flamegate_change_high_ratio{benchmark}    its 95 % interval
 *   flamegate_bound_ratio{benchmark}               97.5 % bound: what could not be excluded
 *   flamegate_detectable_ratio{benchmark}          found four times out of five
 *   flamegate_culprits{benchmark}                  functions that are blamed, at most 16
 *   flamegate_cost{benchmark,version,unit}         per run; version is base (measured
 *       now), stored (a stored baseline) or head
 *
 * What is not known is left out. GitLab's reader takes a line for shell words and '#' anywhere for
 * a comment, and two benchmarks may not share a name: labels hold letters, digits and ._:/+@- of
 * the benchmark's name alone, all else is '_'.
 */
#ifndef FG_REPORT_METRICS_TEXT_H
#define FG_REPORT_METRICS_TEXT_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

void report_metrics_text(const struct report_view *view, struct strbuf *out);

#endif
