/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor found out as one JSON object, for scripts. */
#include "gate/check/version.h"
#include "gate/cli/doctor/doctor.h"
#include "gate/net/json.h"

static void write_bytes(struct json_writer *json, const char *key, uint64_t bytes)
{
	json_write_key(json, key);
	if (bytes == UINT64_MAX)
		json_write_null(json);
	else
		json_write_uint64(json, bytes);
}

/* Negative: not known. */
static void write_part(struct json_writer *json, const char *key, double part)
{
	json_write_key(json, key);
	if (part < 0)
		json_write_null(json);
	else
		json_write_double(json, part);
}

static void write_absent(struct json_writer *json, const char *key)
{
	json_write_key(json, key);
	json_write_null(json);
}

static void write_machine(struct json_writer *json, const struct doctor_report *report)
{
	const struct fingerprint *fingerprint = &report->fingerprint;
	const struct machine_facts *facts = &report->facts;

	json_member_object(json, "machine");
	json_member_string(json, "cpu", fingerprint->cpu_model);
	json_member_uint64(json, "cpus_online", fingerprint->cpus_online);
	json_member_uint64(json, "cpus_allowed", fingerprint->cpus_allowed);
	json_member_bool(json, "smt", facts->smt);
	json_member_string(json, "kernel", fingerprint->kernel);
	json_member_string(json, "libc", fingerprint->libc);
	json_member_string(json, "os", fingerprint->os);
	json_member_string(json, "governor", fingerprint->governor);
	json_member_string(json, "turbo", fingerprint->turbo);
	json_member_string(json, "virtualization", fingerprint->virtualization);
	json_member_string(json, "perf_event_paranoid", fingerprint->perf_event_paranoid);
	json_member_string(json, "environment", report->environment);
	write_part(json, "load", facts->load);
	write_part(json, "steal", facts->steal);
	write_bytes(json, "memory_bytes", facts->memory_bytes);
	json_member_string(json, "scratch", facts->scratch);
	write_bytes(json, "scratch_bytes", facts->scratch_bytes);
	json_member_string(json, "cache", facts->cache);
	write_bytes(json, "cache_bytes", facts->cache_bytes);
	json_member_string(json, "git", facts->git);
	json_member_string(json, "library", report->library);
	json_member_string(json, "instructions", report->instructions);
	json_object_end(json);
}

static void write_clock(
	struct json_writer *json, const char *key, const struct probe_sampling *sampling)
{
	json_member_object(json, key);
	json_member_bool(json, "works", sampling->works);
	if (sampling->works) {
		json_member_double(json, "samples_per_cpu_second", sampling->rate_hz);
		json_member_double(json, "complete", sampling->complete);
		json_member_double(json, "coverage", sampling->coverage);
		json_member_double(json, "own_cost", sampling->own_cost);
	}
	json_object_end(json);
}

/* What `rate: auto` is here, and the nanoseconds a sample that it follows from. */
static void write_rate(struct json_writer *json, const struct doctor_report *report)
{
	if (!report->has_clock_cost) {
		write_absent(json, "auto");
		return;
	}
	json_member_object(json, "auto");
	json_member_uint64(json, "rate_hz", sampling_rate_auto(&report->clock_cost));
	json_member_string(json, "mechanism", report->clock_cost.mechanism);
	json_member_double(json, "signal_ns", report->clock_cost.signal_ns);
	json_object_end(json);
}

static void write_sampling(struct json_writer *json, const struct doctor_report *report)
{
	if (!report->has_sampling) {
		write_absent(json, "sampling");
		return;
	}
	json_member_object(json, "sampling");
	write_clock(json, "perf", &report->perf);
	write_clock(json, "posix", &report->posix);
	write_rate(json, report);
	if (report->switching_ns > 0)
		json_member_double(json, "perf_switch_ns", report->switching_ns);
	json_object_end(json);
}

static void write_cost(struct json_writer *json, const struct doctor_report *report)
{
	if (!report->has_cost) {
		write_absent(json, "cost");
		return;
	}
	json_member_object(json, "cost");
	json_member_bool(json, "measurable", report->cost.clear);
	json_member_double(json, "extra", report->cost.extra);
	json_member_double(json, "low", report->cost.low);
	json_member_double(json, "high", report->cost.high);
	json_object_end(json);
}

