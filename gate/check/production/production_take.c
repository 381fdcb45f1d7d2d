/* SPDX-License-Identifier: Apache-2.0 */
/* From a profile of production to what the functions that were measured take there. */
#include "gate/check/production/production.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/production/production_internal.h"
#include "gate/compare/match.h"

#define NOBODY UINT32_MAX

const char *production_name(struct arena *arena, const struct profile_function *function)
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

static void name_functions(const struct measurements *measurements, struct map *names)
{
	struct arena scratch = ARENA_INIT;

	for (size_t b = 0; b < measurements->benchmark_count; b++) {
		const struct measured_benchmark *benchmark = &measurements->benchmarks[b];

		for (int version = 0; benchmark->recorded && version < VERSION_COUNT; version++) {
			const struct profile *profile = benchmark->recordings[version].profile;

			for (size_t i = 0; i < profile->function_count; i++) {
				const struct profile_function *f = &profile->functions[i];

				map_put_str(names, production_name(&scratch, f), 1);
				map_put_str(names, function_key_name(&scratch, f), 1);
			}
		}
	}
	arena_release(&scratch);
}

/* ---- what is in production and was measured too ---------------------------------------------- */

/* Functions with one name, key and file. */
struct group {
	const char *name, *key, *file;
	double self, total;
	size_t seen;    /* in sample seen - 1 */
	uint32_t place; /* among the shares; NOBODY: left out */
};

struct call {
	uint32_t caller, callee; /* groups */
	double total;
	size_t seen;
};

struct taking {
	const struct profile *profile;
	int type;
	struct arena scratch;
	uint32_t *group_of; /* [function]; NOBODY: it was not measured */
	struct group *groups;
	size_t group_count;
	struct map call_numbers;
	struct call *calls;
	size_t call_count, call_capacity;
	double whole;
};

static bool is_long(const char *text)
{
	return strlen(text) > PRODUCTION_MAX_TEXT;
}

static bool is_measured(const struct map *names, const struct group *group)
{
	return map_get_str(names, group->name) != MAP_NONE ||
	       map_get_str(names, group->key) != MAP_NONE;
}

static uint32_t group_function(struct taking *taking, const struct map *names, struct map *groups,
	const struct profile_function *from)
{
	struct group group = {.file = from->file};
	uint32_t number;
	bool added;
	const char *whole;

	if (is_long(from->name) || is_long(from->system_name) || is_long(from->file))
		return NOBODY;
	group.name = production_name(&taking->scratch, from);
	group.key = function_key_name(&taking->scratch, from);
	if (!is_measured(names, &group))
		return NOBODY;
	whole = arena_printf(&taking->scratch, "%s\n%s\n%s", group.name, group.key, group.file);
	number = map_intern(groups, whole, strlen(whole), (uint32_t)taking->group_count, &added);
	if (added)
		taking->groups[taking->group_count++] = group;
	return number;
}

static void group_functions(struct taking *taking, const struct map *names)
{
	size_t count = taking->profile->function_count;
	struct map groups;

	map_init(&groups);
	taking->group_of = xcalloc(count + 1, sizeof(*taking->group_of));
	taking->groups = xcalloc(count + 1, sizeof(*taking->groups));
	for (size_t i = 0; i < count; i++)
		taking->group_of[i] =
			group_function(taking, names, &groups, &taking->profile->functions[i]);
	map_release(&groups);
}

static void add_call(
	struct taking *taking, uint32_t caller, uint32_t callee, double value, size_t sample)
{
	uint32_t key[2] = {caller, callee};
	bool added;
	uint32_t number = map_intern(
		&taking->call_numbers, key, sizeof(key), (uint32_t)taking->call_count, &added);

	if (added) {
		taking->calls = grow_array(taking->calls, &taking->call_capacity,
			taking->call_count + 1, sizeof(*taking->calls));
		taking->calls[taking->call_count++] =
			(struct call){.caller = caller, .callee = callee};
	}
	if (taking->calls[number].seen == sample + 1)
		return;
	taking->calls[number].seen = sample + 1;
	taking->calls[number].total += value;
}

/* One frame, whose callee is `inner`: NOBODY, if it is the leaf or was not measured. */
static void add_frame(
	struct taking *taking, uint32_t group, uint32_t inner, double value, size_t sample)
{
	struct group *to = &taking->groups[group];

	if (to->seen != sample + 1)
		to->total += value;
	to->seen = sample + 1;
	if (inner != NOBODY)
		add_call(taking, group, inner, value, sample);
}

static void add_sample(struct taking *taking, size_t index)
{
	const struct profile_sample *sample = &taking->profile->samples[index];
	double value = (double)sample->values[taking->type];
	uint32_t inner = NOBODY;

	if (!(value > 0))
		return;
	taking->whole += value;
	for (uint32_t i = 0; i < sample->depth; i++) {
		const struct profile_location *location =
			&taking->profile->locations[sample->locations[i]];

		/* Without a name it is somebody all the same: what it calls nobody known calls. */
		if (!location->line_count)
			inner = NOBODY;
		for (uint32_t k = 0; k < location->line_count; k++) {
			uint32_t group = taking->group_of[location->lines[k].function];

			if (group != NOBODY && !i && !k)
				taking->groups[group].self += value;
			if (group != NOBODY)
				add_frame(taking, group, inner, value, index);
			inner = group;
		}
	}
}

