/* SPDX-License-Identifier: Apache-2.0 */
/* The source around a culprit as report.json has it. No line may be longer than reports show. */
#include "report/view/view_read.h"

#include <string.h>

#include "gate/base/error.h"
#include "report/view/view.h"

static int check_lines(
	struct schema_reader *reader, const struct json *object, const struct result_source *source)
{
	for (size_t i = 0; i < source->line_count; i++) {
		if (strlen(source->lines[i].text) <= RESULT_SOURCE_LINE_BYTES)
			continue;
		json_error(object, reader->err, "line %zu has more than %u bytes", i,
			RESULT_SOURCE_LINE_BYTES);
		return reader->err ? reader->err->code = ERR_LIMIT : ERR_LIMIT;
	}
	return ERR_OK;
}

int view_read_source(
	struct schema_reader *reader, const struct json *culprit, const struct result_source **out)
{
	const struct json *object;
	struct result_source *source;
	void *lines;
	int code;

	if (!json_get(culprit, "source"))
		return ERR_OK;
	code = json_get_object(culprit, "source", &object, reader->err);
	if (code)
		return code;
	source = arena_alloc(reader->arena, sizeof(*source));
	code = schema_read(reader, object, schema_source, source);
	if (!code)
		code = view_read_columns(reader, object, "lines", schema_line, RESULT_SOURCE_LINES,
			sizeof(struct result_line), &lines, &source->line_count);
	if (code)
		return code;
	source->lines = lines;
	*out = source;
	return check_lines(reader, object, source);
}
