/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/decide_counted.h"

#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/analysis/hidden.h"
#include "gate/check/decide/callers.h"
#include "gate/verdict/estimate/paired.h"
#include "gate/verdict/exact.h"

struct result_reference_finding reference_finding_of(const struct reference *reference,
	const uint32_t *callers, struct arena *arena, uint32_t function)
{
	const struct matched_function *matched = &reference->comparison.matches.functions[function];
	int version = matched->kind == MATCHED_VANISHED ? COMPARE_BASE : COMPARE_HEAD;

	struct result_reference_finding finding = {
		.name = arena_strdup(arena, matched->name),
		.file = arena_strdup(arena, matched->file[version]),
		.line = matched->line[version],
		.caller = "",
		.caller_file = "",
		.low = NAN,
		.high = NAN,
	};

	if (callers[function] != COMPARE_NONE)
		callers_fill(reference, function, callers[function], arena, &finding);
	return finding;
}

void reference_cannot(struct result *result, struct result_reference *out, const char *why)
{
	out->state = REFERENCE_CANNOT;
	out->detail = arena_strdup(&result->arena, why);
}

/* ---- counted metrics: exact ---------------------------------------------------------------- */

/* The comparison scales to seconds what is a time; counts come as they are. */
static double *cells_of(const struct reference *reference, int version)
{
	const struct comparison *comparison = &reference->comparison;
	size_t count = comparison->matches.count * comparison->pairs;
	double *values = arena_array(reference->arena, count, sizeof(*values));

	for (size_t i = 0; i < count; i++)
		values[i] = comparison->function_self[version][i].x;
	return values;
}

/* A counted total is what the profile holds: every allocation and instruction has a stack. */
static double *counted_totals(const struct reference *reference, const double *cells)
{
	size_t row = reference->comparison.pairs;
	double *totals = arena_array(reference->arena, row, sizeof(*totals));

	for (size_t i = 0; i < reference->comparison.matches.count; i++)
		for (size_t b = 0; b < row; b++)
			totals[b] += cells[i * row + b];
	return totals;
}

static void fill_input(
	struct reference *reference, const struct metric_info *info, struct exact_input *input)
{
	*input = (struct exact_input){
		.policy = {.threshold = info->threshold,
			.least_per_unit = info->least,
			.history = reference->recordings[VERSION_HEAD]->history,
			.history_count = reference->recordings[VERSION_HEAD]->history_count},
		.row = reference->comparison.pairs,
		.function_count = reference->comparison.matches.count,
	};

	for (int version = 0; version < VERSION_COUNT; version++) {
		bool per_work = reference->recordings[version]->counted_work && info->per_work;

		input->pairs[version] = reference->recordings[version]->round_count;
		input->self[version] = cells_of(reference, version);
		input->total[version] = counted_totals(reference, input->self[version]);
		input->work[version] = per_work ? reference->work[version] : NULL;
	}
	describe_functions(&reference->comparison, reference->diff, reference->arena,
		&input->function_file, &input->function_flags);
}

/* What stores may hold beside the metrics of the table is bytes or objects like others. */
static const struct metric_info *info_of(const char *type)
{
	enum metric metric = metric_of_type(type);

	return &metrics[metric == METRIC_COUNT ? METRIC_ALLOC_BYTES : metric];
}

bool counts_agree(const struct recording *recording)
{
	struct arena scratch = ARENA_INIT;
	struct exact_result exact = {.status = EXACT_CANNOT};
	struct exact_input input;
	struct error ignored;
	struct reference reference;

	if (!reference_compare(&reference, recording, recording, NULL, &scratch, &ignored)) {
		fill_input(&reference, info_of(recording->profile_type), &input);
		exact_decide(&input, &scratch, &exact);
		comparison_release(&reference.comparison);
	}
	arena_release(&scratch);
	return exact.status != EXACT_NOT_EXACT;
}

static void fill_exact(const struct reference *reference, struct result *result,
	const struct exact_result *exact, struct result_reference *out)
{
	struct result_reference_finding *findings =
		arena_array(&result->arena, exact->grown_count, sizeof(*findings));
	const uint32_t *callers = exact->grown_count ? callers_find(reference) : NULL;

	out->state = exact->status == EXACT_REGRESSION ? REFERENCE_FLAGGED
		     : exact->status == EXACT_PASS     ? REFERENCE_CLEAR
						       : REFERENCE_CANNOT;
	out->runs = reference->recordings[VERSION_HEAD]->round_count;
	out->low = out->high = out->p = NAN;
	out->base = exact->base;
	out->head = exact->head;
	out->change = exact->change;
	out->shrank = exact->change < 0;
	out->threshold = exact->threshold;
	for (size_t i = 0; i < exact->grown_count; i++) {
		findings[i] = reference_finding_of(
			reference, callers, &result->arena, exact->grown[i].function);
		findings[i].change = exact->grown[i].change;
		findings[i].shifted = exact->grown[i].shifted;
	}
	out->findings = findings;
	out->finding_count = exact->grown_count;
	out->detail = arena_strdup(&result->arena, exact->reason);
}

/* ---- counts that differ from run to run ------------------------------------------------------ */

static bool are_pairs(const struct reference *reference)
{
	const struct recording *base = reference->recordings[VERSION_BASE];

	return base->round_count >= PAIRED_MIN &&
	       recordings_are_pairs(base, reference->recordings[VERSION_HEAD]);
}

static const double *per_unit(
	const struct reference *reference, const struct exact_input *input, int version)
{
	double *values = arena_array(reference->arena, input->pairs[version], sizeof(*values));

	for (size_t b = 0; b < input->pairs[version]; b++)
		values[b] = input->total[version][b] /
			    (input->work[version] ? input->work[version][b] : 1);
	return values;
}

