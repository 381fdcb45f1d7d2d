/* SPDX-License-Identifier: Apache-2.0 */
/* check.json, read: it may come from anywhere, so every value is checked. */
#include "gate/check/measurements/measurements_json.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"
#include "gate/bench/recording/diff_json.h"
#include "gate/bench/untrusted_file.h"
#include "gate/net/json.h"

#define MAX_BYTES ((size_t)64 * 1024 * 1024)
#define MAX_LINES 100000
#define MAX_REFERENCES 32

static int read_string(struct measurements *measurements, const struct json *object,
	const char *key, const char **out, struct error *err)
{
	const char *text;
	int rc = json_get_string(object, key, &text, err);

	if (!rc)
		*out = arena_strdup(&measurements->arena, text);
	return rc;
}

static int read_commit(struct measurements *measurements, const struct json *root, const char *key,
	struct result_commit *commit, struct error *err)
{
	const struct json *object;
	int rc = json_get_object(root, key, &object, err);

	if (!rc)
		rc = read_string(measurements, object, "id", &commit->id, err);
	if (!rc)
		rc = read_string(measurements, object, "subject", &commit->subject, err);
	if (!rc)
		rc = read_string(measurements, object, "name", &commit->name, err);
	if (!rc)
		rc = json_get_bool(object, "dirty", &commit->dirty, err);
	return rc;
}

/* An array member with at most max elements. */
static int read_array(const struct json *object, const char *key, size_t max,
	const struct json **out, struct error *err)
{
	int rc = json_get_array(object, key, out, err);

	if (!rc && json_length(*out) > max)
		rc = json_error(*out, err, "more than %zu elements", max);
	return rc;
}

static int read_lines(struct measurements *measurements, const struct json *object, const char *key,
	struct measurements_lines *lines, struct error *err)
{
	const struct json *array, *item;
	const char *text;
	int rc = read_array(object, key, MAX_LINES, &array, err);

	if (rc)
		return rc;
	for (item = json_first(array); item && !rc; item = json_next(item)) {
		rc = json_string(item, &text, err);
		if (!rc)
			measurements_add_line(measurements, lines, text);
	}
	return rc;
}

static int read_acceptance(
	struct measurements *measurements, const struct json *object, struct error *err)
{
	struct measurements_acceptance one = {.metric = ""};
	int rc = read_string(measurements, object, "benchmark", &one.benchmark, err);

	if (!rc)
		rc = read_string(measurements, object, "function", &one.function, err);
	/* Those of earlier flamegates have none. */
	if (!rc && json_get(object, "metric"))
		rc = read_string(measurements, object, "metric", &one.metric, err);
	if (!rc)
		rc = read_string(measurements, object, "reason", &one.reason, err);
	if (!rc)
		rc = read_string(measurements, object, "until", &one.until, err);
	if (!rc)
		rc = read_string(measurements, object, "origin", &one.origin, err);
	if (!rc)
		rc = read_string(measurements, object, "problem", &one.problem, err);
	if (!rc)
		measurements_add_acceptance(measurements, &one);
	return rc;
}

/* Those of earlier flamegates have none. */
static int read_acceptances(
	struct measurements *measurements, const struct json *root, struct error *err)
{
	const struct json *array = NULL, *item;
	int rc = json_get(root, "accept")
			 ? read_array(root, "accept", MEASUREMENTS_MAX_ACCEPTANCES, &array, err)
			 : ERR_OK;

	for (item = array ? json_first(array) : NULL; item && !rc; item = json_next(item))
		rc = read_acceptance(measurements, item, err);
	return rc;
}

static int read_work_kind(const struct json *object, enum result_work_kind *out, struct error *err)
{
	const char *name;
	int rc = json_get_string(object, "kind", &name, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < MEASUREMENTS_WORK_COUNT; i++) {
		if (strcmp(name, measurements_work_names[i]) != 0)
			continue;
		*out = (enum result_work_kind)i;
		return ERR_OK;
	}
	return json_error(json_get(object, "kind"), err, "no such kind of work");
}

