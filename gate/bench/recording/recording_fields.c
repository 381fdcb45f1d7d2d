/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/recording_fields.h"

#include <stdint.h>

#include "gate/bench/recording/recording.h"

#define MAX_BENCHMARKS 1e6

static const char *const failure_words[] = {"warn", "fail", NULL};
static const char *const stored_words[] = {"screen", "warn", "fail", NULL};
static const char *const screen_words[] = {"prove", "fast", NULL};

#define GATE(name, metric)                                                                         \
	{                                                                                          \
		.key = name, .kind = FIELD_WORD,                                                   \
		.offset = offsetof(struct config_policy, gate) +                                   \
			  (metric) * sizeof(enum metric_gate),                                     \
		.words = metric_gate_words, .optional = true                                       \
	}
#define LATER_SIGNED(structure, member, most_)                                                     \
	{                                                                                          \
		.key = #member, .kind = FIELD_DOUBLE,                                              \
		.offset = offsetof(struct structure, member), .most = (most_), .optional = true,   \
		.least = -(most_)                                                                  \
	}
#define FIELD(structure, member, kind, most)                                                       \
	{                                                                                          \
#member, kind, offsetof(struct structure, member), most, NULL, false, 0            \
	}
#define WORD(structure, member, words, optional)                                                   \
	{                                                                                          \
#member, FIELD_WORD, offsetof(struct structure, member), 0, words, optional, 0     \
	}
#define LATER_NUMBER(structure, member, kind, most)                                                \
	{                                                                                          \
#member, kind, offsetof(struct structure, member), most, NULL, true, 0             \
	}
#define LATER(structure, member, kind)                                                             \
	{                                                                                          \
#member, kind, offsetof(struct structure, member), 0, NULL, true, 0                \
	}

static const struct field recording_fields_list[] = {
	FIELD(recording, tool_version, FIELD_STRING, 0),
	FIELD(recording, benchmark, FIELD_STRING, 0),
	FIELD(recording, command, FIELD_STRING, 0),
	FIELD(recording, role, FIELD_STRING, 0),
	FIELD(recording, commit, FIELD_STRING, 0),
	FIELD(recording, tree, FIELD_STRING, 0),
	FIELD(recording, mechanism, FIELD_STRING, 0),
	FIELD(recording, rate_hz, FIELD_UINT32, 1e6),
	FIELD(recording, counted_work, FIELD_BOOL, 0),
	LATER(recording, branch, FIELD_STRING),
	LATER(recording, profile_type, FIELD_STRING),
	LATER_NUMBER(recording, attempt, FIELD_UINT32, UINT32_MAX),
	LATER_NUMBER(recording, layouts, FIELD_UINT32, UINT32_MAX),
	LATER(recording, unsliced, FIELD_STRING),
	LATER_NUMBER(recording, slice_ns, FIELD_UINT64, 1e10),
};

static const struct field policy_fields_list[] = {
	WORD(config_policy, on_base_failure, failure_words, false),
	FIELD(config_policy, stage1_pairs, FIELD_UINT32, RECORDING_MAX_ROUNDS),
	FIELD(config_policy, stage2_pairs, FIELD_UINT32, RECORDING_MAX_ROUNDS),
	FIELD(config_policy, margin_points, FIELD_DOUBLE, 1e6),
	FIELD(config_policy, margin_self, FIELD_DOUBLE, 1e6),
	FIELD(config_policy, margin_inclusive, FIELD_DOUBLE, 1e6),
	FIELD(config_policy, margin_total, FIELD_DOUBLE, 1e6),
	LATER_NUMBER(config_policy, margin_sliced, FIELD_DOUBLE, 1e6),
	WORD(config_policy, stored, stored_words, true),
	WORD(config_policy, screen, screen_words, true),
	LATER_NUMBER(config_policy, detect, FIELD_DOUBLE, 1e6),
	WORD(config_policy, on_mde, failure_words, true),
	GATE("gate_cpu", METRIC_CPU),
	GATE("gate_instructions", METRIC_INSTRUCTIONS),
	GATE("gate_alloc_objects", METRIC_ALLOC_OBJECTS),
	GATE("gate_alloc_bytes", METRIC_ALLOC_BYTES),
	GATE("gate_peak_bytes", METRIC_PEAK_BYTES),
	GATE("gate_inuse_bytes", METRIC_INUSE_BYTES),
	GATE("gate_leak", METRIC_LEAK),
	GATE("gate_wall", METRIC_WALL),
	GATE("gate_off_cpu", METRIC_OFF_CPU),
	GATE("gate_lock_delay", METRIC_LOCK_DELAY),
	GATE("gate_contentions", METRIC_CONTENTIONS),
	GATE("gate_threads", METRIC_THREADS),
	GATE("gate_max_rss", METRIC_MAX_RSS),
};

static const struct field context_fields_list[] = {
	FIELD(recording_context, benchmarks_in_gate, FIELD_UINT32, MAX_BENCHMARKS),
	FIELD(recording_context, date, FIELD_STRING, 0),
	FIELD(recording_context, policy_origin, FIELD_STRING, 0),
	FIELD(recording_context, wall_seconds, FIELD_DOUBLE, MAX_METRIC),
};