static void decide_pairs(const struct reference *reference, const struct exact_input *input,
	double threshold, size_t benchmarks_in_gate, struct paired_result *paired)
{
	const struct paired_input pairs = {
		.test = PAIRED_T,
		.threshold = threshold,
		.least = input->policy.least_per_unit,
		.alpha = rate_of_attempt(reference->recordings[VERSION_BASE],
				 reference->recordings[VERSION_HEAD]) *
			 PAIRED_ALPHA / PAIRED_TOGETHER /
			 (double)(benchmarks_in_gate ? benchmarks_in_gate : 1),
		.count = input->pairs[VERSION_BASE],
		.value = {per_unit(reference, input, VERSION_BASE),
			per_unit(reference, input, VERSION_HEAD)},
	};

	paired_decide(&pairs, reference->arena, paired);
}

/* What exact_decide() could not, the pairs do. */
static void fill_paired(const struct reference *reference, const struct exact_input *input,
	size_t benchmarks_in_gate, struct result *result, struct exact_result *exact,
	struct result_reference *out)
{
	struct paired_result paired;
	const char *differ = exact->reason;

	decide_pairs(reference, input, fmax(exact->usual, input->policy.threshold),
		benchmarks_in_gate, &paired);
	if (paired.status == PAIRED_CANNOT) {
		reference_cannot(result, out, paired.reason);
		return;
	}
	if (paired.status == PAIRED_GREW)
		exact_explain(input, paired.change, reference->arena, exact);
	else
		exact_clear(input, paired.change, reference->arena, exact);
	exact->reason = arena_printf(&result->arena, "%s, so %zu pairs of them decided (paired t)",
		differ, input->pairs[VERSION_BASE]);
	fill_exact(reference, result, exact, out);
	out->paired = true;
	out->shrank = paired.status == PAIRED_SHRANK;
	out->low = paired.low;
	out->high = paired.high;
	out->p = paired.p;
}

/* ---- may they be compared? ------------------------------------------------------------------ */

bool counts_are_comparable(const struct recording *baseline, const struct recording *head,
	struct arena *arena, const char **difference)
{
	const struct fingerprint *there = &baseline->fingerprint, *here = &head->fingerprint;
	bool instructions = strcmp(head->profile_type, "instructions") == 0;

	if (!fingerprint_toolchain_fits(there, here, arena, difference))
		return false;
	*difference = "";
	/* libc chooses its routines by the CPU: their instructions differ, allocations do not. */
	if (instructions && strcmp(there->cpu_flags_hash, here->cpu_flags_hash) != 0)
		*difference = "a CPU with other features";
	else if (instructions && strcmp(baseline->mechanism, head->mechanism) != 0)
		*difference = "counted by another tool";
	return !(*difference)[0];
}

static uint64_t lost_of(const struct recording *recording)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < recording->round_count; i++)
		if (__builtin_add_overflow(lost, recording->rounds[i].lost, &lost))
			return UINT64_MAX;
	return lost;
}

static bool toolchain_fits(const struct recording *baseline, const struct recording *head,
	struct result *result, struct result_reference *out)
{
	struct arena scratch = ARENA_INIT;
	const char *difference;
	bool fits = counts_are_comparable(baseline, head, &scratch, &difference);

	if (!fits)
		reference_cannot(result, out,
			arena_printf(&scratch,
				"the baseline was built or run differently (%s): its counts cannot "
				"be compared with head's",
				difference));
	arena_release(&scratch);
	return fits;
}

/* "" unless head may have moved what it counts to where nothing is counted. */
static const char *hiding(const struct reference *reference, const struct measured_reference *from,
	struct arena *arena)
{
	const struct recording *baseline = reference->recordings[VERSION_BASE];
	const struct recording *head = reference->recordings[VERSION_HEAD];

	if (lost_of(head) > lost_of(baseline))
		return "more was lost in head's runs than in those of the base";
	/* Stores do not keep what was left out. */
	return *from->store ? "" : hidden_growth(baseline, head, arena);
}

/* That less than it is no regression here is to be seen. */
static void tell_history(const struct exact_result *exact, const struct exact_input *input,
	struct result *result, struct result_reference *out)
{
	if (out->state != REFERENCE_CANNOT && exact->usual > input->policy.threshold)
		out->detail = arena_printf(&result->arena,
			"%s%sthe threshold comes from what %zu earlier commits changed (Q3 + 3 "
			"IQR; %.3g %% without them)",
			out->detail, *out->detail ? "; " : "", input->policy.history_count,
			100 * input->policy.threshold);
}

bool decide_counted(struct reference *reference, const struct measured_reference *from,
	size_t benchmarks_in_gate, struct result *result, struct result_reference *out)
{
	const char *hidden = hiding(reference, from, &result->arena);
	struct exact_result exact = {0};
	struct exact_input input;

	if (!toolchain_fits(reference->recordings[VERSION_BASE],
		    reference->recordings[VERSION_HEAD], result, out))
		return false;
	if (*hidden) {
		reference_cannot(result, out, hidden);
		return true;
	}
	fill_input(reference, info_of(from->profile_type), &input);
	exact_decide(&input, reference->arena, &exact);
	if (exact.status == EXACT_NOT_EXACT && are_pairs(reference)) {
		fill_paired(reference, &input, benchmarks_in_gate, result, &exact, out);
		tell_history(&exact, &input, result, out);
		return false;
	}
	fill_exact(reference, result, &exact, out);
	tell_history(&exact, &input, result, out);
	if (exact.all_above)
		out->detail = arena_printf(&result->arena,
			"%s, but all runs of head count more than those of the base", exact.reason);
	return exact.all_above;
}
