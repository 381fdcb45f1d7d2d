/* SPDX-License-Identifier: Apache-2.0 */
#include "report/markup.h"

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
