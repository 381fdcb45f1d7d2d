/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong in a JSON text though cJSON would take it, and what is too large: both are refused
 * before cJSON sees it.
 */
#include "gate/net/json_internal.h"

#include <stdbool.h>
#include <stdint.h>

#include "gate/base/error.h"

/* cJSON copies a number into a buffer of this size and would go on
 * behind it as if at a new token. */
#define MAX_NUMBER_LENGTH 62

struct scan {
	const unsigned char *data;
	size_t length, at;
	size_t depth, values;
	const struct json_limits *limits;
	const char *name;
	struct error *err;
};

/* Inclusive bounds of the second byte, and how many follow it, by the first byte: RFC 3629,
 * section 4. */
static const struct utf8_row {
	unsigned char first_low, first_high, second_low, second_high;
	unsigned char length;
} utf8_rows[] = {
	{0xc2, 0xdf, 0x80, 0xbf, 2},
	{0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3},
	{0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4},
	{0xf4, 0xf4, 0x80, 0x8f, 4},
};

static size_t match_row(const struct utf8_row *row, const unsigned char *data, size_t left)
{
	if (left < row->length || data[1] < row->second_low || data[1] > row->second_high)
		return 0;
	for (size_t i = 2; i < row->length; i++)
		if ((data[i] & 0xc0) != 0x80)
			return 0;
	return row->length;
}

size_t json_utf8_length(const unsigned char *data, size_t left)
{
	if (!left)
		return 0;
	if (data[0] < 0x80)
		return 1;
	for (size_t i = 0; i < sizeof(utf8_rows) / sizeof(utf8_rows[0]); i++)
		if (data[0] >= utf8_rows[i].first_low && data[0] <= utf8_rows[i].first_high)
			return match_row(&utf8_rows[i], data, left);
	return 0;
}

static int refuse(struct scan *scan, const char *what)
{
	return error_set(scan->err, ERR_CORRUPT, "%s: byte %zu: %s", scan->name, scan->at, what);
}

/* The byte at an offset from here; 0 behind the end, where no byte of a valid text is 0. */
static unsigned char peek(const struct scan *scan, size_t offset)
{
	return scan->at + offset < scan->length ? scan->data[scan->at + offset] : 0;
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static size_t skip_digits(const struct scan *scan, size_t offset)
{
	while (is_digit(peek(scan, offset)))
		offset++;
	return offset;
}

/* Length of -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? here, or 0. */
static size_t number_length(const struct scan *scan)
{
	size_t i = peek(scan, 0) == '-';
	size_t start = i;

	i = skip_digits(scan, i);
	if (i == start || (peek(scan, start) == '0' && i > start + 1))
		return 0;
	if (peek(scan, i) == '.') {
		start = i + 1;
		i = skip_digits(scan, start);
		if (i == start)
			return 0;
	}
	if (peek(scan, i) == 'e' || peek(scan, i) == 'E') {
		start = i + 1;
		start += peek(scan, start) == '+' || peek(scan, start) == '-';
		i = skip_digits(scan, start);
		if (i == start)
			return 0;
	}
	return i;
}

static int check_number(struct scan *scan)
{
	size_t length = number_length(scan);

	if (!length)
		return refuse(scan, "invalid number");
	if (length > MAX_NUMBER_LENGTH)
		return refuse(scan, "number with too many digits");
	scan->at += length;
	return ERR_OK;
}

static bool hex_value(unsigned char c, unsigned *value)
{
	if (is_digit(c))
		*value = (unsigned)(c - '0');
	else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		*value = (unsigned)((c | 0x20) - 'a' + 10);
	else
		return false;
	return true;
}

/* The unit of \uXXXX at an offset from here, or UINT32_MAX if there is no such escape. */
static uint32_t escaped_unit(const struct scan *scan, size_t offset)
{
	uint32_t unit = 0;
	unsigned digit;

	if (peek(scan, offset) != '\\' || peek(scan, offset + 1) != 'u')
		return UINT32_MAX;
	for (size_t i = 2; i < 6; i++) {
		if (!hex_value(peek(scan, offset + i), &digit))
			return UINT32_MAX;
		unit = unit << 4 | digit;
	}
	return unit;
}

static int check_unicode_escape(struct scan *scan)
{
	uint32_t unit = escaped_unit(scan, 0), low;

	if (unit == UINT32_MAX)
		return refuse(scan, "invalid \\u escape");
	if (unit == 0)
		return refuse(scan, "the character NUL is not allowed");
	if (unit < 0xd800 || unit > 0xdfff) {
		scan->at += 6;
		return ERR_OK;
	}
	low = escaped_unit(scan, 6);
	if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff)
		return refuse(scan, "half of a surrogate pair");
	scan->at += 12;
	return ERR_OK;
}

