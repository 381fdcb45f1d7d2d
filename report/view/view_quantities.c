/* SPDX-License-Identifier: Apache-2.0 */
#include "report/view/view_read.h"

#include <math.h>

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
	struct schema_reader *reader, const struct json *node, struct result_quantity *quantity)
{
	int code = schema_read(reader, node, schema_quantity, quantity);

	if (code)
		return code;
	if (!is_interval(quantity->low, quantity->high))
		return json_error(node, reader->err, "\"low\" and \"high\" are no interval");
	if (quantity->margin < 0 || !is_probability(quantity->p))
		return json_error(node, reader->err, "no margin or no probability");
	return ERR_OK;
}

int view_read_quantities(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_quantity *quantities;
	size_t i = 0;
	int code;

	if (!json_get(object, "quantities"))
		return ERR_OK;
	code = json_get_array(object, "quantities", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_LIST)
		return view_too_many(array, reader->err, REPORT_MAX_LIST);
	quantities = arena_array(reader->arena, json_length(array), sizeof(*quantities));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_one(reader, node, &quantities[i++]);
	benchmark->quantities = quantities;
	benchmark->quantity_count = i;
	return code;
}
