/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON written piece by piece into a strbuf: commas, line breaks, escapes, and numbers that read
 * back the same.
 */
#include "gate/net/json.h"

#include "gate/net/json_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void json_writer_init(struct json_writer *writer, struct strbuf *out, unsigned pretty_depth)
{
	*writer = (struct json_writer){.out = out, .pretty_depth = pretty_depth};
}

static void break_line(struct json_writer *writer, unsigned depth)
{
	strbuf_addch(writer->out, '\n');
	for (unsigned i = 0; i < depth; i++)
		strbuf_addch(writer->out, ' ');
}

/* What stands before a value or a key. */
static void begin_element(struct json_writer *writer)
{
	if (!writer->after_key) {
		if (writer->has_before)
			strbuf_addch(writer->out, ',');
		if (writer->depth && writer->depth <= writer->pretty_depth)
			break_line(writer, writer->depth);
	}
	writer->has_before = true;
	writer->after_key = false;
}

static void begin_value(struct json_writer *writer)
{
	begin_element(writer);
	writer->values++;
}

static void begin(struct json_writer *writer, char bracket)
{
	begin_value(writer);
	strbuf_addch(writer->out, bracket);
	writer->depth++;
	writer->has_before = false;
}

static void end(struct json_writer *writer, char bracket)
{
	writer->depth--;
	writer->values += !writer->has_before; /* an empty one is as good as one */
	if (writer->has_before && writer->depth < writer->pretty_depth)
		break_line(writer, writer->depth);
	strbuf_addch(writer->out, bracket);
	writer->has_before = true;
}

void json_object_begin(struct json_writer *writer)
{
	begin(writer, '{');
}

void json_object_end(struct json_writer *writer)
{
	end(writer, '}');
}

void json_array_begin(struct json_writer *writer)
{
	begin(writer, '[');
}

void json_array_end(struct json_writer *writer)
{
	end(writer, ']');
}

static void escape_ascii(struct strbuf *out, unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		strbuf_addch(out, '\\');
		strbuf_addch(out, (char)c);
		break;
	case '\n':
		strbuf_addstr(out, "\\n");
		break;
	case '\t':
		strbuf_addstr(out, "\\t");
		break;
	case '<':
	case '>':
	case '&':
	case 0x7f:
		strbuf_addf(out, "\\u%04x", c);
		break;
	default:
		if (c < 0x20)
			strbuf_addf(out, "\\u%04x", c);
		else
			strbuf_addch(out, (char)c);
	}
}

/* One character of length bytes; U+2028 and U+2029 end a line in scripts. */
static void escape_character(struct strbuf *out, const unsigned char *at, size_t length)
{
	if (length == 1)
		escape_ascii(out, *at);
	else if (length == 3 && memcmp(at, "\xe2\x80\xa8", 3) == 0)
		strbuf_addstr(out, "\\u2028");
	else if (length == 3 && memcmp(at, "\xe2\x80\xa9", 3) == 0)
		strbuf_addstr(out, "\\u2029");
	else
		strbuf_add(out, at, length);
}

static void add_quoted(struct strbuf *out, const void *data, size_t length)
{
	const unsigned char *at = data;

	strbuf_reserve(out, length + 2);
	strbuf_addch(out, '"');
	while (length) {
		size_t bytes = json_utf8_length(at, length);

		if (bytes)
			escape_character(out, at, bytes);
		else
			strbuf_addstr(out, "\xef\xbf\xbd");
		bytes += !bytes;
		at += bytes;
		length -= bytes;
	}
	strbuf_addch(out, '"');
}

void json_write_key(struct json_writer *writer, const char *key)
{
	begin_element(writer);
	add_quoted(writer->out, key, strlen(key));
	strbuf_addch(writer->out, ':');
	if (writer->depth <= writer->pretty_depth)
		strbuf_addch(writer->out, ' ');
	writer->after_key = true;
}

void json_write_bytes(struct json_writer *writer, const void *data, size_t length)
{
	begin_value(writer);
	add_quoted(writer->out, data, length);
}

void json_write_string(struct json_writer *writer, const char *string)
{
	if (string)
		json_write_bytes(writer, string, strlen(string));
	else
		json_write_null(writer);
}

void json_write_int64(struct json_writer *writer, int64_t number)
{
	begin_value(writer);
	strbuf_addf(writer->out, "%" PRId64, number);
}

void json_write_uint64(struct json_writer *writer, uint64_t number)
{
	begin_value(writer);
	strbuf_addf(writer->out, "%" PRIu64, number);
}

/* printf() writes the locale's decimal point, which may be of several bytes. */
static void add_with_point(struct strbuf *out, const char *digits)
{
	static const char plain[] = "+-0123456789eE";
	size_t whole = strspn(digits, plain);
	const char *rest = digits + whole + strcspn(digits + whole, plain);

	strbuf_add(out, digits, whole);
	if (digits[whole])
		strbuf_addch(out, '.');
	strbuf_addstr(out, rest);
}

void json_write_double(struct json_writer *writer, double number)
{
	char digits[64];
	int precision = 15;

	if (!isfinite(number)) {
		json_write_null(writer);
		return;
	}
	do
		snprintf(digits, sizeof(digits), "%.*g", precision, number);
	while (strtod(digits, NULL) != number && ++precision <= 17);
	begin_value(writer);
	add_with_point(writer->out, digits);
}

void json_write_bool(struct json_writer *writer, bool value)
{
	begin_value(writer);
	strbuf_addstr(writer->out, value ? "true" : "false");
}

void json_write_null(struct json_writer *writer)
{
	begin_value(writer);
	strbuf_addstr(writer->out, "null");
}

void json_member_string(struct json_writer *writer, const char *key, const char *string)
{
	json_write_key(writer, key);
	json_write_string(writer, string);
}

void json_member_int64(struct json_writer *writer, const char *key, int64_t number)
{
	json_write_key(writer, key);
	json_write_int64(writer, number);
}

void json_member_uint64(struct json_writer *writer, const char *key, uint64_t number)
{
	json_write_key(writer, key);
	json_write_uint64(writer, number);
}

void json_member_double(struct json_writer *writer, const char *key, double number)
{
	json_write_key(writer, key);
	json_write_double(writer, number);
}

void json_member_bool(struct json_writer *writer, const char *key, bool value)
{
	json_write_key(writer, key);
	json_write_bool(writer, value);
}

void json_member_object(struct json_writer *writer, const char *key)
{
	json_write_key(writer, key);
	json_object_begin(writer);
}

void json_member_array(struct json_writer *writer, const char *key)
{
	json_write_key(writer, key);
	json_array_begin(writer);
}
