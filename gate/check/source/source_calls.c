/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/source_calls.h"

#include <stdlib.h>

#include "gate/base/map.h"
#include "gate/bench/recording/recording.h"

struct calls {
	const struct profile *profile;
	const uint32_t *matched;
	size_t callee, caller;
	struct map index; /* line -> item */
	struct comparison_line *items;
	size_t count, capacity;
};

static void add(struct calls *calls, int64_t line, double seconds)
{
	bool added;
	uint32_t id =
		map_intern(&calls->index, &line, sizeof(line), (uint32_t)calls->count, &added);

	if (added) {
		calls->items = grow_array(
			calls->items, &calls->capacity, calls->count + 1, sizeof(*calls->items));
		calls->items[calls->count++] = (struct comparison_line){line, 0};
	}
	calls->items[id].seconds += seconds;
}

/* The caller's frame, from the leaf on; NULL: the callee is not on the stack, or not below it. */
static const struct profile_line *find_call(
	const struct calls *calls, const struct profile_sample *sample)
{
	bool below = false;

	for (uint32_t i = 0; i < sample->depth; i++) {
		const struct profile_location *location =
			&calls->profile->locations[sample->locations[i]];

		for (uint32_t k = 0; k < location->line_count; k++) {
			size_t function = calls->matched[location->lines[k].function];

			if (below && function == calls->caller)
				return &location->lines[k];
			below = below || function == calls->callee;
		}
	}
	return NULL;
}

static int compare_lines(const void *left, const void *right)
{
	const struct comparison_line *a = left, *b = right;

	if (a->seconds > b->seconds || a->seconds < b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

struct comparison_line *source_call_lines(const struct recording *recording,
	const uint32_t *matched, size_t callee, size_t caller, size_t *count)
{
	const struct profile *profile = recording->profile;
	size_t type = profile_judged_type(profile);
	double scale = value_unit_scale(profile->types[type].unit);
	struct calls calls = {
		.profile = profile, .matched = matched, .callee = callee, .caller = caller};

	map_init(&calls.index);
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_line *call = find_call(&calls, &profile->samples[i]);

		if (call)
			add(&calls, call->line, (double)profile->samples[i].values[type] * scale);
	}
	map_release(&calls.index);
	if (calls.count)
		qsort(calls.items, calls.count, sizeof(*calls.items), compare_lines);
	*count = calls.count;
	return calls.items;
}
