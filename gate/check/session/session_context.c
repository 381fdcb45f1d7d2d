/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/session/session_context.h"

#include "gate/bench/machine/fingerprint.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- into the recordings ------------------------------------------------------------------- */

static void name_files(struct map *files, const struct profile *profile)
{
	for (size_t i = 0; i < profile->function_count; i++)
		map_put_str(files, profile->functions[i].file, 1);
}

static bool is_named(const struct map *files, const struct repo_file_change *change)
{
	return map_get_str(files, change->new_path) != MAP_NONE ||
	       map_get_str(files, change->old_path) != MAP_NONE;
}

/* A recording need not grow with all that a commit touches: only functions are held against it. */
static struct repo_diff relevant_diff(
	struct session *session, const struct session_benchmark *benchmark)
{
	struct repo_diff diff = {.files = arena_array(&session->arena, session->diff.file_count,
					 sizeof(*diff.files))};
	struct map files;

	map_init(&files);
	for (int arm = 0; arm < ARM_COUNT; arm++)
		name_files(&files, benchmark->recordings[arm].profile);
	for (size_t i = 0; i < session->diff.file_count; i++)
		if (is_named(&files, &session->diff.files[i]))
			diff.files[diff.file_count++] = session->diff.files[i];
	map_release(&files);
	return diff;
}

static bool has_pairs(const struct session_benchmark *benchmark)
{
	return benchmark->recorded && benchmark->outcome == OUTCOME_MEASURED;
}

static struct recording_lines lines_of(const struct session_lines *lines)
{
	return (struct recording_lines){lines->items, lines->count};
}

/* One for another benchmark of the check would look unused where that is not compared. */
static bool is_for_another(const struct session *session, const struct session_benchmark *benchmark,
	const struct session_acceptance *acceptance)
{
	if (strcmp(acceptance->benchmark, benchmark->name) == 0)
		return false;
	for (size_t i = 0; i < session->benchmark_count; i++)
		if (strcmp(acceptance->benchmark, session->benchmarks[i].name) == 0)
			return true;
	return false;
}

static void carry_acceptances(struct session *session, const struct session_benchmark *benchmark,
	struct recording_context *context)
{
	struct recording_acceptance *list =
		arena_array(&session->arena, session->acceptance_count, sizeof(*list));

	context->acceptances = list;
	for (size_t i = 0; i < session->acceptance_count; i++) {
		const struct session_acceptance *from = &session->acceptances[i];

		if (!is_for_another(session, benchmark, from))
			list[context->acceptance_count++] =
				(struct recording_acceptance){.benchmark = from->benchmark,
					.function = from->function,
					.quantity = from->quantity,
					.reason = from->reason,
					.until = from->until,
					.origin = from->origin,
					.problem = from->problem};
	}
}

void session_carry(struct session *session)
{
	for (size_t i = 0; i < session->benchmark_count; i++) {
		struct session_benchmark *benchmark = &session->benchmarks[i];
		struct recording_context context = {
			.benchmarks_in_gate = (uint32_t)session_benchmarks_in_gate(session),
			.date = session->date,
			.policy_origin = session->policy_origin,
			.wall_seconds = benchmark->wall_seconds,
			.warnings = lines_of(&benchmark->warnings),
			.notes = lines_of(&benchmark->notes),
			.check_warnings = lines_of(&session->warnings),
			.check_notes = lines_of(&session->notes),
			.config_changes = lines_of(&session->config_changes),
			.production = session->production,
		};

		if (!has_pairs(benchmark))
			continue;
		context.diff = relevant_diff(session, benchmark);
		carry_acceptances(session, benchmark, &context);
		for (int arm = 0; arm < ARM_COUNT; arm++)
			benchmark->recordings[arm].context = context;
	}
}

static int write_contexts(
	const struct session_benchmark *benchmark, const char *folder, struct error *err)
{
	int rc = ERR_OK;

	for (int arm = 0; arm < ARM_COUNT && !rc; arm++) {
		char *path = session_recording_path(folder, benchmark, arm_names[arm], "");

		rc = recording_write_json(&benchmark->recordings[arm], path, err);
		free(path);
	}
	return rc;
}

int session_write_contexts(struct session *session, const char *folder, struct error *err)
{
	int rc = ERR_OK;

	session_carry(session);
	for (size_t i = 0; i < session->benchmark_count && !rc; i++)
		if (has_pairs(&session->benchmarks[i]))
			rc = write_contexts(&session->benchmarks[i], folder, err);
	return rc;
}

/* ---- and back ------------------------------------------------------------------------------ */

static void add_lines(
	struct session *session, struct session_lines *to, const struct recording_lines *from)
{
	for (size_t i = 0; i < from->count; i++)
		session_add_line(session, to, from->items[i]);
}

static void recall_acceptance(struct session *session, const struct recording_acceptance *from)
{
	struct arena *arena = &session->arena;
	struct session_acceptance acceptance = {
		.benchmark = arena_strdup(arena, from->benchmark),
		.function = arena_strdup(arena, from->function),
		.quantity = arena_strdup(arena, from->quantity),
		.reason = arena_strdup(arena, from->reason),
		.until = arena_strdup(arena, from->until),
		.origin = arena_strdup(arena, from->origin),
		.problem = arena_strdup(arena, from->problem),
	};

	session_add_acceptance(session, &acceptance);
}

void session_recall(struct session *session, struct session_benchmark *benchmark,
	const struct recording *base, const struct recording *head)
{
	const struct recording_context *context = &head->context;

	session->tool_version = arena_strdup(&session->arena, head->tool_version);
	session->environment = fingerprint_line(&head->fingerprint, &session->arena);
	if (!context->benchmarks_in_gate)
		return;
	session->benchmarks_in_gate = context->benchmarks_in_gate;
	session->date = arena_strdup(&session->arena, context->date);
	session->policy_origin = arena_strdup(&session->arena, context->policy_origin);
	benchmark->wall_seconds = context->wall_seconds;
	add_lines(session, &benchmark->warnings, &context->warnings);
	add_lines(session, &benchmark->notes, &context->notes);
	add_lines(session, &session->warnings, &context->check_warnings);
	add_lines(session, &session->notes, &context->check_notes);
	add_lines(session, &session->config_changes, &context->config_changes);
	for (size_t i = 0; i < context->acceptance_count; i++)
		recall_acceptance(session, &context->acceptances[i]);
	session->production = context->production;
	/* Held the other way round, its lines are those of the wrong side. */
	if (strcmp(base->arm, arm_names[ARM_BASE]) == 0 &&
		strcmp(head->arm, arm_names[ARM_HEAD]) == 0) {
		session->diff = context->diff;
		session->diff_known = true;
	}
}

/* ---- a new one ------------------------------------------------------------------------------ */

void session_stamp(struct session *session)
{
	struct fingerprint fingerprint;
	struct tm utc;
	time_t now = time(NULL);
	char text[32];

	gmtime_r(&now, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	session->date = arena_strdup(&session->arena, text);
	fingerprint_read(&fingerprint, &session->arena);
	session->environment = fingerprint_line(&fingerprint, &session->arena);
}
