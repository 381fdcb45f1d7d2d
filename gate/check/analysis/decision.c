/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/decision.h"

#include "gate/bench/config/quantity.h"
#include "gate/check/analysis/code.h"
#include "gate/check/analysis/known_calls.h"
#include "gate/check/analysis/object_files.h"
#include "gate/check/analysis/presence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_file(const struct repo_file_change *change, const char *file)
{
	return file[0] && strcmp(change->new_path, file) == 0;
}

bool hunk_touches(const struct repo_hunk *hunk, int64_t first, int64_t last)
{
	/* A pure deletion has no new lines: it sits between new_start and the line after. */
	int64_t end = hunk->new_start + (hunk->new_lines ? hunk->new_lines - 1 : 1);

	return hunk->new_start <= last && end >= first;
}

const struct repo_hunk *diff_hunk_in(
	const struct repo_diff *diff, const char *file, int64_t first, int64_t last)
{
	for (size_t i = 0; diff && i < diff->file_count; i++) {
		const struct repo_file_change *change = &diff->files[i];

		if (!same_file(change, file))
			continue;
		for (size_t k = 0; k < change->hunk_count; k++)
			if (hunk_touches(&change->hunks[k], first, last))
				return &change->hunks[k];
	}
	return NULL;
}

bool diff_touches_range(const struct repo_diff *diff, const char *file, int64_t first, int64_t last)
{
	return diff_hunk_in(diff, file, first, last) != NULL;
}

bool diff_touches_line(const struct repo_diff *diff, const char *file, int64_t line)
{
	for (size_t i = 0; diff && i < diff->file_count; i++) {
		const struct repo_file_change *change = &diff->files[i];

		if (!same_file(change, file))
			continue;
		for (size_t k = 0; k < change->hunk_count; k++)
			if (line >= change->hunks[k].new_start &&
				line < (int64_t)change->hunks[k].new_start +
						change->hunks[k].new_lines)
				return true;
	}
	return false;
}

/* Where the profile knows a function to be, in head; first 0: nowhere. */
struct reach {
	int64_t first, last;
};

static void reach_for(const struct comparison *comparison, size_t row, struct reach *reach)
{
	const size_t *start = &comparison->line_start[COMPARE_HEAD][row];

	for (size_t i = start[0]; i < start[1]; i++) {
		int64_t line = comparison->lines[COMPARE_HEAD][i].line;

		if (line > reach->last)
			reach->last = line;
		if (line > 0 && (reach->first == 0 || line < reach->first))
			reach->first = line;
	}
}

/* From the definition to the last line that was sampled, also where it counts as another's part. */
static void find_touched(
	const struct comparison *comparison, const struct repo_diff *diff, uint8_t *flags)
{
	const struct folds *folds = &comparison->folds;
	size_t count = comparison->matches.count;
	struct reach *reaches = xcalloc(count, sizeof(*reaches));

	for (size_t f = 0; f < count; f++) {
		int64_t line = comparison->matches.functions[f].line[COMPARE_HEAD];

		reaches[f] = (struct reach){line, line};
		reach_for(comparison, f, &reaches[f]);
	}
	for (size_t i = 0; i < comparison->part_count; i++)
		reach_for(comparison, comparison_part_lines(comparison, i),
			&reaches[folds->items[comparison->parts[i].fold].part]);
	for (size_t f = 0; f < count; f++) {
		const char *file = comparison->matches.functions[f].file[COMPARE_HEAD];

		if (reaches[f].first > 0 &&
			diff_touches_range(diff, file, reaches[f].first, reaches[f].last))
			flags[f] |= VERDICT_FUNCTION_TOUCHED;
	}
	free(reaches);
}

void touch_hosts(const struct folds *folds, uint8_t *flags)
{
	bool grew = true;

	while (grew) {
		grew = false;
		for (size_t i = 0; i < folds->count; i++) {
			const struct fold *fold = &folds->items[i];

			if ((flags[fold->part] & ~flags[fold->host]) & VERDICT_FUNCTION_TOUCHED) {
				flags[fold->host] |= VERDICT_FUNCTION_TOUCHED;
				grew = true;
			}
		}
	}
}

