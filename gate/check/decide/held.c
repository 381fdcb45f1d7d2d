/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/held.h"

#include "baseline/store.h"
#include "gate/check/analysis/decision.h"
#include "gate/check/decide/decide_stored.h"

#include <string.h>

static size_t more_blocks(const struct recording *a, const struct recording *b)
{
	return a->block_count > b->block_count ? a->block_count : b->block_count;
}

static void fill_totals(struct held *held)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		const struct recording *recording = held->recordings[arm];
		size_t count = recording->block_count;

		held->total[arm] = arena_array(held->arena, count, sizeof(double));
		held->work[arm] = arena_array(held->arena, count, sizeof(double));
		for (size_t i = 0; i < count; i++) {
			held->total[arm][i] = recording->blocks[i].cpu_seconds;
			held->work[arm][i] = recording->blocks[i].iterations;
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
static void fold_others(struct held *held)
{
	struct function_matches *matches = &held->comparison.matches;
	struct verdict_cell *self = held->comparison.function_self[ARM_HEAD];
	size_t row = held->comparison.blocks, other = find_other(matches);

	if (other == matches->count)
		return;
	for (size_t f = 0; f < matches->count; f++)
		if (matches->functions[f].kind == MATCHED_NEW)
			move_row(self + other * row, self + f * row, row);
	matches->functions[other].kind = MATCHED_SAME;
}

/* Release held->comparison after ERR_OK. */
int hold(struct held *held, const struct recording *baseline, const struct recording *head,
	const struct repo_diff *diff, struct arena *arena, struct error *err)
{
	int rc;

	memset(held, 0, sizeof(*held));
	held->arena = arena;
	held->recordings[ARM_BASE] = baseline;
	held->recordings[ARM_HEAD] = head;
	held->diff = diff;
	rc = recording_check(baseline, err);
	if (rc)
		return error_prefix(err, "the stored baseline does not add up");
	rc = recording_check(head, err);
	if (rc)
		return error_prefix(err, "head's recording does not add up");
	rc = comparison_build(&held->comparison, baseline->profile, head->profile,
		more_blocks(baseline, head), NULL, err);
	if (rc)
		return rc;
	fold_others(held);
	fill_totals(held);
	return ERR_OK;
}

void screen_held(struct held *held, struct screen_result *result)
{
	struct screen_input input = {
		.policy = screen_policy_default(),
		.row = held->comparison.blocks,
		.function_count = held->comparison.matches.count,
	};

	for (int arm = 0; arm < ARM_COUNT; arm++) {
		input.blocks[arm] = held->recordings[arm]->block_count;
		input.total[arm] = held->total[arm];
		/* A block may be several runs of fixed work. */
		input.work[arm] = held->work[arm];
		input.self[arm] = held->comparison.function_self[arm];
	}
	describe_functions(&held->comparison, held->diff, held->arena, &input.function_file,
		&input.function_flags);
	screen_decide(&input, held->arena, result);
}

int screen_recordings(const struct recording *baseline, const struct recording *head,
	const struct repo_diff *diff, struct arena *arena, struct screen_result *result,
	struct error *err)
{
	struct held held;
	int rc = hold(&held, baseline, head, diff, arena, err);

	if (rc)
		return rc;
	screen_held(&held, result);
	comparison_release(&held.comparison);
	return ERR_OK;
}
