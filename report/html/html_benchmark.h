/* SPDX-License-Identifier: Apache-2.0 */
/* One benchmark's part of the page, complete without scripts. */
#ifndef FG_REPORT_HTML_BENCHMARK_H
#define FG_REPORT_HTML_BENCHMARK_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/strbuf.h"
#include "gate/check/status.h"

struct result;

/*
 * Appends <article data-index="...">. `only`: it is the only one, and the page's headline is its
 * sentence already. The viewer fills .flame-slot and .dots-slot and replaces the table in .changes.
 */
void html_benchmark(struct strbuf *out, const struct result *result, size_t index, bool only);
/* <span class="badge fail">FAIL</span>; class info, which has no verdict's colour, for INFO. */
void html_badge(struct strbuf *out, enum result_status status, const char *word);

#endif