static const char *either_file(const struct matched_function *matched)
{
	return matched->file[COMPARE_HEAD][0] ? matched->file[COMPARE_HEAD]
					      : matched->file[COMPARE_BASE];
}

void describe_functions(const struct comparison *comparison, const struct repo_diff *diff,
	struct arena *arena, const uint32_t **out_files, const uint8_t **out_flags)
{
	size_t count = comparison->matches.count;
	uint32_t *files = arena_array(arena, count, sizeof(*files));
	uint8_t *flags = arena_array(arena, count, sizeof(*flags));
	struct map names;

	map_init(&names);
	for (size_t i = 0; i < count; i++) {
		const struct matched_function *matched = &comparison->matches.functions[i];
		const char *file = either_file(matched);

		files[i] = file[0] ? map_intern(&names, file, strlen(file), (uint32_t)i, NULL)
				   : VERDICT_NONE;
		if (matched->kind == MATCHED_NEW)
			flags[i] |= VERDICT_FUNCTION_NEW;
		if (matched->kind == MATCHED_VANISHED)
			flags[i] |= VERDICT_FUNCTION_VANISHED;
	}
	find_touched(comparison, diff, flags);
	touch_hosts(&comparison->folds, flags);
	map_release(&names);
	*out_files = files;
	*out_flags = flags;
}

static void describe_input(struct decision *decision)
{
	const uint8_t *flags;
	size_t count = decision->comparison.matches.count;
	uint8_t *all = arena_array(&decision->scratch, count, sizeof(*all));

	describe_functions(&decision->comparison, decision->diff, &decision->scratch,
		&decision->input.function_file, &flags);
	if (count)
		memcpy(all, flags, count);
	code_flag_functions(&decision->comparison, decision->recordings, all);
	object_files_flag_functions(&decision->comparison, decision->recordings, all);
	presence_find(&decision->comparison, decision->recordings, &decision->scratch,
		decision->presence);
	decision->input.function_flags = all;
}

static void fill_totals(struct decision *decision)
{
	struct verdict_input *input = &decision->input;

	for (int arm = 0; arm < ARM_COUNT; arm++) {
		const struct recording *recording = decision->recordings[arm];
		double *total = arena_array(&decision->scratch, input->blocks, sizeof(*total));
		double *work = arena_array(&decision->scratch, input->blocks, sizeof(*work));
		double all = 0, processes = 0;

		for (size_t i = 0; i < input->blocks; i++) {
			total[i] = recording->blocks[i].cpu_seconds;
			work[i] = recording->blocks[i].iterations;
			all += total[i];
			processes += recording->blocks[i].processes;
		}
		input->unseen[arm] = recording_unseen_seconds(processes, all);
		input->total[arm] = total;
		input->work[arm] = recording->counted_work ? work : NULL;
	}
}

/*
 * The first look has the whole error rate, each further one half of the one before: however often
 * a change is run again, all looks together stay below twice the first's. Past LOOKS_MAX the rate
 * is nothing already.
 */
#define LOOKS_MAX 20

double rate_of_look(const struct recording *base, const struct recording *head)
{
	uint32_t look = base->look > head->look ? base->look : head->look;

	return look > 1 ? ldexp(1, -(int)((look < LOOKS_MAX ? look : LOOKS_MAX) - 1)) : 1;
}

static void count_looks(struct verdict_policy *policy, double rate)
{
	policy->alpha_stage1_nodes *= rate;
	policy->alpha_stage1_total *= rate;
	policy->alpha_stage2 *= rate;
}

static struct verdict_policy verdict_policy(
	const struct config_policy *from, bool whole_runs, size_t benchmarks)
{
	struct verdict_policy policy = verdict_policy_default(whole_runs);

	policy.margin_points = from->margin_points;
	policy.margin_self_relative = from->margin_self;
	policy.margin_total_relative = from->margin_inclusive;
	policy.total_margin = whole_runs ? from->margin_total : from->margin_sliced;
	policy.stage2_blocks = from->stage2_blocks;
	policy.benchmarks_in_gate = benchmarks ? benchmarks : 1;
	return policy;
}

/* Of which both arms have at least so many. */
static size_t layouts_of(const struct recording *base, const struct recording *head)
{
	uint32_t fewer = base->layouts < head->layouts ? base->layouts : head->layouts;

	return fewer ? fewer : 1;
}

