/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The small parts of a line: numbers, positions, counts and abbreviated names. And complaints that
 * say which line it was.
 */
#include "gate/profile/callgrind/callgrind_parser.h"

#include <stdarg.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "gate/base/text.h"

#define SHOWN_BYTES 60 /* of a line, in a message */

int callgrind_complain(const struct callgrind_parser *parser, int code, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	error_set(parser->err, code, "%s:%zu: %s", parser->name, parser->line_number, text.data);
	strbuf_release(&text);
	return code;
}

int callgrind_complain_of_line(const struct callgrind_parser *parser, const char *what)
{
	size_t length = (size_t)(parser->end - parser->line);
	struct strbuf shown = STRBUF_INIT;

	text_defuse(&shown, parser->line, length < SHOWN_BYTES ? length : SHOWN_BYTES);
	callgrind_complain(parser, ERR_CORRUPT, "%s: %s%s", what, shown.data,
		length < SHOWN_BYTES ? "" : "...");
	strbuf_release(&shown);
	return ERR_CORRUPT;
}

const char *callgrind_skip_space(const struct callgrind_parser *parser, const char *at)
{
	while (at < parser->end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static int digit_of(char c, unsigned base)
{
	int digit = -1;

	if (c >= '0' && c <= '9')
		digit = c - '0';
	else if (base == 16 && (c | 32) >= 'a' && (c | 32) <= 'f')
		digit = (c | 32) - 'a' + 10;
	return digit;
}

bool callgrind_get_number(const struct callgrind_parser *parser, const char **at, uint64_t *number)
{
	const char *start, *c = *at;
	unsigned base = 10;
	uint64_t value = 0;
	int digit;

	if (parser->end - c > 2 && c[0] == '0' && c[1] == 'x') {
		base = 16;
		c += 2;
	}
	for (start = c; c < parser->end && (digit = digit_of(*c, base)) >= 0; c++)
		if (__builtin_mul_overflow(value, base, &value) ||
			__builtin_add_overflow(value, (unsigned)digit, &value))
			return false;
	*at = c;
	*number = value;
	return c > start;
}

size_t callgrind_word_length(const struct callgrind_parser *parser, const char *at)
{
	const char *from = at;

	while (at < parser->end && *at != ' ' && *at != '\t')
		at++;
	return (size_t)(at - from);
}

int callgrind_get_position(struct callgrind_parser *parser, const char **at, uint64_t *last)
{
	char sign = **at;
	uint64_t number = 0;
	bool fits = true;

	if (sign == '+' || sign == '-' || sign == '*')
		++*at;
	if (sign != '*' && !callgrind_get_number(parser, at, &number))
		return callgrind_complain_of_line(parser, "not a position");
	if (sign == '+')
		fits = !__builtin_add_overflow(*last, number, last);
	else if (sign == '-')
		fits = !__builtin_sub_overflow(*last, number, last);
	else if (sign != '*')
		*last = number;
	if (!fits)
		return callgrind_complain_of_line(parser, "a position out of range");
	if (*at < parser->end && **at != ' ' && **at != '\t')
		return callgrind_complain_of_line(parser, "not a position");
	*at = callgrind_skip_space(parser, *at);
	return ERR_OK;
}

int callgrind_get_count(const struct callgrind_parser *parser, const char *at, uint64_t *count)
{
	uint64_t number;
	size_t i;

	*count = 0;
	for (i = 0, at = callgrind_skip_space(parser, at); at < parser->end;
		i++, at = callgrind_skip_space(parser, at)) {
		const char *from = at;

		if (i >= parser->events)
			return callgrind_complain_of_line(parser, "more counts than events");
		if (!callgrind_get_number(parser, &at, &number) ||
			at - from != (ptrdiff_t)callgrind_word_length(parser, from))
			return callgrind_complain_of_line(parser, "not a count");
		if (i == parser->counted)
			*count = number;
	}
	return ERR_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

int callgrind_intern(
	const struct callgrind_parser *parser, const char *text, size_t length, uint32_t *string)
{
	struct callgrind *callgrind = parser->callgrind;

	if (length > callgrind->limits->max_name_bytes)
		return callgrind_complain(parser, ERR_LIMIT, "a name of more than %zu bytes",
			callgrind->limits->max_name_bytes);
	if (callgrind->string_count >= callgrind->limits->max_names)
		return callgrind_complain(
			parser, ERR_LIMIT, "more than %zu names", callgrind->limits->max_names);
	*string = callgrind_string(callgrind, text, length);
	return ERR_OK;
}

int callgrind_get_name(struct callgrind_parser *parser, enum callgrind_namespace space,
	const char *at, uint32_t *string)
{
	struct {
		uint64_t number, space;
	} key = {0, space};
	const char *text = callgrind_skip_space(parser, at);
	int rc;

	if (parser->end - text < 2 || *text != '(' || digit_of(text[1], 10) < 0)
		return callgrind_intern(parser, text, (size_t)(parser->end - text), string);
	text++;
	if (!callgrind_get_number(parser, &text, &key.number) || text == parser->end ||
		*text != ')')
		return callgrind_complain_of_line(parser, "not a name's number");
	text = callgrind_skip_space(parser, text + 1);
	if (text == parser->end) {
		*string = map_get(&parser->ids, &key, sizeof(key));
		return *string == MAP_NONE
			       ? callgrind_complain_of_line(parser, "a number that no name has")
			       : ERR_OK;
	}
	rc = callgrind_intern(parser, text, (size_t)(parser->end - text), string);
	if (!rc)
		map_put(&parser->ids, &key, sizeof(key), *string);
	return rc;
}