/* What is only told to people: nothing is computed with it but a quotient. */
static int read_seconds(const struct json *object, struct result_work *work, struct error *err)
{
	int rc = json_get_number(object, "step_seconds", &work->step_seconds, err);

	if (!rc)
		rc = json_get_number(object, "run_seconds", &work->run_seconds, err);
	if (!rc)
		rc = json_get_number(object, "real_seconds", &work->real_seconds, err);
	if (!rc)
		rc = json_get_number(object, "start_seconds", &work->start_seconds, err);
	return rc;
}

static int read_uint(
	const struct json *object, const char *key, uint64_t most, uint64_t *out, struct error *err)
{
	int64_t number;
	int rc = json_get_int64(object, key, &number, err);

	if (rc)
		return rc;
	if (number < 0 || (uint64_t)number > most)
		return json_error(json_get(object, key), err, "out of range");
	*out = (uint64_t)number;
	return ERR_OK;
}

/* Absent: by the real clock. */
static int read_work(const struct json *benchmark, struct result_work *work, struct error *err)
{
	const struct json *object;
	uint64_t processes = 0, speed = 0;
	int rc;

	if (!json_get(benchmark, "work"))
		return ERR_OK;
	rc = json_get_object(benchmark, "work", &object, err);
	if (!rc)
		rc = read_work_kind(object, &work->kind, err);
	if (!rc)
		rc = read_uint(object, "calls", (uint64_t)1 << 53, &work->calls, err);
	if (!rc)
		rc = read_uint(object, "processes", UINT32_MAX, &processes, err);
	if (!rc)
		rc = read_uint(object, "speed", RUN_CLOCK_MOST_SPEED, &speed, err);
	work->processes = (uint32_t)processes;
	work->speed = (uint32_t)speed;
	return rc ? rc : read_seconds(object, work, err);
}

static int read_outcome(const struct json *object, enum result_outcome *out, struct error *err)
{
	const char *name;
	int rc = json_get_string(object, "outcome", &name, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < MEASUREMENTS_OUTCOME_COUNT; i++) {
		if (strcmp(name, measurements_outcome_names[i]) != 0)
			continue;
		*out = (enum result_outcome)i;
		return ERR_OK;
	}
	return json_error(json_get(object, "outcome"), err, "no such outcome");
}

/* The slug becomes a path: only what config.h promises may stand in it. */
static bool slug_is_safe(const char *slug)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

	return slug[0] && slug[0] != '.' && strlen(slug) < 200 &&
	       strspn(slug, allowed) == strlen(slug);
}

static int read_fields(struct measurements *measurements, const struct json *object,
	struct measured_benchmark *benchmark, struct error *err)
{
	int rc = read_outcome(object, &benchmark->outcome, err);

	if (!rc)
		rc = json_get_bool(object, "fails", &benchmark->fails, err);
	if (!rc)
		rc = read_string(measurements, object, "detail", &benchmark->detail, err);
	if (!rc)
		rc = json_get_number(object, "wall_seconds", &benchmark->wall_seconds, err);
	if (!rc)
		rc = read_work(object, &benchmark->work, err);
	if (!rc)
		rc = read_lines(measurements, object, "warnings", &benchmark->warnings, err);
	/* Those of earlier flamegates have none. */
	if (!rc && json_get(object, "notes"))
		rc = read_lines(measurements, object, "notes", &benchmark->notes, err);
	return rc;
}

static int read_recording(const char *folder, const struct measured_benchmark *benchmark,
	const char *name, const char *suffix, struct recording *recording, struct error *err)
{
	char *path = measurements_recording_path(folder, benchmark, name, suffix);
	int rc = recording_read(path, recording, err);

	free(path);
	return rc;
}

static int read_both_recordings(
	const char *folder, struct measured_benchmark *benchmark, struct error *err)
{
	struct recording *recordings = benchmark->recordings;
	int rc = read_recording(
		folder, benchmark, version_names[VERSION_BASE], "", &recordings[VERSION_BASE], err);

	if (rc)
		return rc;
	rc = read_recording(
		folder, benchmark, version_names[VERSION_HEAD], "", &recordings[VERSION_HEAD], err);
	if (rc)
		recording_release(&recordings[VERSION_BASE]);
	else
		benchmark->recorded = true;
	return rc;
}

