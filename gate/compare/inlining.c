/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/inlining_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/compare/comparison.h"

/* Of a profile whose samples are not counted every row is one: three runs each have it. */
#define LEAST_SAMPLES 20
#define LEAST_ROWS 3

/* ---- who calls whom, and how ----------------------------------------------------------------- */

/* A walk over one version's stacks. */
struct walk {
	struct inlining_finder *finder;
	int version;
	const struct profile *profile;
	bool *tells; /* [mapping], and without one: inlined frames would be seen */
	int count;   /* value that counts samples, or -1 */
	size_t value;
};

static void find_telling(struct walk *walk)
{
	const struct profile *profile = walk->profile;

	walk->tells = xcalloc(profile->mapping_count + 1, sizeof(*walk->tells));
	for (size_t i = 0; i < profile->mapping_count; i++)
		walk->tells[i] = profile->mappings[i].has_inline_frames;
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		size_t mapping = location->mapping == PROFILE_NO_MAPPING ? profile->mapping_count
									 : location->mapping;

		walk->tells[mapping] = walk->tells[mapping] || location->line_count > 1;
	}
}

static void add_call(
	struct walk *walk, uint32_t caller, uint32_t callee, enum inlining_way way, double samples)
{
	struct inlining_finder *finder = walk->finder;
	uint32_t key[2] = {caller, callee};
	bool added;
	uint32_t id =
		map_intern(&finder->index, key, sizeof(key), (uint32_t)finder->call_count, &added);

	if (added) {
		finder->calls = grow_array(finder->calls, &finder->call_capacity,
			finder->call_count + 1, sizeof(*finder->calls));
		finder->calls[finder->call_count++] =
			(struct inlining_call){.caller = caller, .callee = callee};
	}
	finder->calls[id].samples[walk->version][way] += samples;
}

static enum inlining_way way_below(const struct walk *walk, const struct profile_location *caller)
{
	size_t mapping = !caller || caller->mapping == PROFILE_NO_MAPPING
				 ? walk->profile->mapping_count
				 : caller->mapping;

	return walk->tells[mapping] ? WAY_OWN : WAY_UNTOLD;
}

/* A function that calls itself is no other's. */
static void add_stack(struct walk *walk, const struct profile_sample *sample, double samples)
{
	const uint32_t *matched = walk->finder->matches->of[walk->version];
	const struct profile_location *outer = NULL;
	uint32_t caller = COMPARE_NONE;

	for (uint32_t i = sample->depth; i-- > 0;) {
		const struct profile_location *location =
			&walk->profile->locations[sample->locations[i]];

		for (uint32_t k = location->line_count; k-- > 0;) {
			uint32_t callee = matched[location->lines[k].function];
			bool is_inlined = k + 1 < location->line_count;

			if (callee != caller)
				add_call(walk, caller, callee,
					is_inlined ? WAY_INLINED : way_below(walk, outer), samples);
			caller = callee;
		}
		outer = location;
	}
	if (caller != COMPARE_NONE)
		walk->finder->self[walk->version][caller] += samples;
}

static void add_version(struct inlining_finder *finder, int version)
{
	const struct profile *profile = finder->profiles[version];
	struct walk walk = {.finder = finder,
		.version = version,
		.profile = profile,
		.count = profile_find_type(profile, PROFILE_TYPE_SAMPLES),
		.value = profile_judged_type(profile)};

	find_telling(&walk);
	finder->least[version] = walk.count >= 0 ? LEAST_SAMPLES : LEAST_ROWS;
	finder->is_counted = finder->is_counted && walk.count >= 0;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		int64_t samples = walk.count >= 0 ? sample->values[walk.count]
						  : sample->values[walk.value] != 0;

		if (samples > 0)
			add_stack(&walk, sample, (double)samples);
	}
	free(walk.tells);
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_calls(const void *left, const void *right)
{
	const struct inlining_call *a = left, *b = right;
	int order = compare_u32(a->caller, b->caller);

	return order ? order : compare_u32(a->callee, b->callee);
}

double inlining_call_samples(const struct inlining_call *call, int version)
{
	double sum = 0;

	for (int way = 0; way < WAYS; way++)
		sum += call->samples[version][way];
	return sum;
}

/* ---- inlined, outlined ----------------------------------------------------------------------- */

bool inlining_has_name(const struct inlining_finder *finder, uint32_t function)
{
	return function != COMPARE_NONE && finder->matches->functions[function].name[0] != '[';
}

void inlining_add(struct inlining_finder *finder, const struct inlining *inlining)
{
	finder->found = grow_array(finder->found, &finder->found_capacity, finder->found_count + 1,
		sizeof(*finder->found));
	finder->found[finder->found_count++] = *inlining;
}

/* Enough samples, of which next to all are this way. */
static bool is_all(const struct inlining_finder *finder, const struct inlining_call *call,
	int version, enum inlining_way way)
{
	double samples = inlining_call_samples(call, version);

	return samples >= finder->least[version] &&
	       samples - call->samples[version][way] <= INLINING_STRAY * samples;
}

