/* SPDX-License-Identifier: Apache-2.0 */
/* A tree's labels as report.json has them. Each cost must be of a value and a node that exist. */
#include "report/view/view_read.h"

#include "gate/base/error.h"
#include "report/view/view.h"

static int check_costs(struct schema_reader *reader, const struct json *object,
	const struct result_label *label, size_t node_count)
{
	for (size_t i = 0; i < label->cost_count; i++)
		if (label->costs[i].value >= label->value_count ||
			label->costs[i].node >= node_count)
			return json_error(object, reader->err, "no such value or node");
	return ERR_OK;
}

static int read_one(struct schema_reader *reader, const struct json *object, size_t node_count,
	struct result_label *label)
{
	void *costs;
	int code = schema_read(reader, object, schema_label, label);

	if (!code)
		code = view_read_strings(reader, object, "values", RESULT_MAX_LABEL_VALUES,
			&label->values, &label->value_count);
	if (!code)
		code = view_read_columns(reader, object, "costs", schema_label_cost,
			RESULT_MAX_LABEL_COSTS, sizeof(struct result_label_cost), &costs,
			&label->cost_count);
	if (code)
		return code;
	label->costs = costs;
	return check_costs(reader, object, label, node_count);
}

int view_read_labels(struct schema_reader *reader, const struct json *object, size_t node_count,
	const struct result_label **out, size_t *count)
{
	const struct json *array;
	struct result_label *labels;
	size_t i = 0;
	int code;

	if (!json_get(object, "labels"))
		return ERR_OK;
	code = json_get_array(object, "labels", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > RESULT_MAX_LABELS)
		return view_too_many(array, reader->err, RESULT_MAX_LABELS);
	labels = arena_array(reader->arena, json_length(array), sizeof(*labels));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_one(reader, node, node_count, &labels[i++]);
	*out = labels;
	*count = i;
	return code;
}
