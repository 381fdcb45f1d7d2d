/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/session.h"

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
	return session;
}

static void release_benchmark(struct session_benchmark *benchmark)
{
	free(benchmark->warnings.items);
	if (!benchmark->recorded)
		return;
	for (int arm = 0; arm < ARM_COUNT; arm++)
		recording_release(&benchmark->recordings[arm]);
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
	arena_release(&session->arena);
	free(session);
}

void session_add_line(struct session *session, struct session_lines *lines, const char *text)
{
	lines->items =
		grow_array(lines->items, &lines->capacity, lines->count + 1, sizeof(*lines->items));
	lines->items[lines->count++] = arena_strdup(&session->arena, text);
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

int session_write_recordings(
	const struct session_benchmark *benchmark, const char *folder, struct error *err)
{
	int rc = ERR_OK;

	for (int arm = 0; arm < ARM_COUNT && !rc; arm++) {
		char *own = file_join(folder, benchmark->slug);
		char *path = file_join(own, arm_names[arm]);

		rc = recording_write(&benchmark->recordings[arm], path, err);
		free(path);
		free(own);
	}
	return rc;
}
