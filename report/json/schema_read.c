/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a JSON object, or columns, to structs, by a table of fields: each value's type and range is
 * checked.
 */
#include "report/json/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/result.h"

#define SLOT(type, at) (*(type *)(at))
#define MAX_EXACT (INT64_C(1) << 53)
#define MAX_LINE INT32_MAX
#define MAX_SMALL 255

_Static_assert(sizeof(enum result_state) == sizeof(unsigned), "enums are stored as unsigned");

static int read_whole(struct schema_reader *reader, const struct json *node, int64_t low,
	int64_t high, int64_t *out)
{
	int64_t number;
	int code = json_expect(node, JSON_NUMBER, reader->err);

	if (!code)
		code = json_int64(node, &number, reader->err);
	if (code)
		return code;
	if (number < low || number > high)
		return json_error(node, reader->err,
			"expected a whole number from %" PRId64 " to %" PRId64, low, high);
	*out = number;
	return ERR_OK;
}

static int read_string(struct schema_reader *reader, const struct json *node, const char **out)
{
	const char *string;
	int code = json_string(node, &string, reader->err);

	if (!code)
		*out = arena_strdup(reader->arena, string);
	return code;
}

static int read_default(struct schema_reader *reader, const struct json *node,
	const struct field *field, const char **out)
{
	int code = read_string(reader, node, out);

	if (!code && !**out)
		*out = field->words[0];
	return code;
}

static int read_number(
	struct schema_reader *reader, const struct json *node, enum field_type type, double *out)
{
	if (json_type(node) == JSON_NULL && node && type != FIELD_NUMBER) {
		*out = type == FIELD_RATIO   ? (double)INFINITY
		       : type == FIELD_ADDED ? 0
					     : (double)NAN;
		return ERR_OK;
	}
	return json_number(node, out, reader->err);
}

static int read_seed(struct schema_reader *reader, const struct json *node, uint64_t *out)
{
	const char *digits;
	char *end;
	int code = json_string(node, &digits, reader->err);

	if (code)
		return code;
	errno = 0;
	*out = strtoull(digits, &end, 10);
	if (!*digits || strspn(digits, "0123456789") != strlen(digits) || errno)
		return json_error(node, reader->err, "expected a number of decimal digits");
	return ERR_OK;
}

static int read_word(struct schema_reader *reader, const struct json *node,
	const char *const *words, unsigned *out)
{
	const char *word;
	int code = json_string(node, &word, reader->err);

	if (code)
		return code;
	for (unsigned i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0) {
			*out = i;
			return ERR_OK;
		}
	}
	return json_error(node, reader->err, "unknown word");
}

/* The whole-number types: their ranges, and where the number goes. */
static int read_integer(
	struct schema_reader *reader, const struct json *node, enum field_type type, char *at)
{
	bool is_line = type == FIELD_LINE || type == FIELD_ADDED_LINE;
	bool is_index = type == FIELD_INDEX || type == FIELD_ADDED_INDEX;
	int64_t low = is_index ? -1 : 0, number;
	int64_t high = type == FIELD_INT               ? MAX_SMALL
		       : is_line                       ? MAX_LINE
		       : type == FIELD_U32 || is_index ? (int64_t)UINT32_MAX - 1
						       : MAX_EXACT;
	int code = read_whole(reader, node, low, high, &number);

	if (code)
		return code;
	if (type == FIELD_INT)
		SLOT(int, at) = (int)number;
	else if (type == FIELD_U32 || is_index)
		SLOT(uint32_t, at) = number < 0 ? RESULT_NONE : (uint32_t)number;
	else if (is_line)
		SLOT(int64_t, at) = number;
	else if (type == FIELD_COUNT)
		SLOT(size_t, at) = (size_t)number;
	else
		SLOT(uint64_t, at) = (uint64_t)number;
	return ERR_OK;
}

