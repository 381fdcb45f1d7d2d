/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/same_code.h"

#include <stdlib.h>
#include <string.h>

#include "gate/compare/comparison.h"

#define SMALL_PART 0.05

/* A function and the one whose code it was met in; the two may be one. */
struct home {
	uint32_t function, host;
	double self[COMPARE_ARMS]; /* what the function itself cost there */
};

struct homes {
	const struct function_matches *matches;
	struct map index; /* (function, host) -> items */
	struct home *items;
	size_t count, capacity;
	double *self[COMPARE_ARMS]; /* [function] */
};

static struct home *find_home(struct homes *homes, uint32_t function, uint32_t host)
{
	uint32_t key[2] = {function, host};
	bool added;
	uint32_t id = map_intern(&homes->index, key, sizeof(key), (uint32_t)homes->count, &added);

	if (added) {
		homes->items = grow_array(
			homes->items, &homes->capacity, homes->count + 1, sizeof(*homes->items));
		homes->items[homes->count++] = (struct home){.function = function, .host = host};
	}
	return &homes->items[id];
}

/* The last line is the function that the linker knows; the others are inlined into it. */
static uint32_t host_of(const struct homes *homes, int arm, const struct profile_location *location)
{
	return homes->matches->of[arm][location->lines[location->line_count - 1].function];
}

static void add_locations(struct homes *homes, int arm, const struct profile *profile)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		for (uint32_t k = 0; k < location->line_count; k++)
			find_home(homes, homes->matches->of[arm][location->lines[k].function],
				host_of(homes, arm, location));
	}
}

static void add_costs(struct homes *homes, int arm, const struct profile *profile)
{
	size_t type = comparison_value_type(profile);

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf;
		uint32_t function;

		if (!sample->depth)
			continue;
		leaf = &profile->locations[sample->locations[0]];
		if (!leaf->line_count)
			continue;
		function = homes->matches->of[arm][leaf->lines[0].function];
		find_home(homes, function, host_of(homes, arm, leaf))->self[arm] +=
			(double)sample->values[type];
		homes->self[arm][function] += (double)sample->values[type];
	}
}

/* Of the matched functions; a function of two bodies has no hash. */
static const char **matched_hashes(
	const struct function_matches *matches, int arm, const struct code_of_arm *code)
{
	const char **hashes = xcalloc(matches->count, sizeof(*hashes));

	for (size_t i = 0; i < code->profile->function_count; i++) {
		const char **slot = &hashes[matches->of[arm][i]];
		const char *hash = code->hash[i];

		if (hash && (!*slot || strcmp(*slot, hash) == 0))
			*slot = hash;
		else if (hash)
			*slot = "";
	}
	return hashes;
}

static bool counts(const struct homes *homes, const struct home *home)
{
	const double *base = homes->self[COMPARE_BASE], *head = homes->self[COMPARE_HEAD];
	uint32_t f = home->function;

	if (!(base[f] > 0) && !(head[f] > 0))
		return true;
	return home->self[COMPARE_BASE] > SMALL_PART * base[f] ||
	       home->self[COMPARE_HEAD] > SMALL_PART * head[f];
}

static bool is_known(const char *hash)
{
	return hash && hash[0];
}

static enum same_code code_of(const struct function_matches *matches,
	const char *const *const hashes[COMPARE_ARMS], uint32_t host)
{
	enum match_kind kind = matches->functions[host].kind;
	const char *base = hashes[COMPARE_BASE][host], *head = hashes[COMPARE_HEAD][host];

	if (kind == MATCHED_NEW || kind == MATCHED_VANISHED)
		return CODE_CHANGED;
	if (!is_known(base) || !is_known(head))
		return CODE_UNKNOWN;
	return strcmp(base, head) == 0 ? CODE_SAME : CODE_CHANGED;
}

/* In one host changed is changed; otherwise all must be known. */
static enum same_code with_host(enum same_code code, bool first, enum same_code host)
{
	if (first || host == CODE_CHANGED)
		return host;
	return host == CODE_UNKNOWN && code == CODE_SAME ? CODE_UNKNOWN : code;
}

void same_code_find(const struct function_matches *matches,
	const struct code_of_arm arms[COMPARE_ARMS], enum same_code *code)
{
	struct homes homes = {.matches = matches};
	const char **hashes[COMPARE_ARMS] = {NULL};
	bool *met = xcalloc(matches->count, sizeof(*met));

	map_init(&homes.index);
	for (int arm = 0; arm < COMPARE_ARMS; arm++) {
		homes.self[arm] = xcalloc(matches->count, sizeof(double));
		add_locations(&homes, arm, arms[arm].profile);
		add_costs(&homes, arm, arms[arm].profile);
		hashes[arm] = matched_hashes(matches, arm, &arms[arm]);
	}
	for (size_t f = 0; f < matches->count; f++)
		code[f] = CODE_UNKNOWN;
	for (size_t i = 0; i < homes.count; i++) {
		const struct home *home = &homes.items[i];

		if (!counts(&homes, home))
			continue;
		code[home->function] = with_host(code[home->function], !met[home->function],
			code_of(matches, (const char *const *const *)hashes, home->host));
		met[home->function] = true;
	}
	for (int arm = 0; arm < COMPARE_ARMS; arm++) {
		free(homes.self[arm]);
		free(hashes[arm]);
	}
	free(met);
	map_release(&homes.index);
	free(homes.items);
}