static void fill_input(struct decision *decision, size_t benchmarks_in_gate)
{
	const struct recording *base = decision->recordings[ARM_BASE];
	struct comparison *comparison = &decision->comparison;
	struct verdict_input *input = &decision->input;

	input->policy = verdict_policy(&base->policy, !base->slice_ns, benchmarks_in_gate);
	input->policy.layouts = layouts_of(base, decision->recordings[ARM_HEAD]);
	input->policy.same_build = object_files_are_one_build(base, decision->recordings[ARM_HEAD]);
	count_looks(&input->policy, rate_of_look(base, decision->recordings[ARM_HEAD]));
	input->blocks = base->block_count;
	input->stage1_blocks = base->policy.stage1_blocks < base->block_count
				       ? base->policy.stage1_blocks
				       : base->block_count;
	input->function_count = comparison->matches.count;
	input->node_count = comparison->tested_count;
	input->node_parent = comparison->tested_parent;
	input->node_function = comparison->tested_function;
	input->known_count = comparison->known_count;
	input->known_function = comparison->known_function;
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		input->self[arm] = comparison->function_self[arm];
		input->node_self[arm] = comparison->tested_self[arm];
		input->node_total[arm] = comparison->tested_total[arm];
		input->known_total[arm] = comparison->known_total[arm];
	}
	fill_totals(decision);
	describe_input(decision);
	known_calls_ratios(decision, &decision->scratch, input);
}

static int check_recording(const struct recording *recording, const char *arm, struct error *err)
{
	if (!recording_check(recording, err))
		return ERR_OK;
	return error_prefix(err, "the %s recording does not add up", arm);
}

/* Two arms measured in one session: the same seed, and of each pair one ran first and one second.
 */
bool recordings_are_pairs(const struct recording *base, const struct recording *head)
{
	if (base->seed != head->seed || base->slice_ns != head->slice_ns ||
		base->block_count != head->block_count)
		return false;
	for (size_t i = 0; i < base->block_count; i++)
		if (base->blocks[i].order + head->blocks[i].order != 1)
			return false;
	return true;
}

static int unite(struct decision *decision, size_t blocks, struct error *err)
{
	const struct recording *base = decision->recordings[ARM_BASE];
	const struct recording *head = decision->recordings[ARM_HEAD];
	const struct function_names names[ARM_COUNT] = {base->names, head->names};
	struct comparison_limits limits = {.names = names};
	struct code_known known;
	int rc;

	code_known_init(&known, base, head);
	if (known.is_known)
		limits.code = known.arms;
	rc = comparison_build(
		&decision->comparison, base->profile, head->profile, blocks, &limits, err);
	code_known_release(&known);
	return rc;
}

int decision_prepare(struct decision *decision, const struct recording *base,
	const struct recording *head, const struct repo_diff *diff, size_t benchmarks_in_gate,
	struct error *err)
{
	int rc;

	memset(decision, 0, sizeof(*decision));
	decision->recordings[ARM_BASE] = base;
	decision->recordings[ARM_HEAD] = head;
	decision->diff = diff;
	rc = check_recording(base, "base", err);
	if (!rc)
		rc = check_recording(head, "head", err);
	if (rc)
		return rc;
	if (!recordings_are_pairs(base, head))
		return error_set(err, ERR_MEASURE,
			"base (%zu blocks) and head (%zu blocks) were not measured in pairs: "
			"nothing can be "
			"decided",
			base->block_count, head->block_count);
	rc = unite(decision, base->block_count, err);
	if (rc)
		return rc;
	fill_input(decision, benchmarks_in_gate);
	return ERR_OK;
}

double decision_run_seconds(const struct recording *recording)
{
	double seconds = 0;

	for (size_t i = 0; i < recording->block_count; i++)
		seconds += recording->blocks[i].cpu_seconds;
	return seconds / recording_total_work(recording);
}

/* What the verdict takes for one: fixed work is a block's, of however many runs. */
static double runs_in_one(const struct decision *decision, int arm)
{
	const struct recording *recording = decision->recordings[arm];

	if (decision->input.work[arm] || !recording->block_count)
		return 1;
	return recording_total_work(recording) / (double)recording->block_count;
}