static int read_head_recording(
	const char *folder, struct measured_benchmark *benchmark, struct error *err)
{
	int rc = read_recording(folder, benchmark, version_names[VERSION_HEAD], "",
		&benchmark->recordings[VERSION_HEAD], err);

	benchmark->head_only = rc == ERR_OK;
	return rc;
}

/* One that cannot be read is that benchmark's error, not the check's. */
static void load_recordings(struct measurements *measurements, const char *folder, bool both,
	struct measured_benchmark *benchmark)
{
	struct error err = {0};
	int rc = both ? read_both_recordings(folder, benchmark, &err)
		      : read_head_recording(folder, benchmark, &err);

	if (!rc)
		return;
	benchmark->outcome = OUTCOME_ERROR;
	benchmark->detail = arena_strdup(&measurements->arena, err.message);
}

static int read_reference_fields(struct measurements *measurements, const struct json *object,
	struct measured_reference *reference, struct error *err)
{
	int64_t distance;
	int rc = read_string(measurements, object, "store", &reference->store, err);

	if (!rc)
		rc = read_string(measurements, object, "commit", &reference->commit, err);
	if (!rc)
		rc = read_string(measurements, object, "environment", &reference->environment, err);
	if (!rc)
		rc = read_string(measurements, object, "detail", &reference->detail, err);
	if (!rc)
		rc = json_get_int64(object, "distance", &distance, err);
	if (!rc && (distance < 0 || distance > INT32_MAX))
		rc = json_error(json_get(object, "distance"), err, "no distance");
	if (!rc)
		reference->distance = (size_t)distance;
	return rc ? rc : read_lines(measurements, object, "losses", &reference->losses, err);
}

/* A stored baseline that cannot be read is one that cannot be used; a head's is an error. */
static int load_reference(struct measurements *measurements, const char *folder,
	const struct measured_benchmark *benchmark, bool has_baseline, bool counted,
	struct measured_reference *reference, struct error *err)
{
	struct error lost = {0};
	int rc = ERR_OK;

	if (has_baseline && read_recording(folder, benchmark, MEASUREMENTS_REFERENCE,
				    reference->profile_type, &reference->baseline, &lost))
		reference->detail = arena_strdup(&measurements->arena, lost.message);
	else
		reference->has_baseline = has_baseline;
	if (counted)
		rc = read_recording(folder, benchmark, MEASUREMENTS_COUNTED,
			reference->profile_type, &reference->head, err);
	reference->counted = counted && !rc;
	return rc;
}

static int read_reference(struct measurements *measurements, const char *folder,
	struct measured_benchmark *benchmark, const struct json *object, struct error *err)
{
	struct measured_reference *reference;
	const char *type = "";
	bool has_baseline = false, counted = false;
	int rc = json_get_string(object, "profile_type", &type, err);

	if (!rc && !recording_type_is_valid(type))
		rc = json_error(json_get(object, "profile_type"), err, "not a profile type");
	if (!rc)
		rc = json_get_bool(object, "has_baseline", &has_baseline, err);
	if (!rc)
		rc = json_get_bool(object, "counted", &counted, err);
	if (rc)
		return rc;
	reference = measurements_add_reference(measurements, benchmark, type);
	rc = read_reference_fields(measurements, object, reference, err);
	return rc ? rc
		  : load_reference(
			    measurements, folder, benchmark, has_baseline, counted, reference, err);
}

/* Those of earlier flamegates have none. */
static int read_references(struct measurements *measurements, const char *folder,
	struct measured_benchmark *benchmark, const struct json *object, struct error *err)
{
	const struct json *array = NULL, *item;
	int rc = json_get(object, "references")
			 ? read_array(object, "references", MAX_REFERENCES, &array, err)
			 : ERR_OK;

	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_reference(measurements, folder, benchmark, item, err);
	return rc;
}

