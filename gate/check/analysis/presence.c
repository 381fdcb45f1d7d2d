/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/presence.h"

#include <stdlib.h>

static bool is_sampled(const struct matched_function *matched, int arm)
{
	return matched->kind != (arm == ARM_BASE ? MATCHED_NEW : MATCHED_VANISHED);
}

/* Objects of a build are named relative to it. */
static bool is_own_object(const struct profile *profile, uint32_t mapping)
{
	const char *file = mapping == PROFILE_NO_MAPPING ? "" : profile->mappings[mapping].file;

	return file[0] && file[0] != '/' && file[0] != '[';
}

/* [matched function]: it was met in the build's own objects, and nowhere else. */
static bool *find_own(const struct comparison *comparison, const struct profile *profile, int arm)
{
	size_t count = comparison->matches.count;
	bool *own = xcalloc(count, sizeof(*own)), *foreign = xcalloc(count, sizeof(*foreign));

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		bool *met = is_own_object(profile, location->mapping) ? own : foreign;

		for (uint32_t k = 0; k < location->line_count; k++)
			met[comparison->matches.of[arm][location->lines[k].function]] = true;
	}
	for (size_t f = 0; f < count; f++)
		own[f] = own[f] && !foreign[f];
	free(foreign);
	return own;
}

/* Without a file nothing would tell that it was inlined everywhere in the other version. */
static enum presence of_unsampled(
	const struct matched_function *matched, int arm, const struct function_names *names)
{
	char entry[FUNCTION_NAME_DIGITS + 1];

	if (!matched->file[1 - arm][0] || matched->key[arm][0] == '[')
		return PRESENCE_UNKNOWN;
	function_name_digits(matched->key[arm], entry);
	if (function_names_have(names, entry))
		return PRESENCE_THERE;
	return function_names_lack(names, entry) ? PRESENCE_ABSENT : PRESENCE_UNKNOWN;
}

static void find_arm(const struct comparison *comparison,
	const struct recording *const recordings[ARM_COUNT], int arm, uint8_t *presence)
{
	bool *own = find_own(comparison, recordings[1 - arm]->profile, 1 - arm);

	for (size_t f = 0; f < comparison->matches.count; f++) {
		const struct matched_function *matched = &comparison->matches.functions[f];

		if (is_sampled(matched, arm))
			presence[f] = PRESENCE_THERE;
		else if (own[f])
			presence[f] = (uint8_t)of_unsampled(matched, arm, &recordings[arm]->names);
	}
	free(own);
}

void presence_find(const struct comparison *comparison,
	const struct recording *const recordings[ARM_COUNT], struct arena *arena,
	const uint8_t *presence[ARM_COUNT])
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		uint8_t *found = arena_array(arena, comparison->matches.count, sizeof(*found));

		find_arm(comparison, recordings, arm, found);
		presence[arm] = found;
	}
}