static void write_noise(struct json_writer *json, const struct doctor_report *report)
{
	if (!report->has_noise) {
		write_absent(json, "noise");
		return;
	}
	json_member_object(json, "noise");
	json_member_uint64(json, "runs", report->noise_runs);
	json_member_double(json, "cpu_seconds", report->noise.mean);
	json_member_double(json, "cv", report->noise.cv);
	json_member_double(json, "autocorrelation", report->noise.autocorrelation);
	json_member_double(json, "pair_deviation", report->noise.pair_deviation);
	json_member_uint64(json, "stage1_pairs", report->policy.stage1_pairs);
	json_member_uint64(json, "stage2_pairs", report->policy.stage2_pairs);
	json_member_double(json, "detectable_stage1", report->detectable[0]);
	json_member_double(json, "detectable", report->detectable[1]);
	json_object_end(json);
}

static void write_calibration(struct json_writer *json, const struct doctor_report *report)
{
	if (!report->has_calibration) {
		write_absent(json, "calibration_ns");
		return;
	}
	json_member_object(json, "calibration_ns");
	for (size_t i = 0; i < CALIBRATION_COUNT; i++)
		json_member_double(json, calibration_names[i], report->calibration.ns[i]);
	json_object_end(json);
}

static void write_benchmarks(struct json_writer *json, const struct doctor_project *project)
{
	json_member_array(json, "benchmarks");
	for (size_t i = 0; i < project->benchmark_count; i++) {
		json_object_begin(json);
		json_member_string(json, "name", project->benchmarks[i].name);
		json_member_string(json, "program", project->benchmarks[i].program);
		json_member_string(json, "problem", project->benchmarks[i].problem);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_stores(struct json_writer *json, const struct doctor_project *project)
{
	json_member_array(json, "stores");
	for (size_t i = 0; i < project->store_count; i++) {
		json_object_begin(json);
		json_member_string(json, "name", project->stores[i].name);
		json_member_bool(json, "asked", project->stores[i].asked);
		json_member_bool(json, "has_head", project->stores[i].has_head);
		json_member_string(json, "problem", project->stores[i].problem);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_project(struct json_writer *json, const struct doctor_project *project)
{
	if (!project->there) {
		write_absent(json, "project");
		return;
	}
	json_member_object(json, "project");
	json_member_string(json, "config", project->config);
	json_member_bool(json, "readable", project->readable);
	if (project->readable) {
		write_benchmarks(json, project);
		write_stores(json, project);
		json_member_object(json, "credentials");
		for (size_t i = 0; i < DOCTOR_VARIABLES; i++)
			json_member_bool(
				json, project->variables[i].name, project->variables[i].set);
		json_object_end(json);
	}
	json_object_end(json);
}

static void write_advice(struct json_writer *json, const struct doctor_report *report)
{
	json_member_array(json, "advice");
	for (size_t i = 0; i < report->advice_count; i++) {
		json_object_begin(json);
		json_member_string(json, "what", report->advice[i].what);
		json_member_string(json, "command", report->advice[i].command);
		json_object_end(json);
	}
	json_array_end(json);
}

void doctor_json(const struct doctor_report *report, struct strbuf *out)
{
	struct json_writer json;

	json_writer_init(&json, out, 2);
	json_object_begin(&json);
	json_member_string(&json, "flamegate", FLAMEGATE_VERSION);
	json_member_bool(&json, "can_measure", report->problem_count == 0);
	write_machine(&json, report);
	write_sampling(&json, report);
	write_cost(&json, report);
	write_noise(&json, report);
	write_calibration(&json, report);
	write_project(&json, &report->project);
	write_advice(&json, report);
	json_member_array(&json, "problems");
	for (size_t i = 0; i < report->problem_count; i++)
		json_write_string(&json, report->problems[i]);
	json_array_end(&json);
	json_object_end(&json);
	strbuf_addch(out, '\n');
}