static const struct field acceptance_fields_list[] = {
	FIELD(recording_acceptance, benchmark, FIELD_STRING, 0),
	FIELD(recording_acceptance, function, FIELD_STRING, 0),
	FIELD(recording_acceptance, reason, FIELD_STRING, 0),
	FIELD(recording_acceptance, until, FIELD_STRING, 0),
	FIELD(recording_acceptance, origin, FIELD_STRING, 0),
	FIELD(recording_acceptance, problem, FIELD_STRING, 0),
	LATER(recording_acceptance, metric, FIELD_STRING),
};

static const struct field fingerprint_fields_list[] = {
	FIELD(fingerprint, cpu_model, FIELD_STRING, 0),
	FIELD(fingerprint, cpu_flags_hash, FIELD_STRING, 0),
	FIELD(fingerprint, cpus_online, FIELD_UNSIGNED, 1e6),
	FIELD(fingerprint, cpus_allowed, FIELD_UNSIGNED, 1e6),
	FIELD(fingerprint, kernel, FIELD_STRING, 0),
	FIELD(fingerprint, machine, FIELD_STRING, 0),
	FIELD(fingerprint, libc, FIELD_STRING, 0),
	FIELD(fingerprint, os, FIELD_STRING, 0),
	FIELD(fingerprint, governor, FIELD_STRING, 0),
	FIELD(fingerprint, turbo, FIELD_STRING, 0),
	FIELD(fingerprint, virtualization, FIELD_STRING, 0),
	FIELD(fingerprint, perf_event_paranoid, FIELD_STRING, 0),
	FIELD(fingerprint, memory_bytes, FIELD_LONG, MAX_METRIC),
	LATER(fingerprint, compiler, FIELD_STRING),
	LATER(fingerprint, build_hash, FIELD_STRING),
};

static const struct field round_fields_list[] = {
	FIELD(recording_round, cpu_seconds, FIELD_DOUBLE, MAX_METRIC),
	FIELD(recording_round, sampled_seconds, FIELD_DOUBLE, MAX_METRIC),
	LATER_NUMBER(recording_round, own_seconds, FIELD_DOUBLE, MAX_METRIC),
	LATER_NUMBER(recording_round, paused_seconds, FIELD_DOUBLE, MAX_METRIC),
	LATER_NUMBER(recording_round, left_out_seconds, FIELD_DOUBLE, MAX_METRIC),
	LATER_NUMBER(recording_round, planted_seconds, FIELD_DOUBLE, MAX_METRIC),
	FIELD(recording_round, wall_seconds, FIELD_DOUBLE, MAX_METRIC),
	FIELD(recording_round, iterations, FIELD_DOUBLE, MAX_METRIC),
	FIELD(recording_round, samples, FIELD_UINT64, MAX_METRIC),
	FIELD(recording_round, complete, FIELD_UINT64, MAX_METRIC),
	FIELD(recording_round, lost, FIELD_UINT64, MAX_METRIC),
	FIELD(recording_round, order, FIELD_UINT32, 1),
	FIELD(recording_round, processes, FIELD_UINT32, UINT32_MAX),
	LATER_NUMBER(recording_round, max_rss_bytes, FIELD_DOUBLE, MAX_METRIC),
	LATER_NUMBER(recording_round, threads, FIELD_UINT32, UINT32_MAX),
	LATER_NUMBER(recording_round, off_cpu_seconds, FIELD_DOUBLE, MAX_METRIC),
	LATER_NUMBER(recording_round, lock_seconds, FIELD_DOUBLE, MAX_METRIC),
	LATER_NUMBER(recording_round, contentions, FIELD_DOUBLE, MAX_METRIC),
	LATER_SIGNED(recording_round, leak_bytes, MAX_METRIC),
	LATER_NUMBER(recording_round, leak_epochs, FIELD_UINT32, UINT32_MAX),
};

#define LIST(array)                                                                                \
	{                                                                                          \
		array, sizeof(array) / sizeof((array)[0])                                          \
	}

const struct field_list recording_fields = LIST(recording_fields_list);
const struct field_list policy_fields = LIST(policy_fields_list);
const struct field_list context_fields = LIST(context_fields_list);
const struct field_list acceptance_fields = LIST(acceptance_fields_list);
const struct field_list fingerprint_fields = LIST(fingerprint_fields_list);
const struct field_list round_fields = LIST(round_fields_list);

static const size_t context_line_offsets[CONTEXT_LINES] = {
	offsetof(struct recording_context, warnings),
	offsetof(struct recording_context, notes),
	offsetof(struct recording_context, check_warnings),
	offsetof(struct recording_context, check_notes),
	offsetof(struct recording_context, config_changes),
};
const char *const context_line_keys[CONTEXT_LINES] = {
	"warnings", "notes", "check_warnings", "check_notes", "config_changes"};

struct recording_lines *context_lines_of(const struct recording_context *context, size_t index)
{
	return (struct recording_lines *)((uintptr_t)context + context_line_offsets[index]);
}
