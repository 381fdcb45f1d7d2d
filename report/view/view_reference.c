/* SPDX-License-Identifier: Apache-2.0 */
/* The comparisons with references as report.json has them, with their findings and losses. */
#include "report/view/view_read.h"

#include <math.h>

#include "gate/base/error.h"
#include "report/view/view.h"

/* Both unknown, or in order. */
static bool is_interval(double low, double high)
{
	return isnan(low) ? isnan(high) : low <= high;
}

/* NaN: unknown. */
static bool is_unsigned(double number)
{
	return !(number < 0);
}

static int read_finding(struct schema_reader *reader, const struct json *node,
	struct result_reference_finding *finding)
{
	int code = schema_read(reader, node, schema_finding, finding);

	if (!code && !is_interval(finding->low, finding->high))
		return json_error(node, reader->err, "\"low\" and \"high\" are no interval");
	return code;
}

static int read_findings(
	struct schema_reader *reader, const struct json *object, struct result_reference *reference)
{
	const struct json *array;
	struct result_reference_finding *findings;
	size_t i = 0;
	int code = json_get_array(object, "findings", &array, reader->err);

	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	findings = arena_array(reader->arena, json_length(array), sizeof(*findings));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_finding(reader, node, &findings[i++]);
	reference->findings = findings;
	reference->finding_count = i;
	return code;
}

static int read_one(
	struct schema_reader *reader, const struct json *node, struct result_reference *reference)
{
	int code = schema_read(reader, node, schema_reference, reference);

	if (code)
		return code;
	if (!is_unsigned(reference->size_factor) || !is_unsigned(reference->threshold))
		return json_error(
			node, reader->err, "\"size_factor\" and \"threshold\" cannot be negative");
	code = read_findings(reader, node, reference);
	return code ? code
		    : view_read_strings(reader, node, "losses", REPORT_MAX_LIST, &reference->losses,
			      &reference->loss_count);
}

int view_read_references(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_reference *references;
	size_t i = 0;
	int code;

	if (!json_get(object, "references"))
		return ERR_OK;
	code = json_get_array(object, "references", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	references = arena_array(reader->arena, json_length(array), sizeof(*references));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_one(reader, node, &references[i++]);
	benchmark->references = references;
	benchmark->reference_count = i;
	return code;
}
