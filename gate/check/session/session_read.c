/* SPDX-License-Identifier: Apache-2.0 */
/* check.json, read: it may come from anywhere, so every value is checked. */
#include "gate/check/session/session_json.h"

#include "gate/base/file.h"
#include "gate/bench/recording/diff_json.h"
#include "gate/bench/untrusted_file.h"
#include "gate/net/json.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)64 * 1024 * 1024)
#define MAX_BENCHMARKS 1000
#define MAX_LINES 100000
#define MAX_STORED 32

static int read_string(struct session *session, const struct json *object, const char *key,
	const char **out, struct error *err)
{
	const char *text;
	int rc = json_get_string(object, key, &text, err);

	if (!rc)
		*out = arena_strdup(&session->arena, text);
	return rc;
}

static int read_commit(struct session *session, const struct json *root, const char *key,
	struct result_commit *commit, struct error *err)
{
	const struct json *object;
	int rc = json_get_object(root, key, &object, err);

	if (!rc)
		rc = read_string(session, object, "id", &commit->id, err);
	if (!rc)
		rc = read_string(session, object, "subject", &commit->subject, err);
	if (!rc)
		rc = read_string(session, object, "name", &commit->name, err);
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

static int read_lines(struct session *session, const struct json *object, const char *key,
	struct session_lines *lines, struct error *err)
{
	const struct json *array, *item;
	const char *text;
	int rc = read_array(object, key, MAX_LINES, &array, err);

