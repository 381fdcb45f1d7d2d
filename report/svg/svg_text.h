/* SPDX-License-Identifier: Apache-2.0 */
/* Text in an SVG, where nothing measures it: how wide it is at most, and what of it fits. */
#ifndef FG_REPORT_SVG_TEXT_H
#define FG_REPORT_SVG_TEXT_H

#include <stddef.h>

#include "gate/base/strbuf.h"

/* Hundredths of the font's size that the character at *text takes in the widest of the fonts that
 * svg.c asks for, or more; *text moves on. Invalid UTF-8 is taken byte by byte. */
unsigned svg_char_width(const char **text);
/* Pixels of a whole text, at most. */
double svg_text_width(const char *text, double font_size);

/* Appends of a clean text what fits into `room` pixels, with an ellipsis where it was cut; nothing
 * where less than two characters fit. Not escaped. */
void svg_text_fit(struct strbuf *out, const char *text, double room, double font_size);

/* Bytes of text that fit on a line of `room` pixels and end a word; at least one character. The
 * whole text where it fits. */
size_t svg_text_line(const char *text, double room, double font_size);

#endif
