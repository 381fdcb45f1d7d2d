/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/object_files.h"

#include <stdlib.h>

enum { IN_BASE = 1, IN_BOTH = 2 };

struct files {
	struct arena scratch;
	struct map in; /* file_key() -> IN_BASE, IN_BOTH */
	size_t in_base, in_both;
};

static void files_init(struct files *files)
{
	*files = (struct files){.scratch = ARENA_INIT};
	map_init(&files->in);
}

static void files_release(struct files *files)
{
	map_release(&files->in);
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

/* NULL: nothing tells this file of an arm from another build's. */
static const char *file_key(const struct profile_mapping *mapping, struct arena *scratch)
{
	if (!is_outside(mapping) && !mapping->build_id[0])
		return NULL;
	return arena_printf(scratch, "%s %s", mapping->build_id, mapping->file);
}

/* Base first. False: one of them is in this arm alone, or nothing tells. */
static bool add_files(struct files *files, const struct profile *profile, int arm)
{
	bool all = true;

	for (size_t i = 0; i < profile->mapping_count; i++) {
		const char *key;
		uint32_t found;

		if (!is_file(&profile->mappings[i]))
			continue;
		key = file_key(&profile->mappings[i], &files->scratch);
		found = key ? map_get_str(&files->in, key) : MAP_NONE;
		if (!key || (arm == ARM_HEAD && found == MAP_NONE)) {
			all = false;
			continue;
		}
		files->in_base += found == MAP_NONE;
		files->in_both += arm == ARM_HEAD && found == IN_BASE;
		map_put_str(&files->in, key, arm == ARM_HEAD ? IN_BOTH : IN_BASE);
	}
	return all;
}

bool object_files_are_one_build(const struct recording *base, const struct recording *head)
{
	struct files files;
	bool all;

	files_init(&files);
	all = add_files(&files, base->profile, ARM_BASE);
	all = add_files(&files, head->profile, ARM_HEAD) && all;
	all = all && files.in_base > 0 && files.in_base == files.in_both;
	files_release(&files);
	return all;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Of a matched function, a bit set. */
enum { MET_IN_COMMON = 1, MET_ELSEWHERE = 2 };

static bool is_in_common(struct files *files, const struct profile_mapping *mapping)
{
	return is_outside(mapping) &&
	       map_get_str(&files->in, file_key(mapping, &files->scratch)) == IN_BOTH;
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
	const struct recording *const recordings[ARM_COUNT], uint8_t *flags)
{
	size_t count = comparison->matches.count;
	uint8_t *met = xcalloc(count, sizeof(*met));
	struct files files;

	files_init(&files);
	for (int arm = 0; arm < ARM_COUNT; arm++)
		add_files(&files, recordings[arm]->profile, arm);
	for (int arm = 0; arm < ARM_COUNT; arm++)
		meet_functions(&files, recordings[arm]->profile, comparison->matches.of[arm], met);
	for (size_t f = 0; f < count; f++)
		flags[f] |= met[f] == MET_IN_COMMON ? VERDICT_FUNCTION_SAME_PLACE : 0;
	files_release(&files);
	free(met);
}
