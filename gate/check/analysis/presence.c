/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/presence.h"

#include <stdlib.h>

static bool is_sampled(const struct matched_function *matched, int version)
{
	return matched->kind != (version == VERSION_BASE ? MATCHED_NEW : MATCHED_VANISHED);
}

/* Objects of a build are named relative to it. */
static bool is_own_object(const struct profile *profile, uint32_t mapping)
{
	const char *file = mapping == PROFILE_NO_MAPPING ? "" : profile->mappings[mapping].file;

	return file[0] && file[0] != '/' && file[0] != '[';
}

/* [matched function]: it was met in the build's own objects, and nowhere else. */
static bool *find_own(
	const struct comparison *comparison, const struct profile *profile, int version)
{
	size_t count = comparison->matches.count;
	bool *own = xcalloc(count, sizeof(*own)), *foreign = xcalloc(count, sizeof(*foreign));

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		bool *met = is_own_object(profile, location->mapping) ? own : foreign;

		for (uint32_t k = 0; k < location->line_count; k++)
			met[comparison->matches.of[version][location->lines[k].function]] = true;
	}
	for (size_t f = 0; f < count; f++)
		own[f] = own[f] && !foreign[f];
	free(foreign);
	return own;
}

/* Without a file nothing would tell that it was inlined everywhere in the other version. */
static enum presence of_unsampled(
	const struct matched_function *matched, int version, const struct function_names *names)
{
	char entry[FUNCTION_NAME_DIGITS + 1];

	if (!matched->file[1 - version][0] || matched->key[version][0] == '[')
		return PRESENCE_UNKNOWN;
	function_name_digits(matched->key[version], entry);
	if (function_names_have(names, entry))
		return PRESENCE_THERE;
	return function_names_lack(names, entry) ? PRESENCE_ABSENT : PRESENCE_UNKNOWN;
}

static void find_version(const struct comparison *comparison,
	const struct recording *const recordings[VERSION_COUNT], int version, uint8_t *presence)
{
	bool *own = find_own(comparison, recordings[1 - version]->profile, 1 - version);

	for (size_t f = 0; f < comparison->matches.count; f++) {
		const struct matched_function *matched = &comparison->matches.functions[f];

		if (is_sampled(matched, version))
			presence[f] = PRESENCE_THERE;
		else if (own[f])
			presence[f] = (uint8_t)of_unsampled(
				matched, version, &recordings[version]->names);
	}
	free(own);
}

void presence_find(const struct comparison *comparison,
	const struct recording *const recordings[VERSION_COUNT], struct arena *arena,
	const uint8_t *presence[VERSION_COUNT])
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		uint8_t *found = arena_array(arena, comparison->matches.count, sizeof(*found));

		find_version(comparison, recordings, version, found);
		presence[version] = found;
	}
}
