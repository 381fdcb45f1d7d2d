/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From structs to JSON objects or columns, by a table of fields. Strings in columns become numbers
 * of one string table.
 */
#include "report/json/schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/text.h"
#include "gate/check/result.h"
#include "report/view/view.h"

/* Copied out, since a field of a hand-made table could be at any address. */
#define VALUE(type, at) (*(const type *)(at))
#define MAX_EXACT (INT64_C(1) << 53)

void string_table_init(struct string_table *table)
{
	memset(table, 0, sizeof(*table));
	map_init(&table->numbers);
	map_init(&table->places);
	arena_init(&table->cut);
}

void string_table_release(struct string_table *table)
{
	map_release(&table->numbers);
	map_release(&table->places);
	arena_release(&table->cut);
	free(table->strings);
	memset(table, 0, sizeof(*table));
}

/* A byte that is no UTF-8 is written as three. */
static const char *fit(struct string_table *table, const char *string)
{
	size_t length = strlen(string);

	return length > REPORT_MAX_STRING / 3
		       ? text_fit(&table->cut, string, length, REPORT_MAX_STRING)
		       : string;
}

static uint32_t intern(struct string_table *table, const char *string)
{
	bool added;
	uint32_t number;

	string = fit(table, string);
	number =
		map_intern(&table->numbers, string, strlen(string), (uint32_t)table->count, &added);
	if (added) {
		table->strings = grow_array(table->strings, &table->capacity, table->count + 1,
			sizeof(*table->strings));
		table->strings[table->count++] = string;
	}
	return number;
}

/* Each text is looked at once, however many functions a hostile report has it name. */
static uint32_t number_of(struct string_table *table, const char *string)
{
	uint32_t number = map_get(&table->places, &string, sizeof(string));

	if (number == MAP_NONE) {
		number = intern(table, string);
		map_put(&table->places, &string, sizeof(string), number);
	}
	return number;
}

/* Six digits are more than any measurement here has;
 * the same number again when read and written. */
static double rounded(double number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.6g", number);
	return strtod(digits, NULL);
}

static void write_number(
	struct schema_writer *writer, const struct field *field, double number, bool round)
{
	/* What is unknown there is 0, as in a report of before there was the field. */
	if (field->type == FIELD_ADDED && !isfinite(number))
		number = 0;
	if (field->type == FIELD_NUMBER && !isfinite(number) && !writer->code)
		writer->code = error_set(
			writer->err, ERR_MEASURE, "result: %s is not a finite number", field->name);
	json_write_double(&writer->json, round && isfinite(number) ? rounded(number) : number);
}

static void write_whole(struct schema_writer *writer, uint64_t number)
{
	json_write_int64(&writer->json, number > (uint64_t)MAX_EXACT ? MAX_EXACT : (int64_t)number);
}

static void write_seed(struct schema_writer *writer, uint64_t seed)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, seed);
	json_write_string(&writer->json, digits);
}

static void write_index(struct schema_writer *writer, uint32_t index)
{
	json_write_int64(&writer->json, index == RESULT_NONE ? -1 : (int64_t)index);
}

static void write_word(struct schema_writer *writer, const struct field *field, unsigned value)
{
	unsigned count = 0;

	while (field->words[count])
		count++;
	json_write_string(&writer->json, value < count ? field->words[value] : "?");
}

static void write_default(
	struct schema_writer *writer, const struct field *field, const char *value)
{
	json_write_string(&writer->json, value && *value ? value : field->words[0]);
}

static void write_value(struct schema_writer *writer, const struct field *field, const char *at)
{
	switch (field->type) {
	case FIELD_STRING:
	case FIELD_OPTIONAL:
		json_write_string(
			&writer->json, VALUE(char *const, at) ? VALUE(char *const, at) : "");
		break;
	case FIELD_DEFAULT:
		write_default(writer, field, VALUE(char *const, at));
		break;
	case FIELD_NUMBER:
	case FIELD_ADDED:
	case FIELD_ESTIMATE:
	case FIELD_ADDED_ESTIMATE:
	case FIELD_RATIO:
		write_number(writer, field, VALUE(double, at), false);
		break;
	case FIELD_COUNT:
		write_whole(writer, VALUE(size_t, at));
		break;
	case FIELD_U64:
		write_whole(writer, VALUE(uint64_t, at));
		break;
	case FIELD_SEED:
		write_seed(writer, VALUE(uint64_t, at));
		break;
	case FIELD_U32:
		write_whole(writer, VALUE(uint32_t, at));
		break;
	case FIELD_INDEX:
	case FIELD_ADDED_INDEX:
		write_index(writer, VALUE(uint32_t, at));
		break;
	case FIELD_LINE:
	case FIELD_ADDED_LINE:
		json_write_int64(&writer->json, VALUE(int64_t, at) > 0 ? VALUE(int64_t, at) : 0);
		break;
	case FIELD_INT:
		json_write_int64(&writer->json, VALUE(int, at));
		break;
	case FIELD_BOOL:
		json_write_bool(&writer->json, VALUE(bool, at));
		break;
	case FIELD_WORD:
	case FIELD_ADDED_WORD:
	case FIELD_OPTIONAL_WORD:
		write_word(writer, field, VALUE(unsigned, at));
		break;
	}
}

static bool is_unsaid(const struct field *field, const char *at)
{
	if (field->type == FIELD_OPTIONAL_WORD)
		return !VALUE(unsigned, at);
	if (field->type == FIELD_ADDED_LINE)
		return VALUE(int64_t, at) <= 0;
	return field->type == FIELD_OPTIONAL &&
	       (!VALUE(char *const, at) || !*VALUE(char *const, at));
}

void schema_write(struct schema_writer *writer, const struct field *fields, const void *base)
{
	for (; fields->name; fields++) {
		const char *at = (const char *)base + fields->offset;

		if (is_unsaid(fields, at))
			continue;
		json_write_key(&writer->json, fields->name);
		write_value(writer, fields, at);
	}
}

/* In a column, strings and words are numbers. */
static void write_cell(struct schema_writer *writer, const struct field *field, const char *at)
{
	const char *string;

	switch (field->type) {
	case FIELD_STRING:
		string = VALUE(char *const, at);
		write_whole(writer, number_of(writer->strings, string ? string : ""));
		break;
	case FIELD_NUMBER:
	case FIELD_ESTIMATE:
	case FIELD_ADDED_ESTIMATE:
		write_number(writer, field, VALUE(double, at), true);
		break;
	case FIELD_BOOL:
		write_whole(writer, VALUE(bool, at));
		break;
	case FIELD_WORD:
		write_whole(writer, VALUE(unsigned, at));
		break;
	default:
		write_value(writer, field, at);
	}
}

/* A column that says nothing: earlier reports do not have it. */
static bool is_left_out(const struct field *field, const char *base, size_t count, size_t size)
{
	if (field->type != FIELD_ADDED_ESTIMATE)
		return false;
	for (size_t i = 0; i < count; i++) {
		double number = VALUE(double, base + i * size + field->offset);

		if (isfinite(number) && (number < 0 || number > 0))
			return false;
	}
	return true;
}

void schema_write_columns(struct schema_writer *writer, const struct field *fields,
	const void *base, size_t count, size_t size)
{
	json_member_int64(&writer->json, "count", (int64_t)count);
	for (; fields->name; fields++) {
		if (is_left_out(fields, base, count, size))
			continue;
		json_member_array(&writer->json, fields->name);
		for (size_t i = 0; i < count; i++)
			write_cell(writer, fields, (const char *)base + i * size + fields->offset);
		json_array_end(&writer->json);
	}
}
