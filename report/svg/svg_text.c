/* SPDX-License-Identifier: Apache-2.0 */
#include "report/svg/svg_text.h"

#include <stdint.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

/* From ' ' to '~' in DejaVu Sans, which none of the usual interface fonts exceeds. */
static const unsigned char ascii_widths[] = {32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37,
	32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78,
	64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40,
	34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42,
	53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84};

/* Our own glyphs; and a few that are whole words, where scripts have an em and a little. */
static const struct {
	uint32_t first, last;
	unsigned width;
} others[] = {
	{0x2026, 0x2026, 100}, /* … − ▲ ▼ */
	{0x2212, 0x2212, 84},
	{0x25b2, 0x25b2, 77},
	{0x25bc, 0x25bc, 77},
	{0x2e3a, 0x2e3b, 300},
	{0xfdf0, 0xfdff, 2000},
	{0x12000, 0x1254f, 800},
};
#define REST 125

static size_t length_of(const char *text)
{
	unsigned char c = (unsigned char)*text;
	size_t wanted = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1, length = 1;

	while (length < wanted && ((unsigned char)text[length] & 0xc0) == 0x80)
		length++;
	return length;
}

static uint32_t decode(const char *text, size_t length)
{
	uint32_t code = (unsigned char)*text & (length > 1 ? 0xffu >> (length + 1) : 0xffu);

	for (size_t i = 1; i < length; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

unsigned svg_char_width(const char **text)
{
	size_t length = length_of(*text);
	uint32_t code = decode(*text, length);

	*text += length;
	if (code >= ' ' && code <= '~')
		return ascii_widths[code - ' '];
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (code >= others[i].first && code <= others[i].last)
			return others[i].width;
	return REST;
}

double svg_text_width(const char *text, double font_size)
{
	double width = 0;

	while (*text)
		width += svg_char_width(&text);
	return width * font_size / 100;
}

/* The bytes that fit, and in *characters how many these are. */
static size_t fitting(const char *text, double room, double font_size, size_t *characters)
{
	const char *at = text;
	double width = 0;

	*characters = 0;
	while (*at) {
		const char *next = at;

		width += svg_char_width(&next);
		if (width * font_size / 100 > room)
			break;
		at = next;
		++*characters;
	}
	return (size_t)(at - text);
}

void svg_text_fit(struct strbuf *out, const char *text, double room, double font_size)
{
	size_t characters, length = fitting(text, room, font_size, &characters);

	if (!text[length]) {
		strbuf_addstr(out, text);
		return;
	}
	room -= svg_text_width(ELLIPSIS, font_size);
	length = fitting(text, room, font_size, &characters);
	if (characters < 2)
		return;
	strbuf_add(out, text, length);
	strbuf_addstr(out, ELLIPSIS);
}

size_t svg_text_line(const char *text, double room, double font_size)
{
	size_t characters, length = fitting(text, room, font_size, &characters), word = length;

	if (!text[length])
		return length;
	while (word && text[word] != ' ')
		word--;
	if (word)
		return word;
	return length ? length : length_of(text);
}
