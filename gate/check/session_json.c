/* SPDX-License-Identifier: Apache-2.0 */
/* check.json: written and read. What is read may come from anywhere, so every value is checked. */
#include "gate/check/session.h"

#include "gate/base/file.h"
#include "gate/net/json.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)64 * 1024 * 1024)
#define MAX_BENCHMARKS 1000
#define MAX_LINES 100000

static const char *const outcome_names[] = {
	[OUTCOME_MEASURED] = "measured",
	[OUTCOME_IDENTICAL] = "identical",
	[OUTCOME_NEW] = "new",
	[OUTCOME_BASE_FAILED] = "base_failed",
	[OUTCOME_ERROR] = "error",
	[OUTCOME_PROFILE] = "profile",
};
#define OUTCOME_COUNT (sizeof(outcome_names) / sizeof(outcome_names[0]))

static void write_commit(
	struct json_writer *json, const char *key, const struct result_commit *commit)
{
	json_member_object(json, key);
	json_member_string(json, "id", commit->id);
	json_member_string(json, "subject", commit->subject);
	json_member_string(json, "name", commit->name);
	json_member_bool(json, "dirty", commit->dirty);
	json_object_end(json);
}

static void write_lines(
	struct json_writer *json, const char *key, const struct session_lines *lines)
{
	json_member_array(json, key);
	for (size_t i = 0; i < lines->count; i++)
		json_write_string(json, lines->items[i]);
	json_array_end(json);
}

