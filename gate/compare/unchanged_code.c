/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/unchanged_code.h"

#include <stdlib.h>
#include <string.h>

#include "gate/compare/comparison.h"
#include "gate/profile/code/code_callee.h"

#define SMALL_PART 0.05

/* A function and the one whose code it was met in; the two may be one. */
struct home {
	uint32_t function, host;
	double self[COMPARE_VERSIONS]; /* what the function itself cost there */
};

struct homes {
	const struct function_matches *matches;
	struct map index; /* (function, host) -> items */
	struct home *items;
	size_t count, capacity;
	double *self[COMPARE_VERSIONS]; /* [function] */
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
static uint32_t host_of(
	const struct homes *homes, int version, const struct profile_location *location)
{
	return homes->matches->of[version][location->lines[location->line_count - 1].function];
}

static void add_locations(struct homes *homes, int version, const struct profile *profile)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		for (uint32_t k = 0; k < location->line_count; k++)
			find_home(homes, homes->matches->of[version][location->lines[k].function],
				host_of(homes, version, location));
	}
}

static void add_costs(struct homes *homes, int version, const struct profile *profile)
{
	size_t type = profile_judged_type(profile);

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf;
		uint32_t function;

		if (!sample->depth)
			continue;
		leaf = &profile->locations[sample->locations[0]];
		if (!leaf->line_count)
			continue;
		function = homes->matches->of[version][leaf->lines[0].function];
		find_home(homes, function, host_of(homes, version, leaf))->self[version] +=
			(double)sample->values[type];
		homes->self[version][function] += (double)sample->values[type];
	}
}

static bool is_known(const char *hash)
{
	return hash && hash[0];
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* The code of a matched function in one version. */
struct body {
	const char *hash; /* NULL unknown, "" of two bodies */
	struct code_shape shape;
};

#define AMBIGUOUS (MAP_NONE - 1)

struct bodies {
	struct body *of[COMPARE_VERSIONS];  /* [matched function] */
	struct map names[COMPARE_VERSIONS]; /* as among callees -> matched function, or AMBIGUOUS */
};

static struct body *matched_bodies(
	const struct function_matches *matches, int version, const struct code_of_version *code)
{
	struct body *bodies = xcalloc(matches->count, sizeof(*bodies));

	for (size_t i = 0; i < code->profile->function_count; i++) {
		struct body *body = &bodies[matches->of[version][i]];
		const char *hash = code->hash[i];

		if (hash && !body->hash && code->shapes)
			body->shape = code->shapes[i];
		if (hash && (!body->hash || strcmp(body->hash, hash) == 0))
			body->hash = hash;
		else if (hash)
			body->hash = "";
	}
	return bodies;
}

static void note_names(const struct function_matches *matches, int version,
	const struct profile *profile, struct map *names)
{
	struct arena scratch = ARENA_INIT;

	for (size_t i = 0; i < profile->function_count; i++) {
		const char *name = function_key_name(&scratch, &profile->functions[i]);
		uint32_t function = matches->of[version][i];
		char digits[CODE_CALLEE_DIGITS + 1];
		bool added;

		code_callee_digits(name, strlen(name), digits);
		if (map_intern(names, digits, CODE_CALLEE_DIGITS, function, &added) != function)
			map_put(names, digits, CODE_CALLEE_DIGITS, AMBIGUOUS);
	}
	arena_release(&scratch);
}

static void bodies_init(struct bodies *bodies, const struct function_matches *matches,
	const struct code_of_version versions[COMPARE_VERSIONS])
{
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		bodies->of[version] = matched_bodies(matches, version, &versions[version]);
		map_init(&bodies->names[version]);
		if (versions[version].shapes)
			note_names(matches, version, versions[version].profile,
				&bodies->names[version]);
	}
}

static void bodies_release(struct bodies *bodies)
{
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		free(bodies->of[version]);
		map_release(&bodies->names[version]);
	}
}

