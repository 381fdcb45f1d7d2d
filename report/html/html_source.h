/* SPDX-License-Identifier: Apache-2.0 */
/* The source of a culprit, with what each line costs in both versions; stands without scripts. */
#ifndef FG_REPORT_HTML_SOURCE_H
#define FG_REPORT_HTML_SOURCE_H

#include "gate/base/strbuf.h"

struct result_benchmark;
struct result_culprit;

/* Nothing where the text is not known. */
void html_source(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit);

#endif
