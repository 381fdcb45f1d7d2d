/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/bench/config/metric.h"
#include "gate/bench/recording/recording_json.h"
#include "gate/bench/untrusted_file.h"
#include "gate/profile/pprof.h"

#define MAX_JSON_BYTES ((size_t)8 << 20)
#define LEAST_COVERAGE 0.7
#define MOST_COVERAGE 1.3
#define PROCESS_UNSEEN_SECONDS 0.002
#define MOST_UNSEEN 0.3
#define SUM_TOLERANCE 1e-6

#define MAX_TYPE_BYTES 32

bool recording_type_is_valid(const char *type)
{
	size_t length = strlen(type);

	return length && length <= MAX_TYPE_BYTES && type[0] >= 'a' && type[0] <= 'z' &&
	       strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

const char *recording_environment(const struct recording *recording, struct arena *arena)
{
	return fingerprint_id(&recording->fingerprint, arena);
}

const char *mechanism_text(const char *mechanism)
{
	if (strcmp(mechanism, "perf") == 0)
		return "perf task-clock";
	if (strcmp(mechanism, "posix") == 0)
		return "POSIX CPU timer";
	return mechanism;
}

int recording_value_type(const struct recording *recording)
{
	return recording->profile ? profile_find_type(recording->profile, recording->profile_type)
				  : -1;
}

static bool is_sampled(const struct recording *recording)
{
	return strcmp(recording->profile_type, RECORDING_TYPE_CPU) == 0;
}

static char *profile_path(const struct recording *recording, const char *folder)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s.pb.gz", folder, recording->profile_type);
	return strbuf_detach(&path, NULL);
}

int recording_write_json(const struct recording *recording, const char *folder, struct error *err)
{
	char *json = file_join(folder, RECORDING_JSON_NAME);
	struct strbuf text = STRBUF_INIT;
	int rc;

	recording_encode(recording, &text);
	rc = file_write(json, text.data, text.length, err);
	strbuf_release(&text);
	free(json);
	return rc;
}

/* The JSON last: a folder without it is no recording. */
int recording_write(const struct recording *recording, const char *folder, struct error *err)
{
	char *profile = profile_path(recording, folder);
	int rc = file_mkdirs(folder, err);

	if (!rc)
		rc = pprof_write_file(recording->profile, profile, err);
	if (!rc)
		rc = recording_write_json(recording, folder, err);
	free(profile);
	return rc;
}

static int read_json(const char *folder, struct recording *recording, struct error *err)
{
	char *path = file_join(folder, RECORDING_JSON_NAME);
	struct strbuf text = STRBUF_INIT;
	int rc = untrusted_file_read(path, MAX_JSON_BYTES, &text, err);

	if (!rc) {
		rc = recording_decode(text.data, text.length, recording, err);
		if (rc)
			error_prefix(err, "%s", folder);
	}
	strbuf_release(&text);
	free(path);
	return rc;
}

static int read_profile(const char *folder, struct recording *recording, struct error *err)
{
	char *path = profile_path(recording, folder);
	struct strbuf bytes = STRBUF_INIT;
	int rc = untrusted_file_read(path, pprof_default_limits.max_bytes, &bytes, err);

	if (!rc) {
		rc = pprof_decode(bytes.data, bytes.length, NULL, &recording->profile, err);
		if (rc)
			error_prefix(err, "%s", path);
	}
	strbuf_release(&bytes);
	free(path);
	return rc;
}

int recording_read(const char *folder, struct recording *out, struct error *err)
{
	struct recording recording = {.arena = ARENA_INIT};
	int rc = read_json(folder, &recording, err);

	if (!rc)
		rc = read_profile(folder, &recording, err);
	if (!rc && recording_check_code(&recording, err))
		rc = error_prefix(err, "%s", folder);
	if (rc)
		recording_release(&recording);
	else
		*out = recording;
	return rc;
}

void recording_release(struct recording *recording)
{
	profile_free(recording->profile);
	arena_release(&recording->arena);
	*recording = (struct recording){.arena = ARENA_INIT};
}

