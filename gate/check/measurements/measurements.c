/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measurements/measurements.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/version.h"

const char *const version_names[VERSION_COUNT] = {"base", "head"};

struct measurements *measurements_new(const char *kind)
{
	struct measurements *measurements = xcalloc(1, sizeof(*measurements));
	const struct result_commit nothing = {.id = "", .subject = "", .name = ""};

	arena_init(&measurements->arena);
	measurements->tool_version = FLAMEGATE_VERSION;
	measurements->kind = kind;
	measurements->date = measurements->policy_origin = measurements->environment = "";
	measurements->base = measurements->head = nothing;
	measurements->snapshot = "";
	return measurements;
}

size_t measurements_benchmarks_in_gate(const struct measurements *measurements)
{
	size_t count = 0;

	if (measurements->benchmarks_in_gate)
		return measurements->benchmarks_in_gate;
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		count += measurements->benchmarks[i].outcome == OUTCOME_MEASURED;
	return count;
}

static void release_reference(struct measured_reference *reference)
{
	free(reference->losses.items);
	if (reference->has_baseline)
		recording_release(&reference->baseline);
	if (reference->counted)
		recording_release(&reference->head);
}

void measurements_drop_references(struct measured_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->reference_count; i++)
		release_reference(&benchmark->references[i]);
	free(benchmark->references);
	benchmark->references = NULL;
	benchmark->reference_count = benchmark->reference_capacity = 0;
}

void measurements_drop_recordings(struct measured_benchmark *benchmark)
{
	if (benchmark->recorded)
		recording_release(&benchmark->recordings[VERSION_BASE]);
	if (benchmark->recorded || benchmark->head_only)
		recording_release(&benchmark->recordings[VERSION_HEAD]);
	benchmark->recorded = benchmark->head_only = false;
}

static void release_benchmark(struct measured_benchmark *benchmark)
{
	free(benchmark->warnings.items);
	free(benchmark->notes.items);
	measurements_drop_references(benchmark);
	measurements_drop_recordings(benchmark);
}

void measurements_free(struct measurements *measurements)
{
	if (!measurements)
		return;
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		release_benchmark(&measurements->benchmarks[i]);
	free(measurements->benchmarks);
	free(measurements->config_changes.items);
	free(measurements->warnings.items);
	free(measurements->notes.items);
	free(measurements->acceptances);
	arena_release(&measurements->arena);
	free(measurements);
}

void measurements_add_line(
	struct measurements *measurements, struct measurements_lines *lines, const char *text)
{
	lines->items =
		grow_array(lines->items, &lines->capacity, lines->count + 1, sizeof(*lines->items));
	lines->items[lines->count++] = arena_strdup(&measurements->arena, text);
}

void measurements_add_acceptance(
	struct measurements *measurements, const struct measurements_acceptance *acceptance)
{
	if (measurements->acceptance_count == MEASUREMENTS_MAX_ACCEPTANCES)
		return;
	measurements->acceptances =
		grow_array(measurements->acceptances, &measurements->acceptance_capacity,
			measurements->acceptance_count + 1, sizeof(*measurements->acceptances));
	measurements->acceptances[measurements->acceptance_count++] = *acceptance;
}

struct measured_benchmark *measurements_add_benchmark(
	struct measurements *measurements, const char *name, const char *slug, const char *command)
{
	struct measured_benchmark *benchmark;

	measurements->benchmarks =
		grow_array(measurements->benchmarks, &measurements->benchmark_capacity,
			measurements->benchmark_count + 1, sizeof(*measurements->benchmarks));
	benchmark = &measurements->benchmarks[measurements->benchmark_count++];
	memset(benchmark, 0, sizeof(*benchmark));
	benchmark->name = arena_strdup(&measurements->arena, name);
	benchmark->slug = arena_strdup(&measurements->arena, slug);
	benchmark->command = arena_strdup(&measurements->arena, command);
	benchmark->detail = "";
	return benchmark;
}

struct measured_benchmark *measurements_split_benchmark(
	struct measurements *measurements, size_t index, size_t count)
{
	struct measured_benchmark *all, *first;
	size_t behind = measurements->benchmark_count - index - 1;

	release_benchmark(&measurements->benchmarks[index]);
	measurements->benchmarks =
		grow_array(measurements->benchmarks, &measurements->benchmark_capacity,
			measurements->benchmark_count + count, sizeof(*measurements->benchmarks));
	all = measurements->benchmarks;
	first = &all[index];
	memmove(first + count, first + 1, behind * sizeof(*all));
	memset(first, 0, count * sizeof(*all));
	for (size_t i = 0; i < count; i++)
		first[i].name = first[i].slug = first[i].command = first[i].detail = "";
	measurements->benchmark_count += count - 1;
	return first;
}

struct measured_reference *measurements_add_reference(struct measurements *measurements,
	struct measured_benchmark *benchmark, const char *profile_type)
{
	struct measured_reference *reference;

	benchmark->references = grow_array(benchmark->references, &benchmark->reference_capacity,
		benchmark->reference_count + 1, sizeof(*benchmark->references));
	reference = &benchmark->references[benchmark->reference_count++];
	memset(reference, 0, sizeof(*reference));
	reference->profile_type = arena_strdup(&measurements->arena, profile_type);
	reference->store = reference->commit = reference->environment = reference->detail = "";
	return reference;
}

const struct measured_reference *measurements_find_reference(
	const struct measured_benchmark *benchmark, const char *profile_type)
{
	for (size_t i = 0; i < benchmark->reference_count; i++)
		if (strcmp(benchmark->references[i].profile_type, profile_type) == 0)
			return &benchmark->references[i];
	return NULL;
}

char *measurements_recording_path(const char *folder, const struct measured_benchmark *benchmark,
	const char *name, const char *suffix)
{
	struct strbuf path = STRBUF_INIT;

	strbuf_addf(&path, "%s/%s/%s%s", folder, benchmark->slug, name, suffix);
	return strbuf_detach(&path, NULL);
}

static int write_one(const struct recording *recording, const char *folder,
	const struct measured_benchmark *benchmark, const char *name, const char *suffix,
	struct error *err)
{
	char *path = measurements_recording_path(folder, benchmark, name, suffix);
	int rc = recording_write(recording, path, err);

	free(path);
	return rc;
}

int measurements_write_recordings(
	const struct measured_benchmark *benchmark, const char *folder, struct error *err)
{
	int rc = ERR_OK;

	if (benchmark->recorded)
		rc = write_one(&benchmark->recordings[VERSION_BASE], folder, benchmark,
			version_names[VERSION_BASE], "", err);
	if (!rc && (benchmark->recorded || benchmark->head_only))
		rc = write_one(&benchmark->recordings[VERSION_HEAD], folder, benchmark,
			version_names[VERSION_HEAD], "", err);
	for (size_t i = 0; i < benchmark->reference_count && !rc; i++) {
		const struct measured_reference *reference = &benchmark->references[i];

		if (reference->has_baseline)
			rc = write_one(&reference->baseline, folder, benchmark,
				MEASUREMENTS_REFERENCE, reference->profile_type, err);
		if (!rc && reference->counted)
			rc = write_one(&reference->head, folder, benchmark, MEASUREMENTS_COUNTED,
				reference->profile_type, err);
	}
	return rc;
}