void decision_set_totals(struct decision *decision)
{
	const struct verdict_total *total = &decision->verdict.total;
	const double means[ARM_COUNT] = {total->base, total->head};

	for (int arm = 0; arm < ARM_COUNT; arm++) {
		double all = decision_run_seconds(decision->recordings[arm]);
		double mean = means[arm] / runs_in_one(decision, arm);

		decision->total[arm] = mean > 0 ? mean : all;
		decision->scale[arm] = all > 0 ? decision->total[arm] / all : 1;
	}
	decision->whole = decision->total[ARM_BASE];
}

void decision_exonerate_none(struct decision *decision)
{
	struct verdict_input *input = &decision->input;
	uint8_t *flags = arena_array(&decision->scratch, input->function_count, sizeof(*flags));

	for (size_t f = 0; f < input->function_count; f++)
		flags[f] = input->function_flags[f] & (uint8_t)~VERDICT_FUNCTION_SAME_CODE;
	input->function_flags = flags;
}

/* 0 where base is nothing to compare with, too. */
static double whole_of(const struct decision *decision)
{
	double costs[ARM_COUNT];

	for (int arm = 0; arm < ARM_COUNT; arm++) {
		if (decision_is_nothing(decision->recordings[arm]))
			return 0;
		costs[arm] = decision->comparison.nodes[0].total[arm] /
			     recording_total_work(decision->recordings[arm]);
	}
	return undecided_whole(costs[ARM_BASE], costs[ARM_HEAD]);
}

int decision_prepare_profiles(struct decision *decision, const struct recording *base,
	const struct recording *head, const struct repo_diff *diff, struct error *err)
{
	int rc;

	memset(decision, 0, sizeof(*decision));
	decision->recordings[ARM_BASE] = base;
	decision->recordings[ARM_HEAD] = head;
	decision->diff = diff;
	rc = unite(decision, 0, err);
	if (rc)
		return rc;
	decision->input.blocks = decision->comparison.blocks;
	decision->input.function_count = decision->comparison.matches.count;
	for (int arm = 0; arm < ARM_COUNT; arm++)
		decision->input.self[arm] = decision->comparison.function_self[arm];
	describe_input(decision);
	decision->whole = whole_of(decision);
	decision->scale[ARM_BASE] = decision->scale[ARM_HEAD] = 1;
	return ERR_OK;
}

/* Of no recording that was read: only the address counts. */
static const char arm_of_nothing[] = "nothing";

void decision_begin_nothing(struct recording *nothing, const struct recording *like)
{
	memset(nothing, 0, sizeof(*nothing));
	nothing->profile = profile_new();
	for (size_t i = 0; i < like->profile->type_count; i++)
		profile_add_type(nothing->profile, like->profile->types[i].type,
			like->profile->types[i].unit);
	nothing->profile->default_type = like->profile->default_type;
	nothing->mechanism = "";
	nothing->arm = arm_of_nothing;
}

bool decision_is_nothing(const struct recording *recording)
{
	return recording->arm == arm_of_nothing;
}

double decision_self_seconds(const struct decision *decision, int arm, size_t function)
{
	const struct verdict_cell *row =
		&decision->input.self[arm][function * decision->input.blocks];
	double seconds = 0;

	for (size_t b = 0; b < decision->input.blocks; b++)
		seconds += row[b].x;
	return seconds;
}

void decision_release(struct decision *decision)
{
	comparison_release(&decision->comparison);
	arena_release(&decision->scratch);
}

/* What grows with the work, or is not known not to. */
static bool is_per_work(const struct profile *profile)
{
	const char *type = profile && profile->type_count
				   ? profile->types[comparison_value_type(profile)].type
				   : "";
	enum quantity quantity = quantity_of_type(type);

	if (quantity != QUANTITY_COUNT)
		return quantities[quantity].per_work;
	return strcmp(type, "inuse_objects") != 0 && strcmp(type, "peak_objects") != 0;
}

double recording_total_work(const struct recording *recording)
{
	bool per_work = is_per_work(recording->profile);
	double work = 0;

	for (size_t i = 0; i < recording->block_count; i++)
		work += per_work ? recording->blocks[i].iterations : 1;
	return work > 0 ? work : 1;
}
