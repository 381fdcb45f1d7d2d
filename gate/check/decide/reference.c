/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/reference.h"

#include <string.h>

#include "baseline/store.h"
#include "gate/base/error.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/decide/decide_reference.h"

static size_t more_pairs(const struct recording *a, const struct recording *b)
{
	return a->round_count > b->round_count ? a->round_count : b->round_count;
}

static void fill_totals(struct reference *reference)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct recording *recording = reference->recordings[version];
		size_t count = recording->round_count;

		reference->total[version] = arena_array(reference->arena, count, sizeof(double));
		reference->work[version] = arena_array(reference->arena, count, sizeof(double));
		for (size_t i = 0; i < count; i++) {
			reference->total[version][i] = recording->rounds[i].cpu_seconds;
			reference->work[version][i] = recording->rounds[i].iterations;
		}
	}
}

/* The function for what a baseline left out; the number of functions if it has kept all. */
static size_t find_other(const struct function_matches *matches)
{
	for (size_t f = 0; f < matches->count; f++)
		if (strcmp(matches->functions[f].name, BASELINE_OTHER) == 0 &&
			matches->functions[f].kind != MATCHED_NEW)
			return f;
	return matches->count;
}

static void move_row(struct verdict_cell *to, struct verdict_cell *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		to[i].x += from[i].x;
		to[i].squares += from[i].squares;
		to[i].samples += from[i].samples;
		from[i] = (struct verdict_cell){0};
	}
}

/*
 * What the baseline keeps as one function must be one in head too. Else its pieces look new, and
 * the whole as if it had gone, which would explain any increase.
 */
static void fold_others(struct reference *reference)
{
	struct function_matches *matches = &reference->comparison.matches;
	struct verdict_cell *self = reference->comparison.function_self[VERSION_HEAD];
	size_t row = reference->comparison.pairs, other = find_other(matches);

	if (other == matches->count)
		return;
	for (size_t f = 0; f < matches->count; f++)
		if (matches->functions[f].kind == MATCHED_NEW)
			move_row(self + other * row, self + f * row, row);
	matches->functions[other].kind = MATCHED_SAME;
}

/* Release reference->comparison after ERR_OK. */
int reference_compare(struct reference *reference, const struct recording *baseline,
	const struct recording *head, const struct repo_diff *diff, struct arena *arena,
	struct error *err)
{
	int rc;

	memset(reference, 0, sizeof(*reference));
	reference->arena = arena;
	reference->recordings[VERSION_BASE] = baseline;
	reference->recordings[VERSION_HEAD] = head;
	reference->diff = diff;
	rc = recording_check(baseline, err);
	if (rc)
		return error_prefix(err, "the stored baseline does not add up");
	rc = recording_check(head, err);
	if (rc)
		return error_prefix(err, "head's recording does not add up");
	rc = comparison_build(&reference->comparison, baseline->profile, head->profile,
		more_pairs(baseline, head), NULL, err);
	if (rc)
		return rc;
	fold_others(reference);
	fill_totals(reference);
	return ERR_OK;
}

void reference_screen(struct reference *reference, struct screen_result *result)
{
	struct screen_input input = {
		.policy = screen_policy_default(),
		.row = reference->comparison.pairs,
		.function_count = reference->comparison.matches.count,
	};

	for (int version = 0; version < VERSION_COUNT; version++) {
		input.pairs[version] = reference->recordings[version]->round_count;
		input.total[version] = reference->total[version];
		/* A round may be several runs of fixed work. */
		input.work[version] = reference->work[version];
		input.self[version] = reference->comparison.function_self[version];
	}
	describe_functions(&reference->comparison, reference->diff, reference->arena,
		&input.function_file, &input.function_flags);
	screen_decide(&input, reference->arena, result);
}

int screen_recordings(const struct recording *baseline, const struct recording *head,
	const struct repo_diff *diff, struct arena *arena, struct screen_result *result,
	struct error *err)
{
	struct reference reference;
	int rc = reference_compare(&reference, baseline, head, diff, arena, err);

	if (rc)
		return rc;
	reference_screen(&reference, result);
	comparison_release(&reference.comparison);
	return ERR_OK;
}
