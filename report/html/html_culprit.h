/* SPDX-License-Identifier: Apache-2.0 */
/* A card for each of a benchmark's culprits: what, where, how much, why, and its source. */
#ifndef FG_REPORT_HTML_CULPRIT_H
#define FG_REPORT_HTML_CULPRIT_H

#include "gate/base/strbuf.h"

struct result_benchmark;

void html_culprits(struct strbuf *out, const struct result_benchmark *benchmark);

#endif
