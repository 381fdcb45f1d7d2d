/* SPDX-License-Identifier: Apache-2.0 */
/* Stored baselines and recordings in the page. */
#ifndef FG_REPORT_HTML_REFERENCE_H
#define FG_REPORT_HTML_REFERENCE_H

#include "gate/base/strbuf.h"

struct result;
struct result_benchmark;

/* A section with a paragraph for each stored baseline; nothing if there is none. */
void html_references(struct strbuf *out, const struct result_benchmark *benchmark);
/* A table of everything that was looked at; nothing if that is the CPU time alone. */
void html_metrics(struct strbuf *out, const struct result_benchmark *benchmark);
/* A table of what was recorded. */
void html_recorded(struct strbuf *out, const struct result *result);
/* html_groups.c: a table of many benchmarks, those with a finding first. */
void html_groups(struct strbuf *out, const struct result *result);

#endif