	if (rc)
		return rc;
	for (item = json_first(array); item && !rc; item = json_next(item)) {
		rc = json_string(item, &text, err);
		if (!rc)
			session_add_line(session, lines, text);
	}
	return rc;
}

static int read_acceptance(struct session *session, const struct json *object, struct error *err)
{
	struct session_acceptance one = {.quantity = ""};
	int rc = read_string(session, object, "benchmark", &one.benchmark, err);

	if (!rc)
		rc = read_string(session, object, "function", &one.function, err);
	/* Sessions of earlier versions have none. */
	if (!rc && json_get(object, "quantity"))
		rc = read_string(session, object, "quantity", &one.quantity, err);
	if (!rc)
		rc = read_string(session, object, "reason", &one.reason, err);
	if (!rc)
		rc = read_string(session, object, "until", &one.until, err);
	if (!rc)
		rc = read_string(session, object, "origin", &one.origin, err);
	if (!rc)
		rc = read_string(session, object, "problem", &one.problem, err);
	if (!rc)
		session_add_acceptance(session, &one);
	return rc;
}

/* Sessions of earlier versions have none. */
static int read_acceptances(struct session *session, const struct json *root, struct error *err)
{
	const struct json *array = NULL, *item;
	int rc = json_get(root, "accept")
			 ? read_array(root, "accept", SESSION_MAX_ACCEPTANCES, &array, err)
			 : ERR_OK;

	for (item = array ? json_first(array) : NULL; item && !rc; item = json_next(item))
		rc = read_acceptance(session, item, err);
	return rc;
}

static int read_outcome(const struct json *object, enum result_outcome *out, struct error *err)
{
	const char *name;
	int rc = json_get_string(object, "outcome", &name, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < SESSION_OUTCOME_COUNT; i++) {
		if (strcmp(name, session_outcome_names[i]) != 0)
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

static int read_fields(struct session *session, const struct json *object,
	struct session_benchmark *benchmark, struct error *err)
{
	int rc = read_outcome(object, &benchmark->outcome, err);

	if (!rc)
		rc = json_get_bool(object, "fails", &benchmark->fails, err);
	if (!rc)
		rc = read_string(session, object, "detail", &benchmark->detail, err);
	if (!rc)
		rc = json_get_number(object, "wall_seconds", &benchmark->wall_seconds, err);
	if (!rc)
		rc = read_lines(session, object, "warnings", &benchmark->warnings, err);
	/* Sessions of earlier versions have none. */
	if (!rc && json_get(object, "notes"))
		rc = read_lines(session, object, "notes", &benchmark->notes, err);
	return rc;
}

static int read_recording(const char *folder, const struct session_benchmark *benchmark,
	const char *name, const char *suffix, struct recording *recording, struct error *err)
{
	char *path = session_recording_path(folder, benchmark, name, suffix);
	int rc = recording_read(path, recording, err);

	free(path);
	return rc;
}

static int read_both_recordings(
	const char *folder, struct session_benchmark *benchmark, struct error *err)
{
	struct recording *recordings = benchmark->recordings;
	int rc = read_recording(
		folder, benchmark, arm_names[ARM_BASE], "", &recordings[ARM_BASE], err);

	if (rc)
		return rc;
	rc = read_recording(folder, benchmark, arm_names[ARM_HEAD], "", &recordings[ARM_HEAD], err);
	if (rc)
		recording_release(&recordings[ARM_BASE]);
	else
		benchmark->recorded = true;
	return rc;
}

static int read_head_recording(
	const char *folder, struct session_benchmark *benchmark, struct error *err)
{
	int rc = read_recording(
		folder, benchmark, arm_names[ARM_HEAD], "", &benchmark->recordings[ARM_HEAD], err);

	benchmark->head_only = rc == ERR_OK;
	return rc;
}

/* One that cannot be read is that benchmark's error, not the session's. */
static void load_recordings(
	struct session *session, const char *folder, bool both, struct session_benchmark *benchmark)
{
	struct error err = {0};
	int rc = both ? read_both_recordings(folder, benchmark, &err)
		      : read_head_recording(folder, benchmark, &err);

	if (!rc)
		return;
	benchmark->outcome = OUTCOME_ERROR;
	benchmark->detail = arena_strdup(&session->arena, err.message);
}

static int read_stored_fields(struct session *session, const struct json *object,
	struct session_stored *stored, struct error *err)
{
	int64_t distance;
	int rc = read_string(session, object, "store", &stored->store, err);

	if (!rc)
		rc = read_string(session, object, "commit", &stored->commit, err);
	if (!rc)
		rc = read_string(session, object, "environment", &stored->environment, err);
	if (!rc)
		rc = read_string(session, object, "detail", &stored->detail, err);
	if (!rc)
		rc = json_get_int64(object, "distance", &distance, err);
	if (!rc && (distance < 0 || distance > INT32_MAX))
		rc = json_error(json_get(object, "distance"), err, "no distance");
	if (!rc)
		stored->distance = (size_t)distance;
	return rc ? rc : read_lines(session, object, "losses", &stored->losses, err);
}

/* A stored baseline that cannot be read is one that cannot be used; a head's is an error. */
static int load_stored(struct session *session, const char *folder,
	const struct session_benchmark *benchmark, bool has_baseline, bool counted,
	struct session_stored *stored, struct error *err)
{
	struct error lost = {0};
	int rc = ERR_OK;

	if (has_baseline && read_recording(folder, benchmark, SESSION_STORED, stored->profile_type,
				    &stored->baseline, &lost))
		stored->detail = arena_strdup(&session->arena, lost.message);
	else
		stored->has_baseline = has_baseline;
	if (counted)
		rc = read_recording(folder, benchmark, SESSION_COUNTED, stored->profile_type,
			&stored->head, err);
	stored->counted = counted && !rc;
	return rc;
}

static int read_stored(struct session *session, const char *folder,
	struct session_benchmark *benchmark, const struct json *object, struct error *err)
{
	struct session_stored *stored;
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
	stored = session_add_stored(session, benchmark, type);
	rc = read_stored_fields(session, object, stored, err);
	return rc ? rc
		  : load_stored(session, folder, benchmark, has_baseline, counted, stored, err);
}

/* Sessions of earlier versions have none. */
static int read_all_stored(struct session *session, const char *folder,
	struct session_benchmark *benchmark, const struct json *object, struct error *err)
{
	const struct json *array = NULL, *item;
	int rc = json_get(object, "stored") ? read_array(object, "stored", MAX_STORED, &array, err)
					    : ERR_OK;

	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_stored(session, folder, benchmark, item, err);
	return rc;
}

static int read_benchmark(
	struct session *session, const char *folder, const struct json *object, struct error *err)
{
	struct session_benchmark *benchmark;
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
	benchmark = session_add_benchmark(session, name, slug, command);
	rc = read_fields(session, object, benchmark, err);
	if (!rc && (recorded || head_only))
		load_recordings(session, folder, recorded, benchmark);
	return rc ? rc : read_all_stored(session, folder, benchmark, object, err);
}

static int read_head(struct session *session, const struct json *root, struct error *err)
{
	int64_t format;
	int rc = json_get_int64(root, "format", &format, err);

	if (!rc && format != SESSION_FORMAT)
		rc = json_error(json_get(root, "format"), err,
			"written by another version of flamegate (format %lld, this reads %d)",
			(long long)format, SESSION_FORMAT);
	if (!rc)
		rc = read_string(session, root, "tool_version", &session->tool_version, err);
	if (!rc)
		rc = read_string(session, root, "kind", &session->kind, err);
	if (!rc)
		rc = read_string(session, root, "date", &session->date, err);
	if (!rc)
		rc = read_string(session, root, "policy_origin", &session->policy_origin, err);
	if (!rc)
		rc = read_string(session, root, "environment", &session->environment, err);
	return rc;
}

static int read_root(
	struct session *session, const char *folder, const struct json *root, struct error *err)
{
	const struct json *array = NULL, *item;
	int rc = read_head(session, root, err);

	if (!rc)
		rc = read_commit(session, root, "base", &session->base, err);
	if (!rc)
		rc = read_commit(session, root, "head", &session->head, err);
	/* There is one where head was a working tree. */
	if (!rc && json_get(root, "snapshot"))
		rc = read_string(session, root, "snapshot", &session->snapshot, err);
	if (!rc)
		rc = read_lines(session, root, "config_changes", &session->config_changes, err);
	if (!rc)
		rc = read_lines(session, root, "warnings", &session->warnings, err);
	/* Sessions of earlier versions have none. */
	if (!rc && json_get(root, "notes"))
		rc = read_lines(session, root, "notes", &session->notes, err);
	if (!rc)
		rc = read_acceptances(session, root, err);
	if (!rc)
		rc = diff_read_json(root, "diff", &session->arena, &session->diff, err);
	session->diff_known = !rc;
	/* There is one where the configuration names one. */
	if (!rc)
		rc = production_read_json(
			root, "production", &session->arena, &session->production, err);
	if (!rc)
		rc = read_array(root, "benchmarks", MAX_BENCHMARKS, &array, err);
	if (!rc && !json_length(array))
		rc = json_error(array, err, "a check without benchmarks decides nothing");
	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_benchmark(session, folder, item, err);
	return rc;
}

int session_read(const char *folder, struct session **out, struct error *err)
{
	const struct json_limits limits = {.max_bytes = MAX_BYTES, .max_depth = 8};
	struct session *session = session_new("check");
	struct strbuf text = STRBUF_INIT;
	struct json *root = NULL;
	char *path = file_join(folder, SESSION_FILE_NAME);
	int rc = untrusted_file_read(path, MAX_BYTES, &text, err);

	if (rc == ERR_NOT_FOUND)
		rc = err->code = ERR_USAGE;
	if (!rc)
		rc = json_parse(text.data, text.length, path, &limits, &root, err);
	if (!rc)
		rc = read_root(session, folder, root, err);
	json_free(root);
	strbuf_release(&text);
	free(path);
	if (rc)
		session_free(session);
	else
		*out = session;
	return rc;
}
