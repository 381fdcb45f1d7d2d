/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/accept/accept.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/analysis/hidden.h"
#include "gate/check/decide/collapsed.h"
#include "gate/check/decide/decide_metrics.h"
#include "gate/check/decide/decide_reference.h"
#include "gate/check/decide/further.h"
#include "gate/check/findings/fill.h"
#include "gate/check/findings/fill_work.h"
#include "gate/check/result.h"
#include "gate/check/source/foreign_files.h"
#include "gate/check/source/sources.h"
#include "gate/check/source/touched_bodies.h"
#include "gate/profile/frames/allocator_frames.h"

#define LEAST_CHANCE 0.5

static const enum result_status status_of_outcome[] = {
	[OUTCOME_MEASURED] = RESULT_PASS,
	[OUTCOME_IDENTICAL] = RESULT_PASS,
	[OUTCOME_NEW] = RESULT_NEUTRAL,
	[OUTCOME_BASE_FAILED] = RESULT_WARN,
	[OUTCOME_ERROR] = RESULT_ERROR,
	[OUTCOME_PROFILE] = RESULT_PASS,
	[OUTCOME_SCREENED] = RESULT_PASS,
};

static void set_error(struct result *result, struct result_benchmark *out, const char *detail)
{
	out->outcome = OUTCOME_ERROR;
	out->status = RESULT_ERROR;
	out->detail = arena_strdup(&result->arena, detail);
}

/* All reasons of a set, one sentence. */
static const char *reasons_text(struct arena *arena, const struct verdict_result *verdict)
{
	const char *text = "";

	for (uint32_t bit = 1; bit; bit <<= 1) {
		const char *reason = verdict->reasons & bit ? verdict_reason_text(bit) : "";

		if (reason[0])
			text = arena_printf(arena, "%s%s%s", text, text[0] ? "; " : "", reason);
	}
	return text;
}

/* Of the shorter of both versions' runs. */
static double shorter_run(const struct measured_benchmark *measured)
{
	return fmin(recording_run_seconds(&measured->recordings[VERSION_BASE]),
		recording_run_seconds(&measured->recordings[VERSION_HEAD]));
}

/* Why nothing could be decided. Short runs are seen by parts that differ, and nothing is lost. */
static const char *undecided_text(struct arena *arena, const struct measured_benchmark *measured,
	const struct verdict_result *verdict)
{
	const uint32_t uncovered = VERDICT_REASON_COVERAGE | VERDICT_REASON_COVERAGE_GAP;
	double seconds = shorter_run(measured);

	if (!(verdict->reasons & uncovered) || !(seconds < RECORDING_SHORT_SECONDS))
		return reasons_text(arena, verdict);
	return arena_printf(arena,
		"a run takes only %.2g ms of CPU time, too short to be sampled (samples account "
		"for %.0f %% of base and %.0f %% of head): do more work per run, 0.1 s or more",
		seconds * 1e3, 100 * verdict->coverage[VERSION_BASE],
		100 * verdict->coverage[VERSION_HEAD]);
}

static void apply_verdict(struct result *result, struct result_benchmark *out,
	const struct measured_benchmark *measured, const struct verdict_result *verdict)
{
	switch (verdict->status) {
	case VERDICT_REGRESSION:
		out->status = RESULT_FAIL;
		break;
	case VERDICT_PASS:
		out->status = warning_reasons(verdict) ? RESULT_WARN : RESULT_PASS;
		break;
	case VERDICT_UNDECIDED:
		set_error(result, out,
			"stage 1 flagged something, and stage 2 was not "
			"measured: nothing is decided");
		break;
	case VERDICT_CANNOT_DECIDE:
		set_error(result, out, undecided_text(&result->arena, measured, verdict));
		break;
	}
}

static void warn_at(
	struct result *result, struct result_benchmark *out, size_t at, const char *line)
{
	const char **warnings =
		arena_array(&result->arena, out->warning_count + 1, sizeof(*warnings));

	for (size_t i = 0; i < out->warning_count; i++)
		warnings[i + (i >= at)] = out->warnings[i];
	warnings[at] = line;
	out->warnings = warnings;
	out->warning_count++;
	if (out->status == RESULT_PASS)
		out->status = RESULT_WARN;
}

/* The verdict's sentence shows the first warning. */
static void warn_first(struct result *result, struct result_benchmark *out, const char *line)
{
	warn_at(result, out, 0, line);
}

/* No verdict on what is not measured: it is for a person to look at. */
static void suspect_hidden(const struct measured_benchmark *measured, struct result *result,
	struct result_benchmark *out)
{
	const char *growth = hidden_growth(&measured->recordings[VERSION_BASE],
		&measured->recordings[VERSION_HEAD], &result->arena);

