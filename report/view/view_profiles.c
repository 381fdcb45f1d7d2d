/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trees of other profile types as report.json has them, and the changes that it leaves to be
 * derived.
 */
#include "report/view/view_read.h"

#include <math.h>

#include "gate/base/error.h"
#include "gate/check/whole.h"
#include "report/view/view.h"

static bool is_compared(const struct result_profile *profile)
{
	if (profile->sides == SIDES_UNSAID)
		return profile->total[0] < 0 || profile->total[0] > 0;
	return profile->sides == SIDES_BOTH;
}

/* What differences are fractions of; 0: there is nothing to compare. One side may cost nothing. */
static double whole_of(const struct result_profile *profile)
{
	return is_compared(profile) ? undecided_whole(profile->total[0], profile->total[1]) : 0;
}

static double fraction(double base, double head, double whole)
{
	return whole > 0 ? (head - base) / whole : 0;
}

/* What report.json does not say of them, because it follows. */
static void derive_functions(
	const struct result_profile *profile, struct result_function *functions)
{
	double whole = whole_of(profile);

	for (size_t i = 0; i < profile->function_count; i++) {
		struct result_change *self = &functions[i].self;

		self->change = fraction(self->base, self->head, whole);
		self->low = self->high = self->se = NAN;
		self->state = STATE_INELIGIBLE;
	}
}

static void derive_nodes(const struct result_profile *profile, struct result_node *nodes)
{
	double whole = whole_of(profile);

	for (size_t i = 0; i < profile->node_count; i++) {
		struct result_node *node = &nodes[i];

		node->self_change = fraction(node->self[0], node->self[1], whole);
		node->total_change = fraction(node->total[0], node->total[1], whole);
		node->self_state = node->state = STATE_INELIGIBLE;
	}
}

static int read_one(
	struct schema_reader *reader, const struct json *object, struct result_profile *profile)
{
	struct result_benchmark tree = {0};
	void *functions, *nodes;
	int code = schema_read(reader, object, schema_profile, profile);

	if (!code)
		code = view_read_columns(reader, object, "functions", schema_profile_function,
			REPORT_MAX_FUNCTIONS, sizeof(struct result_function), &functions,
			&profile->function_count);
	if (!code)
		code = view_read_columns(reader, object, "nodes", schema_profile_node,
			REPORT_MAX_NODES, sizeof(struct result_node), &nodes, &profile->node_count);
	if (code)
		return code;
	derive_functions(profile, functions);
	derive_nodes(profile, nodes);
	profile->functions = tree.functions = functions;
	profile->nodes = tree.nodes = nodes;
	tree.function_count = profile->function_count;
	tree.node_count = profile->node_count;
	code = view_check_tree(reader, object, &tree);
	return code ? code
		    : view_read_labels(reader, object, profile->node_count, &profile->labels,
			      &profile->label_count);
}

int view_read_profiles(
	struct schema_reader *reader, const struct json *object, struct result_benchmark *benchmark)
{
	const struct json *array;
	struct result_profile *profiles;
	size_t i = 0;
	int code;

	if (!json_get(object, "profiles"))
		return ERR_OK;
	code = json_get_array(object, "profiles", &array, reader->err);
	if (code)
		return code;
	if (json_length(array) > REPORT_MAX_PROFILES)
		return view_too_many(array, reader->err, REPORT_MAX_PROFILES);
	profiles = arena_array(reader->arena, json_length(array), sizeof(*profiles));
	for (const struct json *node = json_first(array); node && !code; node = json_next(node))
		code = read_one(reader, node, &profiles[i++]);
	benchmark->profiles = profiles;
	benchmark->profile_count = i;
	return code;
}
