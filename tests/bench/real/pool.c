/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/real/pool.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/measurements/measurements_context.h"

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int64_t pair_of(const struct profile_sample *sample)
{
	return profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);
}

/* A counting sort; recording_check() has seen to it that every pair exists. */
static void index_samples(struct pool_index *index, const struct recording *recording)
{
	const struct profile *profile = recording->profile;
	size_t *next;

	index->samples = xcalloc(profile->sample_count, sizeof(*index->samples));
	index->start = xcalloc(recording->round_count + 1, sizeof(*index->start));
	for (size_t i = 0; i < profile->sample_count; i++)
		index->start[pair_of(&profile->samples[i]) + 1]++;
	for (size_t i = 0; i < recording->round_count; i++)
		index->start[i + 1] += index->start[i];
	next = xcalloc(recording->round_count + 1, sizeof(*next));
	memcpy(next, index->start, recording->round_count * sizeof(*next));
	for (size_t i = 0; i < profile->sample_count; i++)
		index->samples[next[pair_of(&profile->samples[i])]++] = (uint32_t)i;
	free(next);
}

static const struct recording *recording_of(const struct pool *pool, size_t set, int version)
{
	return &pool->sets[set]->benchmarks[0].recordings[version];
}

static int check_measurements(
	const struct pool *pool, size_t set, const char *folder, struct error *err)
{
	const struct measurements *read = pool->sets[set];
	const struct recording *first, *head;

	if (read->benchmark_count != 1 || !read->benchmarks[0].recorded ||
		read->benchmarks[0].outcome != OUTCOME_MEASURED)
		return error_set(
			err, ERR_USAGE, "%s is not one benchmark that was measured", folder);
	first = recording_of(pool, 0, VERSION_HEAD);
	head = recording_of(pool, set, VERSION_HEAD);
	if (strcmp(head->benchmark, first->benchmark) != 0 ||
		strcmp(head->commit, first->commit) != 0 ||
		(head->slice_ns != 0) != (first->slice_ns != 0))
		return error_set(err, ERR_USAGE,
			"%s is of another benchmark, commit or mode than the first", folder);
	return ERR_OK;
}

static int add_measurements(struct pool *pool, const char *folder, struct error *err)
{
	size_t at = pool->set_count, pairs;
	int rc = measurements_read(folder, &pool->sets[at], err);

	if (rc)
		return rc;
	pool->set_count++;
	rc = check_measurements(pool, at, folder, err);
	for (int version = 0; version < VERSION_COUNT && !rc; version++) {
		rc = recording_check(recording_of(pool, at, version), err);
		if (!rc)
			index_samples(&pool->index[at][version], recording_of(pool, at, version));
	}
	if (rc)
		return rc;
	pairs = recording_of(pool, at, VERSION_HEAD)->round_count;
	pool->pairs = xrealloc_array(pool->pairs, pool->pair_count + pairs, sizeof(*pool->pairs));
	for (uint32_t i = 0; i < pairs; i++)
		pool->pairs[pool->pair_count++] = (struct pool_pair){at, i};
	return ERR_OK;
}

int pool_init(struct pool *pool, const char *const *folders, size_t count, struct error *err)
{
	int rc = ERR_OK;

	*pool = (struct pool){.sets = xcalloc(count, sizeof(*pool->sets)),
		.index = xcalloc(count, sizeof(*pool->index))};
	for (size_t i = 0; i < count && !rc; i++)
		rc = add_measurements(pool, folders[i], err);
	return rc;
}

void pool_release(struct pool *pool)
{
	for (size_t i = 0; i < pool->set_count; i++) {
		for (int version = 0; version < VERSION_COUNT; version++) {
			free(pool->index[i][version].samples);
			free(pool->index[i][version].start);
		}
		measurements_free(pool->sets[i]);
	}
	free(pool->sets);
	free(pool->index);
	free(pool->pairs);
}

/* ---- drawing --------------------------------------------------------------------------------- */

void pool_draw(
	const struct pool *pool, uint64_t *random, size_t count, bool swap, struct pool_draw *draws)
{
	size_t *order = xcalloc(pool->pair_count, sizeof(*order));

	for (size_t i = 0; i < pool->pair_count; i++)
		order[i] = i;
	for (size_t i = 0; i < count; i++) {
		size_t other = i + next_random(random) % (pool->pair_count - i), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
		draws[i] = (struct pool_draw){order[i], swap && next_random(random) >> 63};
	}
	free(order);
}

/* One version of a drawn check, and what of one check's version is in it already. */
struct version_copier {
	struct recording *out;
	const struct recording *from; /* NULL: nothing yet */
	uint32_t *copies;             /* [location of from]: NOT_COPIED, or index in out */
	struct recording_code *code;  /* [function of from]; without a hash: unknown */
};

#define NOT_COPIED UINT32_MAX

static uint32_t copy_mapping(struct version_copier *builder, uint32_t mapping)
{
	struct profile_mapping copy;

	if (mapping == PROFILE_NO_MAPPING)
		return mapping;
	copy = builder->from->profile->mappings[mapping];
	/* Two builds of the same code have two ids, and both may be in one version here. */
	copy.build_id = "";
	return profile_add_mapping(builder->out->profile, &copy);
}

static uint32_t copy_function(struct version_copier *builder, uint32_t function)
{
	struct recording *out = builder->out;
	size_t known = out->profile->function_count;
	uint32_t copy =
		profile_add_function(out->profile, &builder->from->profile->functions[function]);

	if (out->profile->function_count > known && builder->code[function].hash) {
		out->code[out->code_count] = builder->code[function];
		out->code[out->code_count++].function = copy;
	}
	return copy;
}

