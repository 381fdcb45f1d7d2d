/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/server/merge.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"

#define UNKNOWN UINT32_MAX

/* A sample of the sum; everything it points to is the merge's arena's or the profile's. */
struct merge_sample {
	struct profile_sample sample;
	int64_t *values;
};

struct merge {
	struct profile *profile; /* without samples until the end */
	struct arena arena;
	struct map index; /* labels and stack -> sample */
	struct merge_sample *samples;
	size_t count, capacity;
};

/* One merge_add(): what the source's indices are in the sum. */
struct adding {
	struct merge *merge;
	const struct profile *source;
	const struct merge_rule *rule;
	int *columns;
	uint32_t *locations, *functions, *mappings; /* UNKNOWN: not met yet */
};

static void start(struct merge *merge)
{
	merge->profile = profile_new();
	arena_init(&merge->arena);
	map_init(&merge->index);
	merge->samples = NULL;
	merge->count = merge->capacity = 0;
}

static void finish(struct merge *merge)
{
	profile_free(merge->profile);
	arena_release(&merge->arena);
	map_release(&merge->index);
	free(merge->samples);
}

struct merge *merge_new(const struct profile_value_type *types, size_t count, size_t default_type)
{
	struct merge *merge = xcalloc(1, sizeof(*merge));

	start(merge);
	for (size_t i = 0; i < count; i++) {
		size_t index = profile_add_type(merge->profile, types[i].type, types[i].unit);

		if (i == default_type)
			merge->profile->default_type = index;
	}
	return merge;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	finish(merge);
	free(merge);
}

/* ---- indices ------------------------------------------------------------------------------ */

static uint32_t *unknown(size_t count)
{
	uint32_t *indices = xcalloc(count + 1, sizeof(*indices));

	memset(indices, 0xff, count * sizeof(*indices));
	return indices;
}

static uint32_t put_mapping(struct adding *adding, uint32_t index)
{
	if (index == PROFILE_NO_MAPPING)
		return PROFILE_NO_MAPPING;
	if (adding->mappings[index] == UNKNOWN)
		adding->mappings[index] = profile_add_mapping(
			adding->merge->profile, &adding->source->mappings[index]);
	return adding->mappings[index];
}

static uint32_t put_function(struct adding *adding, uint32_t index)
{
	if (adding->functions[index] == UNKNOWN)
		adding->functions[index] = profile_add_function(
			adding->merge->profile, &adding->source->functions[index]);
	return adding->functions[index];
}

static uint32_t add_location(struct adding *adding, const struct profile_location *source)
{
	struct profile_location location = *source;
	struct profile_line *lines = xcalloc(source->line_count + 1, sizeof(*lines));
	uint32_t index;

	for (uint32_t i = 0; i < source->line_count; i++)
		lines[i] = (struct profile_line){
			put_function(adding, source->lines[i].function), source->lines[i].line};
	location.lines = lines;
	location.mapping = put_mapping(adding, source->mapping);
	index = profile_add_location(adding->merge->profile, &location);
	free(lines);
	return index;
}

static uint32_t put_location(struct adding *adding, uint32_t index)
{
	if (adding->locations[index] == UNKNOWN)
		adding->locations[index] = add_location(adding, &adding->source->locations[index]);
	return adding->locations[index];
}

/* ---- samples ------------------------------------------------------------------------------ */

static uint32_t *put_stack(struct adding *adding, struct profile_sample *sample)
{
	const struct merge_rule *rule = adding->rule;
	uint32_t *stack;

	if (rule->max_depth && sample->depth > rule->max_depth) {
		sample->depth = (uint32_t)rule->max_depth;
		if (rule->cut)
			(*rule->cut)++;
	}
	stack = xcalloc(sample->depth + (size_t)1, sizeof(*stack));
	for (uint32_t i = 0; i < sample->depth; i++)
		stack[i] = put_location(adding, sample->locations[i]);
	sample->locations = stack;
	return stack;
}

static struct profile_label *put_labels(struct adding *adding, struct profile_sample *sample)
{
	struct profile *profile = adding->merge->profile;
	struct profile_label round = {
		.key = PROFILE_LABEL_ROUND, .number = adding->rule->round, .unit = ""};
	const struct profile_label *from = adding->rule->set_round ? &round : sample->labels;
	struct profile_label *labels;

	if (adding->rule->set_round)
		sample->label_count = 1;
	else if (adding->rule->drop_labels)
		sample->label_count = 0;
	labels = xcalloc(sample->label_count + (size_t)1, sizeof(*labels));
	for (uint32_t i = 0; i < sample->label_count; i++)
		labels[i] = (struct profile_label){
			.key = profile_intern(profile, from[i].key),
			.string = from[i].string ? profile_intern(profile, from[i].string) : NULL,
			.number = from[i].number,
			.unit = profile_intern(profile, from[i].unit),
		};
	sample->labels = labels;
	return labels;
}

/* Interned strings are told apart by their addresses. */
static uint32_t find_sample(struct merge *merge, const struct profile_sample *sample, bool *added)
{
	struct strbuf key = STRBUF_INIT;
	uint32_t index;

	strbuf_add(&key, &sample->label_count, sizeof(sample->label_count));
	for (uint32_t i = 0; i < sample->label_count; i++) {
		const struct profile_label *label = &sample->labels[i];
		uint64_t words[] = {(uint64_t)(uintptr_t)label->key,
			(uint64_t)(uintptr_t)label->string, (uint64_t)label->number,
			(uint64_t)(uintptr_t)label->unit};

		strbuf_add(&key, words, sizeof(words));
	}
	strbuf_add(&key, sample->locations, sample->depth * sizeof(*sample->locations));
	index = map_intern(&merge->index, key.data, key.length, (uint32_t)merge->count, added);
	strbuf_release(&key);
	return index;
}

