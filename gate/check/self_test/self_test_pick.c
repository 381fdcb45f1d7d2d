/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/self_test/self_test_pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/bench/recording/recording.h"
#include "gate/profile/profile.h"

#define LEAST_COVERED 0.9 /* of a function's samples, by ranges of its own */
#define TEST_DF 9         /* a test of n pairs has n + 9 degrees of freedom (statistics) */

/* An address that samples hit, and whose they are. Sorted by module and address. */
struct hit {
	uint32_t module, function;
	uint64_t address;
	double seconds;
};

struct function {
	const char *name, *file;
	double seconds;
	uint32_t names; /* functions of this name */
};

struct survey {
	const struct profile *profile;
	double scale;          /* seconds in one unit of its value */
	struct map modules;    /* build id and path -> a mapping of it */
	struct map identities; /* name and file -> function */
	struct map names;
	struct map hit_index;
	struct function *functions;
	size_t function_count, function_capacity;
	struct hit *hits;
	size_t hit_count, hit_capacity;
};

/* ---- what was hit -------------------------------------------------------------------------- */

static uint32_t intern_two(
	struct map *map, const char *one, const char *two, uint32_t value, bool *added)
{
	struct strbuf key = STRBUF_INIT;
	uint32_t id;

	strbuf_addstr(&key, one);
	strbuf_addch(&key, '\0');
	strbuf_addstr(&key, two);
	id = map_intern(map, key.data, key.length, value, added);
	strbuf_release(&key);
	return id;
}

static uint32_t module_of(struct survey *survey, uint32_t mapping)
{
	const struct profile_mapping *known;

	if (mapping == PROFILE_NO_MAPPING)
		return mapping;
	known = &survey->profile->mappings[mapping];
	return intern_two(&survey->modules, known->build_id, known->file, mapping, NULL);
}

static uint32_t function_of(struct survey *survey, const struct profile_location *location)
{
	static const struct profile_function unknown = {.name = "", .file = ""};
	const struct profile_function *known =
		location->line_count ? &survey->profile->functions[location->lines[0].function]
				     : &unknown;
	bool added;
	uint32_t id = intern_two(&survey->identities, known->name, known->file,
		(uint32_t)survey->function_count, &added);

	if (added) {
		survey->functions = grow_array(survey->functions, &survey->function_capacity,
			survey->function_count + 1, sizeof(*survey->functions));
		survey->functions[survey->function_count++] =
			(struct function){.name = known->name, .file = known->file};
	}
	return id;
}

static void add_hit(struct survey *survey, const struct hit *hit)
{
	const uint64_t key[3] = {hit->module, hit->function, hit->address};
	bool added;
	uint32_t id = map_intern(
		&survey->hit_index, key, sizeof(key), (uint32_t)survey->hit_count, &added);

	if (added) {
		survey->hits = grow_array(survey->hits, &survey->hit_capacity,
			survey->hit_count + 1, sizeof(*survey->hits));
		survey->hits[survey->hit_count] = *hit;
		survey->hits[survey->hit_count++].seconds = 0;
	}
	survey->hits[id].seconds += hit->seconds;
}

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static void count_names(struct survey *survey)
{
	for (size_t i = 0; i < survey->function_count; i++) {
		uint32_t first = map_intern(&survey->names, survey->functions[i].name,
			strlen(survey->functions[i].name), (uint32_t)i, NULL);

		survey->functions[first].names++;
	}
}

static void survey_init(struct survey *survey, const struct profile *profile)
{
	int value = profile_find_type(profile, PROFILE_TYPE_CPU);

	memset(survey, 0, sizeof(*survey));
	survey->profile = profile;
	map_init(&survey->modules);
	map_init(&survey->identities);
	map_init(&survey->names);
	map_init(&survey->hit_index);
	for (size_t i = 0; value >= 0 && i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf;
		struct hit hit;

		if (!sample->depth || sample->values[value] <= 0)
			continue;
		leaf = &profile->locations[sample->locations[0]];
		hit = (struct hit){module_of(survey, leaf->mapping), function_of(survey, leaf),
			leaf->address, (double)sample->values[value] / 1e9};
		survey->functions[hit.function].seconds += hit.seconds;
		add_hit(survey, &hit);
	}
	if (survey->hit_count)
		qsort(survey->hits, survey->hit_count, sizeof(*survey->hits), compare_hits);
	count_names(survey);
}

