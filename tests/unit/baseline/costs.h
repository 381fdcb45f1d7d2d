/* SPDX-License-Identifier: Apache-2.0 */
/* What each call path cost (inclusive) in each round, by names: to compare two recordings. */
#ifndef FG_TESTS_BASELINE_COSTS_H
#define FG_TESTS_BASELINE_COSTS_H

#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/profile.h"

struct costs {
	struct map index;
	struct costs_item {
		char *key;
		int64_t cost;
	} * items;
	size_t count, capacity;
};

static inline void costs_add(struct costs *costs, const char *key, int64_t cost)
{
	bool added;
	uint32_t index =
		map_intern(&costs->index, key, strlen(key), (uint32_t)costs->count, &added);

	if (added) {
		costs->items = grow_array(
			costs->items, &costs->capacity, costs->count + 1, sizeof(*costs->items));
		costs->items[costs->count++] = (struct costs_item){xstrdup(key), 0};
	}
	costs->items[index].cost += cost;
}

static inline struct costs costs_of(const struct recording *recording, const char *type)
{
	const struct profile *profile = recording->profile;
	int value = profile_find_type(profile, type);
	struct costs costs = {.count = 0};
	struct strbuf path = STRBUF_INIT;

	map_init(&costs.index);
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		strbuf_reset(&path);
		strbuf_addf(&path, "%lld",
			(long long)profile_sample_number(sample, PROFILE_LABEL_ROUND, -1));
		costs_add(&costs, path.data, sample->values[value]);
		for (uint32_t j = sample->depth; j-- > 0;) {
			const struct profile_location *location =
				&profile->locations[sample->locations[j]];
			const struct profile_function *function =
				&profile->functions[location->lines[0].function];

			strbuf_addf(&path, ";%s@%s:%lld", function->name, function->file,
				(long long)function->start_line);
			costs_add(&costs, path.data, sample->values[value]);
		}
	}
	strbuf_release(&path);
	return costs;
}

static inline int64_t costs_get(const struct costs *costs, const char *key)
{
	uint32_t index = map_get_str(&costs->index, key);

	return index == MAP_NONE ? 0 : costs->items[index].cost;
}

static inline double costs_largest_difference(const struct costs *a, const struct costs *b)
{
	int64_t largest = 0;

	for (int side = 0; side < 2; side++) {
		const struct costs *from = side ? b : a;

		for (size_t i = 0; i < from->count; i++) {
			int64_t difference = llabs(costs_get(a, from->items[i].key) -
						   costs_get(b, from->items[i].key));

			largest = difference > largest ? difference : largest;
		}
	}
	return (double)largest;
}

static inline void costs_release(struct costs *costs)
{
	for (size_t i = 0; i < costs->count; i++)
		free(costs->items[i].key);
	free(costs->items);
	map_release(&costs->index);
}

#endif
