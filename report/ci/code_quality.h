/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as a GitLab Code Quality artifact (artifacts:reports:codequality): a JSON array of
 * what grew, which a merge request shows beside the lines. What could not be measured is no
 * finding about the code: it stands in the JUnit report.
 */
#ifndef FG_REPORT_CODE_QUALITY_H
#define FG_REPORT_CODE_QUALITY_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

/* Appends at most so many, the worst first. */
#define CODE_QUALITY_MAX_FINDINGS 5000u

/* Fingerprints stay the same while the finding moves to another line or another size. */
void report_code_quality(const struct report_view *view, struct strbuf *out);

#endif