	if (*growth)
		warn_first(result, out, growth);
}

/* Short enough for a headline. */
static const char *mde_text(struct arena *arena, double mde, double detect)
{
	if (isfinite(mde))
		return arena_printf(arena,
			"these runs can only detect an increase of %.3g %% of the benchmark in a "
			"function of 1 %% (80 %% power), above policy.detect (%.3g %%): use more or "
			"longer runs",
			mde * 100, detect * 100);
	return arena_printf(arena,
		"these runs cannot detect any increase in a function of 1 %% of the benchmark; "
		"policy.detect is %.3g %%: use more or longer runs",
		detect * 100);
}

/*
 * An increase of policy.detect would rather have been missed. That matters to who reads a pass: a
 * regression that was found needs no power. Its figures are no less measured for that. Between this
 * and finding it four times out of five, the report's figures say what was found how often.
 */
static void check_mde(const struct config_policy *policy, const struct verdict_result *verdict,
	struct by_cpu_time *by_cpu_time, struct result *result, struct result_benchmark *out)
{
	const char *line;

	if (!(policy->detect > 0) || out->mde_function <= policy->detect ||
		(out->status != RESULT_PASS && out->status != RESULT_WARN) ||
		verdict_chance(&verdict->power, VERDICT_TYPICAL_SHARE, policy->detect) >=
			LEAST_CHANCE)
		return;
	line = mde_text(&result->arena, out->mde_function, policy->detect);
	if (policy->on_mde == CONFIG_FAIL) {
		out->status = RESULT_ERROR;
		out->detail = line;
		by_cpu_time->why = "too noisy for policy.detect";
	} else {
		/* What warns already is the news. */
		warn_at(result, out, out->status == RESULT_WARN ? out->warning_count : 0, line);
	}
}

/* What was measured says too little to pass on, or to fail: it is shown, and not decided. */
static void doubt_profiles(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out)
{
	const char *collapsed = collapsed_profile(analysis, &result->arena);
	const char *nameless = nameless_profiles(analysis);

	if (*collapsed)
		set_error(result, out, collapsed);
	else if (*nameless)
		warn_first(result, out, nameless);
}

/* Why a total that grew is no regression; "" the numbers say it. */
static const char *why_total_is_let_pass(const struct verdict_result *verdict)
{
	if (total_is_layout(verdict))
		return "";
	if (verdict->total.flagged && !verdict->total.confirmed)
		return "the fresh pairs do not confirm it";
	if (verdict->total.state != VERDICT_UNCHANGED_CODE)
		return "";
	if (verdict->reasons & VERDICT_REASON_TOTAL_UNCHANGED)
		return "in functions whose machine code is the same in both versions";
	if (verdict->reasons & VERDICT_REASON_TOTAL_UNEXPLAINED)
		return "the samples do not show it in functions";
	return "no more than the code's place in memory may explain: its layout was not varied";
}

static void decide_measured(const struct measurements *measurements,
	const struct measured_benchmark *measured, size_t benchmarks_in_gate,
	struct by_cpu_time *by_cpu_time, struct result *result, struct result_benchmark *out)
{
	struct analysis analysis;
	struct error err = {0};

	if (analysis_prepare(&analysis, &measured->recordings[VERSION_BASE],
		    &measured->recordings[VERSION_HEAD], &measurements->diff, benchmarks_in_gate,
		    &err)) {
		set_error(result, out, err.message);
	} else {
		if (measurements->strict)
			analysis_judge_unchanged(&analysis);
		verdict_decide(&analysis.input, &analysis.scratch, &analysis.verdict);
		analysis_set_totals(&analysis);
		apply_verdict(result, out, measured, &analysis.verdict);
		suspect_hidden(measured, result, out);
		analysis.sources = measurements->sources;
		analysis.production = &measurements->production;
		touched_bodies_find(&analysis);
		fill_benchmark(&analysis, result, out);
		doubt_profiles(&analysis, result, out);
		by_cpu_time->why = why_total_is_let_pass(&analysis.verdict);
		by_cpu_time->is_layout = total_is_layout(&analysis.verdict);
		check_mde(&measured->recordings[VERSION_HEAD].policy, &analysis.verdict,
			by_cpu_time, result, out);
	}
	analysis_release(&analysis);
}

/*
 * Two trees without pairs of runs, or one against nothing. Their differences are shown as they are,
 * chance and another machine's speed included.
 */
static void show_profiles(const struct recording *base, const struct recording *head,
	struct result *result, struct result_benchmark *out)
{
	struct analysis analysis;
	struct error err = {0};