static uint32_t copy_location(struct version_copier *builder, uint32_t location)
{
	struct profile_location copy = builder->from->profile->locations[location];
	struct profile_line *lines = xcalloc(copy.line_count, sizeof(*lines));

	for (uint32_t i = 0; i < copy.line_count; i++)
		lines[i] = (struct profile_line){
			copy_function(builder, copy.lines[i].function), copy.lines[i].line};
	copy.lines = lines;
	copy.mapping = copy_mapping(builder, copy.mapping);
	builder->copies[location] = profile_add_location(builder->out->profile, &copy);
	free(lines);
	return builder->copies[location];
}

static void copy_sample(
	struct version_copier *builder, const struct profile_sample *sample, int64_t pair)
{
	struct profile_sample copy = *sample;
	uint32_t *locations = xcalloc(sample->depth, sizeof(*locations));
	struct profile_label label = {.key = PROFILE_LABEL_ROUND, .number = pair, .unit = ""};

	for (uint32_t i = 0; i < sample->depth; i++) {
		locations[i] = builder->copies[sample->locations[i]];
		if (locations[i] == NOT_COPIED)
			locations[i] = copy_location(builder, sample->locations[i]);
	}
	copy.locations = locations;
	copy.labels = &label;
	copy.label_count = 1;
	profile_add_sample(builder->out->profile, &copy);
	free(locations);
}

static void begin_builder(
	struct version_copier *builder, struct recording *out, const struct recording *from)
{
	size_t count = from->profile->function_count, locations = from->profile->location_count;

	*builder = (struct version_copier){.out = out,
		.from = from,
		.copies = xcalloc(locations, sizeof(*builder->copies)),
		.code = xcalloc(count, sizeof(*builder->code))};
	memset(builder->copies, 0xff, locations * sizeof(*builder->copies));
	for (size_t i = 0; i < from->code_count; i++)
		if (from->code[i].function < count)
			builder->code[from->code[i].function] = from->code[i];
}

static void end_builder(struct version_copier *builder)
{
	free(builder->copies);
	free(builder->code);
}

/* builders: one for each version of each check. */
static void add_pair(const struct pool *pool, const struct pool_draw *draw, int version,
	int64_t pair, struct version_copier *builders, struct recording *out)
{
	const struct pool_pair *from = &pool->pairs[draw->pair];
	int source = draw->swapped ? 1 - version : version;
	const struct pool_index *index = &pool->index[from->set][source];
	struct version_copier *builder = &builders[from->set * VERSION_COUNT + (size_t)source];

	if (!builder->from)
		begin_builder(builder, out, recording_of(pool, from->set, source));
	out->rounds[pair] = builder->from->rounds[from->pair];
	for (size_t i = index->start[from->pair]; i < index->start[from->pair + 1]; i++)
		copy_sample(builder, &builder->from->profile->samples[index->samples[i]], pair);
}

static void add_pairs(const struct pool *pool, const struct pool_draw *draws, size_t count,
	int version, struct recording *out)
{
	size_t builder_count = pool->set_count * VERSION_COUNT;
	struct version_copier *builders = xcalloc(builder_count, sizeof(*builders));

	for (size_t i = 0; i < count; i++)
		add_pair(pool, &draws[i], version, (int64_t)i, builders, out);
	for (size_t i = 0; i < builder_count; i++)
		end_builder(&builders[i]);
	free(builders);
}

/* No more functions than all that it is drawn from. */
static size_t most_functions(const struct pool *pool)
{
	size_t sum = 0;

	for (size_t i = 0; i < pool->set_count; i++)
		for (int version = 0; version < VERSION_COUNT; version++)
			sum += recording_of(pool, i, version)->profile->function_count;
	return sum;
}

static void begin_version(
	const struct pool *pool, int version, size_t count, uint64_t seed, struct recording *out)
{
	const struct recording *like = recording_of(pool, 0, version);

	*out = *like;
	out->arena = (struct arena)ARENA_INIT;
	out->seed = seed;
	out->rounds = arena_array(&out->arena, count, sizeof(*out->rounds));
	out->round_count = count;
	out->code = arena_array(&out->arena, most_functions(pool), sizeof(*out->code));
	out->code_count = 0;
	out->profile = profile_new();
	for (size_t i = 0; i < like->profile->type_count; i++)
		profile_add_type(
			out->profile, like->profile->types[i].type, like->profile->types[i].unit);
	out->profile->default_type = like->profile->default_type;
}

struct measurements *pool_measurements(
	const struct pool *pool, const struct pool_draw *draws, size_t count, uint64_t seed)
{
	const struct measured_benchmark *like = &pool->sets[0]->benchmarks[0];
	struct measurements *measurements = measurements_new("check");
	struct measured_benchmark *benchmark =
		measurements_add_benchmark(measurements, like->name, like->slug, like->command);

	benchmark->outcome = OUTCOME_MEASURED;
	benchmark->recorded = true;
	for (int version = 0; version < VERSION_COUNT; version++) {
		begin_version(pool, version, count, seed, &benchmark->recordings[version]);
		add_pairs(pool, draws, count, version, &benchmark->recordings[version]);
	}
	measurements_recall(measurements, benchmark, &benchmark->recordings[VERSION_BASE],
		&benchmark->recordings[VERSION_HEAD]);
	return measurements;
}