static void find_inlined(struct inlining_finder *finder)
{
	static const struct inlining kinds[COMPARE_VERSIONS] = {
		{.kind = INLINING_OUTLINED, .reason = "inlined in base only", .similarity = 1},
		{.kind = INLINING_INLINED, .reason = "inlined in head only", .similarity = 1},
	};

	for (size_t i = 0; i < finder->call_count; i++) {
		const struct inlining_call *call = &finder->calls[i];

		if (!inlining_has_name(finder, call->caller) ||
			!inlining_has_name(finder, call->callee))
			continue;
		for (int version = 0; version < COMPARE_VERSIONS; version++) {
			struct inlining inlining = kinds[version];

			if (!is_all(finder, call, version, WAY_INLINED) ||
				!is_all(finder, call, 1 - version, WAY_OWN))
				continue;
			inlining.host = call->caller;
			inlining.part = call->callee;
			inlining.samples = inlining_call_samples(call, COMPARE_BASE) +
					   inlining_call_samples(call, COMPARE_HEAD);
			inlining_add(finder, &inlining);
		}
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int compare_inlinings(const void *left, const void *right)
{
	const struct inlining *a = left, *b = right;
	int order = compare_u32(a->host, b->host);

	return order ? order : compare_u32(a->part, b->part);
}

static int compare_weight(const void *left, const void *right)
{
	const struct inlining *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return compare_inlinings(left, right);
}

/* What is taken already, by host. */
struct chains {
	uint32_t *first,
		*next; /* [matched function] -> inlining; [inlining] -> inlining of the same host */
	uint32_t *stack, *seen; /* [matched function]; seen: by this search */
	uint32_t search;
};

static void chains_init(struct chains *chains, size_t functions)
{
	*chains = (struct chains){.first = xcalloc(functions, sizeof(uint32_t)),
		.next = xcalloc(INLININGS_MAX, sizeof(uint32_t)),
		.stack = xcalloc(functions, sizeof(uint32_t)),
		.seen = xcalloc(functions, sizeof(uint32_t))};
	for (size_t i = 0; i < functions; i++)
		chains->first[i] = INLINING_NONE;
}

static void chains_release(struct chains *chains)
{
	free(chains->first);
	free(chains->next);
	free(chains->stack);
	free(chains->seen);
}

static bool leads_to(
	struct chains *chains, const struct inlining_map *taken, uint32_t from, uint32_t to)
{
	size_t top = 0;

	chains->search++;
	chains->stack[top++] = from;
	chains->seen[from] = chains->search;
	while (top) {
		uint32_t at = chains->stack[--top];

		if (at == to)
			return true;
		for (uint32_t i = chains->first[at]; i != INLINING_NONE; i = chains->next[i]) {
			uint32_t part = taken->items[i].part;

			if (chains->seen[part] == chains->search)
				continue;
			chains->seen[part] = chains->search;
			chains->stack[top++] = part;
		}
	}
	return false;
}

/* A part may be found by its frames and by its size. */
static bool is_taken(const struct inlining_map *out, const struct inlining *inlining)
{
	uint32_t key[2] = {inlining->host, inlining->part};

	return map_get(&out->index, key, sizeof(key)) != MAP_NONE;
}

static void take(struct inlining_map *out, const struct inlining *inlining)
{
	uint32_t key[2] = {inlining->host, inlining->part};

	map_put(&out->index, key, sizeof(key), (uint32_t)out->count);
	out->is_part[inlining->part] = true;
	out->items[out->count++] = *inlining;
}

/* The heaviest first, as long as there is room, and unless the part is its host's host. */
static void take_heaviest(struct inlining_finder *finder)
{
	struct inlining_map *out = finder->out;
	struct chains chains;

	chains_init(&chains, finder->matches->count);
	out->items = xcalloc(INLININGS_MAX, sizeof(*out->items));
	for (size_t i = 0; i < finder->found_count && out->count < INLININGS_MAX; i++) {
		const struct inlining *inlining = &finder->found[i];

		if (is_taken(out, inlining) ||
			leads_to(&chains, out, inlining->part, inlining->host))
			continue;
		chains.next[out->count] = chains.first[inlining->host];
		chains.first[inlining->host] = (uint32_t)out->count;
		take(out, inlining);
	}
	chains_release(&chains);
}

static void take_found(struct inlining_finder *finder)
{
	if (!finder->found_count)
		return;
	qsort(finder->found, finder->found_count, sizeof(*finder->found), compare_weight);
	take_heaviest(finder);
}

void inlinings_find(struct inlining_map *inlinings, const struct function_matches *matches,
	const struct profile *const profiles[COMPARE_VERSIONS], const struct code_of_version *code)
{
	struct inlining_finder finder = {.out = inlinings,
		.matches = matches,
		.profiles = profiles,
		.code = code,
		.is_counted = true};

	memset(inlinings, 0, sizeof(*inlinings));
	map_init(&inlinings->index);
	inlinings->is_part = xcalloc(matches->count, sizeof(*inlinings->is_part));
	map_init(&finder.index);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		finder.self[version] = xcalloc(matches->count, sizeof(*finder.self[version]));
		add_version(&finder, version);
	}
	if (finder.call_count)
		qsort(finder.calls, finder.call_count, sizeof(*finder.calls), compare_calls);
	find_inlined(&finder);
	if (code)
		inlining_find_split(&finder);
	take_found(&finder);
	map_release(&finder.index);
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		free(finder.self[version]);
	free(finder.calls);
	free(finder.found);
}

void inlinings_release(struct inlining_map *inlinings)
{
	map_release(&inlinings->index);
	free(inlinings->items);
	free(inlinings->is_part);
	memset(inlinings, 0, sizeof(*inlinings));
}

static uint32_t find(const struct inlining_map *inlinings, uint32_t host, uint32_t part)
{
	uint32_t key[2] = {host, part};

	return map_get(&inlinings->index, key, sizeof(key));
}

uint32_t inlinings_at(
	const struct inlining_map *inlinings, uint32_t host, uint32_t caller, uint32_t part)
{
	uint32_t inlining;

	if (!inlinings->is_part[part])
		return INLINING_NONE;
	inlining = find(inlinings, host, part);
	return inlining == INLINING_NONE && caller != host ? find(inlinings, caller, part)
							   : inlining;
}
