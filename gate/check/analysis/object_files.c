/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/object_files.h"

#include <stdlib.h>

/* A bit set. */
enum { IN_BASE = 1 << VERSION_BASE, IN_HEAD = 1 << VERSION_HEAD, IN_BOTH = IN_BASE | IN_HEAD };

struct files {
	struct arena scratch;
	struct map in;    /* file_key() -> IN_... */
	struct map named; /* by the file's name alone, as well */
};

static void files_init(struct files *files)
{
	*files = (struct files){.scratch = ARENA_INIT};
	map_init(&files->in);
	map_init(&files->named);
}

static void files_release(struct files *files)
{
	map_release(&files->in);
	map_release(&files->named);
	arena_release(&files->scratch);
}

static bool is_file(const struct profile_mapping *mapping)
{
	return mapping->file[0] && mapping->file[0] != '[';
}

static bool is_outside(const struct profile_mapping *mapping)
{
	return mapping->file[0] == '/';
}

/* NULL: nothing tells this file of a version from another build's. */
static const char *file_key(const struct profile_mapping *mapping, struct arena *scratch)
{
	if (!is_outside(mapping) && !mapping->build_id[0])
		return NULL;
	return arena_printf(scratch, "%s %s", mapping->build_id, mapping->file);
}

static void add_to(struct map *map, const char *key, int version)
{
	uint32_t found = map_get_str(map, key);

	map_put_str(map, key, (found == MAP_NONE ? 0 : found) | 1u << version);
}

static void add_files(struct files *files, const struct profile *profile, int version)
{
	for (size_t i = 0; i < profile->mapping_count; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];
		const char *key = file_key(mapping, &files->scratch);

		if (!is_file(mapping))
			continue;
		add_to(&files->named, mapping->file, version);
		if (key)
			add_to(&files->in, key, version);
	}
}

static bool is_in_both(struct files *files, const struct profile_mapping *mapping)
{
	const char *key = file_key(mapping, &files->scratch);

	return key && map_get_str(&files->in, key) == IN_BOTH;
}

/* [mapping]: how many samples ended in it. */
static uint64_t *samples_in(const struct profile *profile)
{
	uint64_t *samples = xcalloc(profile->mapping_count, sizeof(*samples));
	int counts = profile_find_type(profile, PROFILE_TYPE_SAMPLES);

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		int64_t count = counts >= 0 ? sample->values[counts] : 1;
		uint32_t mapping = sample->depth ? profile->locations[sample->locations[0]].mapping
						 : PROFILE_NO_MAPPING;

		if (mapping != PROFILE_NO_MAPPING && count > 0)
			samples[mapping] += (uint64_t)count;
	}
	return samples;
}

/*
 * Whether samples fell in a file of the system, say the loader, is chance where they are few: one
 * that is in this version alone says nothing then, as long as the other has no other file of that
 * name.
 */
static bool may_be_missing(
	const struct files *files, const struct profile_mapping *mapping, uint64_t samples)
{
	return is_outside(mapping) && samples < COMPARISON_MIN_SAMPLES &&
	       map_get_str(&files->named, mapping->file) != IN_BOTH;
}

/* False: some of this version's is another build's, or nothing tells. Counts what both have. */
static bool are_in_both(struct files *files, const struct profile *profile, size_t *both)
{
	uint64_t *samples = samples_in(profile);
	bool all = true;

	for (size_t i = 0; i < profile->mapping_count && all; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];

		if (!is_file(mapping))
			continue;
		if (is_in_both(files, mapping))
			++*both;
		else
			all = may_be_missing(files, mapping, samples[i]);
	}
	free(samples);
	return all;
}

bool object_files_are_one_build(const struct recording *base, const struct recording *head)
{
	struct files files;
	size_t both = 0;
	bool all;

	files_init(&files);
	add_files(&files, base->profile, VERSION_BASE);
	add_files(&files, head->profile, VERSION_HEAD);
	all = are_in_both(&files, base->profile, &both) &&
	      are_in_both(&files, head->profile, &both) && both > 0;
	files_release(&files);
	return all;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Of a matched function, a bit set. */
enum { MET_IN_COMMON = 1, MET_ELSEWHERE = 2 };

static bool is_in_common(struct files *files, const struct profile_mapping *mapping)
{
	return is_outside(mapping) && is_in_both(files, mapping);
}

/* [mapping]: there are few of them, and many locations. */
static bool *mappings_in_common(struct files *files, const struct profile *profile)
{
	bool *common = xcalloc(profile->mapping_count, sizeof(*common));

	for (size_t i = 0; i < profile->mapping_count; i++)
		common[i] = is_in_common(files, &profile->mappings[i]);
	return common;
}

static void meet_functions(
	struct files *files, const struct profile *profile, const uint32_t *matched, uint8_t *met)
{
	bool *common = mappings_in_common(files, profile);

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		bool is_common =
			location->mapping != PROFILE_NO_MAPPING && common[location->mapping];

		for (uint32_t k = 0; k < location->line_count; k++)
			met[matched[location->lines[k].function]] |=
				is_common ? MET_IN_COMMON : MET_ELSEWHERE;
	}
	free(common);
}

void object_files_flag_functions(const struct comparison *comparison,
	const struct recording *const recordings[VERSION_COUNT], uint8_t *flags)
{
	size_t count = comparison->matches.count;
	uint8_t *met = xcalloc(count, sizeof(*met));
	struct files files;

	files_init(&files);
	for (int version = 0; version < VERSION_COUNT; version++)
		add_files(&files, recordings[version]->profile, version);
	for (int version = 0; version < VERSION_COUNT; version++)
		meet_functions(
			&files, recordings[version]->profile, comparison->matches.of[version], met);
	for (size_t f = 0; f < count; f++)
		flags[f] |= met[f] == MET_IN_COMMON ? VERDICT_FUNCTION_SAME_PLACE : 0;
	files_release(&files);
	free(met);
}
