/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/production.h"

#include "gate/compare/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was measured and is in production too ---------------------------------------------- */

/* As the other version's functions are matched: without what a compiler appends to clones. */
static const char *name_of(struct arena *arena, const struct profile_function *function)
{
	const struct profile_function shown = {.name = function->name, .system_name = ""};

	return function_key_name(arena, &shown);
}

/* Profilers call it by other names than ours; what counts memory, waits or clicks is not there. */
static int find_cpu_type(const struct profile *profile)
{
	static const char *const names[] = {
		PROFILE_TYPE_CPU, PROFILE_TYPE_SAMPLES, "cycles", "task-clock", "cpu-clock"};
	int type = -1;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && type < 0; i++)
		type = profile_find_type(profile, names[i]);
	return type;
}

static double sample_value(const struct profile_sample *sample, int type)
{
	return sample->values[type] > 0 ? (double)sample->values[type] : 0;
}

/* Own cost by function, and the whole; what has no names is in the whole alone. */
static double add_up(const struct profile *profile, int type, double *self)
{
	double whole = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf =
			sample->depth ? &profile->locations[sample->locations[0]] : NULL;

		whole += sample_value(sample, type);
		if (leaf && leaf->line_count)
			self[leaf->lines[0].function] += sample_value(sample, type);
	}
	return whole;
}

static void name_functions(const struct session *session, struct map *names)
{
	struct arena scratch = ARENA_INIT;

	for (size_t b = 0; b < session->benchmark_count; b++) {
		const struct session_benchmark *benchmark = &session->benchmarks[b];

		for (int arm = 0; benchmark->recorded && arm < ARM_COUNT; arm++) {
			const struct profile *profile = benchmark->recordings[arm].profile;

			for (size_t i = 0; i < profile->function_count; i++) {
				const struct profile_function *f = &profile->functions[i];

				map_put_str(names, name_of(&scratch, f), 1);
				map_put_str(names, function_key_name(&scratch, f), 1);
			}
		}
	}
	arena_release(&scratch);
}

/* One pass over the profile's functions, the one that takes most first. */
struct taking {
	const struct map *names;
	struct map taken; /* name, key and file -> shares */
	struct production_share *shares;
	size_t count, bytes;
	struct arena *arena; /* of the shares */
};

static bool is_long(const char *text)
{
	return strlen(text) > PRODUCTION_MAX_TEXT;
}

static void add_share(struct taking *taking, const struct profile_function *from, double share,
	struct arena *scratch)
{
	const char *name = name_of(scratch, from), *key = function_key_name(scratch, from);
	const char *whole = arena_printf(scratch, "%s\n%s\n%s", name, key, from->file);
	uint32_t at = map_get_str(&taking->taken, whole);

	if (map_get_str(taking->names, name) == MAP_NONE &&
		map_get_str(taking->names, key) == MAP_NONE)
		return;
	if (at != MAP_NONE) {
		taking->shares[at].share = fmin(taking->shares[at].share + share, 1);
		return;
	}
	if (taking->count == PRODUCTION_MAX_SHARES ||
		taking->bytes + strlen(whole) > PRODUCTION_MAX_BYTES)
		return;
	taking->bytes += strlen(whole);
	map_put_str(&taking->taken, whole, (uint32_t)taking->count);
	taking->shares[taking->count++] =
		(struct production_share){.name = arena_strdup(taking->arena, name),
			.key = arena_strdup(taking->arena, key),
			.file = arena_strdup(taking->arena, from->file),
			.share = fmin(share, 1)};
}

/* A function's number and what it costs. */
struct cost {
	size_t function;
	double self;
};

static int compare_costs(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return a->function < b->function ? -1 : 1;
}

static struct cost *sorted_costs(const struct profile *profile, const double *self, size_t *count)
{
	struct cost *costs = xcalloc(profile->function_count + 1, sizeof(*costs));

	*count = 0;
	for (size_t i = 0; i < profile->function_count; i++)
		if (self[i] > 0)
			costs[(*count)++] = (struct cost){i, self[i]};
	if (*count)
		qsort(costs, *count, sizeof(*costs), compare_costs);
	return costs;
}

static int take_shares(struct session *session, const struct profile *profile, const double *self,
	double whole, const struct map *names, struct error *err)
{
	size_t count, room;
	struct cost *costs = sorted_costs(profile, self, &count);
	struct taking taking = {.names = names, .arena = &session->arena};

	room = count < PRODUCTION_MAX_SHARES ? count : PRODUCTION_MAX_SHARES;
	taking.shares = arena_array(taking.arena, room, sizeof(*taking.shares));
	map_init(&taking.taken);
	for (size_t i = 0; i < count; i++) {
		const struct profile_function *from = &profile->functions[costs[i].function];
		struct arena scratch = ARENA_INIT;

		if (!is_long(from->name) && !is_long(from->system_name) && !is_long(from->file))
			add_share(&taking, from, costs[i].self / whole, &scratch);
		arena_release(&scratch);
	}
	map_release(&taking.taken);
	free(costs);
	if (!taking.count)
		return error_set(err, ERR_CORRUPT, "none of the functions measured here is in it");
	session->production =
		(struct production){.known = true, .shares = taking.shares, .count = taking.count};
	return ERR_OK;
}

int production_take(struct session *session, const struct profile *profile, struct error *err)
{
	int type = find_cpu_type(profile);
	double *self, whole;
	struct map names;
	int rc;

	if (type < 0)
		return error_set(err, ERR_CORRUPT,
			"it counts no CPU time, cycles or samples, by which one could weigh");
	self = xcalloc(profile->function_count + 1, sizeof(*self));
	whole = add_up(profile, type, self);
	map_init(&names);
	name_functions(session, &names);
	if (whole > 0)
		rc = take_shares(session, profile, self, whole, &names, err);
	else
		rc = error_set(err, ERR_CORRUPT, "its samples took no time");
	map_release(&names);
	free(self);
	return rc;
}

/* Of the total: what costs less here says nothing of how many times more it costs now. */
#define LEAST_BASE 0.001

/* ---- of one culprit -------------------------------------------------------------------------- */

/*
 * In the recordings: base's name first, since production runs what was there before the change.
 * NULL: it is in neither.
 */
static const struct profile_function *recorded_function(
	const struct decision *decision, uint32_t function)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		const struct profile *profile = decision->recordings[arm]->profile;
		const uint32_t *of = decision->comparison.matches.of[arm];

		for (size_t i = 0; i < profile->function_count; i++)
			if (of[i] == function)
				return &profile->functions[i];
	}
	return NULL;
}

static double share_of(const struct decision *decision, uint32_t function)
{
	const struct profile_function *recorded = recorded_function(decision, function);
	struct arena scratch = ARENA_INIT;
	double share = 0;

	if (recorded)
		share = production_find(decision->production, name_of(&scratch, recorded),
			function_key_name(&scratch, recorded), recorded->file);
	arena_release(&scratch);
	return share;
}

/* Its share times what its own cost changed by, of what that was (facts: statistics). */
const struct result_production *production_of(
	const struct decision *decision, uint32_t function, struct arena *arena)
{
	const struct verdict_effect *effect = &decision->verdict.functions[function];
	struct result_production *out;
	double scale;

	if (!decision->production || !decision->production->known)
		return NULL;
	out = arena_alloc(arena, sizeof(*out));
	out->share = share_of(decision, function);
	scale = effect->base >= LEAST_BASE ? out->share / effect->base : NAN;
	out->impact = scale * effect->change;
	out->low = scale * effect->low;
	out->high = scale * effect->high;
	return out;
}
