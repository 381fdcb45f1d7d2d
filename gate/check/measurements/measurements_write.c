/* SPDX-License-Identifier: Apache-2.0 */
/* check.json, written; measurements_read.c reads it. */
#include "gate/check/measurements/measurements_json.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/file.h"
#include "gate/bench/recording/diff_json.h"
#include "gate/net/json.h"

const char *const measurements_outcome_names[MEASUREMENTS_OUTCOME_COUNT] = {
	[OUTCOME_MEASURED] = "measured",
	[OUTCOME_IDENTICAL] = "identical",
	[OUTCOME_NEW] = "new",
	[OUTCOME_BASE_FAILED] = "base_failed",
	[OUTCOME_ERROR] = "error",
	[OUTCOME_PROFILE] = "profile",
	[OUTCOME_SCREENED] = "screened",
};

const char *const measurements_work_names[MEASUREMENTS_WORK_COUNT] = {
	[RESULT_WORK_AS_IT_IS] = "as_it_is",
	[RESULT_WORK_REPLAYED] = "replayed",
	[RESULT_WORK_STEPPED] = "stepped",
};

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
	struct json_writer *json, const char *key, const struct measurements_lines *lines)
{
	json_member_array(json, key);
	for (size_t i = 0; i < lines->count; i++)
		json_write_string(json, lines->items[i]);
	json_array_end(json);
}

static void write_acceptance(
	struct json_writer *json, const struct measurements_acceptance *acceptance)
{
	json_object_begin(json);
	json_member_string(json, "benchmark", acceptance->benchmark);
	json_member_string(json, "function", acceptance->function);
	json_member_string(json, "metric", acceptance->metric ? acceptance->metric : "");
	json_member_string(json, "reason", acceptance->reason);
	json_member_string(json, "until", acceptance->until);
	json_member_string(json, "origin", acceptance->origin);
	json_member_string(json, "problem", acceptance->problem);
	json_object_end(json);
}

static void write_reference(struct json_writer *json, const struct measured_reference *reference)
{
	json_object_begin(json);
	json_member_string(json, "profile_type", reference->profile_type);
	json_member_string(json, "store", reference->store);
	json_member_string(json, "commit", reference->commit);
	json_member_string(json, "environment", reference->environment);
	json_member_string(json, "detail", reference->detail);
	json_member_uint64(json, "distance", reference->distance);
	write_lines(json, "losses", &reference->losses);
	json_member_bool(json, "has_baseline", reference->has_baseline);
	json_member_bool(json, "counted", reference->counted);
	json_object_end(json);
}

static void write_work(struct json_writer *json, const struct result_work *work)
{
	json_member_object(json, "work");
	json_member_string(json, "kind", measurements_work_names[work->kind]);
	json_member_uint64(json, "calls", work->calls);
	json_member_uint64(json, "processes", work->processes);
	json_member_uint64(json, "speed", work->speed);
	json_member_double(json, "step_seconds", work->step_seconds);
	json_member_double(json, "run_seconds", work->run_seconds);
	json_member_double(json, "real_seconds", work->real_seconds);
	json_member_double(json, "start_seconds", work->start_seconds);
	json_object_end(json);
}

static void write_benchmark(struct json_writer *json, const struct measured_benchmark *benchmark)
{
	json_object_begin(json);
	json_member_string(json, "name", benchmark->name);
	json_member_string(json, "slug", benchmark->slug);
	json_member_string(json, "command", benchmark->command);
	json_member_string(json, "outcome", measurements_outcome_names[benchmark->outcome]);
	json_member_bool(json, "fails", benchmark->fails);
	json_member_string(json, "detail", benchmark->detail);
	json_member_double(json, "wall_seconds", benchmark->wall_seconds);
	json_member_bool(json, "recorded", benchmark->recorded);
	json_member_bool(json, "head_only", benchmark->head_only);
	if (benchmark->work.kind != RESULT_WORK_AS_IT_IS)
		write_work(json, &benchmark->work);
	json_member_array(json, "references");
	for (size_t i = 0; i < benchmark->reference_count; i++)
		write_reference(json, &benchmark->references[i]);
	json_array_end(json);
	write_lines(json, "warnings", &benchmark->warnings);
	write_lines(json, "notes", &benchmark->notes);
	json_object_end(json);
}

static void write_measurements(struct json_writer *json, const struct measurements *measurements)
{
	json_object_begin(json);
	json_member_int64(json, "format", MEASUREMENTS_FORMAT);
	json_member_string(json, "tool_version", measurements->tool_version);
	json_member_string(json, "kind", measurements->kind);
	json_member_string(json, "date", measurements->date);
	write_commit(json, "base", &measurements->base);
	write_commit(json, "head", &measurements->head);
	if (measurements->snapshot[0])
		json_member_string(json, "snapshot", measurements->snapshot);
	json_member_string(json, "policy_origin", measurements->policy_origin);
	json_member_string(json, "environment", measurements->environment);
	write_lines(json, "config_changes", &measurements->config_changes);
	write_lines(json, "warnings", &measurements->warnings);
	write_lines(json, "notes", &measurements->notes);
	json_member_array(json, "accept");
	for (size_t i = 0; i < measurements->acceptance_count; i++)
		write_acceptance(json, &measurements->acceptances[i]);
	json_array_end(json);
	diff_write_json(json, "diff", &measurements->diff);
	production_write_json(json, "production", &measurements->production);
	json_member_array(json, "benchmarks");
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		write_benchmark(json, &measurements->benchmarks[i]);
	json_array_end(json);
	json_object_end(json);
}

int measurements_write(
	const struct measurements *measurements, const char *folder, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer json;
	char *path = file_join(folder, MEASUREMENTS_FILE_NAME);
	int rc;

	json_writer_init(&json, &text, 2);
	write_measurements(&json, measurements);
	strbuf_addch(&text, '\n');
	rc = file_mkdirs(folder, err);
	if (!rc)
		rc = file_write(path, text.data, text.length, err);
	free(path);
	strbuf_release(&text);
	return rc;
}
