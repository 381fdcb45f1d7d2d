/* SPDX-License-Identifier: Apache-2.0 */
/* The heap over time of both versions as report.json has it. Moments must follow each other. */
#include "report/view/view_read.h"

#include <stdbool.h>

#include "gate/base/error.h"
#include "report/view/view.h"

#define MOST 1e18 /* seconds, iterations, bytes: more than there will be */

static bool is_within(double number, double least)
{
	return number >= least && number <= MOST;
}

/* Charts and sentences divide by the last one's times, and look for the first that is largest. */
static bool follows(const struct result_moment *moment, const struct result_moment *before)
{
	return is_within(moment->seconds, before ? before->seconds : 0) &&
	       is_within(moment->iterations, before ? before->iterations : 0) &&
	       is_within(moment->inuse, 0) && is_within(moment->most, moment->inuse);
}

static int read_line(struct schema_reader *reader, const struct json *object, const char *key,
	struct result_memory_line *line)
{
	const struct json *node;
	void *moments;
	int code;

	if (!json_get(object, key))
		return ERR_OK;
	code = json_get_object(object, key, &node, reader->err);
	if (!code)
		code = schema_read(reader, node, schema_memory, line);
	if (!code)
		code = view_read_columns(reader, node, "moments", schema_moment, RESULT_MAX_MOMENTS,
			sizeof(struct result_moment), &moments, &line->moment_count);
	if (code)
		return code;
	line->moments = moments;
	for (size_t i = 0; i < line->moment_count; i++)
		if (!follows(&line->moments[i], i ? &line->moments[i - 1] : NULL))
			return json_error(json_get(node, "moments"), reader->err,
				"moment %zu does not follow the one before, or is no size of a heap",
				i);
	return ERR_OK;
}

int view_read_memory(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	int code = read_line(reader, object, "memory_base", &benchmark->memory[0]);

	return code ? code : read_line(reader, object, "memory_head", &benchmark->memory[1]);
}
