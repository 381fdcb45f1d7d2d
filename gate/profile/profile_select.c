/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/profile_select.h"

#include <stdlib.h>
#include <string.h>

/* Where each index of the old profile is in the new one, in which nothing comes twice. */
struct selection {
	const struct profile *from;
	struct profile *to;
	uint32_t *mappings, *functions, *locations;
};

static void copy_mappings(struct selection *selection)
{
	for (size_t i = 0; i < selection->from->mapping_count; i++)
		selection->mappings[i] =
			profile_add_mapping(selection->to, &selection->from->mappings[i]);
}

static void copy_functions(struct selection *selection)
{
	for (size_t i = 0; i < selection->from->function_count; i++)
		selection->functions[i] =
			profile_add_function(selection->to, &selection->from->functions[i]);
}

static void copy_location(struct selection *selection, size_t index)
{
	struct profile_location copy = selection->from->locations[index];
	struct profile_line *lines = xcalloc(copy.line_count + 1, sizeof(*lines));

	for (uint32_t i = 0; i < copy.line_count; i++) {
		lines[i] = copy.lines[i];
		lines[i].function = selection->functions[lines[i].function];
	}
	copy.lines = lines;
	if (copy.mapping != PROFILE_NO_MAPPING)
		copy.mapping = selection->mappings[copy.mapping];
	selection->locations[index] = profile_add_location(selection->to, &copy);
	free(lines);
}

static void copy_sample(struct selection *selection, const struct profile_sample *from, int type)
{
	struct profile_sample copy = *from;
	uint32_t *locations = xcalloc(from->depth + 1, sizeof(*locations));

	for (uint32_t i = 0; i < from->depth; i++)
		locations[i] = selection->locations[from->locations[i]];
	copy.locations = locations;
	copy.values = from->values + type;
	profile_add_sample(selection->to, &copy);
	free(locations);
}

static void copy_head(struct profile *to, const struct profile *from)
{
	to->time_ns = from->time_ns;
	to->duration_ns = from->duration_ns;
	to->period = from->period;
	to->period_type = (struct profile_value_type){profile_intern(to, from->period_type.type),
		profile_intern(to, from->period_type.unit)};
	for (size_t i = 0; i < from->comment_count; i++)
		profile_add_comment(to, from->comments[i]);
}

static void copy_all(struct selection *selection, int type)
{
	const struct profile *from = selection->from;

	selection->mappings = xcalloc(from->mapping_count + 1, sizeof(uint32_t));
	selection->functions = xcalloc(from->function_count + 1, sizeof(uint32_t));
	selection->locations = xcalloc(from->location_count + 1, sizeof(uint32_t));
	copy_mappings(selection);
	copy_functions(selection);
	for (size_t i = 0; i < from->location_count; i++)
		copy_location(selection, i);
	for (size_t i = 0; i < from->sample_count; i++)
		if (from->samples[i].values[type])
			copy_sample(selection, &from->samples[i], type);
	free(selection->mappings);
	free(selection->functions);
	free(selection->locations);
}

struct profile *profile_select(const struct profile *from, const char *type)
{
	int index = profile_find_type(from, type);
	struct selection selection = {.from = from};

	if (index < 0)
		return NULL;
	selection.to = profile_new();
	profile_add_type(selection.to, from->types[index].type, from->types[index].unit);
	copy_head(selection.to, from);
	copy_all(&selection, index);
	return selection.to;
}
