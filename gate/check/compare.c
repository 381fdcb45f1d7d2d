/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `flamegate compare` does: two recordings, profiles or URLs become measurements of one
 * benchmark, which are decided as a check's are. Declared in check.h.
 */
#include "gate/check/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "baseline/source.h"
#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/decide/decide.h"
#include "gate/check/measurements/measurements.h"
#include "gate/check/measurements/measurements_context.h"
#include "gate/check/runs/version_runs.h"
#include "gate/profile/profile_read.h"

/* A pprof file as a recording of one run: its time is what its samples say. */
static void recording_of_profile(
	struct recording *recording, struct profile *profile, const char *path)
{
	struct config_policy policy = config_policy_default();
	struct recording_round *round;
	size_t value = profile_judged_type(profile);
	double scale;

	recording_begin(recording, path, path, "run", &policy);
	profile_free(recording->profile);
	recording->profile = profile;
	round = arena_alloc(&recording->arena, sizeof(*round));
	scale = value_unit_scale(profile->types[value].unit);
	for (size_t i = 0; i < profile->sample_count; i++)
		round->sampled_seconds += (double)profile->samples[i].values[value] * scale;
	round->cpu_seconds = round->sampled_seconds;
	round->iterations = 1;
	round->samples = profile->sample_count;
	recording->rounds = round;
	recording->round_count = 1;
}

/* One of the two that are compared, as it was named. */
struct input {
	const char *path;
	struct recording recording;
	bool replicated; /* a recording of our own, with rounds */
};

static int unknown_type(
	const struct profile *profile, const char *type, const char *path, struct error *err)
{
	struct strbuf known = STRBUF_INIT;
	int rc;

	for (size_t i = 0; i < profile->type_count; i++)
		strbuf_addf(&known, "%s%s", i ? ", " : "", profile->types[i].type);
	rc = error_set(err, ERR_USAGE, "%s has no value type '%s' (there are: %s)", path, type,
		known.data);
	strbuf_release(&known);
	return rc;
}

/* Leaves the profile with one value type alone. */
static void keep_type(struct profile *profile, int index)
{
	for (size_t i = 0; i < profile->sample_count; i++) {
		int64_t *value = arena_alloc(&profile->arena, sizeof(*value));

		*value = profile->samples[i].values[index];
		profile->samples[i].values = value;
	}
	profile->types[0] = profile->types[index];
	profile->type_count = 1;
	profile->default_type = 0;
}

static bool holds_cost(const struct profile *profile, size_t value)
{
	for (size_t i = 0; i < profile->sample_count; i++)
		if (profile->samples[i].values[value])
			return true;
	return false;
}

static bool holds_any_cost(const struct profile *profile)
{
	for (size_t i = 0; i < profile->type_count; i++)
		if (holds_cost(profile, i))
			return true;
	return false;
}

/*
 * A profile without cost looks as if everything had become free, and two of them as if nothing had
 * changed. Memory in use is the one cost that may be nothing in a profile that was taken: that of a
 * program which frees what it allocates.
 */
static int check_holds_cost(
	const struct profile *profile, const char *type, const char *path, struct error *err)
{
	int named = type ? profile_find_type(profile, type) : -1;
	size_t value = named >= 0 ? (size_t)named : profile_judged_type(profile);
	const char *name = profile->types[value].type;

	if (holds_cost(profile, value) ||
		(strncmp(name, "inuse_", strlen("inuse_")) == 0 && holds_any_cost(profile)))
		return ERR_OK;
	return error_set(err, ERR_MEASURE,
		"%s: the profile is empty (none of its %zu samples has a value of '%s'), so there "
		"is nothing to compare",
		path, profile->sample_count, name);
}

static int fetch(const struct compare_options *options, const char *url,
	struct measurements *measurements, struct measured_benchmark *benchmark,
	struct profile **profile, struct error *err)
{
	const struct source_options source = {.credentials = options->credentials,
		.progress = options->progress,
		.progress_data = options->progress_data};
	struct store_lines notes = {.arena = ARENA_INIT};
	int rc = source_read(url, &source, profile, &notes, err);

