/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each label's values cost, by node of the tree. The values beyond the limit are folded into
 * "(other)".
 */
#include "gate/check/findings/fill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/check/result.h"

#define OTHER "(other)"

/* A value of the label at hand, and what it cost in all. */
struct value {
	const char *name;
	int64_t number; /* of a pair */
	double total[VERSION_COUNT];
	uint32_t place; /* in the result */
};

struct labels {
	const struct analysis *analysis;
	const struct result_node *nodes;
	struct arena *arena;
	const char *keys[RESULT_MAX_LABELS];
	size_t key_count;
	/* of the key at hand */
	const char *key;
	struct map value_index, cost_index; /* name -> value; (value, node) -> cost */
	struct value *values;
	size_t value_count, value_capacity;
	struct result_label_cost *costs; /* value: into values, until they are placed */
	size_t cost_count, cost_capacity;
};

/* ---- which labels ---------------------------------------------------------------------------- */

static bool is_pair(const char *key)
{
	return strcmp(key, PROFILE_LABEL_ROUND) == 0;
}

/* Numbers but a pair's (an epoch, a size) are too many to filter by. */
static bool is_wanted(const struct labels *labels, const struct profile_label *label)
{
	if (is_pair(label->key))
		return !label->string &&
		       labels->analysis->recordings[VERSION_HEAD]->round_count > 1;
	return label->string && label->key[0];
}

static void add_key(struct labels *labels, const char *key)
{
	for (size_t i = 0; i < labels->key_count; i++)
		if (strcmp(labels->keys[i], key) == 0)
			return;
	if (labels->key_count < RESULT_MAX_LABELS)
		labels->keys[labels->key_count++] = key;
}

/* Regions first and pairs last, the others by name. */
static int compare_keys(const void *left, const void *right)
{
	const char *a = *(const char *const *)left, *b = *(const char *const *)right;
	bool pair = is_pair(a);

	if (pair != is_pair(b))
		return pair ? 1 : -1;
	if ((strcmp(a, "region") == 0) != (strcmp(b, "region") == 0))
		return strcmp(a, "region") == 0 ? -1 : 1;
	return strcmp(a, b);
}

static void find_keys(struct labels *labels)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct profile *profile = labels->analysis->recordings[version]->profile;

		for (size_t i = 0; i < profile->sample_count; i++)
			for (uint32_t k = 0; k < profile->samples[i].label_count; k++)
				if (is_wanted(labels, &profile->samples[i].labels[k]))
					add_key(labels, profile->samples[i].labels[k].key);
	}
	if (labels->key_count)
		qsort(labels->keys, labels->key_count, sizeof(*labels->keys), compare_keys);
}

/* ---- one label's costs ----------------------------------------------------------------------- */

static const struct profile_label *label_of(
	const struct labels *labels, const struct profile_sample *sample)
{
	for (uint32_t i = 0; i < sample->label_count; i++)
		if (strcmp(sample->labels[i].key, labels->key) == 0 &&
			is_wanted(labels, &sample->labels[i]))
			return &sample->labels[i];
	return NULL;
}

static uint32_t value_of(struct labels *labels, const struct profile_label *label)
{
	int64_t number = label && !label->string ? label->number + 1 : 0;
	char digits[24];
	const char *name = !label ? "" : label->string ? label->string : digits;
	bool added;
	uint32_t id;

	snprintf(digits, sizeof(digits), "%lld", (long long)number);
	id = map_intern(
		&labels->value_index, name, strlen(name), (uint32_t)labels->value_count, &added);

	if (added) {
		labels->values = grow_array(labels->values, &labels->value_capacity,
			labels->value_count + 1, sizeof(*labels->values));
		labels->values[labels->value_count++] =
			(struct value){.name = arena_strdup(labels->arena, name), .number = number};
	}
	return id;
}

static void add_cost(struct labels *labels, int version, uint32_t value, uint32_t node, double cost)
{
	uint32_t key[2] = {value, node}, id;
	bool added;

	labels->values[value].total[version] += cost;
	id = map_intern(
		&labels->cost_index, key, sizeof(key), (uint32_t)labels->cost_count, &added);
	if (added) {
		labels->costs = grow_array(labels->costs, &labels->cost_capacity,
			labels->cost_count + 1, sizeof(*labels->costs));
		labels->costs[labels->cost_count++] =
			(struct result_label_cost){.value = value, .node = node};
	}
	labels->costs[id].self[version] += cost;
}