/* By name, or because the one was matched to the other. */
static bool is_same_callee(const struct bodies *bodies, const char *base, const char *head)
{
	uint32_t function;

	if (memcmp(base, head, CODE_CALLEE_DIGITS) == 0)
		return true;
	function = map_get(&bodies->names[COMPARE_BASE], base, CODE_CALLEE_DIGITS);
	return function < AMBIGUOUS &&
	       map_get(&bodies->names[COMPARE_HEAD], head, CODE_CALLEE_DIGITS) == function;
}

/* But for the names of what they call. */
static bool is_same_shape(
	const struct bodies *bodies, const struct code_shape *base, const struct code_shape *head)
{
	size_t length;

	if (!is_known(base->shape) || !is_known(head->shape) ||
		strcmp(base->shape, head->shape) != 0)
		return false;
	length = strlen(base->callees);
	if (strlen(head->callees) != length)
		return false;
	for (size_t i = 0; i < length; i += CODE_CALLEE_DIGITS)
		if (!is_same_callee(bodies, base->callees + i, head->callees + i))
			return false;
	return true;
}

/* ---- functions ------------------------------------------------------------------------------ */

static bool counts(const struct homes *homes, const struct home *home)
{
	const double *base = homes->self[COMPARE_BASE], *head = homes->self[COMPARE_HEAD];
	uint32_t f = home->function;

	if (!(base[f] > 0) && !(head[f] > 0))
		return true;
	return home->self[COMPARE_BASE] > SMALL_PART * base[f] ||
	       home->self[COMPARE_HEAD] > SMALL_PART * head[f];
}

static enum code_state code_of(
	const struct function_matches *matches, const struct bodies *bodies, uint32_t host)
{
	enum match_kind kind = matches->functions[host].kind;
	const struct body *base = &bodies->of[COMPARE_BASE][host];
	const struct body *head = &bodies->of[COMPARE_HEAD][host];

	if (kind == MATCHED_NEW || kind == MATCHED_VANISHED)
		return CODE_CHANGED;
	if (!is_known(base->hash) || !is_known(head->hash))
		return CODE_UNKNOWN;
	return strcmp(base->hash, head->hash) == 0 ||
			       is_same_shape(bodies, &base->shape, &head->shape)
		       ? CODE_UNCHANGED
		       : CODE_CHANGED;
}

/* In one host changed is changed; otherwise all must be known. */
static enum code_state with_host(enum code_state code, bool first, enum code_state host)
{
	if (first || host == CODE_CHANGED)
		return host;
	return host == CODE_UNKNOWN && code == CODE_UNCHANGED ? CODE_UNKNOWN : code;
}

void unchanged_code_find(const struct function_matches *matches,
	const struct code_of_version versions[COMPARE_VERSIONS], enum code_state *code)
{
	struct homes homes = {.matches = matches};
	struct bodies bodies;
	bool *met = xcalloc(matches->count, sizeof(*met));

	map_init(&homes.index);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		homes.self[version] = xcalloc(matches->count, sizeof(double));
		add_locations(&homes, version, versions[version].profile);
		add_costs(&homes, version, versions[version].profile);
	}
	bodies_init(&bodies, matches, versions);
	for (size_t f = 0; f < matches->count; f++)
		code[f] = CODE_UNKNOWN;
	for (size_t i = 0; i < homes.count; i++) {
		const struct home *home = &homes.items[i];

		if (!counts(&homes, home))
			continue;
		code[home->function] = with_host(code[home->function], !met[home->function],
			code_of(matches, &bodies, home->host));
		met[home->function] = true;
	}
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		free(homes.self[version]);
	bodies_release(&bodies);
	free(met);
	map_release(&homes.index);
	free(homes.items);
}

/* Inlinings chain: whoever is a part of a part is the host's as well. */
void unchanged_code_of_hosts(const struct inlining_map *inlinings, enum code_state *code)
{
	bool grew = true;

	while (grew) {
		grew = false;
		for (size_t i = 0; i < inlinings->count; i++) {
			const struct inlining *inlining = &inlinings->items[i];

			if (code[inlining->host] != CODE_UNCHANGED ||
				code[inlining->part] == CODE_UNCHANGED)
				continue;
			code[inlining->host] = code[inlining->part];
			grew = true;
		}
	}
}
