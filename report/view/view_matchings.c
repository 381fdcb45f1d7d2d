/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions of base and head are one under two names, and what was inlined, as report.json
 * has it.
 */
#include "report/view/view_read.h"

#include "gate/base/error.h"
#include "report/view/view.h"

static int check_similarity(
	struct schema_reader *reader, const struct json *node, double similarity)
{
	return similarity >= 0 && similarity <= 1
		       ? ERR_OK
		       : json_error(node, reader->err, "\"similarity\" is no part of 1");
}

static int read_matching(
	struct schema_reader *reader, const struct json *node, struct result_matching *matching)
{
	int code = schema_read(reader, node, schema_matching, matching);

	return code ? code : check_similarity(reader, node, matching->similarity);
}

static int read_inlining(
	struct schema_reader *reader, const struct json *node, struct result_inlining *inlining)
{
	int code = schema_read(reader, node, schema_inlining, inlining);

	return code ? code : check_similarity(reader, node, inlining->similarity);
}

/* *array is NULL if it is absent. */
static int get_list(struct schema_reader *reader, const struct json *object, const char *key,
	const struct json **array)
{
	int code;

	*array = NULL;
	if (!json_get(object, key))
		return ERR_OK;
	code = json_get_array(object, key, array, reader->err);
	if (!code && json_length(*array) > REPORT_MAX_LIST)
		return view_too_many(*array, reader->err, REPORT_MAX_LIST);
	return code;
}

int view_read_matchings(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_matching *matchings;
	size_t i = 0;
	int code = get_list(reader, object, "matches", &array);

	if (code || !array)
		return code;
	matchings = arena_array(reader->arena, json_length(array), sizeof(*matchings));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_matching(reader, node, &matchings[i++]);
	benchmark->matchings = matchings;
	benchmark->matching_count = i;
	return code;
}

int view_read_inlinings(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_inlining *inlinings;
	size_t i = 0;
	int code = get_list(reader, object, "inlinings", &array);

	if (code || !array)
		return code;
	inlinings = arena_array(reader->arena, json_length(array), sizeof(*inlinings));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_inlining(reader, node, &inlinings[i++]);
	benchmark->inlinings = inlinings;
	benchmark->inlining_count = i;
	return code;
}
