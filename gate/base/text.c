/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INVALID 0xFFFDu
#define ZERO_WIDTH_SPACE "\xE2\x80\x8B"
#define MAX_ESCAPE_BYTES 4096

/* What has been written so far, as far as it matters for runner commands. */
struct writer {
	struct strbuf *out;
	bool line_start; /* only white space since the last line break */
	bool colon;      /* line_start, and then one colon */
	unsigned hashes; /* '#' written last, up to 2 */
};

static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xC2 && lead <= 0xDF)
		return 2;
	if ((lead & 0xF0) == 0xE0)
		return 3;
	return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/* Decodes one code point; INVALID and one byte for what is overlong,
 * a surrogate or out of range. */
static uint32_t decode(const unsigned char *data, size_t length, size_t *used)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t count = sequence_length(data[0]), i;
	uint32_t code;

	*used = 1;
	if (!count || count > length)
		return INVALID;
	if (count == 1)
		return data[0];
	code = data[0] & (0x7Fu >> count);
	for (i = 1; i < count; i++) {
		if ((data[i] & 0xC0) != 0x80)
			return INVALID;
		code = code << 6 | (data[i] & 0x3Fu);
	}
	if (code < least[count] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
		return INVALID;
	*used = count;
	return code;
}

static bool is_removed(uint32_t code)
{
	return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7F && code <= 0x9F) ||
	       (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
	       code == 0x200E || code == 0x200F || code == 0x061C;
}

/* White space of Unicode, and the invisible characters that some runners trim with it. */
static bool is_space(uint32_t code)
{
	return code == ' ' || code == '\t' || code == 0xA0 || code == 0x1680 || code == 0x180E ||
	       (code >= 0x2000 && code <= 0x200D) || code == 0x202F || code == 0x205F ||
	       code == 0x2060 || code == 0x3000 || code == 0xFEFF;
}

/* The length of an escape sequence's rest behind ESC; 0 if it is none that we know. */
static size_t escape_length(const unsigned char *data, size_t length)
{
	bool string = length && (data[0] == ']' || data[0] == 'P' || data[0] == '_');
	size_t i;

	if (!string && (!length || data[0] != '['))
		return 0;
	for (i = 1; i < length && i < MAX_ESCAPE_BYTES; i++) {
		if (string && data[i] == '\a')
			return i + 1;
		if (string && data[i] == 0x1B)
			return i + 1 < length && data[i + 1] == '\\' ? i + 2 : i;
		if (data[i] < 0x20 || data[i] == 0x7F)
			return i;
		if (!string && data[i] >= 0x40)
			return i + 1;
	}
	return string ? 0 : i;
}

/* Takes note of a code point that is, or is about to be, the last of out. */
static void advance(struct writer *writer, uint32_t code)
{
	bool start = writer->line_start;

	writer->colon = code == ':' && start;
	writer->line_start = code == '\n' || (start && is_space(code));
	if (code != '#')
		writer->hashes = 0;
	else if (writer->hashes < 2)
		writer->hashes++;
}

static void put(struct writer *writer, uint32_t code, const char *bytes, size_t count)
{
	if ((code == ':' && writer->colon) || (code == '[' && writer->hashes == 2))
		strbuf_addstr(writer->out, ZERO_WIDTH_SPACE);
	strbuf_add(writer->out, bytes, count);
	advance(writer, code);
}

/* Text that is there already may begin a command: its last line counts. */
static struct writer writer_at_end(struct strbuf *out)
{
	struct writer writer = {.out = out, .line_start = true};
	const char *line = memrchr(out->data, '\n', out->length);
	size_t at = line ? (size_t)(line + 1 - out->data) : 0, used;

	for (; at < out->length; at += used)
		advance(&writer,
			decode((const unsigned char *)out->data + at, out->length - at, &used));
	return writer;
}

void text_defuse(struct strbuf *out, const char *data, size_t length)
{
	struct writer writer = writer_at_end(out);
	size_t at = 0, used;

	for (; at < length; at += used) {
		const unsigned char *bytes = (const unsigned char *)data + at;
		uint32_t code = decode(bytes, length - at, &used);

		if (code == 0x1B)
			used += escape_length(bytes + 1, length - at - 1);
		else if (code == '\r' && at + 1 < length && bytes[1] == '\n')
			continue;
		else if (code == '\n' || code == '\r' || code == 0x2028 || code == 0x2029)
			put(&writer, '\n', "\n", 1);
		else if (code == INVALID)
			put(&writer, code, "\xEF\xBF\xBD", 3);
		else if (!is_removed(code))
			put(&writer, code, data + at, used);
	}
}

void text_add_utf8(struct strbuf *out, const char *data, size_t length)
{
	size_t at, used;

	for (at = 0; at < length; at += used) {
		if (decode((const unsigned char *)data + at, length - at, &used) == INVALID)
			strbuf_addstr(out, "\xEF\xBF\xBD");
		else
			strbuf_add(out, data + at, used);
	}
}

size_t text_cut(const char *text, size_t length, size_t most)
{
	size_t end = length < most ? length : most;

	while (end && end < length && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	return end;
}

const char *text_fit(struct arena *arena, const char *data, size_t length, size_t most)
{
	struct strbuf clean = STRBUF_INIT;
	const char *fit;

	/* Nothing gets shorter, so that what is behind twice as much has no effect. */
	text_add_utf8(&clean, data, length < 2 * most ? length : 2 * most);
	fit = arena_strndup(arena, clean.data, text_cut(clean.data, clean.length, most));
	strbuf_release(&clean);
	return fit;
}

const char *text_tail(
	const char *data, size_t length, size_t max_lines, size_t max_bytes, size_t *tail_length)
{
	size_t start, lines = 1, line_start;

	while (length && (data[length - 1] == '\n' || data[length - 1] == '\r'))
		length--;
	start = line_start = length;
	while (start && length - start < max_bytes) {
		if (data[start - 1] == '\n') {
			line_start = start;
			if (lines++ == max_lines)
				break;
		}
		start--;
	}
	if (!start || line_start == length)
		line_start = start;
	*tail_length = length - line_start;
	return data + line_start;
}
