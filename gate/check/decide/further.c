/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/further.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/findings/fill.h"
#include "gate/check/result.h"
#include "gate/profile/profile_select.h"

static bool is_shown(const struct result_benchmark *out, const char *type)
{
	if (out->node_count && strcmp(out->profile_type, type) == 0)
		return true;
	for (size_t i = 0; i < out->profile_count; i++)
		if (strcmp(out->profiles[i].profile_type, type) == 0)
			return true;
	return false;
}

static void add(struct result_benchmark *out, struct arena *arena, const struct result_profile *one)
{
	struct result_profile *all = arena_array(arena, FURTHER_MOST, sizeof(*all));

	if (out->profile_count)
		memcpy(all, out->profiles, out->profile_count * sizeof(*all));
	all[out->profile_count++] = *one;
	out->profiles = all;
}

static struct result_profile profile_of(const struct analysis *analysis, struct result *result)
{
	struct result_benchmark tree = {0};

	fill_profiles(analysis, result, &tree);
	return (struct result_profile){
		.profile_type = tree.profile_type,
		.unit = tree.unit,
		.sides = tree.sides,
		.total = {tree.total.base, tree.total.head},
		.functions = tree.functions,
		.function_count = tree.function_count,
		.nodes = tree.nodes,
		.node_count = tree.node_count,
		.labels = tree.labels,
		.label_count = tree.label_count,
	};
}

/* Two trees that cannot be united are no news: the metric's own line says so. */
static void add_tree(const struct recording *base, const struct recording *head,
	const struct repo_diff *diff, struct result *result, struct result_benchmark *out)
{
	struct analysis analysis;
	struct error ignored;

	if (out->profile_count == FURTHER_MOST)
		return;
	if (!analysis_prepare_profiles(&analysis, base, head, diff, &ignored) &&
		analysis.comparison.node_count > 1) {
		struct result_profile one = profile_of(&analysis, result);

		add(out, &result->arena, &one);
	}
	analysis_release(&analysis);
}

/* ---- other types of one profile -------------------------------------------------------------- */

static bool is_a_cost(const struct profile *profile, size_t index)
{
	const char *type = profile->types[index].type;

	return strcmp(type, PROFILE_TYPE_SAMPLES) != 0 &&
	       strcmp(type, PROFILE_TYPE_CPU_SQUARES) != 0 &&
	       profile_find_type(profile, type) == (int)index;
}

static bool has_like(const struct profile *profile, const struct profile_value_type *type)
{
	int index = profile_find_type(profile, type->type);

	return index >= 0 && strcmp(value_unit_name(profile->types[index].unit),
				     value_unit_name(type->unit)) == 0;
}

/* The recording with this type of its profile alone; the copy's profile is to be freed. */
static struct recording with_type(const struct recording *recording, const char *type)
{
	struct recording copy = *recording;

	copy.profile = profile_select(recording->profile, type);
	/* What is known of machine code is known by function. */
	if (copy.profile->function_count != recording->profile->function_count)
		copy.code_count = 0;
	return copy;
}

static void say_cut(struct result *result, struct result_benchmark *out)
{
	const char **lines = arena_array(&result->arena, out->excluded_count + 1, sizeof(*lines));

	if (out->excluded_count)
		memcpy(lines, out->excluded, out->excluded_count * sizeof(*lines));
	lines[out->excluded_count++] = arena_printf(&result->arena,
		"value types of the profile: %d of them are shown", FURTHER_MOST + 1);
	out->excluded = lines;
}

void further_types(const struct recording *base, const struct recording *head,
	struct result *result, struct result_benchmark *out)
{
	const struct profile *profile = head->profile;

	for (size_t i = 0; i < profile->type_count; i++) {
		const struct profile_value_type *type = &profile->types[i];
		struct recording versions[VERSION_COUNT];

		if (!is_a_cost(profile, i) || is_shown(out, type->type) ||
			!has_like(base->profile, type))
			continue;
		if (out->profile_count == FURTHER_MOST) {
			say_cut(result, out);
			return;
		}
		versions[VERSION_BASE] = with_type(base, type->type);
		versions[VERSION_HEAD] = with_type(head, type->type);
		add_tree(&versions[VERSION_BASE], &versions[VERSION_HEAD], NULL, result, out);
		profile_free(versions[VERSION_BASE].profile);
		profile_free(versions[VERSION_HEAD].profile);
	}
}

/* ---- what was counted besides ---------------------------------------------------------------- */

static void add_alone(const struct recording *head, const struct repo_diff *diff,
	struct result *result, struct result_benchmark *out)
{
	struct recording nothing;

	analysis_begin_nothing(&nothing, head);
	add_tree(&nothing, head, diff, result, out);
	recording_release(&nothing);
}

void further_counted(const struct measured_benchmark *measured, const struct repo_diff *diff,
	struct result *result, struct result_benchmark *out)
{
	for (size_t i = 0; i < measured->reference_count; i++) {
		const struct measured_reference *reference = &measured->references[i];

		if (!reference->counted || is_shown(out, reference->profile_type))
			continue;
		if (reference->has_baseline)
			add_tree(&reference->baseline, &reference->head, diff, result, out);
		else
			add_alone(&reference->head, diff, result, out);
	}
}