static int read_value(
	struct schema_reader *reader, const struct json *node, const struct field *field, char *at)
{
	switch (field->type) {
	case FIELD_STRING:
	case FIELD_OPTIONAL:
		return read_string(reader, node, &SLOT(const char *, at));
	case FIELD_DEFAULT:
		return read_default(reader, node, field, &SLOT(const char *, at));
	case FIELD_NUMBER:
	case FIELD_ADDED:
	case FIELD_ESTIMATE:
	case FIELD_ADDED_ESTIMATE:
	case FIELD_RATIO:
		return read_number(reader, node, field->type, &SLOT(double, at));
	case FIELD_SEED:
		return read_seed(reader, node, &SLOT(uint64_t, at));
	case FIELD_BOOL:
		return json_bool(node, &SLOT(bool, at), reader->err);
	case FIELD_WORD:
	case FIELD_ADDED_WORD:
	case FIELD_OPTIONAL_WORD:
		return read_word(reader, node, field->words, &SLOT(unsigned, at));
	default:
		return read_integer(reader, node, field->type, at);
	}
}

/* What earlier reports did not have. False: they had it. */
static bool set_absent(const struct field *field, char *at)
{
	switch (field->type) {
	case FIELD_DEFAULT:
		SLOT(const char *, at) = field->words[0];
		return true;
	case FIELD_OPTIONAL:
		SLOT(const char *, at) = "";
		return true;
	case FIELD_ADDED:
		SLOT(double, at) = 0;
		return true;
	case FIELD_ADDED_INDEX:
		SLOT(uint32_t, at) = RESULT_NONE;
		return true;
	case FIELD_ADDED_LINE:
		SLOT(int64_t, at) = 0;
		return true;
	case FIELD_ADDED_WORD:
	case FIELD_OPTIONAL_WORD:
		SLOT(unsigned, at) = 0;
		return true;
	default:
		return false;
	}
}

int schema_read(struct schema_reader *reader, const struct json *object, const struct field *fields,
	void *base)
{
	int code = json_expect(object, JSON_OBJECT, reader->err);

	for (; !code && fields->name; fields++) {
		const struct json *node = json_get(object, fields->name);

		char *at = (char *)base + fields->offset;

		if (node)
			code = read_value(reader, node, fields, at);
		else if (!set_absent(fields, at))
			return json_error(object, reader->err, "\"%s\" is missing", fields->name);
	}
	return code;
}

static int64_t word_count(const struct field *field)
{
	int64_t count = 0;

	while (field->words[count])
		count++;
	return count;
}

static int read_cell(
	struct schema_reader *reader, const struct json *node, const struct field *field, char *at)
{
	int64_t high, number;
	int code;

	if (field->type == FIELD_STRING)
		high = (int64_t)reader->string_count - 1;
	else if (field->type == FIELD_WORD)
		high = word_count(field) - 1;
	else if (field->type == FIELD_BOOL)
		high = 1;
	else
		return read_value(reader, node, field, at);
	code = read_whole(reader, node, 0, high, &number);
	if (code)
		return code;
	if (field->type == FIELD_STRING)
		SLOT(const char *, at) = reader->strings[number];
	else if (field->type == FIELD_BOOL)
		SLOT(bool, at) = number != 0;
	else
		SLOT(unsigned, at) = (unsigned)number;
	return ERR_OK;
}

static int read_column(struct schema_reader *reader, const struct json *column,
	const struct field *field, char *base, size_t count, size_t size)
{
	size_t i = 0;

	if (json_length(column) != count)
		return json_error(column, reader->err, "expected %zu elements", count);
	for (const struct json *node = json_first(column); node; node = json_next(node), i++) {
		int code = read_cell(reader, node, field, base + i * size + field->offset);

		if (code)
			return code;
	}
	return ERR_OK;
}

static void set_unknown(const struct field *field, char *base, size_t count, size_t size)
{
	for (size_t i = 0; i < count; i++)
		SLOT(double, base + i * size + field->offset) = (double)NAN;
}

int schema_read_columns(struct schema_reader *reader, const struct json *object,
	const struct field *fields, void *base, size_t count, size_t size)
{
	int code = ERR_OK;

	for (; !code && fields->name; fields++) {
		const struct json *column;

		if (fields->type == FIELD_ADDED_ESTIMATE && !json_get(object, fields->name)) {
			set_unknown(fields, base, count, size);
			continue;
		}
		code = json_get_array(object, fields->name, &column, reader->err);
		if (!code)
			code = read_column(reader, column, fields, base, count, size);
	}
	return code;
}