static void survey_release(struct survey *survey)
{
	map_release(&survey->modules);
	map_release(&survey->identities);
	map_release(&survey->names);
	map_release(&survey->hit_index);
	free(survey->functions);
	free(survey->hits);
}

/* ---- a function's code --------------------------------------------------------------------- */

struct stretch {
	struct slowdown_range range;
	uint32_t module;
	double seconds;
};

static int compare_stretches(const void *left, const void *right)
{
	const struct stretch *a = left, *b = right;

	if (a->seconds != b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	return (a->range.first > b->range.first) - (a->range.first < b->range.first);
}

/* An address that inlining gives to two functions belongs to neither's code. */
static bool is_shared(const struct survey *survey, size_t i)
{
	const struct hit *hits = survey->hits, *hit = &hits[i];

	return (i && hits[i - 1].module == hit->module && hits[i - 1].address == hit->address) ||
	       (i + 1 < survey->hit_count && hits[i + 1].module == hit->module &&
		       hits[i + 1].address == hit->address);
}

/* Stretches of code in which each sample is the function's, the costliest first. */
static size_t find_stretches(
	const struct survey *survey, uint32_t function, struct stretch *stretches)
{
	size_t count = 0;
	bool goes_on = false;

	for (size_t i = 0; i < survey->hit_count; i++) {
		const struct hit *hit = &survey->hits[i];
		bool is_own = hit->function == function && !is_shared(survey, i);

		if (is_own && goes_on && stretches[count - 1].module == hit->module) {
			stretches[count - 1].range.last = hit->address;
			stretches[count - 1].seconds += hit->seconds;
		} else if (is_own) {
			stretches[count++] = (struct stretch){
				{hit->address, hit->address}, hit->module, hit->seconds};
		}
		goes_on = is_own;
	}
	if (count)
		qsort(stretches, count, sizeof(*stretches), compare_stretches);
	return count;
}

/* "" if the sampler could not tell it from others. */
static const char *module_name(const struct survey *survey, uint32_t module, struct arena *arena)
{
	const struct profile_mapping *mapping;

	if (module == PROFILE_NO_MAPPING)
		return "";
	mapping = &survey->profile->mappings[module];
	if (!mapping->file[0] || mapping->file[0] == '[')
		return "";
	if (mapping->build_id[0])
		return arena_strdup(arena, mapping->build_id);
	return arena_printf(arena, "%s%s", mapping->file[0] == '/' ? "" : "/", mapping->file);
}

/* Of the module of the costliest stretch. Seconds in that code. */
static double take_code(const struct survey *survey, const struct stretch *stretches, size_t count,
	struct arena *arena, struct slowdown_place *code)
{
	struct slowdown_range *ranges = arena_array(arena, SLOWDOWN_MAX_RANGES, sizeof(*ranges));
	double seconds = 0;

	*code = (struct slowdown_place){.ranges = ranges, .module = ""};
	for (size_t i = 0; i < count && code->range_count < SLOWDOWN_MAX_RANGES; i++) {
		if (stretches[i].module != stretches[0].module)
			continue;
		ranges[code->range_count++] = stretches[i].range;
		seconds += stretches[i].seconds;
	}
	if (count)
		code->module = module_name(survey, stretches[0].module, arena);
	return seconds;
}

static bool has_own_name(const struct survey *survey, const struct function *function)
{
	uint32_t first = map_get_str(&survey->names, function->name);

	return function->name[0] && function->name[0] != '[' && first != MAP_NONE &&
	       survey->functions[first].names == 1;
}

static bool find_place(const struct survey *survey, uint32_t index, struct arena *arena,
	struct self_test_place *place, double *seconds)
{
	const struct function *function = &survey->functions[index];
	struct stretch *stretches;

	if (!has_own_name(survey, function))
		return false;
	stretches = xcalloc(survey->hit_count, sizeof(*stretches));
	*seconds = take_code(
		survey, stretches, find_stretches(survey, index, stretches), arena, &place->code);
	free(stretches);
	place->name = arena_strdup(arena, function->name);
	place->file = arena_strdup(arena, function->file);
	return place->code.module[0] && *seconds >= LEAST_COVERED * function->seconds;
}

/* ---- ranks --------------------------------------------------------------------------------- */

struct rank {
	const struct function *function;
	uint32_t index;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct function *a = ((const struct rank *)left)->function;
	const struct function *b = ((const struct rank *)right)->function;
	int names;

	if (a->seconds != b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	names = strcmp(a->name, b->name);
	return names ? names : strcmp(a->file, b->file);
}

static struct rank *rank_functions(const struct survey *survey)
{
	struct rank *ranks = xcalloc(survey->function_count + 1, sizeof(*ranks));

	for (size_t i = 0; i < survey->function_count; i++)
		ranks[i] = (struct rank){&survey->functions[i], (uint32_t)i};
	if (survey->function_count)
		qsort(ranks, survey->function_count, sizeof(*ranks), compare_ranks);
	return ranks;
}

static double cpu_seconds(const struct recording *recording)
{
	double seconds = 0;

	for (size_t i = 0; i < recording->round_count; i++)
		seconds += recording->rounds[i].cpu_seconds;
	return seconds;
}

void self_test_places(const struct recording *recording, const struct verdict_power *power,
	struct arena *arena, struct self_test_places *places)
{
	double all = cpu_seconds(recording), seconds;
	struct survey survey;
	struct rank *ranks;

	survey_init(&survey, recording->profile);
	ranks = rank_functions(&survey);
	*places = (struct self_test_places){
		.items = arena_array(arena, SELF_TEST_LAST_RANK, sizeof(*places->items)),
		.functions = survey.function_count};
	for (size_t rank = 1;
		all > 0 && rank <= SELF_TEST_LAST_RANK && rank <= survey.function_count; rank++) {
		struct self_test_place *place = &places->items[places->count];

		if (!find_place(&survey, ranks[rank - 1].index, arena, place, &seconds))
			continue;
		place->rank = rank;
		place->share = seconds / all;
		place->detectable = verdict_mde(power, place->share);
		places->count++;
	}
	free(ranks);
	survey_release(&survey);
}

/* ---- the choice ---------------------------------------------------------------------------- */

static bool is_large(const struct self_test_place *place, double slowdown)
{
	return slowdown <= SELF_TEST_MOST_PART * place->share;
}

/* Of those from this rank on that are fit, the wanted one in their order; NULL: there is none. */
static const struct self_test_place *pick_from(
	const struct self_test_places *places, size_t rank, double slowdown, uint64_t number)
{
	const struct self_test_place *fit[SELF_TEST_LAST_RANK];
	size_t count = 0;

	for (size_t i = 0; i < places->count; i++)
		if (places->items[i].rank >= rank && places->items[i].detectable <= slowdown &&
			is_large(&places->items[i], slowdown))
			fit[count++] = &places->items[i];
	return count ? fit[number % count] : NULL;
}

const struct self_test_place *self_test_pick(const struct self_test_places *places, double slowdown,
	uint64_t seed, const struct self_test_place **nearest)
{
	uint64_t number = hash_bytes(&seed, sizeof(seed), 0);
	const struct self_test_place *picked =
		pick_from(places, SELF_TEST_FIRST_RANK, slowdown, number);

	*nearest = NULL;
	for (size_t i = 0; i < places->count; i++)
		if (is_large(&places->items[i], slowdown) &&
			(!*nearest || places->items[i].detectable < (*nearest)->detectable))
			*nearest = &places->items[i];
	return picked ? picked : pick_from(places, 1, slowdown, number);
}

static struct verdict_power with_pairs(const struct verdict_power *power, double factor)
{
	struct verdict_power more = *power;

	for (int stage = 0; stage < 2; stage++)
		if (power->stage[stage].n > 0) {
			more.stage[stage].n = ceil(power->stage[stage].n * factor);
			more.stage[stage].df = more.stage[stage].n + TEST_DF;
			more.total.n[stage] = more.stage[stage].n;
		}
	return more;
}

size_t self_test_pairs_needed(const struct verdict_power *power, double share, double slowdown)
{
	double pairs = power->stage[0].n + power->stage[1].n;

	for (double factor = 1; pairs > 0 && pairs * factor <= RECORDING_MAX_ROUNDS;
		factor += 0.25) {
		struct verdict_power more = with_pairs(power, factor);

		if (verdict_mde(&more, share) <= slowdown)
			return (size_t)(more.stage[0].n + more.stage[1].n);
	}
	return 0;
}
