/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/decide_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/machine/calibration.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/analysis/hidden.h"
#include "gate/check/decide/callers.h"
#include "gate/check/decide/decide_counted.h"
#include "gate/check/decide/decide_metrics.h"
#include "gate/check/decide/reference.h"

#define SAME_SPEED 0.02
#define LARGEST_USEFUL_MDE 0.05 /* of the total: more than that is a blind eye, not a screen */
#define SIZE_TOLERANCE 0.1      /* how far the size factor may stand outside the machines' ratio */

/* How much slower this machine is than the one of the baseline; zeros where that is not known. */
static struct calibration_ratio machine_ratio(
	const struct recording *baseline, const struct recording *head)
{
	return calibration_compare(&baseline->calibration, &head->calibration);
}

/* More than the machines' difference explains. */
static bool slower_all_over(
	const struct screen_result *screen, const struct calibration_ratio *machine)
{
	double most = machine->median > 0 ? machine->most : 1;

	return screen->size_factor > most * (1 + SIZE_TOLERANCE);
}

/* "" where the machines explain it. */
static const char *all_over_text(struct arena *arena, const struct screen_result *screen,
	const struct calibration_ratio *machine)
{
	if (!slower_all_over(screen, machine))
		return "";
	if (!(machine->median > 0))
		return arena_printf(arena,
			"everything takes %.2f times as long as when the baseline was recorded, "
			"and how fast that machine was is not known: measure both versions to "
			"exclude a slowdown all over",
			screen->size_factor);
	return arena_printf(arena,
		"everything takes %.2f times as long as when the baseline was recorded, but this "
		"machine is only %.2f times slower by its calibration: measure both versions to "
		"exclude a slowdown all over",
		screen->size_factor, machine->median);
}

/*
 * Why a screen that flagged nothing says nothing; "" if it does say something. It is blind where
 * hardly any growth would have been flagged, and to growth that no single function shows.
 */
static const char *blind_text(struct arena *arena, const struct screen_result *screen,
	const struct calibration_ratio *machine)
{
	if (!(screen->mde_function <= LARGEST_USEFUL_MDE))
		return "too few runs or samples to see a function grow";
	if (screen->total_ratio > screen->size_factor * (1 + SIZE_TOLERANCE))
		return arena_printf(arena,
			"the benchmark takes %.2f times as long as when the baseline was recorded, "
			"and no function shows where: measure both versions",
			screen->total_ratio);
	return all_over_text(arena, screen, machine);
}

bool screen_is_clear(
	const struct measurements *measurements, const struct measured_benchmark *measured)
{
	const struct measured_reference *reference =
		measurements_find_reference(measured, RECORDING_TYPE_CPU);
	const struct recording *head = &measured->recordings[VERSION_HEAD];
	struct arena scratch = ARENA_INIT;
	struct calibration_ratio machine;
	struct screen_result screen;
	struct error ignored;
	bool clear = reference && reference->has_baseline && measured->head_only &&
		     screen_recordings(&reference->baseline, head, &measurements->diff, &scratch,
			     &screen, &ignored) == ERR_OK &&
		     screen.status == SCREEN_CLEAR &&
		     !*hidden_growth(&reference->baseline, head, &scratch);

	if (clear) {
		machine = machine_ratio(&reference->baseline, head);
		clear = !*blind_text(&scratch, &screen, &machine);
	}
	arena_release(&scratch);
	return clear;
}

/* ---- CPU time: a screen -------------------------------------------------------------------- */

/* A uniform slowdown and a slower machine look alike here; the calibration gives a hint. */
static const char *size_text(struct arena *arena, const struct screen_result *screen,
	const struct calibration_ratio *machine)
{
	const char *all_over = all_over_text(arena, screen, machine);

	if (*all_over || !(machine->median > 0))
		return all_over;
	if (fabs(machine->median - 1) < SAME_SPEED)
		return "this machine is as fast by its calibration";
	return arena_printf(
		arena, "this machine is %.2f times slower by its calibration", machine->median);
}

static void fill_state(const struct reference *reference, struct arena *arena,
	const struct screen_result *screen, struct result_reference *out)
{
	static const enum result_reference_state states[] = {
		[SCREEN_CLEAR] = REFERENCE_CLEAR,
		[SCREEN_FLAGGED] = REFERENCE_FLAGGED,
		[SCREEN_CANNOT] = REFERENCE_CANNOT,
	};
	const struct calibration_ratio machine = machine_ratio(
		reference->recordings[VERSION_BASE], reference->recordings[VERSION_HEAD]);

	out->state = states[screen->status];
	out->detail = screen->status == SCREEN_CANNOT  ? arena_strdup(arena, screen->reason)
		      : screen->status == SCREEN_CLEAR ? blind_text(arena, screen, &machine)
						       : size_text(arena, screen, &machine);
	if (screen->status == SCREEN_CLEAR && *out->detail)
		out->state = REFERENCE_CANNOT;
	else if (screen->status == SCREEN_CLEAR)
		out->detail = size_text(arena, screen, &machine);
}

