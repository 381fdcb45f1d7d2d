/* SPDX-License-Identifier: Apache-2.0 */
#include "report/view_read.h"

#include "report/view.h"

static int read_one(
	struct schema_reader *reader, const struct json *node, struct result_matching *matching)
{
	int code = schema_read(reader, node, schema_matching, matching);

	if (!code && !(matching->similarity >= 0 && matching->similarity <= 1))
		code = json_error(node, reader->err, "\"similarity\" is no part of 1");
	return code;
}

int view_read_matchings(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_matching *matchings;
	size_t i = 0;
	int code;

	if (!json_get(object, "matches"))
		return ERR_OK;
	code = json_get_array(object, "matches", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	matchings = arena_array(reader->arena, json_length(array), sizeof(*matchings));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_one(reader, node, &matchings[i++]);
	benchmark->matchings = matchings;
	benchmark->matching_count = i;
	return code;
}