static int read_benchmark(struct measurements *measurements, const char *folder,
	const struct json *object, struct error *err)
{
	struct measured_benchmark *benchmark;
	const char *name = "", *slug = "", *command = "";
	bool recorded = false, head_only = false;
	int rc = json_get_string(object, "name", &name, err);

	if (!rc)
		rc = json_get_string(object, "slug", &slug, err);
	if (!rc)
		rc = json_get_string(object, "command", &command, err);
	if (!rc)
		rc = json_get_bool(object, "recorded", &recorded, err);
	if (!rc && json_get(object, "head_only"))
		rc = json_get_bool(object, "head_only", &head_only, err);
	if (!rc && !slug_is_safe(slug))
		rc = json_error(json_get(object, "slug"), err, "not a file name");
	if (rc)
		return rc;
	benchmark = measurements_add_benchmark(measurements, name, slug, command);
	rc = read_fields(measurements, object, benchmark, err);
	if (!rc && (recorded || head_only))
		load_recordings(measurements, folder, recorded, benchmark);
	return rc ? rc : read_references(measurements, folder, benchmark, object, err);
}

static int read_head(struct measurements *measurements, const struct json *root, struct error *err)
{
	int64_t format;
	int rc = json_get_int64(root, "format", &format, err);

	if (!rc && format != MEASUREMENTS_FORMAT)
		rc = json_error(json_get(root, "format"), err,
			"written by another version of flamegate (format %lld, this reads %d)",
			(long long)format, MEASUREMENTS_FORMAT);
	if (!rc)
		rc = read_string(
			measurements, root, "tool_version", &measurements->tool_version, err);
	if (!rc)
		rc = read_string(measurements, root, "kind", &measurements->kind, err);
	if (!rc)
		rc = read_string(measurements, root, "date", &measurements->date, err);
	if (!rc)
		rc = read_string(
			measurements, root, "policy_origin", &measurements->policy_origin, err);
	if (!rc)
		rc = read_string(
			measurements, root, "environment", &measurements->environment, err);
	return rc;
}

static int read_root(struct measurements *measurements, const char *folder, const struct json *root,
	struct error *err)
{
	const struct json *array = NULL, *item;
	int rc = read_head(measurements, root, err);

	if (!rc)
		rc = read_commit(measurements, root, "base", &measurements->base, err);
	if (!rc)
		rc = read_commit(measurements, root, "head", &measurements->head, err);
	/* There is one where head was a working tree. */
	if (!rc && json_get(root, "snapshot"))
		rc = read_string(measurements, root, "snapshot", &measurements->snapshot, err);
	if (!rc)
		rc = read_lines(
			measurements, root, "config_changes", &measurements->config_changes, err);
	if (!rc)
		rc = read_lines(measurements, root, "warnings", &measurements->warnings, err);
	/* Those of earlier flamegates have none. */
	if (!rc && json_get(root, "notes"))
		rc = read_lines(measurements, root, "notes", &measurements->notes, err);
	if (!rc)
		rc = read_acceptances(measurements, root, err);
	if (!rc)
		rc = diff_read_json(root, "diff", &measurements->arena, &measurements->diff, err);
	measurements->diff_known = !rc;
	/* There is one where the configuration names one. */
	if (!rc)
		rc = production_read_json(
			root, "production", &measurements->arena, &measurements->production, err);
	if (!rc)
		rc = read_array(root, "benchmarks", MEASUREMENTS_MAX_BENCHMARKS, &array, err);
	if (!rc && !json_length(array))
		rc = json_error(array, err, "a check without benchmarks decides nothing");
	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_benchmark(measurements, folder, item, err);
	return rc;
}

int measurements_read(const char *folder, struct measurements **out, struct error *err)
{
	const struct json_limits limits = {.max_bytes = MAX_BYTES, .max_depth = 8};
	struct measurements *measurements = measurements_new("check");
	struct strbuf text = STRBUF_INIT;
	struct json *root = NULL;
	char *path = file_join(folder, MEASUREMENTS_FILE_NAME);
	int rc = untrusted_file_read(path, MAX_BYTES, &text, err);

	if (rc == ERR_NOT_FOUND)
		rc = err->code = ERR_USAGE;
	if (!rc)
		rc = json_parse(text.data, text.length, path, &limits, &root, err);
	if (!rc)
		rc = read_root(measurements, folder, root, err);
	json_free(root);
	strbuf_release(&text);
	free(path);
	if (rc)
		measurements_free(measurements);
	else
		*out = measurements;
	return rc;
}
