/* SPDX-License-Identifier: Apache-2.0 */
/* What HTML and XML have in common. */
#ifndef FG_REPORT_MARKUP_H
#define FG_REPORT_MARKUP_H

#include <stddef.h>

#include "gate/base/strbuf.h"

/* Appends text for content and quoted attributes: no tag, no entity, no quote of its own. */
void markup_escape(struct strbuf *out, const char *text);
/* The same of clean text (see clean.h), which has no control characters, for XML 1.0: it has no way
 * to write U+FFFE and U+FFFF either. */
void markup_xml(struct strbuf *out, const char *clean);
/* Any text, cut to `columns` (clean_cut) and then as above. */
void markup_xml_cut(struct strbuf *out, const char *text, size_t columns);

#endif
