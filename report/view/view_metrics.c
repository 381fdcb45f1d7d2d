/* SPDX-License-Identifier: Apache-2.0 */
/* A benchmark's metrics as report.json has them. Their intervals and probabilities must be such. */
#include "report/view/view_read.h"

#include <math.h>

#include "gate/base/error.h"
#include "report/view/view.h"

/* Both unknown, or in order. */
static bool is_interval(double low, double high)
{
	return isnan(low) ? isnan(high) : low <= high;
}

static bool is_probability(double p)
{
	return isnan(p) || (p >= 0 && p <= 1);
}

static int read_one(
	struct schema_reader *reader, const struct json *node, struct result_metric *metric)
{
	int code = schema_read(reader, node, schema_metric, metric);

	if (code)
		return code;
	if (!is_interval(metric->low, metric->high))
		return json_error(node, reader->err, "\"low\" and \"high\" are no interval");
	if (metric->margin < 0 || !is_probability(metric->p))
		return json_error(node, reader->err, "no margin or no probability");
	return ERR_OK;
}

int view_read_metrics(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_metric *metrics;
	size_t i = 0;
	int code;

	if (!json_get(object, "metrics"))
		return ERR_OK;
	code = json_get_array(object, "metrics", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	metrics = arena_array(reader->arena, json_length(array), sizeof(*metrics));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_one(reader, node, &metrics[i++]);
	benchmark->metrics = metrics;
	benchmark->metric_count = i;
	return code;
}
