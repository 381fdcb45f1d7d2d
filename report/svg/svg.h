/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A static picture of both versions in one flame graph, for READMEs, pages and `<img>`: no script,
 * no font or file of others, its own background, dark where the reader's system is. Of several
 * benchmarks it shows the worst that has a call tree, and says which; of that the tree that decided
 * (shown.h).
 */
#ifndef FG_REPORT_SVG_H
#define FG_REPORT_SVG_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

/* Boxes are merged until the picture fits, whatever the report. */
#define SVG_MAX_BYTES (1024u * 1024)

void report_svg(const struct report_view *view, struct strbuf *out);

#endif
