/* SPDX-License-Identifier: Apache-2.0 */
/* The viewer's files, which report/viewer/embed.sh has turned into arrays at build time. */
#ifndef FG_REPORT_VIEWER_H
#define FG_REPORT_VIEWER_H

#include <stddef.h>

#include "gate/base/strbuf.h"

extern const unsigned char viewer_viewer_html[], viewer_viewer_css[], viewer_source_css[];
extern const size_t viewer_viewer_html_len, viewer_viewer_css_len, viewer_source_css_len;

/* Appends all modules as one script in one scope: a global name of ours cannot be reached by
 * others. */
void viewer_script(struct strbuf *out);

#endif
