/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markup.h"

#include <stdbool.h>
#include <string.h>

#include "report/clean.h"

void markup_escape(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			strbuf_addstr(out, "&amp;");
			break;
		case '<':
			strbuf_addstr(out, "&lt;");
			break;
		case '>':
			strbuf_addstr(out, "&gt;");
			break;
		case '"':
			strbuf_addstr(out, "&quot;");
			break;
		case '\'':
			strbuf_addstr(out, "&#39;");
			break;
		default:
			strbuf_addch(out, *text);
		}
	}
}

static bool is_no_character(const char *at)
{
	return strncmp(at, "\xef\xbf", 2) == 0 && ((unsigned char)at[2] & 0xfe) == 0xbe;
}

void markup_xml(struct strbuf *out, const char *clean)
{
	struct strbuf fit = STRBUF_INIT;

	while (*clean) {
		bool none = is_no_character(clean);

		strbuf_add(&fit, none ? "\xef\xbf\xbd" : clean, none ? 3 : 1);
		clean += none ? 3 : 1;
	}
	markup_escape(out, fit.data);
	strbuf_release(&fit);
}

void markup_xml_cut(struct strbuf *out, const char *text, size_t columns)
{
	struct strbuf clean = STRBUF_INIT;

	clean_cut(&clean, text, columns);
	markup_xml(out, clean.data);
	strbuf_release(&clean);
}