static void *keep(struct arena *arena, const void *items, size_t count, size_t size)
{
	void *copy = arena_array(arena, count, size);

	if (count)
		memcpy(copy, items, count * size);
	return copy;
}

static void append_sample(struct merge *merge, const struct profile_sample *sample)
{
	struct merge_sample *added;

	merge->samples = grow_array(
		merge->samples, &merge->capacity, merge->count + 1, sizeof(*merge->samples));
	added = &merge->samples[merge->count++];
	added->sample = *sample;
	added->sample.locations =
		keep(&merge->arena, sample->locations, sample->depth, sizeof(*sample->locations));
	added->sample.labels =
		keep(&merge->arena, sample->labels, sample->label_count, sizeof(*sample->labels));
	added->values = arena_array(&merge->arena, merge->profile->type_count, sizeof(int64_t));
	added->sample.values = added->values;
}

static int add_values(
	struct adding *adding, struct merge_sample *sum, const int64_t *values, struct error *err)
{
	for (size_t i = 0; i < adding->source->type_count; i++) {
		int column = adding->columns[i];

		if (column >= 0 && __builtin_add_overflow(
					   sum->values[column], values[i], &sum->values[column]))
			return error_set(
				err, ERR_LIMIT, "the sum of the profiles does not fit 64 bits");
	}
	return ERR_OK;
}

static int add_sample(struct adding *adding, const struct profile_sample *source, struct error *err)
{
	struct merge *merge = adding->merge;
	struct profile_sample sample = *source;
	uint32_t *stack = put_stack(adding, &sample);
	struct profile_label *labels = put_labels(adding, &sample);
	bool added;
	uint32_t index = find_sample(merge, &sample, &added);
	int rc = ERR_OK;

	if (added && merge->count == MERGE_MAX_SAMPLES)
		rc = error_set(err, ERR_LIMIT, "the profiles have more than %zu stacks together",
			MERGE_MAX_SAMPLES);
	else if (added)
		append_sample(merge, &sample);
	if (!rc)
		rc = add_values(adding, &merge->samples[index], source->values, err);
	free(stack);
	free(labels);
	return rc;
}

/* ---- a profile ---------------------------------------------------------------------------- */

static int find_column(const struct profile *sum, const struct profile_value_type *type)
{
	for (size_t i = 0; i < sum->type_count; i++)
		if (strcmp(sum->types[i].type, type->type) == 0 &&
			strcmp(sum->types[i].unit, type->unit) == 0)
			return (int)i;
	return -1;
}

static int find_columns(struct adding *adding, struct error *err)
{
	const struct profile *source = adding->source;

	for (size_t i = 0; i < source->type_count; i++) {
		adding->columns[i] = adding->rule->columns ? adding->rule->columns[i]
							   : find_column(adding->merge->profile,
								     &source->types[i]);
		if (!adding->rule->columns && adding->columns[i] < 0)
			return error_set(err, ERR_CORRUPT,
				"a profile of type %.200s/%.200s cannot be added to the others",
				source->types[i].type, source->types[i].unit);
	}
	return ERR_OK;
}

static bool is_wanted(const struct adding *adding, const struct profile_sample *sample)
{
	if (adding->rule->only_round &&
		profile_sample_number(sample, PROFILE_LABEL_ROUND, -1) != adding->rule->round)
		return false;
	for (size_t i = 0; i < adding->source->type_count; i++)
		if (adding->columns[i] >= 0 && sample->values[i])
			return true;
	return false;
}

static int add_samples(struct adding *adding, struct error *err)
{
	int rc = find_columns(adding, err);

	for (size_t i = 0; i < adding->source->sample_count && !rc; i++)
		if (is_wanted(adding, &adding->source->samples[i]))
			rc = add_sample(adding, &adding->source->samples[i], err);
	return rc;
}

int merge_add(struct merge *merge, const struct profile *profile, const struct merge_rule *rule,
	struct error *err)
{
	static const struct merge_rule as_it_is;
	struct adding adding = {
		.merge = merge,
		.source = profile,
		.rule = rule ? rule : &as_it_is,
		.columns = xcalloc(profile->type_count + 1, sizeof(*adding.columns)),
		.locations = unknown(profile->location_count),
		.functions = unknown(profile->function_count),
		.mappings = unknown(profile->mapping_count),
	};
	int rc = add_samples(&adding, err);

	free(adding.columns);
	free(adding.locations);
	free(adding.functions);
	free(adding.mappings);
	return rc;
}

static bool has_value(const struct profile *profile, const struct profile_sample *sample)
{
	for (size_t i = 0; i < profile->type_count; i++)
		if (sample->values[i])
			return true;
	return false;
}

struct profile *merge_take(struct merge *merge)
{
	struct profile *profile = merge->profile;
	size_t default_type = profile->default_type;

	for (size_t i = 0; i < merge->count; i++)
		if (has_value(profile, &merge->samples[i].sample))
			profile_add_sample(profile, &merge->samples[i].sample);
	merge->profile = NULL;
	finish(merge);
	start(merge);
	for (size_t i = 0; i < profile->type_count; i++)
		profile_add_type(merge->profile, profile->types[i].type, profile->types[i].unit);
	merge->profile->default_type = default_type;
	return profile;
}