	for (size_t i = 0; i < notes.count && !rc; i++)
		measurements_add_line(measurements, &benchmark->warnings,
			arena_printf(&measurements->arena, "%s: %s", url, notes.items[i]));
	store_lines_release(&notes);
	return rc;
}

static int load_profile(const struct compare_options *options, struct measurements *measurements,
	struct measured_benchmark *benchmark, struct input *input, struct error *err)
{
	struct profile *profile = NULL;
	int rc = source_is_url(input->path)
			 ? fetch(options, input->path, measurements, benchmark, &profile, err)
			 : profile_read_file(input->path, &profile, err);

	if (rc == ERR_NOT_FOUND)
		return err->code = source_is_url(input->path) ? ERR_MEASURE : ERR_USAGE;
	if (!rc && !profile->type_count)
		rc = error_set(err, ERR_CORRUPT, "%s: a profile without value types", input->path);
	if (!rc && options->type && profile_find_type(profile, options->type) < 0)
		rc = unknown_type(profile, options->type, input->path, err);
	if (!rc)
		rc = check_holds_cost(profile, options->type, input->path, err);
	if (!rc && options->type)
		keep_type(profile, profile_find_type(profile, options->type));
	if (rc)
		profile_free(profile);
	else
		recording_of_profile(&input->recording, profile, input->path);
	return rc;
}

static int check_recording(const struct recording *recording, const char *path, struct error *err)
{
	const char *type = recording->profile_type;

	if (recording_value_type(recording) < 0)
		return error_set(
			err, ERR_CORRUPT, "%s: its profile has no value type '%s'", path, type);
	return recording_may_be_nothing(recording)
		       ? ERR_OK
		       : check_holds_cost(recording->profile, type, path, err);
}

static int load_recording(struct input *input, struct error *err)
{
	int rc = recording_read(input->path, &input->recording, err);

	if (rc)
		return rc;
	rc = check_recording(&input->recording, input->path, err);
	if (rc)
		recording_release(&input->recording);
	return rc;
}

static int load(const struct compare_options *options, struct measurements *measurements,
	struct measured_benchmark *benchmark, struct input *input, struct error *err)
{
	struct stat info;

	input->replicated = !source_is_url(input->path) && stat(input->path, &info) == 0 &&
			    S_ISDIR(info.st_mode);
	if (!input->replicated)
		return load_profile(options, measurements, benchmark, input, err);
	if (options->type)
		return error_set(err, ERR_USAGE,
			"%s is a recording, which is of one type: --type is for profiles",
			input->path);
	return load_recording(input, err);
}

static const char *counted_unit(const struct recording *recording)
{
	const struct profile *profile = recording->profile;

	return value_unit_name(profile->types[profile_judged_type(profile)].unit);
}

static int check_units(
	const struct recording *base, const struct recording *head, struct error *err)
{
	const struct profile *a = base->profile, *b = head->profile;
	const char *left = a->types[profile_judged_type(a)].type,
		   *right = b->types[profile_judged_type(b)].type;

	if (strcmp(counted_unit(base), counted_unit(head)) == 0)
		return ERR_OK;
	return error_set(err, ERR_USAGE,
		"one side counts %s in %s, the other %s in %s: they cannot be compared (--type "
		"names a value type that both have)",
		left, counted_unit(base), right, counted_unit(head));
}

/* Both versions of one benchmark, pair by pair. */
static bool are_versions(const struct recording *base, const struct recording *head)
{
	return strcmp(base->benchmark, head->benchmark) == 0 && strcmp(base->role, "run") != 0 &&
	       strcmp(base->profile_type, RECORDING_TYPE_CPU) == 0 &&
	       recordings_are_pairs(base, head);
}

/* The same benchmark, measured at other times or places. */
static bool are_reference(const struct recording *base, const struct recording *head)
{
	return strcmp(base->benchmark, head->benchmark) == 0 && strcmp(base->role, "run") != 0 &&
	       strcmp(head->role, "run") != 0 &&
	       strcmp(base->profile_type, head->profile_type) == 0;
}