/* Sampled seconds of each round, from the profile. */
static int sum_rounds(const struct recording *recording, double *seconds, struct error *err)
{
	const struct profile *profile = recording->profile;
	int type = recording_value_type(recording);
	size_t i;

	if (type < 0)
		return error_set(err, ERR_MEASURE, "the profile has no value type \"%s\"",
			recording->profile_type);
	for (i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		int64_t round = profile_sample_number(sample, PROFILE_LABEL_ROUND, -1);

		if (round < 0 || (uint64_t)round >= recording->round_count)
			return error_set(err, ERR_MEASURE,
				"the profile has a sample of round %" PRId64
				", but there are %zu rounds",
				round, recording->round_count);
		if (sample->values[type] < 0)
			return error_set(
				err, ERR_MEASURE, "the profile has a sample with a negative value");
		seconds[round] += (double)sample->values[type] / 1e9;
	}
	return ERR_OK;
}

static int check_round(
	const struct recording_round *round, size_t index, double seconds, struct error *err)
{
	double tolerance = SUM_TOLERANCE * fmax(1, round->sampled_seconds);

	if (!(round->cpu_seconds > 0))
		return error_set(err, ERR_MEASURE, "round %zu used no CPU time", index);
	if (!round->samples || !(seconds > 0))
		return error_set(err, ERR_MEASURE,
			"round %zu has no samples in %.4f s of CPU time: the benchmark is too "
			"short (give it at least 0.1 s of work), or its profile got lost",
			index, round->cpu_seconds);
	if (!(fabs(seconds - round->sampled_seconds) <= tolerance))
		return error_set(err, ERR_MEASURE,
			"round %zu: the profile holds %.6f s, but %.6f s were sampled: profile and "
			"totals do not belong together",
			index, seconds, round->sampled_seconds);
	if (!(round->iterations > 0))
		return error_set(err, ERR_MEASURE, "round %zu did no work", index);
	return ERR_OK;
}

double recording_unseen_seconds(double processes, double cpu_seconds)
{
	return fmin(PROCESS_UNSEEN_SECONDS * processes, MOST_UNSEEN * cpu_seconds);
}

/* Each run of fixed work is one iteration. */
double recording_run_seconds(const struct recording *recording)
{
	double used = 0, runs = 0;

	for (size_t i = 0; i < recording->round_count; i++) {
		used += recording->rounds[i].cpu_seconds;
		runs += recording->rounds[i].iterations;
	}
	return recording->counted_work || !(runs > 0) ? INFINITY : used / runs;
}

/* What grows with the work, or is not known not to. */
static bool is_per_work(const struct profile *profile)
{
	const char *type = profile && profile->type_count
				   ? profile->types[profile_judged_type(profile)].type
				   : "";
	enum metric metric = metric_of_type(type);

	if (metric != METRIC_COUNT)
		return metrics[metric].per_work;
	return strcmp(type, "inuse_objects") != 0 && strcmp(type, "peak_objects") != 0;
}

double recording_total_work(const struct recording *recording)
{
	bool per_work = is_per_work(recording->profile);
	double work = 0;

	for (size_t i = 0; i < recording->round_count; i++)
		work += per_work ? recording->rounds[i].iterations : 1;
	return work > 0 ? work : 1;
}

static int check_coverage(
	double sampled, double used, double unseen, double run_seconds, struct error *err)
{
	double share = sampled / used;

	if (sampled + unseen >= LEAST_COVERAGE * used && share <= MOST_COVERAGE)
		return ERR_OK;
	if (share < 1 && run_seconds < RECORDING_SHORT_SECONDS)
		return error_set(err, ERR_MEASURE,
			"a run takes only %.2g ms of CPU time, too short to be sampled (%.0f %% of "
			"it was): do more work per run, 0.1 s or more",
			run_seconds * 1e3, 100 * share);
	if (share < 1)
		return error_set(err, ERR_MEASURE,
			"samples account for %.0f %% of the CPU time: %.0f %% of the profile is "
			"missing (programs that cannot be preloaded, or a sampler that was stopped)",
			100 * share, 100 - 100 * share);
	return error_set(err, ERR_MEASURE,
		"samples account for %.0f %% of the CPU time: more was sampled than was used "
		"(processes that nobody waits for, or rounds that are not this version's)",
		100 * share);
}

static int check_sums(const struct recording *recording, double *seconds, struct error *err)
{
	double sampled = 0, used = 0, processes = 0;
	int rc = sum_rounds(recording, seconds, err);
	size_t i;

	if (rc || !is_sampled(recording))
		return rc;
	for (i = 0; !rc && i < recording->round_count; i++) {
		rc = check_round(&recording->rounds[i], i, seconds[i], err);
		sampled += seconds[i];
		used += recording->rounds[i].cpu_seconds;
		processes += recording->rounds[i].processes;
	}
	return rc ? rc
		  : check_coverage(sampled, used, recording_unseen_seconds(processes, used),
			    recording_run_seconds(recording), err);
}

