/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as JUnit XML, which every CI shows: a test case for each benchmark. A regression is a
 * failure, what could not be measured is an error, what was not decided (a profile alone, a new
 * benchmark) is skipped.
 */
#ifndef FG_REPORT_JUNIT_H
#define FG_REPORT_JUNIT_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

void report_junit(const struct report_view *view, struct strbuf *out);

#endif