/* ---- the shares ------------------------------------------------------------------------------ */

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = *(struct group *const *)left, *b = *(struct group *const *)right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int compare_calls(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static struct production_share share_of(
	const struct taking *taking, const struct group *group, struct arena *arena)
{
	return (struct production_share){.name = arena_strdup(arena, group->name),
		.key = arena_strdup(arena, group->key),
		.file = arena_strdup(arena, group->file),
		.share = group->self / taking->whole,
		.total = group->total / taking->whole};
}

/* What takes most first, as long as there is room. */
static struct production_share *take_shares(
	struct taking *taking, struct arena *arena, size_t *count)
{
	struct group **sorted = xcalloc(taking->group_count + 1, sizeof(struct group *));
	size_t room = taking->group_count, bytes = 0;
	struct production_share *shares;

	if (room > PRODUCTION_MAX_SHARES)
		room = PRODUCTION_MAX_SHARES;
	shares = arena_array(arena, room, sizeof(*shares));
	for (size_t i = 0; i < taking->group_count; i++)
		sorted[i] = &taking->groups[i];
	qsort(sorted, taking->group_count, sizeof(struct group *), compare_groups);
	*count = 0;
	for (size_t i = 0; i < taking->group_count; i++) {
		struct group *group = sorted[i];
		size_t more = strlen(group->name) + strlen(group->key) + strlen(group->file);

		group->place = NOBODY;
		if (!(group->total > 0) || *count == room || bytes + more > PRODUCTION_MAX_BYTES)
			continue;
		bytes += more;
		group->place = (uint32_t)*count;
		shares[(*count)++] = share_of(taking, group, arena);
	}
	free(sorted);
	return shares;
}

static bool is_kept(const struct taking *taking, const struct call *call)
{
	return taking->groups[call->caller].place != NOBODY &&
	       taking->groups[call->callee].place != NOBODY;
}

static void take_calls(struct taking *taking, struct arena *arena, struct production_share *shares)
{
	size_t kept = 0, *counts = xcalloc(taking->group_count + 1, sizeof(*counts));
	struct production_call **calls =
		xcalloc(taking->group_count + 1, sizeof(struct production_call *));

	if (taking->call_count)
		qsort(taking->calls, taking->call_count, sizeof(*taking->calls), compare_calls);
	for (size_t i = 0; i < taking->call_count && kept < PRODUCTION_MAX_CALLS; i++)
		if (is_kept(taking, &taking->calls[i]))
			taking->calls[kept++] = taking->calls[i];
	for (size_t i = 0; i < kept; i++)
		counts[taking->calls[i].caller]++;
	for (size_t i = 0; i < kept; i++) {
		const struct call *from = &taking->calls[i];
		struct production_share *share = &shares[taking->groups[from->caller].place];

		if (!share->call_count)
			share->calls = calls[from->caller] =
				arena_array(arena, counts[from->caller], sizeof(**calls));
		calls[from->caller][share->call_count++] =
			(struct production_call){.callee = taking->groups[from->callee].place,
				.share = from->total / taking->whole};
	}
	free(counts);
	free(calls);
}

/* main() alone is in every program. */
static bool has_own_cost(const struct taking *taking)
{
	for (size_t i = 0; i < taking->group_count; i++)
		if (taking->groups[i].self > 0)
			return true;
	return false;
}

static int take(struct taking *taking, struct measurements *measurements, struct error *err)
{
	struct production_share *shares;
	size_t count;

	for (size_t i = 0; i < taking->profile->sample_count; i++)
		add_sample(taking, i);
	if (!(taking->whole > 0))
		return error_set(err, ERR_CORRUPT, "its samples took no time");
	if (!has_own_cost(taking))
		return error_set(err, ERR_CORRUPT, "none of the functions measured here is in it");
	shares = take_shares(taking, &measurements->arena, &count);
	take_calls(taking, &measurements->arena, shares);
	measurements->production =
		(struct production){.known = true, .shares = shares, .count = count};
	return ERR_OK;
}

int production_take(
	struct measurements *measurements, const struct profile *profile, struct error *err)
{
	struct taking taking = {.profile = profile, .scratch = ARENA_INIT};
	struct map names;
	int rc;

	taking.type = find_cpu_type(profile);
	if (taking.type < 0)
		return error_set(err, ERR_CORRUPT,
			"it counts no CPU time, cycles or samples, by which one could weigh");
	map_init(&names);
	map_init(&taking.call_numbers);
	name_functions(measurements, &names);
	group_functions(&taking, &names);
	rc = take(&taking, measurements, err);
	map_release(&taking.call_numbers);
	map_release(&names);
	arena_release(&taking.scratch);
	free(taking.group_of);
	free(taking.groups);
	free(taking.calls);
	return rc;
}