/* A node's cost is of the runs that count, and samples are of all: they shall add up to it. */
static double part_of_node(const struct labels *labels, int version, uint32_t node)
{
	double all = labels->analysis->comparison.nodes[node].self[version];

	if (all > 0 || all < 0)
		return labels->nodes[node].self[version] / all;
	return 1 / recording_total_work(labels->analysis->recordings[version]);
}

static void add_version(struct labels *labels, int version)
{
	const struct recording *recording = labels->analysis->recordings[version];
	const struct profile *profile = recording->profile;
	size_t type = profile_judged_type(profile);
	double scale = value_unit_scale(profile->types[type].unit);

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		uint32_t node = labels->analysis->comparison.sample_node[version][i];

		if (sample->values[type])
			add_cost(labels, version, value_of(labels, label_of(labels, sample)), node,
				(double)sample->values[type] * scale *
					part_of_node(labels, version, node));
	}
}

/* ---- into the result ------------------------------------------------------------------------- */

static double size_of(const struct value *value)
{
	return fmax(fabs(value->total[VERSION_BASE]), fabs(value->total[VERSION_HEAD]));
}

/* Pairs by number, others by cost: what is to be folded is last. */
static int compare_values(const void *left, const void *right)
{
	const struct value *a = *(struct value *const *)left, *b = *(struct value *const *)right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void place_values(struct labels *labels, struct result_label *out)
{
	struct value **order = xcalloc(labels->value_count, sizeof(struct value *));
	size_t count = labels->value_count;
	const char **names;

	for (size_t i = 0; i < count; i++)
		order[i] = &labels->values[i];
	qsort(order, count, sizeof(struct value *), compare_values);
	out->value_count = count < RESULT_MAX_LABEL_VALUES ? count : RESULT_MAX_LABEL_VALUES;
	names = arena_array(labels->arena, out->value_count, sizeof(*names));
	for (size_t i = 0; i < count; i++) {
		bool last = i >= out->value_count - 1 && count > out->value_count;

		order[i]->place = (uint32_t)(last ? out->value_count - 1 : i);
		names[order[i]->place] = last ? OTHER : order[i]->name;
	}
	out->values = names;
	free(order);
}

static void place_costs(struct labels *labels, struct result_label *out)
{
	struct result_label_cost *costs =
		arena_array(labels->arena, labels->cost_count, sizeof(*costs));

	for (size_t i = 0; i < labels->cost_count; i++) {
		costs[i] = labels->costs[i];
		costs[i].value = labels->values[costs[i].value].place;
	}
	out->cost_count = label_costs_merge(costs, labels->cost_count);
	out->costs = costs;
}

/* False: it has one value alone, or too many costs. */
static bool fill_one(struct labels *labels, const char *key, struct result_label *out)
{
	bool fits;

	labels->key = key;
	labels->value_count = labels->cost_count = 0;
	map_init(&labels->value_index);
	map_init(&labels->cost_index);
	for (int version = 0; version < VERSION_COUNT; version++)
		add_version(labels, version);
	fits = labels->value_count > 1 && labels->cost_count <= RESULT_MAX_LABEL_COSTS;
	if (fits) {
		out->key = arena_strdup(labels->arena, key);
		place_values(labels, out);
		place_costs(labels, out);
	}
	map_release(&labels->value_index);
	map_release(&labels->cost_index);
	return fits;
}

void fill_labels(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out)
{
	struct labels labels = {.analysis = analysis, .nodes = out->nodes, .arena = &result->arena};
	struct result_label *all;

	find_keys(&labels);
	all = arena_array(&result->arena, labels.key_count, sizeof(*all));
	for (size_t i = 0; i < labels.key_count; i++)
		out->label_count += fill_one(&labels, labels.keys[i], &all[out->label_count]);
	out->labels = all;
	free(labels.values);
	free(labels.costs);
}
