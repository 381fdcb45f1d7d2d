/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measurements/measurements_context.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/bench/machine/fingerprint.h"

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

/* A recording need not grow with all that a commit touches: only functions are compared with it. */
static struct repo_diff relevant_diff(
	struct measurements *measurements, const struct measured_benchmark *benchmark)
{
	struct repo_diff diff = {.files = arena_array(&measurements->arena,
					 measurements->diff.file_count, sizeof(*diff.files))};
	struct map files;

	map_init(&files);
	for (int version = 0; version < VERSION_COUNT; version++)
		name_files(&files, benchmark->recordings[version].profile);
	for (size_t i = 0; i < measurements->diff.file_count; i++)
		if (is_named(&files, &measurements->diff.files[i]))
			diff.files[diff.file_count++] = measurements->diff.files[i];
	map_release(&files);
	return diff;
}

static bool has_pairs(const struct measured_benchmark *benchmark)
{
	return benchmark->recorded && benchmark->outcome == OUTCOME_MEASURED;
}

static struct recording_lines lines_of(const struct measurements_lines *lines)
{
	return (struct recording_lines){lines->items, lines->count};
}

/* One for another benchmark of the check would look unused where that is not compared. */
static bool is_for_another(const struct measurements *measurements,
	const struct measured_benchmark *benchmark,
	const struct measurements_acceptance *acceptance)
{
	if (strcmp(acceptance->benchmark, benchmark->name) == 0)
		return false;
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		if (strcmp(acceptance->benchmark, measurements->benchmarks[i].name) == 0)
			return true;
	return false;
}

static void carry_acceptances(struct measurements *measurements,
	const struct measured_benchmark *benchmark, struct recording_context *context)
{
	struct recording_acceptance *list =
		arena_array(&measurements->arena, measurements->acceptance_count, sizeof(*list));

	context->acceptances = list;
	for (size_t i = 0; i < measurements->acceptance_count; i++) {
		const struct measurements_acceptance *from = &measurements->acceptances[i];

		if (!is_for_another(measurements, benchmark, from))
			list[context->acceptance_count++] =
				(struct recording_acceptance){.benchmark = from->benchmark,
					.function = from->function,
					.metric = from->metric,
					.reason = from->reason,
					.until = from->until,
					.origin = from->origin,
					.problem = from->problem};
	}
}

void measurements_carry(struct measurements *measurements)
{
	for (size_t i = 0; i < measurements->benchmark_count; i++) {
		struct measured_benchmark *benchmark = &measurements->benchmarks[i];
		struct recording_context context = {
			.benchmarks_in_gate =
				(uint32_t)measurements_benchmarks_in_gate(measurements),
			.date = measurements->date,
			.policy_origin = measurements->policy_origin,
			.wall_seconds = benchmark->wall_seconds,
			.warnings = lines_of(&benchmark->warnings),
			.notes = lines_of(&benchmark->notes),
			.check_warnings = lines_of(&measurements->warnings),
			.check_notes = lines_of(&measurements->notes),
			.config_changes = lines_of(&measurements->config_changes),
			.production = measurements->production,
		};

		if (!has_pairs(benchmark))
			continue;
		context.diff = relevant_diff(measurements, benchmark);
		carry_acceptances(measurements, benchmark, &context);
		for (int version = 0; version < VERSION_COUNT; version++)
			benchmark->recordings[version].context = context;
	}
}

static int write_contexts(
	const struct measured_benchmark *benchmark, const char *folder, struct error *err)
{
	int rc = ERR_OK;

	for (int version = 0; version < VERSION_COUNT && !rc; version++) {
		char *path =
			measurements_recording_path(folder, benchmark, version_names[version], "");

		rc = recording_write_json(&benchmark->recordings[version], path, err);
		free(path);
	}
	return rc;
}

int measurements_write_contexts(
	struct measurements *measurements, const char *folder, struct error *err)
{
	int rc = ERR_OK;

	measurements_carry(measurements);
	for (size_t i = 0; i < measurements->benchmark_count && !rc; i++)
		if (has_pairs(&measurements->benchmarks[i]))
			rc = write_contexts(&measurements->benchmarks[i], folder, err);
	return rc;
}

/* ---- and back ------------------------------------------------------------------------------ */

static void add_lines(struct measurements *measurements, struct measurements_lines *to,
	const struct recording_lines *from)
{
	for (size_t i = 0; i < from->count; i++)
		measurements_add_line(measurements, to, from->items[i]);
}

static void recall_acceptance(
	struct measurements *measurements, const struct recording_acceptance *from)
{
	struct arena *arena = &measurements->arena;
	struct measurements_acceptance acceptance = {
		.benchmark = arena_strdup(arena, from->benchmark),
		.function = arena_strdup(arena, from->function),
		.metric = arena_strdup(arena, from->metric),
		.reason = arena_strdup(arena, from->reason),
		.until = arena_strdup(arena, from->until),
		.origin = arena_strdup(arena, from->origin),
		.problem = arena_strdup(arena, from->problem),
	};

	measurements_add_acceptance(measurements, &acceptance);
}

void measurements_recall(struct measurements *measurements, struct measured_benchmark *benchmark,
	const struct recording *base, const struct recording *head)
{
	const struct recording_context *context = &head->context;

	measurements->tool_version = arena_strdup(&measurements->arena, head->tool_version);
	measurements->environment = fingerprint_line(&head->fingerprint, &measurements->arena);
	if (!context->benchmarks_in_gate)
		return;
	measurements->benchmarks_in_gate = context->benchmarks_in_gate;
	measurements->date = arena_strdup(&measurements->arena, context->date);
	measurements->policy_origin = arena_strdup(&measurements->arena, context->policy_origin);
	benchmark->wall_seconds = context->wall_seconds;
	add_lines(measurements, &benchmark->warnings, &context->warnings);
	add_lines(measurements, &benchmark->notes, &context->notes);
	add_lines(measurements, &measurements->warnings, &context->check_warnings);
	add_lines(measurements, &measurements->notes, &context->check_notes);
	add_lines(measurements, &measurements->config_changes, &context->config_changes);
	for (size_t i = 0; i < context->acceptance_count; i++)
		recall_acceptance(measurements, &context->acceptances[i]);
	measurements->production = context->production;
	/* Held the other way round, its lines are those of the wrong side. */
	if (strcmp(base->role, version_names[VERSION_BASE]) == 0 &&
		strcmp(head->role, version_names[VERSION_HEAD]) == 0) {
		measurements->diff = context->diff;
		measurements->diff_known = true;
	}
}

/* ---- a new one ------------------------------------------------------------------------------ */

void measurements_stamp(struct measurements *measurements)
{
	struct fingerprint fingerprint;
	struct tm utc;
	time_t now = time(NULL);
	char text[32];

	gmtime_r(&now, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	measurements->date = arena_strdup(&measurements->arena, text);
	fingerprint_read(&fingerprint, &measurements->arena);
	measurements->environment = fingerprint_line(&fingerprint, &measurements->arena);
}