static size_t add_findings(const struct reference *reference, const uint32_t *callers,
	struct arena *arena, const struct screen_effect *effects, size_t count, bool shifted,
	struct result_reference_finding *out)
{
	for (size_t i = 0; i < count; i++) {
		out[i] = reference_finding_of(reference, callers, arena, effects[i].function);
		out[i].change = effects[i].change;
		out[i].low = effects[i].low;
		out[i].high = effects[i].high;
		out[i].shifted = shifted;
	}
	return count;
}

static void fill_screen(const struct reference *reference, struct result *result,
	const struct screen_result *screen, struct result_reference *out)
{
	struct arena *arena = &result->arena;
	struct result_reference_finding *findings = arena_array(
		arena, screen->flagged_count + screen->shifted_count, sizeof(*findings));
	const uint32_t *callers =
		screen->flagged_count + screen->shifted_count ? callers_find(reference) : NULL;

	fill_state(reference, arena, screen, out);
	out->size_factor = screen->size_factor;
	out->change = screen->total_ratio - 1;
	out->threshold = screen->mde_function;
	out->finding_count = add_findings(
		reference, callers, arena, screen->flagged, screen->flagged_count, false, findings);
	out->finding_count += add_findings(reference, callers, arena, screen->shifted,
		screen->shifted_count, true, findings + out->finding_count);
	out->findings = findings;
}

static double mean_total(const struct recording *recording)
{
	double seconds = 0, work = 0;

	for (size_t i = 0; i < recording->round_count; i++) {
		seconds += recording->rounds[i].cpu_seconds;
		work += recording->rounds[i].iterations;
	}
	return work > 0 ? seconds / work : 0;
}

/* ---- one entry ----------------------------------------------------------------------------- */

static bool compare_one(const struct measured_reference *from, const struct recording *head,
	const struct measurements *measurements, size_t benchmarks_in_gate, struct result *result,
	struct result_reference *out)
{
	struct arena scratch = ARENA_INIT;
	struct reference reference;
	struct error err = {0};
	bool suspicious = false;
	int rc = reference_compare(
		&reference, &from->baseline, head, &measurements->diff, &scratch, &err);

	reference.sources = measurements->sources;
	if (rc) {
		reference_cannot(result, out, err.message);
	} else if (out->kind == REFERENCE_EXACT) {
		suspicious = decide_counted(&reference, from, benchmarks_in_gate, result, out);
	} else {
		struct screen_result screen = {0};

		reference_screen(&reference, &screen);
		fill_screen(&reference, result, &screen, out);
		out->base = mean_total(&from->baseline);
		out->head = mean_total(head);
	}
	if (!rc)
		comparison_release(&reference.comparison);
	arena_release(&scratch);
	return suspicious;
}

static void copy_losses(
	const struct measured_reference *from, struct result *result, struct result_reference *out)
{
	const char **losses = arena_array(&result->arena, from->losses.count, sizeof(*losses));

	for (size_t i = 0; i < from->losses.count; i++)
		losses[i] = arena_strdup(&result->arena, from->losses.items[i]);
	out->losses = losses;
	out->loss_count = from->losses.count;
}

static const struct recording *head_of(
	const struct measured_benchmark *measured, const struct measured_reference *from)
{
	if (from->counted)
		return &from->head;
	if (strcmp(from->profile_type, RECORDING_TYPE_CPU) == 0 &&
		(measured->recorded || measured->head_only))
		return &measured->recordings[VERSION_HEAD];
	return NULL;
}

/* False: there is nothing to show, as neither baseline nor head was there. */
static bool decide_one(const struct measurements *measurements,
	const struct measured_benchmark *measured, const struct measured_reference *from,
	size_t benchmarks_in_gate, struct result *result, struct result_reference *out,
	bool *suspicious)
{
	const struct recording *head = head_of(measured, from);
	struct arena *arena = &result->arena;

	*out = (struct result_reference){
		.kind = strcmp(from->profile_type, RECORDING_TYPE_CPU) == 0 ? REFERENCE_SCREEN
									    : REFERENCE_EXACT,
		.profile_type = arena_strdup(arena, from->profile_type),
		.store = arena_strdup(arena, from->store),
		.commit = arena_strdup(arena, from->commit),
		.environment = arena_strdup(arena, from->environment),
		.distance = from->distance,
		.size_factor = 1,
		.detail = "",
	};
	copy_losses(from, result, out);
	if (!from->has_baseline) {
		reference_cannot(result, out, from->detail);
		return from->detail[0] != '\0';
	}
	/* Of what is no total of a profile decide_metrics() has the numbers. */
	if (!head || (from->counted && metric_of_type(from->profile_type) == METRIC_COUNT))
		return false;
	*suspicious = compare_one(from, head, measurements, benchmarks_in_gate, result, out);
	return true;
}