bool recording_may_be_nothing(const struct recording *recording)
{
	return strcmp(recording->profile_type, metrics[METRIC_INUSE_BYTES].type) == 0;
}

/* Of the build's own files: what lies elsewhere may be anything's. */
static bool is_own(const struct profile_mapping *mapping)
{
	return mapping->file[0] && !strchr("/[", mapping->file[0]) && mapping->build_id[0];
}

/* Which mapping each of the build's own files had in each layout. */
struct objects {
	const struct recording *recording;
	struct map names, seen;
	uint32_t *number; /* [mapping]: of its file's name; MAP_NONE: not the build's own */
};

struct object_layout {
	uint32_t number, layout;
};

static void objects_init(struct objects *objects, const struct recording *recording)
{
	const struct profile *profile = recording->profile;

	objects->recording = recording;
	objects->number = xcalloc(profile->mapping_count + 1, sizeof(*objects->number));
	map_init(&objects->names);
	map_init(&objects->seen);
	for (size_t i = 0; i < profile->mapping_count; i++) {
		const char *file = profile->mappings[i].file;

		objects->number[i] =
			is_own(&profile->mappings[i])
				? map_intern(&objects->names, file, strlen(file), (uint32_t)i, NULL)
				: MAP_NONE;
	}
}

static void objects_release(struct objects *objects)
{
	map_release(&objects->names);
	map_release(&objects->seen);
	free(objects->number);
}

static int two_builds(const struct recording *recording, uint32_t first, uint32_t second,
	uint32_t layout, struct error *err)
{
	const struct profile_mapping *mappings = recording->profile->mappings;
	char relinked[96] = "";

	if (recording->layouts)
		snprintf(relinked, sizeof(relinked),
			" (both of seed %u: `relink` must make the same of the same seed)", layout);
	return error_set(err, ERR_MEASURE,
		"%.200s changed while it was measured: some runs were of build "
		"id %.12s, others of %.12s%s",
		mappings[first].file, mappings[first].build_id, mappings[second].build_id,
		relinked);
}

static int meet_object(
	struct objects *objects, uint32_t mapping, uint32_t layout, struct error *err)
{
	const struct profile_mapping *mappings = objects->recording->profile->mappings;
	const struct object_layout key = {objects->number[mapping], layout};
	uint32_t first = map_intern(&objects->seen, &key, sizeof(key), mapping, NULL);

	if (strcmp(mappings[first].build_id, mappings[mapping].build_id) == 0)
		return ERR_OK;
	return two_builds(objects->recording, first, mapping, layout, err);
}

static int meet_sample(
	struct objects *objects, const struct profile_sample *sample, struct error *err)
{
	const struct profile *profile = objects->recording->profile;
	uint32_t layouts = objects->recording->layouts, last = PROFILE_NO_MAPPING;
	int64_t round = profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);
	int rc = ERR_OK;

	for (uint32_t i = 0; i < sample->depth && !rc; i++) {
		uint32_t mapping = profile->locations[sample->locations[i]].mapping;

		if (mapping != last && mapping != PROFILE_NO_MAPPING &&
			objects->number[mapping] != MAP_NONE)
			rc = meet_object(
				objects, mapping, layouts ? (uint32_t)(round % layouts) : 0, err);
		last = mapping;
	}
	return rc;
}

/*
 * One file with two build ids was two files: the runs are not of one version. Linked anew for each
 * round it is one of each layout; rounds take turns at them.
 */
static int check_objects(const struct recording *recording, struct error *err)
{
	const struct profile *profile = recording->profile;
	struct objects objects;
	int rc = ERR_OK;

	objects_init(&objects, recording);
	for (size_t i = 0; i < profile->sample_count && !rc; i++)
		rc = meet_sample(&objects, &profile->samples[i], err);
	objects_release(&objects);
	return rc;
}

int recording_check(const struct recording *recording, struct error *err)
{
	double *seconds;
	int rc;

	if (!recording->round_count)
		return error_set(err, ERR_MEASURE, "it has no rounds");
	if (!recording->profile ||
		(!recording->profile->sample_count && !recording_may_be_nothing(recording)))
		return error_set(err, ERR_MEASURE, "the profile is empty");
	seconds = xcalloc(recording->round_count, sizeof(*seconds));
	rc = check_sums(recording, seconds, err);
	free(seconds);
	return rc ? rc : check_objects(recording, err);
}