static int check_escape(struct scan *scan)
{
	switch (peek(scan, 1)) {
	case '"':
	case '\\':
	case '/':
	case 'b':
	case 'f':
	case 'n':
	case 'r':
	case 't':
		scan->at += 2;
		return ERR_OK;
	case 'u':
		return check_unicode_escape(scan);
	default:
		return refuse(scan, "invalid escape in a string");
	}
}

static int check_string_character(struct scan *scan)
{
	unsigned char c = peek(scan, 0);
	size_t length;

	if (c == '\\')
		return check_escape(scan);
	if (c < 0x20)
		return refuse(scan, "control character in a string");
	length = json_utf8_length(scan->data + scan->at, scan->length - scan->at);
	if (!length)
		return refuse(scan, "invalid UTF-8");
	scan->at += length;
	return ERR_OK;
}

static int check_string(struct scan *scan)
{
	size_t start = scan->at++;

	while (scan->at < scan->length) {
		int rc;

		if (peek(scan, 0) == '"') {
			scan->at++;
			return ERR_OK;
		}
		rc = check_string_character(scan);
		if (rc)
			return rc;
	}
	scan->at = start;
	return refuse(scan, "a string without an end");
}

/* Each value stands behind a comma or is the first of a container;
 * an empty one is as good as one. */
static int count_value(struct scan *scan)
{
	if (scan->limits->max_values && ++scan->values > scan->limits->max_values)
		return error_set(scan->err, ERR_LIMIT, "%s: byte %zu: more than %zu values",
			scan->name, scan->at, scan->limits->max_values);
	scan->at++;
	return ERR_OK;
}

static int check_depth(struct scan *scan)
{
	if (++scan->depth > scan->limits->max_depth)
		return error_set(scan->err, ERR_LIMIT,
			"%s: byte %zu: more than %zu arrays and objects within each other",
			scan->name, scan->at, scan->limits->max_depth);
	return count_value(scan);
}

static int check_token(struct scan *scan)
{
	unsigned char c = peek(scan, 0);

	switch (c) {
	case '"':
		return check_string(scan);
	case '[':
	case '{':
		return check_depth(scan);
	case ']':
	case '}':
		scan->depth -= scan->depth > 0;
		break;
	case ' ':
	case '\t':
	case '\n':
	case '\r':
	case ':':
		break;
	case ',':
		return count_value(scan);
	default:
		if (c == '-' || is_digit(c))
			return check_number(scan);
		/* The letters of true, false and null; cJSON sees to it that they are words. */
		if (c < 'a' || c > 'z')
			return refuse(scan, "unexpected character");
	}
	scan->at++;
	return ERR_OK;
}

int json_check_tokens(const void *data, size_t length, const char *name,
	const struct json_limits *limits, struct error *err)
{
	struct scan scan = {
		.data = data, .length = length, .limits = limits, .name = name, .err = err};
	int rc = ERR_OK;

	while (scan.at < length && !rc)
		rc = check_token(&scan);
	return rc;
}
