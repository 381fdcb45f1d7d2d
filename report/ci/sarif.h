/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as SARIF 2.1.0, for code scanning and for editors. Results are culprits and what grew
 * against a stored baseline, with their stacks; what could not be measured is a notification of the
 * invocation: it is no finding about the code.
 */
#ifndef FG_REPORT_SARIF_H
#define FG_REPORT_SARIF_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

/* GitHub shows the first 5,000 of an upload. */
#define SARIF_MAX_RESULTS 5000u

/* Appends the worst SARIF_MAX_RESULTS. What has no place in the repository stands at the line of
 * the configuration file: code scanning takes no result without a place. */
void report_sarif(const struct report_view *view, struct strbuf *out);

#endif
