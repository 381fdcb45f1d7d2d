/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/strbuf.h"

struct profile *profile_new(void)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	arena_init(&profile->arena);
	map_init(&profile->strings);
	map_init(&profile->function_index);
	map_init(&profile->location_index);
	map_init(&profile->mapping_index);
	profile->period_type.type = profile->period_type.unit = profile_intern(profile, "");
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	free(profile->types);
	free(profile->mappings);
	free(profile->functions);
	free(profile->locations);
	free(profile->samples);
	free(profile->comments);
	free(profile->string_list);
	map_release(&profile->strings);
	map_release(&profile->function_index);
	map_release(&profile->location_index);
	map_release(&profile->mapping_index);
	arena_release(&profile->arena);
	free(profile);
}

/* Makes room for one more element of an array of the profile. */
#define GROW(profile, items, count, capacity)                                                      \
	((profile)->items = grow_array((profile)->items, &(profile)->capacity,                     \
		 (profile)->count + 1, sizeof(*(profile)->items)))

const char *profile_intern(struct profile *profile, const char *string)
{
	size_t length = string ? strlen(string) : 0;
	bool added;
	uint32_t index = map_intern(&profile->strings, string ? string : "", length,
		(uint32_t)profile->string_count, &added);

	if (!added)
		return profile->string_list[index];
	GROW(profile, string_list, string_count, string_capacity);
	profile->string_list[profile->string_count] =
		arena_strndup(&profile->arena, string ? string : "", length);
	return profile->string_list[profile->string_count++];
}

/* Interned strings are told apart by their addresses, so keys of tables are plain bytes. */
static uint64_t address_of(const char *interned)
{
	return (uint64_t)(uintptr_t)interned;
}

size_t profile_add_type(struct profile *profile, const char *type, const char *unit)
{
	struct profile_value_type added = {
		profile_intern(profile, type), profile_intern(profile, unit)};

	for (size_t i = 0; i < profile->type_count; i++)
		if (profile->types[i].type == added.type && profile->types[i].unit == added.unit)
			return i;
	assert(profile->sample_count == 0);
	GROW(profile, types, type_count, type_capacity);
	profile->types[profile->type_count] = added;
	return profile->type_count++;
}

uint32_t profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping)
{
	struct profile_mapping copy = *mapping;
	uint32_t index;
	bool added;

	copy.file = profile_intern(profile, mapping->file);
	copy.build_id = profile_intern(profile, mapping->build_id);
	uint64_t key[] = {address_of(copy.file), address_of(copy.build_id), copy.start, copy.limit,
		copy.offset,
		(uint64_t)copy.has_functions | (uint64_t)copy.has_filenames << 1 |
			(uint64_t)copy.has_line_numbers << 2 |
			(uint64_t)copy.has_inline_frames << 3};
	index = map_intern(&profile->mapping_index, key, sizeof(key),
		(uint32_t)profile->mapping_count, &added);
	if (!added)
		return index;
	GROW(profile, mappings, mapping_count, mapping_capacity);
	profile->mappings[profile->mapping_count++] = copy;
	return index;
}

uint32_t profile_add_function(struct profile *profile, const struct profile_function *function)
{
	struct profile_function copy = {profile_intern(profile, function->name),
		profile_intern(profile, function->system_name),
		profile_intern(profile, function->file), function->start_line};
	uint64_t key[] = {address_of(copy.name), address_of(copy.system_name),
		address_of(copy.file), (uint64_t)copy.start_line};
	bool added;
	uint32_t index = map_intern(&profile->function_index, key, sizeof(key),
		(uint32_t)profile->function_count, &added);

	if (!added)
		return index;
	GROW(profile, functions, function_count, function_capacity);
	profile->functions[profile->function_count++] = copy;
	return index;
}

static void add_key_word(struct strbuf *key, uint64_t word)
{
	strbuf_add(key, &word, sizeof(word));
}

static void location_key(struct strbuf *key, const struct profile_location *location)
{
	add_key_word(key, location->mapping | (uint64_t)location->is_folded << 32);
	add_key_word(key, location->address);
	for (uint32_t i = 0; i < location->line_count; i++) {
		add_key_word(key, location->lines[i].function);
		add_key_word(key, (uint64_t)location->lines[i].line);
	}
}

static void *copy_array(struct profile *profile, const void *items, size_t count, size_t size)
{
	void *copy = arena_array(&profile->arena, count, size);

	if (count)
		memcpy(copy, items, count * size);
	return copy;
}

uint32_t profile_add_location(struct profile *profile, const struct profile_location *location)
{
	struct strbuf key = STRBUF_INIT;
	struct profile_location copy = *location;
	uint32_t index;
	bool added;

	assert(location->mapping == PROFILE_NO_MAPPING ||
		location->mapping < profile->mapping_count);
	for (uint32_t i = 0; i < location->line_count; i++)
		assert(location->lines[i].function < profile->function_count);
	location_key(&key, location);
	index = map_intern(&profile->location_index, key.data, key.length,
		(uint32_t)profile->location_count, &added);
	strbuf_release(&key);
	if (!added)
		return index;
	copy.lines =
		copy_array(profile, location->lines, location->line_count, sizeof(*copy.lines));
	GROW(profile, locations, location_count, location_capacity);
	profile->locations[profile->location_count++] = copy;
	return index;
}

static struct profile_label *copy_labels(
	struct profile *profile, const struct profile_label *labels, uint32_t count)
{
	struct profile_label *copies = copy_array(profile, labels, count, sizeof(*copies));

	for (uint32_t i = 0; i < count; i++) {
		copies[i].key = profile_intern(profile, labels[i].key);
		copies[i].unit = profile_intern(profile, labels[i].unit);
		if (labels[i].string)
			copies[i].string = profile_intern(profile, labels[i].string);
	}
	return copies;
}

void profile_add_sample(struct profile *profile, const struct profile_sample *sample)
{
	struct profile_sample copy = *sample;

	for (uint32_t i = 0; i < sample->depth; i++)
		assert(sample->locations[i] < profile->location_count);
	copy.locations =
		copy_array(profile, sample->locations, sample->depth, sizeof(*copy.locations));
	copy.values =
		copy_array(profile, sample->values, profile->type_count, sizeof(*copy.values));
	copy.labels = copy_labels(profile, sample->labels, sample->label_count);
	GROW(profile, samples, sample_count, sample_capacity);
	profile->samples[profile->sample_count++] = copy;
}

void profile_add_comment(struct profile *profile, const char *comment)
{
	const char *copy = profile_intern(profile, comment);

	GROW(profile, comments, comment_count, comment_capacity);
	profile->comments[profile->comment_count++] = copy;
}

void profile_add_comment_once(struct profile *profile, const char *comment)
{
	for (size_t i = 0; i < profile->comment_count; i++)
		if (strcmp(profile->comments[i], comment) == 0)
			return;
	profile_add_comment(profile, comment);
}

int profile_find_type(const struct profile *profile, const char *type)
{
	for (size_t i = 0; i < profile->type_count; i++)
		if (strcmp(profile->types[i].type, type) == 0)
			return (int)i;
	return -1;
}

size_t profile_judged_type(const struct profile *profile)
{
	int cpu = profile_find_type(profile, PROFILE_TYPE_CPU);

	return cpu >= 0 ? (size_t)cpu : profile->default_type;
}

int64_t profile_sample_number(
	const struct profile_sample *sample, const char *key, int64_t fallback)
{
	for (uint32_t i = 0; i < sample->label_count; i++)
		if (!sample->labels[i].string && strcmp(sample->labels[i].key, key) == 0)
			return sample->labels[i].number;
	return fallback;
}
