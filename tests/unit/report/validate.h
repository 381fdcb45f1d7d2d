/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A validator for what report.json's own schema uses of JSON schema; anything else in a schema
 * fails the test. Strict: an object's member that the schema does not name is an error too, since
 * nothing is to be written that is not published.
 */
#ifndef FG_TEST_REPORT_VALIDATE_H
#define FG_TEST_REPORT_VALIDATE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/net/json.h"
#include "report/json/schema_json.h"

/* What a schema may say; what is about people only is not looked at. */
static inline void assert_known_keyword(const char *keyword)
{
	static const char *const known[] = {"$schema", "$id", "$defs", "$ref", "title",
		"description", "default", "type", "required", "properties", "items", "maxItems",
		"minimum", "maximum", "enum", "const", "pattern", NULL};

	for (size_t i = 0; known[i]; i++)
		if (strcmp(known[i], keyword) == 0)
			return;
	fail_msg("the validator does not know \"%s\"", keyword);
}

static inline const char *text_of(const struct json *node)
{
	const char *text = NULL;

	(void)json_string(node, &text, NULL);
	return text;
}

static inline double number_of(const struct json *node)
{
	double number = NAN;

	(void)json_number(node, &number, NULL);
	return number;
}

static inline const struct json *resolve(const struct json *root, const struct json *schema)
{
	static const char prefix[] = "#/$defs/";
	const char *reference = text_of(json_get(schema, "$ref"));

	if (!reference)
		return schema;
	assert_int_equal(strncmp(reference, prefix, sizeof(prefix) - 1), 0);
	schema = json_get(json_get(root, "$defs"), reference + sizeof(prefix) - 1);
	assert_non_null(schema);
	return resolve(root, schema);
}

static inline bool is_of_type(const struct json *node, const char *type)
{
	static const char *const names[] = {
		"null", "boolean", "number", "string", "array", "object"};

	if (strcmp(type, "integer") == 0)
		return json_type(node) == JSON_NUMBER && number_of(node) == floor(number_of(node));
	return strcmp(names[json_type(node)], type) == 0;
}

static inline bool fits_type(const struct json *node, const struct json *types)
{
	if (!types)
		return true;
	if (json_type(types) == JSON_STRING)
		return is_of_type(node, text_of(types));
	for (const struct json *type = json_first(types); type; type = json_next(type))
		if (is_of_type(node, text_of(type)))
			return true;
	return false;
}

static inline bool equals(const struct json *a, const struct json *b)
{
	if (json_type(a) != json_type(b))
		return false;
	return json_type(a) == JSON_STRING ? strcmp(text_of(a), text_of(b)) == 0
					   : number_of(a) == number_of(b);
}

static inline bool fits_values(const struct json *node, const struct json *schema)
{
	const struct json *values = json_get(schema, "enum"), *one = json_get(schema, "const");

	if (one && !equals(node, one))
		return false;
	for (one = json_first(values); one; one = json_next(one))
		if (equals(node, one))
			return true;
	return !values;
}

/* The one pattern that there is. */
static inline bool fits_pattern(const struct json *node, const char *pattern)
{
	const char *text = text_of(node);

	if (!pattern || !text)
		return true;
	assert_string_equal(pattern, "^[0-9]{1,20}$");
	return *text && strlen(text) <= 20 && strspn(text, "0123456789") == strlen(text);
}

static inline bool fits_limits(const struct json *node, const struct json *schema)
{
	const struct json *most = json_get(schema, "maxItems");

	if (json_type(node) == JSON_ARRAY && most && (double)json_length(node) > number_of(most))
		return false;
	return json_type(node) != JSON_NUMBER ||
	       (!(number_of(node) < number_of(json_get(schema, "minimum"))) &&
		       !(number_of(node) > number_of(json_get(schema, "maximum"))));
}

static inline bool fits(const struct json *root, const struct json *schema, const struct json *node,
	const struct json **wrong);

static inline bool fits_members(const struct json *root, const struct json *schema,
	const struct json *node, const struct json **wrong)
{
	for (const struct json *one = json_first(json_get(schema, "required")); one;
		one = json_next(one))
		if (!json_get(node, text_of(one)))
			return false;
	for (const struct json *one = json_first(node); one; one = json_next(one)) {
		const struct json *of = json_get(json_get(schema, "properties"), json_key(one));

		if (!of)
			*wrong = one;
		if (!of || !fits(root, of, one, wrong))
			return false;
	}
	return true;
}

static inline bool fits_elements(const struct json *root, const struct json *schema,
	const struct json *node, const struct json **wrong)
{
	const struct json *items = json_get(schema, "items");

	assert_non_null(items);
	for (const struct json *one = json_first(node); one; one = json_next(one))
		if (!fits(root, items, one, wrong))
			return false;
	return true;
}

/* *wrong: what does not fit. */
static inline bool fits(const struct json *root, const struct json *schema, const struct json *node,
	const struct json **wrong)
{
	schema = resolve(root, schema);
	for (const struct json *one = json_first(schema); one; one = json_next(one))
		assert_known_keyword(json_key(one));
	*wrong = node;
	if (!fits_type(node, json_get(schema, "type")) || !fits_values(node, schema) ||
		!fits_pattern(node, text_of(json_get(schema, "pattern"))) ||
		!fits_limits(node, schema))
		return false;
	if (json_type(node) == JSON_OBJECT)
		return fits_members(root, schema, node, wrong);
	return json_type(node) != JSON_ARRAY || fits_elements(root, schema, node, wrong);
}

static inline struct json *own_schema(void)
{
	struct strbuf text = STRBUF_INIT;
	struct json *schema = NULL;
	struct error err = {0};

	report_schema_json(&text);
	if (json_parse(text.data, text.length, "the schema", NULL, &schema, &err))
		fail_msg("%s", err.message);
	strbuf_release(&text);
	return schema;
}

#endif