/* ---- what it means for the benchmark ------------------------------------------------------- */

static enum config_stored policy_of(const struct measured_benchmark *measured)
{
	return measured->recorded || measured->head_only
		       ? measured->recordings[VERSION_HEAD].policy.stored
		       : CONFIG_STORED_SCREEN;
}

static void raise_status(
	struct result_benchmark *out, struct result_reference *reference, enum result_status status)
{
	reference->decides = true;
	if (result_status_weight(status) > result_status_weight(out->status))
		out->status = status;
}

/* Without pairs the screen is all there is: what it flags is at least a warning. */
static bool has_pairs(const struct measured_benchmark *measured)
{
	return measured->recorded || measured->outcome == OUTCOME_BASE_FAILED;
}

/* Commits between a farther baseline and the base may have done it: that is no one's failure. */
static void apply_count(const struct measured_benchmark *measured,
	struct result_reference *reference, struct result_benchmark *out)
{
	enum metric metric = metric_of_type(reference->profile_type);
	enum metric_gate gate = metric == METRIC_COUNT ? METRIC_FAILS : gate_of(measured, metric);

	if (gate == METRIC_FAILS && !reference->distance)
		raise_status(out, reference, RESULT_FAIL);
	else if (gate != METRIC_SHOWN)
		raise_status(out, reference, RESULT_WARN);
}

/* Beside a failure, a count that only warns has decided nothing. */
static void drop_quieter(const struct measured_benchmark *measured,
	const struct result_benchmark *out, struct result_reference *all, size_t count)
{
	for (size_t i = 0; i < count && out->status == RESULT_FAIL; i++) {
		enum metric metric = metric_of_type(all[i].profile_type);

		if (all[i].kind == REFERENCE_EXACT && metric != METRIC_COUNT &&
			gate_of(measured, metric) != METRIC_FAILS)
			all[i].decides = false;
	}
}

/* What the pairs have shown it has missed: a slowdown all over, or one that is small. */
static void doubt_screen(const struct result_benchmark *out, struct result_reference *reference)
{
	bool grew = out->total.state == STATE_CONFIRMED || out->culprit_count;

	if (reference->kind != REFERENCE_SCREEN || reference->state != REFERENCE_CLEAR || !grew)
		return;
	reference->state = REFERENCE_CANNOT;
	reference->detail = "the pairs of runs show an increase that it does not show";
}

static void apply(const struct measured_benchmark *measured, struct result_reference *reference,
	struct result_benchmark *out)
{
	enum config_stored policy = policy_of(measured);

	doubt_screen(out, reference);
	/* What the screen was to clear and could not look at is not cleared. */
	if (reference->state == REFERENCE_CANNOT && measured->outcome == OUTCOME_SCREENED)
		raise_status(out, reference, RESULT_WARN);
	if (reference->state != REFERENCE_FLAGGED)
		return;
	if (reference->kind == REFERENCE_EXACT)
		apply_count(measured, reference, out);
	else if (policy == CONFIG_STORED_FAIL && measured->outcome == OUTCOME_BASE_FAILED)
		raise_status(out, reference, RESULT_FAIL);
	else if (policy != CONFIG_STORED_SCREEN || !has_pairs(measured))
		raise_status(out, reference, RESULT_WARN);
}

void decide_references(const struct measurements *measurements,
	const struct measured_benchmark *measured, size_t benchmarks_in_gate, struct result *result,
	struct result_benchmark *out)
{
	struct result_reference *all =
		arena_array(&result->arena, measured->reference_count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < measured->reference_count; i++) {
		bool suspicious = false;

		if (!decide_one(measurements, measured, &measured->references[i],
			    benchmarks_in_gate, result, &all[count], &suspicious))
			continue;
		apply(measured, &all[count], out);
		if (suspicious)
			raise_status(out, &all[count], RESULT_WARN);
		count++;
	}
	drop_quieter(measured, out, all, count);
	/* Whatever measurements say of themselves: what is not clear is not cleared. */
	if (out->outcome == OUTCOME_SCREENED && out->status == RESULT_PASS &&
		!screen_is_clear(measurements, measured))
		out->status = RESULT_WARN;
	out->references = all;
	out->reference_count = count;
}