static void write_file_change(struct json_writer *json, const struct repo_file_change *file)
{
	json_object_begin(json);
	json_member_string(json, "old_path", file->old_path);
	json_member_string(json, "new_path", file->new_path);
	json_member_bool(json, "binary", file->binary);
	json_member_array(json, "hunks");
	for (size_t i = 0; i < file->hunk_count; i++) {
		const struct repo_hunk *hunk = &file->hunks[i];

		json_array_begin(json);
		json_write_int64(json, hunk->old_start);
		json_write_int64(json, hunk->old_lines);
		json_write_int64(json, hunk->new_start);
		json_write_int64(json, hunk->new_lines);
		json_array_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void write_benchmark(struct json_writer *json, const struct session_benchmark *benchmark)
{
	json_object_begin(json);
	json_member_string(json, "name", benchmark->name);
	json_member_string(json, "slug", benchmark->slug);
	json_member_string(json, "command", benchmark->command);
	json_member_string(json, "outcome", outcome_names[benchmark->outcome]);
	json_member_bool(json, "fails", benchmark->fails);
	json_member_string(json, "detail", benchmark->detail);
	json_member_double(json, "wall_seconds", benchmark->wall_seconds);
	json_member_bool(json, "recorded", benchmark->recorded);
	write_lines(json, "warnings", &benchmark->warnings);
	json_object_end(json);
}

static void write_session(struct json_writer *json, const struct session *session)
{
	json_object_begin(json);
	json_member_int64(json, "format", SESSION_FORMAT);
	json_member_string(json, "tool_version", session->tool_version);
	json_member_string(json, "kind", session->kind);
	json_member_string(json, "date", session->date);
	write_commit(json, "base", &session->base);
	write_commit(json, "head", &session->head);
	json_member_string(json, "policy_origin", session->policy_origin);
	json_member_string(json, "environment", session->environment);
	write_lines(json, "config_changes", &session->config_changes);
	write_lines(json, "warnings", &session->warnings);
	json_member_array(json, "diff");
	for (size_t i = 0; i < session->diff.file_count; i++)
		write_file_change(json, &session->diff.files[i]);
	json_array_end(json);
	json_member_array(json, "benchmarks");
	for (size_t i = 0; i < session->benchmark_count; i++)
		write_benchmark(json, &session->benchmarks[i]);
	json_array_end(json);
	json_object_end(json);
}

int session_write(const struct session *session, const char *folder, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer json;
	char *path = file_join(folder, SESSION_FILE_NAME);
	int rc;

	json_writer_init(&json, &text, 2);
	write_session(&json, session);
	strbuf_addch(&text, '\n');
	rc = file_mkdirs(folder, err);
	if (!rc)
		rc = file_write(path, text.data, text.length, err);
	free(path);
	strbuf_release(&text);
	return rc;
}

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

static int read_hunk(const struct json *array, struct repo_hunk *hunk, struct error *err)
{
	uint32_t *fields[] = {
		&hunk->old_start, &hunk->old_lines, &hunk->new_start, &hunk->new_lines};
	int64_t number;
	int rc = json_expect(array, JSON_ARRAY, err);

	for (size_t i = 0; i < 4 && !rc; i++) {
		rc = json_int64(json_at(array, i), &number, err);
		if (!rc && (number < 0 || number > INT32_MAX))
			rc = json_error(array, err, "no line number");
		if (!rc)
			*fields[i] = (uint32_t)number;
	}
	return rc;
}

static int read_file_change(struct session *session, const struct json *object,
	struct repo_file_change *file, struct error *err)
{
	const struct json *array, *item;
	struct repo_hunk *hunks;
	int rc = read_string(session, object, "old_path", &file->old_path, err);

	if (!rc)
		rc = read_string(session, object, "new_path", &file->new_path, err);
	if (!rc)
		rc = json_get_bool(object, "binary", &file->binary, err);
	if (!rc)
		rc = read_array(object, "hunks", MAX_LINES, &array, err);
	if (rc)
		return rc;
	hunks = arena_array(&session->arena, json_length(array), sizeof(*hunks));
	file->hunks = hunks;
	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_hunk(item, &hunks[file->hunk_count++], err);
	return rc;
}

static int read_diff(struct session *session, const struct json *root, struct error *err)
{
	const struct json *array, *item;
	struct repo_diff *diff = &session->diff;
	int rc = read_array(root, "diff", MAX_LINES, &array, err);

	if (rc)
		return rc;
	diff->files = arena_array(&session->arena, json_length(array), sizeof(*diff->files));
	for (item = json_first(array); item && !rc; item = json_next(item))
		rc = read_file_change(session, item, &diff->files[diff->file_count++], err);
	return rc;
}

static int read_outcome(const struct json *object, enum result_outcome *out, struct error *err)
{
	const char *name;
	int rc = json_get_string(object, "outcome", &name, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < OUTCOME_COUNT; i++) {
		if (strcmp(name, outcome_names[i]) != 0)
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
	return rc;
}

static int read_both_recordings(
	const char *folder, struct session_benchmark *benchmark, struct error *err)
{
	int rc = ERR_OK;

	for (int arm = 0; arm < ARM_COUNT && !rc; arm++) {
		char *own = file_join(folder, benchmark->slug);
		char *path = file_join(own, arm_names[arm]);

		rc = recording_read(path, &benchmark->recordings[arm], err);
		if (rc && arm == ARM_HEAD)
			recording_release(&benchmark->recordings[ARM_BASE]);
		free(path);
		free(own);
	}
	return rc;
}

/* One that cannot be read is that benchmark's error, not the session's. */
static void load_recordings(
	struct session *session, const char *folder, struct session_benchmark *benchmark)
{
	struct error err = {0};

	if (!read_both_recordings(folder, benchmark, &err)) {
		benchmark->recorded = true;
		return;
	}
	benchmark->outcome = OUTCOME_ERROR;
	benchmark->detail = arena_strdup(&session->arena, err.message);
}

static int read_benchmark(
	struct session *session, const char *folder, const struct json *object, struct error *err)
{
	struct session_benchmark *benchmark;
	const char *name = "", *slug = "", *command = "";
	bool recorded = false;
	int rc = json_get_string(object, "name", &name, err);

	if (!rc)
		rc = json_get_string(object, "slug", &slug, err);
	if (!rc)
		rc = json_get_string(object, "command", &command, err);
	if (!rc)
		rc = json_get_bool(object, "recorded", &recorded, err);
	if (!rc && !slug_is_safe(slug))
		rc = json_error(json_get(object, "slug"), err, "not a file name");
	if (rc)
		return rc;
	benchmark = session_add_benchmark(session, name, slug, command);
	rc = read_fields(session, object, benchmark, err);
	if (!rc && recorded)
		load_recordings(session, folder, benchmark);
	return rc;
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
	if (!rc)
		rc = read_lines(session, root, "config_changes", &session->config_changes, err);
	if (!rc)
		rc = read_lines(session, root, "warnings", &session->warnings, err);
	if (!rc)
		rc = read_diff(session, root, err);
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
	int rc = file_read(path, MAX_BYTES, &text, err);

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