	if (analysis_prepare_profiles(&analysis, base, head, NULL, &err)) {
		set_error(result, out, err.message);
	} else {
		fill_profiles(&analysis, result, out);
		further_types(base, head, result, out);
	}
	analysis_release(&analysis);
}

/* Head was measured alone: beside it stands what is stored, if anything is. */
static void show_head(const struct measured_benchmark *measured, struct result *result,
	struct result_benchmark *out)
{
	const struct measured_reference *reference =
		measurements_find_reference(measured, RECORDING_TYPE_CPU);
	const struct recording *head = &measured->recordings[VERSION_HEAD];
	struct recording nothing;

	if (reference && reference->has_baseline) {
		show_profiles(&reference->baseline, head, result, out);
		return;
	}
	analysis_begin_nothing(&nothing, head);
	show_profiles(&nothing, head, result, out);
	recording_release(&nothing);
}

static void copy_lines(struct arena *arena, const struct measurements_lines *lines,
	const char *const **items, size_t *count)
{
	const char **copy = arena_array(arena, lines->count, sizeof(*copy));

	for (size_t i = 0; i < lines->count; i++)
		copy[i] = arena_strdup(arena, lines->items[i]);
	*items = copy;
	*count = lines->count;
}

static void show_counted(const struct measured_benchmark *measured, struct result *result,
	struct result_benchmark *out)
{
	for (size_t i = 0; i < measured->reference_count; i++)
		if (measured->references[i].counted && measured->references[i].has_baseline) {
			show_profiles(&measured->references[i].baseline,
				&measured->references[i].head, result, out);
			return;
		}
}

/*
 * Fills one benchmark's result from its recordings. Measurements that do not add up become
 * OUTCOME_ERROR. Strings are copied into result->arena.
 */
static void decide_benchmark(struct accept *accept, const struct measured_benchmark *measured,
	size_t benchmarks_in_gate, struct result *result, struct result_benchmark *out)
{
	const struct measurements *measurements = accept->measurements;
	struct by_cpu_time by_cpu_time = {.why = ""};
	enum result_status before;

	memset(out, 0, sizeof(*out));
	out->name = arena_strdup(&result->arena, measured->name);
	out->command = arena_strdup(&result->arena, measured->command);
	out->detail = arena_strdup(&result->arena, measured->detail);
	out->outcome = measured->outcome;
	out->status = measured->fails ? RESULT_ERROR : status_of_outcome[measured->outcome];
	out->wall_seconds = measured->wall_seconds;
	out->work = measured->work;
	copy_lines(&result->arena, &measured->warnings, &out->warnings, &out->warning_count);
	copy_lines(&result->arena, &measured->notes, &out->excluded, &out->excluded_count);
	out->unit = "seconds";
	out->profile_type = RECORDING_TYPE_CPU;
	out->diff_unknown = measurements->diff_known
				    ? ""
				    : "the recordings do not say what changed between them";
	if (measured->recorded && measured->outcome == OUTCOME_MEASURED)
		decide_measured(
			measurements, measured, benchmarks_in_gate, &by_cpu_time, result, out);
	else if (measured->recorded && measured->outcome != OUTCOME_ERROR)
		show_profiles(&measured->recordings[VERSION_BASE],
			&measured->recordings[VERSION_HEAD], result, out);
	else if (measured->head_only && measured->outcome != OUTCOME_ERROR)
		show_head(measured, result, out);
	else if (measured->outcome == OUTCOME_PROFILE)
		show_counted(measured, result, out);
	else if (measured->outcome == OUTCOME_MEASURED || measured->outcome == OUTCOME_SCREENED)
		set_error(result, out, "there are no recordings");
	further_counted(measured, &measurements->diff, result, out);
	fill_memory(measured, result, out);
	by_cpu_time.status = out->status;
	out->status = gated_status(measured, by_cpu_time.status);
	accept_measured(accept, result, out);
	/* What failed already is not for a stored baseline's findings to be accepted by. */
	before = out->status;
	decide_references(measurements, measured, benchmarks_in_gate, result, out);
	if (before != RESULT_FAIL)
		accept_references(accept, result, out);
	before = out->status;
	decide_metrics(measured, benchmarks_in_gate, &by_cpu_time, result, out);
	accept_metrics(accept, before, result, out);
	accept_whole(accept, result, out);
	fill_work(result, out);
	if (measurements->sources)
		forget_foreign_files(measurements->sources, &result->arena, out);
}