static void name_inputs(
	struct measurements *measurements, const struct input *base, const struct input *head)
{
	measurements->base.name = arena_strdup(&measurements->arena, base->path);
	measurements->head.name = arena_strdup(&measurements->arena, head->path);
	measurements->base.id = arena_strdup(&measurements->arena, base->recording.commit);
	measurements->head.id = arena_strdup(&measurements->arena, head->recording.commit);
}

static void name_benchmark(struct measurements *measurements, struct measured_benchmark *benchmark,
	const struct recording *recording)
{
	benchmark->name = arena_strdup(&measurements->arena, recording->benchmark);
	benchmark->command = arena_strdup(&measurements->arena, recording->command);
}

static void take_versions(
	struct measured_benchmark *benchmark, const struct input *base, const struct input *head)
{
	benchmark->recordings[VERSION_BASE] = base->recording;
	benchmark->recordings[VERSION_HEAD] = head->recording;
	benchmark->recorded = true;
}

/* Base stands where a store's baseline would. */
static void take_reference(struct measurements *measurements, struct measured_benchmark *benchmark,
	const struct input *base, const struct input *head)
{
	const char *type = head->recording.profile_type;
	bool counted = strcmp(type, RECORDING_TYPE_CPU) != 0;
	struct measured_reference *reference =
		measurements_add_reference(measurements, benchmark, type);

	name_benchmark(measurements, benchmark, &head->recording);
	benchmark->outcome = OUTCOME_PROFILE;
	benchmark->detail =
		counted ? "counted, not timed: decided where nothing but the code differs"
			: "not measured in pairs: compared with each other as with a stored "
			  "baseline, which is a screen and no proof";
	reference->store = arena_strdup(&measurements->arena, base->path);
	reference->commit = arena_strdup(&measurements->arena, base->recording.commit);
	reference->baseline = base->recording;
	reference->has_baseline = true;
	reference->counted = counted;
	benchmark->head_only = !counted;
	if (counted)
		reference->head = head->recording;
	else
		benchmark->recordings[VERSION_HEAD] = head->recording;
}

static void take_profiles(
	struct measured_benchmark *benchmark, const struct input *base, const struct input *head)
{
	take_versions(benchmark, base, head);
	benchmark->outcome = OUTCOME_PROFILE;
	benchmark->detail =
		"without pairs of runs of one benchmark flamegate cannot decide: this shows "
		"the difference, and chance is part of it";
}

static void take(struct measurements *measurements, struct measured_benchmark *benchmark,
	const struct input *base, const struct input *head)
{
	bool replicated = base->replicated && head->replicated;

	name_inputs(measurements, base, head);
	if (replicated && are_versions(&base->recording, &head->recording)) {
		take_versions(benchmark, base, head);
		name_benchmark(measurements, benchmark, &head->recording);
		measurements_recall(measurements, benchmark, &base->recording, &head->recording);
	} else if (replicated && are_reference(&base->recording, &head->recording)) {
		take_reference(measurements, benchmark, base, head);
	} else {
		take_profiles(benchmark, base, head);
	}
}

int compare_run(const struct compare_options *options, const char *base, const char *head,
	struct result **out, struct error *err)
{
	struct measurements *measurements = measurements_new("compare");
	struct measured_benchmark *benchmark =
		measurements_add_benchmark(measurements, head, "compare", "");
	struct input left = {.path = base}, right = {.path = head};
	int rc = load(options, measurements, benchmark, &left, err);

	if (rc)
		goto out;
	rc = load(options, measurements, benchmark, &right, err);
	if (rc) {
		recording_release(&left.recording);
		goto out;
	}
	rc = check_units(&left.recording, &right.recording, err);
	if (rc) {
		recording_release(&left.recording);
		recording_release(&right.recording);
		goto out;
	}
	take(measurements, benchmark, &left, &right);
	measurements->strict = options->strict;
	*out = decide_measurements(measurements);
out:
	measurements_free(measurements);
	return rc;
}
