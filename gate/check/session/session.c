/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/session/session.h"

#include "gate/base/file.h"
#include "gate/check/version.h"

#include <stdlib.h>
#include <string.h>

const char *const arm_names[ARM_COUNT] = {"base", "head"};

struct session *session_new(const char *kind)
{
	struct session *session = xcalloc(1, sizeof(*session));
	const struct result_commit nothing = {.id = "", .subject = "", .name = ""};

	arena_init(&session->arena);
	session->tool_version = FLAMEGATE_VERSION;
	session->kind = kind;
	session->date = session->policy_origin = session->environment = "";
	session->base = session->head = nothing;
	session->snapshot = "";
	return session;
}

size_t session_benchmarks_in_gate(const struct session *session)
{
	size_t count = 0;

	if (session->benchmarks_in_gate)
		return session->benchmarks_in_gate;
	for (size_t i = 0; i < session->benchmark_count; i++)
		count += session->benchmarks[i].outcome == OUTCOME_MEASURED;
	return count;
}

static void release_stored(struct session_stored *stored)
{
	free(stored->losses.items);
	if (stored->has_baseline)
		recording_release(&stored->baseline);
	if (stored->counted)
		recording_release(&stored->head);
}

void session_drop_stored(struct session_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->stored_count; i++)
		release_stored(&benchmark->stored[i]);
	free(benchmark->stored);
	benchmark->stored = NULL;
	benchmark->stored_count = benchmark->stored_capacity = 0;
}

void session_drop_recordings(struct session_benchmark *benchmark)
{
	if (benchmark->recorded)
		recording_release(&benchmark->recordings[ARM_BASE]);
	if (benchmark->recorded || benchmark->head_only)
		recording_release(&benchmark->recordings[ARM_HEAD]);
	benchmark->recorded = benchmark->head_only = false;
}

static void release_benchmark(struct session_benchmark *benchmark)
{
	free(benchmark->warnings.items);
	free(benchmark->notes.items);
	session_drop_stored(benchmark);
	session_drop_recordings(benchmark);
}

void session_free(struct session *session)
{
	if (!session)
		return;
	for (size_t i = 0; i < session->benchmark_count; i++)
		release_benchmark(&session->benchmarks[i]);
	free(session->benchmarks);
	free(session->config_changes.items);
	free(session->warnings.items);
	free(session->notes.items);
	free(session->acceptances);
	arena_release(&session->arena);
	free(session);
}

void session_add_line(struct session *session, struct session_lines *lines, const char *text)
{
	lines->items =
		grow_array(lines->items, &lines->capacity, lines->count + 1, sizeof(*lines->items));
	lines->items[lines->count++] = arena_strdup(&session->arena, text);
}

void session_add_acceptance(struct session *session, const struct session_acceptance *acceptance)
{
	if (session->acceptance_count == SESSION_MAX_ACCEPTANCES)
		return;
	session->acceptances = grow_array(session->acceptances, &session->acceptance_capacity,
		session->acceptance_count + 1, sizeof(*session->acceptances));
	session->acceptances[session->acceptance_count++] = *acceptance;
}

struct session_benchmark *session_add_benchmark(
	struct session *session, const char *name, const char *slug, const char *command)
{
	struct session_benchmark *benchmark;

	session->benchmarks = grow_array(session->benchmarks, &session->benchmark_capacity,
		session->benchmark_count + 1, sizeof(*session->benchmarks));
	benchmark = &session->benchmarks[session->benchmark_count++];
	memset(benchmark, 0, sizeof(*benchmark));
	benchmark->name = arena_strdup(&session->arena, name);
	benchmark->slug = arena_strdup(&session->arena, slug);
	benchmark->command = arena_strdup(&session->arena, command);
	benchmark->detail = "";
	return benchmark;
}

struct session_stored *session_add_stored(
	struct session *session, struct session_benchmark *benchmark, const char *profile_type)
{
	struct session_stored *stored;

	benchmark->stored = grow_array(benchmark->stored, &benchmark->stored_capacity,
		benchmark->stored_count + 1, sizeof(*benchmark->stored));
	stored = &benchmark->stored[benchmark->stored_count++];
	memset(stored, 0, sizeof(*stored));
	stored->profile_type = arena_strdup(&session->arena, profile_type);
	stored->store = stored->commit = stored->environment = stored->detail = "";
	return stored;
}

const struct session_stored *session_find_stored(
	const struct session_benchmark *benchmark, const char *profile_type)
{
	for (size_t i = 0; i < benchmark->stored_count; i++)
		if (strcmp(benchmark->stored[i].profile_type, profile_type) == 0)
			return &benchmark->stored[i];
	return NULL;
}

char *session_recording_path(const char *folder, const struct session_benchmark *benchmark,
	const char *name, const char *suffix)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s/%s%s", folder, benchmark->slug, name, suffix);
	return strbuf_detach(&path, NULL);
}

static int write_one(const struct recording *recording, const char *folder,
	const struct session_benchmark *benchmark, const char *name, const char *suffix,
	struct error *err)
{
	char *path = session_recording_path(folder, benchmark, name, suffix);
	int rc = recording_write(recording, path, err);

	free(path);
	return rc;
}

int session_write_recordings(
	const struct session_benchmark *benchmark, const char *folder, struct error *err)
{
	int rc = ERR_OK;

	if (benchmark->recorded)
		rc = write_one(&benchmark->recordings[ARM_BASE], folder, benchmark,
			arm_names[ARM_BASE], "", err);
	if (!rc && (benchmark->recorded || benchmark->head_only))
		rc = write_one(&benchmark->recordings[ARM_HEAD], folder, benchmark,
			arm_names[ARM_HEAD], "", err);
	for (size_t i = 0; i < benchmark->stored_count && !rc; i++) {
		const struct session_stored *stored = &benchmark->stored[i];

		if (stored->has_baseline)
			rc = write_one(&stored->baseline, folder, benchmark, SESSION_STORED,
				stored->profile_type, err);
		if (!rc && stored->counted)
			rc = write_one(&stored->head, folder, benchmark, SESSION_COUNTED,
				stored->profile_type, err);
	}
	return rc;
}
