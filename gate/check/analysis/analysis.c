/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/analysis/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/analysis/code.h"
#include "gate/check/analysis/known_calls.h"
#include "gate/check/analysis/object_files.h"
#include "gate/check/analysis/presence.h"
#include "gate/check/whole.h"

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
	const struct inlining_map *inlinings = &comparison->inlinings;
	size_t count = comparison->matches.count;
	struct reach *reaches = xcalloc(count, sizeof(*reaches));

	for (size_t f = 0; f < count; f++) {
		int64_t line = comparison->matches.functions[f].line[COMPARE_HEAD];

		reaches[f] = (struct reach){line, line};
		reach_for(comparison, f, &reaches[f]);
	}
	for (size_t i = 0; i < comparison->part_count; i++)
		reach_for(comparison, comparison_part_lines(comparison, i),
			&reaches[inlinings->items[comparison->parts[i].inlining].part]);
	for (size_t f = 0; f < count; f++) {
		const char *file = comparison->matches.functions[f].file[COMPARE_HEAD];

		if (reaches[f].first > 0 &&
			diff_touches_range(diff, file, reaches[f].first, reaches[f].last))
			flags[f] |= VERDICT_FUNCTION_TOUCHED;
	}
	free(reaches);
}

void touch_hosts(const struct inlining_map *inlinings, uint8_t *flags)
{
	bool grew = true;

	while (grew) {
		grew = false;
		for (size_t i = 0; i < inlinings->count; i++) {
			const struct inlining *inlining = &inlinings->items[i];

			if ((flags[inlining->part] & ~flags[inlining->host]) &
				VERDICT_FUNCTION_TOUCHED) {
				flags[inlining->host] |= VERDICT_FUNCTION_TOUCHED;
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
	touch_hosts(&comparison->inlinings, flags);
	map_release(&names);
	*out_files = files;
	*out_flags = flags;
}

static void describe_input(struct analysis *analysis)
{
	const uint8_t *flags;
	size_t count = analysis->comparison.matches.count;
	uint8_t *all = arena_array(&analysis->scratch, count, sizeof(*all));

	describe_functions(&analysis->comparison, analysis->diff, &analysis->scratch,
		&analysis->input.function_file, &flags);
	if (count)
		memcpy(all, flags, count);
	code_flag_functions(&analysis->comparison, analysis->recordings, all);
	object_files_flag_functions(&analysis->comparison, analysis->recordings, all);
	presence_find(&analysis->comparison, analysis->recordings, &analysis->scratch,
		analysis->presence);
	analysis->input.function_flags = all;
}

static void fill_totals(struct analysis *analysis)
{
	struct verdict_input *input = &analysis->input;

	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct recording *recording = analysis->recordings[version];
		double *total = arena_array(&analysis->scratch, input->pairs, sizeof(*total));
		double *work = arena_array(&analysis->scratch, input->pairs, sizeof(*work));
		double all = 0, processes = 0;

		for (size_t i = 0; i < input->pairs; i++) {
			total[i] = recording->rounds[i].cpu_seconds;
			work[i] = recording->rounds[i].iterations;
			all += total[i];
			processes += recording->rounds[i].processes;
		}
		input->unseen[version] = recording_unseen_seconds(processes, all);
		input->total[version] = total;
		input->work[version] = recording->counted_work ? work : NULL;
	}
}

/*
 * The first attempt has the whole error rate, each further one half of the one before: however
 * often a change is run again, all attempts together stay below twice the first's. Past
 * ATTEMPTS_MAX the rate is nothing already.
 */
#define ATTEMPTS_MAX 20

double rate_of_attempt(const struct recording *base, const struct recording *head)
{
	uint32_t attempt = base->attempt > head->attempt ? base->attempt : head->attempt;

	return attempt > 1 ? ldexp(1, -(int)((attempt < ATTEMPTS_MAX ? attempt : ATTEMPTS_MAX) - 1))
			   : 1;
}

static void count_attempts(struct verdict_policy *policy, double rate)
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
	policy.stage2_pairs = from->stage2_pairs;
	policy.benchmarks_in_gate = benchmarks ? benchmarks : 1;
	return policy;
}

/* Of which both versions have at least so many. */
static size_t layouts_of(const struct recording *base, const struct recording *head)
{
	uint32_t fewer = base->layouts < head->layouts ? base->layouts : head->layouts;

	return fewer ? fewer : 1;
}

static void fill_input(struct analysis *analysis, size_t benchmarks_in_gate)
{
	const struct recording *base = analysis->recordings[VERSION_BASE];
	struct comparison *comparison = &analysis->comparison;
	struct verdict_input *input = &analysis->input;

	input->policy = verdict_policy(&base->policy, !base->slice_ns, benchmarks_in_gate);
	input->policy.layouts = layouts_of(base, analysis->recordings[VERSION_HEAD]);
	input->policy.same_build =
		object_files_are_one_build(base, analysis->recordings[VERSION_HEAD]);
	count_attempts(&input->policy, rate_of_attempt(base, analysis->recordings[VERSION_HEAD]));
	input->pairs = base->round_count;
	input->stage1_pairs = base->policy.stage1_pairs < base->round_count
				      ? base->policy.stage1_pairs
				      : base->round_count;
	input->function_count = comparison->matches.count;
	input->node_count = comparison->tested_count;
	input->node_parent = comparison->tested_parent;
	input->node_function = comparison->tested_function;
	input->known_count = comparison->known_count;
	input->known_function = comparison->known_function;
	for (int version = 0; version < VERSION_COUNT; version++) {
		input->self[version] = comparison->function_self[version];
		input->node_self[version] = comparison->tested_self[version];
		input->node_total[version] = comparison->tested_total[version];
		input->known_total[version] = comparison->known_total[version];
	}
	fill_totals(analysis);
	describe_input(analysis);
	known_calls_ratios(analysis, &analysis->scratch, input);
}

static int check_recording(
	const struct recording *recording, const char *version_name, struct error *err)
{
	if (!recording_check(recording, err))
		return ERR_OK;
	return error_prefix(err, "the %s recording does not add up", version_name);
}

/* Two versions measured in one go: the same seed, and of each pair one ran first and one second. */
bool recordings_are_pairs(const struct recording *base, const struct recording *head)
{
	if (base->seed != head->seed || base->slice_ns != head->slice_ns ||
		base->round_count != head->round_count)
		return false;
	for (size_t i = 0; i < base->round_count; i++)
		if (base->rounds[i].order + head->rounds[i].order != 1)
			return false;
	return true;
}

static int unite(struct analysis *analysis, size_t pairs, struct error *err)
{
	const struct recording *base = analysis->recordings[VERSION_BASE];
	const struct recording *head = analysis->recordings[VERSION_HEAD];
	const struct function_names names[VERSION_COUNT] = {base->names, head->names};
	struct comparison_limits limits = {.names = names};
	struct code_known known;
	int rc;

	code_known_init(&known, base, head);
	if (known.is_known)
		limits.code = known.versions;
	rc = comparison_build(
		&analysis->comparison, base->profile, head->profile, pairs, &limits, err);
	code_known_release(&known);
	return rc;
}

int analysis_prepare(struct analysis *analysis, const struct recording *base,
	const struct recording *head, const struct repo_diff *diff, size_t benchmarks_in_gate,
	struct error *err)
{
	int rc;

	memset(analysis, 0, sizeof(*analysis));
	analysis->recordings[VERSION_BASE] = base;
	analysis->recordings[VERSION_HEAD] = head;
	analysis->diff = diff;
	rc = check_recording(base, "base", err);
	if (!rc)
		rc = check_recording(head, "head", err);
	if (rc)
		return rc;
	if (!recordings_are_pairs(base, head))
		return error_set(err, ERR_MEASURE,
			"base (%zu pairs) and head (%zu pairs) were not measured in "
			"pairs: nothing can be decided",
			base->round_count, head->round_count);
	rc = unite(analysis, base->round_count, err);
	if (rc)
		return rc;
	fill_input(analysis, benchmarks_in_gate);
	return ERR_OK;
}

double analysis_run_seconds(const struct recording *recording)
{
	double seconds = 0;

	for (size_t i = 0; i < recording->round_count; i++)
		seconds += recording->rounds[i].cpu_seconds;
	return seconds / recording_total_work(recording);
}

/* What the verdict takes for one: fixed work is a round's, of however many runs. */
static double runs_in_one(const struct analysis *analysis, int version)
{
	const struct recording *recording = analysis->recordings[version];

	if (analysis->input.work[version] || !recording->round_count)
		return 1;
	return recording_total_work(recording) / (double)recording->round_count;
}

void analysis_set_totals(struct analysis *analysis)
{
	const struct verdict_total *total = &analysis->verdict.total;
	const double means[VERSION_COUNT] = {total->base, total->head};

	for (int version = 0; version < VERSION_COUNT; version++) {
		double all = analysis_run_seconds(analysis->recordings[version]);
		double mean = means[version] / runs_in_one(analysis, version);

		analysis->total[version] = mean > 0 ? mean : all;
		analysis->scale[version] = all > 0 ? analysis->total[version] / all : 1;
	}
	analysis->whole = analysis->total[VERSION_BASE];
}

void analysis_judge_unchanged(struct analysis *analysis)
{
	struct verdict_input *input = &analysis->input;
	uint8_t *flags = arena_array(&analysis->scratch, input->function_count, sizeof(*flags));

	for (size_t f = 0; f < input->function_count; f++)
		flags[f] = input->function_flags[f] & (uint8_t)~VERDICT_FUNCTION_UNCHANGED;
	input->function_flags = flags;
}

/* 0 where base is nothing to compare with, too. */
static double whole_of(const struct analysis *analysis)
{
	double costs[VERSION_COUNT];

	for (int version = 0; version < VERSION_COUNT; version++) {
		if (analysis_is_nothing(analysis->recordings[version]))
			return 0;
		costs[version] = analysis->comparison.nodes[0].total[version] /
				 recording_total_work(analysis->recordings[version]);
	}
	return undecided_whole(costs[VERSION_BASE], costs[VERSION_HEAD]);
}

int analysis_prepare_profiles(struct analysis *analysis, const struct recording *base,
	const struct recording *head, const struct repo_diff *diff, struct error *err)
{
	int rc;

	memset(analysis, 0, sizeof(*analysis));
	analysis->recordings[VERSION_BASE] = base;
	analysis->recordings[VERSION_HEAD] = head;
	analysis->diff = diff;
	rc = unite(analysis, 0, err);
	if (rc)
		return rc;
	analysis->input.pairs = analysis->comparison.pairs;
	analysis->input.function_count = analysis->comparison.matches.count;
	for (int version = 0; version < VERSION_COUNT; version++)
		analysis->input.self[version] = analysis->comparison.function_self[version];
	describe_input(analysis);
	analysis->whole = whole_of(analysis);
	analysis->scale[VERSION_BASE] = analysis->scale[VERSION_HEAD] = 1;
	return ERR_OK;
}

/* Of no recording that was read: only the address counts. */
static const char role_of_nothing[] = "nothing";

void analysis_begin_nothing(struct recording *nothing, const struct recording *like)
{
	memset(nothing, 0, sizeof(*nothing));
	nothing->profile = profile_new();
	for (size_t i = 0; i < like->profile->type_count; i++)
		profile_add_type(nothing->profile, like->profile->types[i].type,
			like->profile->types[i].unit);
	nothing->profile->default_type = like->profile->default_type;
	nothing->mechanism = "";
	nothing->role = role_of_nothing;
}

bool analysis_is_nothing(const struct recording *recording)
{
	return recording->role == role_of_nothing;
}

double analysis_self_seconds(const struct analysis *analysis, int version, size_t function)
{
	const struct verdict_cell *row =
		&analysis->input.self[version][function * analysis->input.pairs];
	double seconds = 0;

	for (size_t b = 0; b < analysis->input.pairs; b++)
		seconds += row[b].x;
	return seconds;
}

void analysis_release(struct analysis *analysis)
{
	comparison_release(&analysis->comparison);
	arena_release(&analysis->scratch);
}