int decide_needs_stage2(const struct measured_benchmark *measured, size_t benchmarks_in_gate,
	bool *needed, struct error *err)
{
	struct analysis analysis;
	int rc = analysis_prepare(&analysis, &measured->recordings[VERSION_BASE],
		&measured->recordings[VERSION_HEAD], NULL, benchmarks_in_gate, err);

	if (!rc) {
		verdict_stage1(&analysis.input, &analysis.scratch, &analysis.verdict);
		*needed = analysis.verdict.status == VERDICT_UNDECIDED;
	}
	analysis_release(&analysis);
	return rc;
}

static struct result_commit copy_commit(struct arena *arena, const struct result_commit *from)
{
	return (struct result_commit){.id = arena_strdup(arena, from->id),
		.subject = arena_strdup(arena, from->subject),
		.name = arena_strdup(arena, from->name),
		.dirty = from->dirty};
}

static void raise_result(struct result *result, enum result_status status)
{
	if (result_status_weight(status) > result_status_weight(result->status))
		result->status = status;
}

static void sum_up(struct result *result)
{
	static const int exit_status[] = {[RESULT_PASS] = 0,
		[RESULT_WARN] = 0,
		[RESULT_FAIL] = 1,
		[RESULT_ERROR] = 3,
		[RESULT_NEUTRAL] = 0};

	/* Neutral is what has nothing but neutral ones. */
	result->status = result->benchmark_count ? RESULT_NEUTRAL : RESULT_PASS;
	for (size_t i = 0; i < result->benchmark_count; i++)
		raise_result(result, result->benchmarks[i].status);
	/* A warning is shown beside them; it makes no verdict of them. */
	if (result->warning_count && result->status != RESULT_NEUTRAL)
		raise_result(result, RESULT_WARN);
	result->exit_status = exit_status[result->status];
}

/* After the benchmarks: that is when their culprits' files are looked for. */
static void note_unread_source(const struct measurements *measurements, struct result *result)
{
	const char *trouble = measurements->sources ? sources_trouble(measurements->sources) : NULL;
	const char **notes;

	if (!trouble)
		return;
	notes = arena_array(&result->arena, result->note_count + 1, sizeof(*notes));
	for (size_t i = 0; i < result->note_count; i++)
		notes[i] = result->notes[i];
	notes[result->note_count++] = arena_strdup(&result->arena, trouble);
	result->notes = notes;
}

static void drop_from(const struct recording *recording)
{
	if (recording->profile)
		allocator_frames_drop(recording->profile);
}

/* Of earlier recordings and of others' profiles, so that both sides name whom they served. */
static void drop_allocators(const struct measurements *measurements)
{
	for (size_t i = 0; i < measurements->benchmark_count; i++) {
		const struct measured_benchmark *measured = &measurements->benchmarks[i];

		for (int version = 0; version < VERSION_COUNT; version++)
			drop_from(&measured->recordings[version]);
		for (size_t k = 0; k < measured->reference_count; k++) {
			drop_from(&measured->references[k].baseline);
			drop_from(&measured->references[k].head);
		}
	}
}

struct result *decide_measurements(const struct measurements *measurements)
{
	struct result *result = xcalloc(1, sizeof(*result));
	struct result_benchmark *benchmarks;
	size_t in_gate = measurements_benchmarks_in_gate(measurements);
	struct accept accept;

	arena_init(&result->arena);
	drop_allocators(measurements);
	accept_init(&accept, measurements, &result->arena);
	result->tool_version = arena_strdup(&result->arena, measurements->tool_version);
	result->date = arena_strdup(&result->arena, measurements->date);
	result->kind = arena_strdup(&result->arena, measurements->kind);
	result->base = copy_commit(&result->arena, &measurements->base);
	result->head = copy_commit(&result->arena, &measurements->head);
	result->policy_origin = arena_strdup(&result->arena, measurements->policy_origin);
	result->environment = arena_strdup(&result->arena, measurements->environment);
	copy_lines(&result->arena, &measurements->config_changes, &result->config_changes,
		&result->config_change_count);
	copy_lines(
		&result->arena, &measurements->warnings, &result->warnings, &result->warning_count);
	copy_lines(&result->arena, &measurements->notes, &result->notes, &result->note_count);
	benchmarks =
		arena_array(&result->arena, measurements->benchmark_count, sizeof(*benchmarks));
	for (size_t i = 0; i < measurements->benchmark_count; i++)
		decide_benchmark(
			&accept, &measurements->benchmarks[i], in_gate, result, &benchmarks[i]);
	result->benchmarks = benchmarks;
	result->benchmark_count = measurements->benchmark_count;
	note_unread_source(measurements, result);
	accept_report(&accept, result);
	sum_up(result);
	return result;
}
