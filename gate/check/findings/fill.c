/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/findings/fill.h"

#include <math.h>
#include <string.h>

#include "gate/check/analysis/presence.h"
#include "gate/check/result.h"
#include "gate/compare/inlining.h"
#include "gate/compare/match.h"
#include "gate/verdict/estimate/robust.h"
#include "gate/verdict/verdict.h"

#define MOST_TROUBLES 4 /* a program may map any number of files */

static const enum result_state state_of[] = {
	[VERDICT_UNCHANGED] = STATE_UNCHANGED,
	[VERDICT_INELIGIBLE] = STATE_INELIGIBLE,
	[VERDICT_FLAGGED] = STATE_FLAGGED,
	[VERDICT_CONFIRMED] = STATE_CONFIRMED,
	[VERDICT_SHIFTED] = STATE_SHIFTED,
	[VERDICT_CONTRADICTED] = STATE_CONTRADICTED,
	[VERDICT_UNCHANGED_CODE] = STATE_UNCHANGED_CODE,
	[VERDICT_IMPROVED] = STATE_IMPROVED,
};

static const enum result_match match_of[] = {
	[MATCHED_SAME] = MATCH_SAME,
	[MATCHED_MOVED] = MATCH_MOVED,
	[MATCHED_NEW] = MATCH_HEAD_ONLY,
	[MATCHED_VANISHED] = MATCH_BASE_ONLY,
	[MATCHED_RENAMED] = MATCH_RENAMED,
	[MATCHED_INSTANCE] = MATCH_INSTANCE,
};

/* That no sample fell in it is no proof that a version does not have it. */
static enum result_match match_in(const struct analysis *analysis, size_t function)
{
	enum match_kind kind = analysis->comparison.matches.functions[function].kind;
	int lacking = kind == MATCHED_NEW ? VERSION_BASE : VERSION_HEAD;

	if ((kind != MATCHED_NEW && kind != MATCHED_VANISHED) ||
		analysis->presence[lacking][function] != PRESENCE_ABSENT)
		return match_of[kind];
	return kind == MATCHED_NEW ? MATCH_NEW : MATCH_VANISHED;
}

/* Of a run, from the sum of all runs. */
static double mean_cost(const struct analysis *analysis, int version, double sum)
{
	return sum * analysis->scale[version] / recording_total_work(analysis->recordings[version]);
}

static struct result_change self_change(const struct analysis *analysis, size_t function)
{
	struct result_change out = {.state = STATE_INELIGIBLE};
	const struct verdict_effect *effect =
		analysis->verdict.functions ? &analysis->verdict.functions[function] : NULL;

	if (effect) {
		out.base = effect->base * analysis->whole;
		out.head = effect->head * analysis->whole;
		out.change = effect->change;
		out.low = effect->low;
		out.high = effect->high;
		out.se = effect->se;
		out.state = state_of[effect->state];
		return out;
	}
	out.base = mean_cost(
		analysis, VERSION_BASE, analysis_self_seconds(analysis, VERSION_BASE, function));
	out.head = mean_cost(
		analysis, VERSION_HEAD, analysis_self_seconds(analysis, VERSION_HEAD, function));
	if (analysis->whole > 0) {
		out.change = (out.head - out.base) / analysis->whole;
		out.low = out.high = out.se = NAN;
	}
	return out;
}

static void fill_function_total(
	const struct analysis *analysis, size_t function, struct result_function *out)
{
	uint32_t known = analysis->comparison.function_known[function];
	const struct verdict_known *total;

	out->total_change = out->total_low = out->total_high = NAN;
	for (int version = 0; version < VERSION_COUNT; version++)
		out->total[version] = mean_cost(
			analysis, version, analysis->comparison.function_total[version][function]);
	if (known == COMPARE_NONE || !analysis->verdict.known)
		return;
	total = &analysis->verdict.known[known];
	out->total[VERSION_BASE] = total->base * analysis->whole;
	out->total[VERSION_HEAD] = total->head * analysis->whole;
	out->total_change = total->change;
	out->total_low = total->low;
	out->total_high = total->high;
}

static void fill_functions(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	const struct comparison *comparison = &analysis->comparison;
	struct result_function *functions =
		arena_array(arena, comparison->matches.count, sizeof(*functions));

	for (size_t i = 0; i < comparison->matches.count; i++) {
		const struct matched_function *matched = &comparison->matches.functions[i];
		int version = matched->kind == MATCHED_VANISHED ? COMPARE_BASE : COMPARE_HEAD;

		functions[i] = (struct result_function){
			.name = arena_strdup(arena, matched->name),
			.module = arena_strdup(arena, comparison->function_module[i]),
			.file = arena_strdup(arena, matched->file[version]),
			.line = matched->line[version],
			.match = match_in(analysis, i),
			.touched = analysis->input.function_flags[i] & VERDICT_FUNCTION_TOUCHED,
			.self = self_change(analysis, i),
		};
		fill_function_total(analysis, i, &functions[i]);
	}
	out->functions = functions;
	out->function_count = comparison->matches.count;
}

static bool has_changed_names(const struct matched_function *matched)
{
	return matched->kind != MATCHED_SAME && matched->kind != MATCHED_NEW &&
	       matched->kind != MATCHED_VANISHED;
}

static void fill_matchings(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	const struct function_matches *matches = &analysis->comparison.matches;
	struct result_matching *matchings = arena_array(arena, matches->count, sizeof(*matchings));
	size_t count = 0;

	for (size_t i = 0; i < matches->count; i++) {
		const struct matched_function *matched = &matches->functions[i];

		if (!has_changed_names(matched))
			continue;
		matchings[count++] =
			(struct result_matching){.name = arena_strdup(arena, matched->name),
				.file = arena_strdup(arena, matched->file[COMPARE_HEAD]),
				.base_name = arena_strdup(arena, matched->base_name),
				.base_file = arena_strdup(arena, matched->file[COMPARE_BASE]),
				.kind = match_of[matched->kind],
				.reason = matched->reason,
				.similarity = matched->similarity};
	}
	out->matchings = matchings;
	out->matching_count = count;
}

static const enum result_inlining_kind inlining_of[] = {
	[INLINING_INLINED] = INLINED_AS_INLINED,
	[INLINING_OUTLINED] = INLINED_AS_OUTLINED,
	[INLINING_SPLIT] = INLINED_AS_SPLIT,
	[INLINING_MERGED] = INLINED_AS_MERGED,
};

static const char *file_of(const struct matched_function *matched, struct arena *arena)
{
	int version = matched->kind == MATCHED_VANISHED ? COMPARE_BASE : COMPARE_HEAD;

	return arena_strdup(arena, matched->file[version]);
}

/* What only chance made look like one is none of the program's. */
static void fill_inlinings(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	const struct matched_function *functions = analysis->comparison.matches.functions;
	const struct inlining_map *from = &analysis->comparison.inlinings;
	struct result_inlining *inlinings = arena_array(arena, from->count, sizeof(*inlinings));

	out->inlinings = inlinings;
	out->inlining_count = 0;
	for (size_t i = 0; i < from->count; i++) {
		const struct inlining *inlining = &from->items[i];
		const struct matched_function *host = &functions[inlining->host];
		const struct matched_function *part = &functions[inlining->part];

		if (inlining->is_chance)
			continue;
		inlinings[out->inlining_count++] =
			(struct result_inlining){.host = arena_strdup(arena, host->name),
				.host_file = file_of(host, arena),
				.part = arena_strdup(arena, part->name),
				.part_file = file_of(part, arena),
				.kind = inlining_of[inlining->kind],
				.reason = inlining->reason,
				.similarity = inlining->similarity};
	}
}

static void judge_node(const struct analysis *analysis, const struct comparison_node *from,
	struct result_node *node)
{
	const struct verdict_result *verdict = &analysis->verdict;
	const struct verdict_effect *total;
	const struct verdict_part *self;

	node->state = node->self_state = STATE_INELIGIBLE;
	if (analysis->whole > 0) {
		node->self_change =
			(node->self[VERSION_HEAD] - node->self[VERSION_BASE]) / analysis->whole;
		node->total_change =
			(node->total[VERSION_HEAD] - node->total[VERSION_BASE]) / analysis->whole;
	}
	if (from->tested == COMPARE_NONE || !verdict->nodes)
		return;
	total = &verdict->nodes[from->tested];
	self = &verdict->node_self[from->tested];
	node->self[VERSION_BASE] = self->base * analysis->whole;
	node->self[VERSION_HEAD] = self->head * analysis->whole;
	node->self_change = self->change;
	node->total[VERSION_BASE] = total->base * analysis->whole;
	node->total[VERSION_HEAD] = total->head * analysis->whole;
	node->total_change = total->change;
	node->state = state_of[total->state];
	if (from->function != COMPARE_NONE)
		node->self_state = state_of[verdict->functions[from->function].state];
}

static enum result_state total_state(const struct verdict_result *verdict)
{
	return total_is_layout(verdict) ? STATE_UNCHANGED : state_of[verdict->total.state];
}

/* All that a run took, sampled or not: the samples' sum might contradict the total's change. */
static void judge_root(const struct analysis *analysis, struct result_node *root)
{
	const struct verdict_result *verdict = &analysis->verdict;

	if (!verdict->nodes)
		return;
	root->total[VERSION_BASE] = analysis->total[VERSION_BASE];
	root->total[VERSION_HEAD] = analysis->total[VERSION_HEAD];
	root->total_change = verdict->total.change;
	root->state = total_state(verdict);
}

static void fill_nodes(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	const struct comparison *comparison = &analysis->comparison;
	struct result_node *nodes = arena_array(arena, comparison->node_count, sizeof(*nodes));

	for (size_t i = 0; i < comparison->node_count; i++) {
		const struct comparison_node *from = &comparison->nodes[i];

		nodes[i].parent = from->parent;
		nodes[i].function = from->function == COMPARE_NONE ? RESULT_NONE : from->function;
		for (int version = 0; version < VERSION_COUNT; version++) {
			nodes[i].self[version] = mean_cost(analysis, version, from->self[version]);
			nodes[i].total[version] =
				mean_cost(analysis, version, from->total[version]);
		}
		judge_node(analysis, from, &nodes[i]);
	}
	judge_root(analysis, &nodes[0]);
	out->nodes = nodes;
	out->node_count = comparison->node_count;
}

/* A difference that all pairs share is no noise: what is left would be there between equals. */
static double pair_noise(const struct analysis *analysis)
{
	const struct verdict_input *input = &analysis->input;
	struct arena scratch = ARENA_INIT;
	double *ratios = arena_array(&scratch, input->pairs + 1, sizeof(*ratios)), noise;
	size_t count = 0;

	for (size_t i = 0; i < input->pairs; i++) {
		const struct recording_round *base = &analysis->recordings[VERSION_BASE]->rounds[i];
		const struct recording_round *head = &analysis->recordings[VERSION_HEAD]->rounds[i];
		double ratio = head->cpu_seconds * base->iterations /
			       (base->cpu_seconds * head->iterations);

		if (ratio > 0 && isfinite(ratio))
			ratios[count++] = log(ratio);
	}
	noise = count > 1 ? robust_deviation(ratios, count) : 0;
	arena_release(&scratch);
	return noise;
}

static void fill_total(const struct analysis *analysis, struct result_benchmark *out)
{
	const struct verdict_total *total = &analysis->verdict.total;

	out->total = (struct result_change){
		.base = analysis->total[VERSION_BASE],
		.head = analysis->total[VERSION_HEAD],
		.change = total->change,
		.low = total->low,
		.high = total->high,
		.state = total_state(&analysis->verdict),
	};
	out->per = analysis->recordings[VERSION_HEAD]->counted_work ? PER_ITERATION : PER_RUN;
	out->changes_of = analysis->verdict.fresh ? PAIRS_CONFIRMING : PAIRS_ALL;
	out->bound = analysis->verdict.bound;
	out->noise = pair_noise(analysis);
	out->mde_total = total->mde;
	out->mde_function = analysis->verdict.mde_function;
}

static void fill_pairs(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	const struct recording *base = analysis->recordings[VERSION_BASE];
	const struct recording *head = analysis->recordings[VERSION_HEAD];
	size_t count = analysis->input.pairs;
	struct result_pair *pairs = arena_array(arena, count, sizeof(*pairs));

	for (size_t i = 0; i < count; i++)
		pairs[i] = (struct result_pair){
			.base_seconds = base->rounds[i].cpu_seconds / base->rounds[i].iterations,
			.head_seconds = head->rounds[i].cpu_seconds / head->rounds[i].iterations,
			.head_first = head->rounds[i].order == 0,
			.dropped = analysis->verdict.dropped && analysis->verdict.dropped[i],
			.stage = i < analysis->input.stage1_pairs ? 1 : 2,
		};
	out->pairs = pairs;
	out->pair_count = count;
	out->stage1_pairs = analysis->input.stage1_pairs;
	out->stage2_pairs = count - analysis->input.stage1_pairs;
	out->dropped_pairs = analysis->verdict.dropped_count;
}

static const char *slices_text(const struct recording *recording, struct arena *arena)
{
	if (recording->slice_ns)
		return arena_printf(arena, "%g ms", (double)recording->slice_ns / 1e6);
	if (recording->unsliced && recording->unsliced[0])
		return arena_printf(arena, "whole runs, because %s", recording->unsliced);
	return "";
}

static void fill_sampling(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	struct result_sampling *sampling = &out->sampling;

	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct recording *recording = analysis->recordings[version];
		double sampled = 0, cpu = 0, own = 0;

		for (size_t i = 0; i < recording->round_count; i++) {
			const struct recording_round *round = &recording->rounds[i];

			sampled += round->sampled_seconds;
			own += round->own_seconds;
			cpu += round->cpu_seconds;
			sampling->samples += round->samples;
			sampling->complete += round->complete;
			sampling->lost += round->lost;
		}
		sampling->coverage[version] = cpu > 0 ? sampled / cpu : 0;
		sampling->own_cost[version] = cpu > 0 ? own / cpu : 0;
	}
	sampling->mechanism =
		arena_strdup(arena, mechanism_text(analysis->recordings[VERSION_HEAD]->mechanism));
	sampling->rate_hz = analysis->recordings[VERSION_HEAD]->rate_hz;
	out->seed = analysis->recordings[VERSION_HEAD]->seed;
	if (analysis->recordings[VERSION_HEAD]->layouts)
		out->layouts = arena_printf(
			arena, "%u layouts", analysis->recordings[VERSION_HEAD]->layouts);
	out->slices = slices_text(analysis->recordings[VERSION_HEAD], arena);
}

/* A list that grows in the arena. */
struct line_list {
	struct arena *arena;
	const char **items;
	size_t count;
};

static void add_line(struct line_list *list, const char *line)
{
	const char **items = arena_array(list->arena, list->count + 1, sizeof(*items));

	if (list->count)
		memcpy(items, list->items, list->count * sizeof(*items));
	items[list->count++] = line;
	list->items = items;
}

/* What could not be read of a version's files: it has no names, or nobody's code is the same. */
static void add_reading_troubles(
	const struct profile *profile, const char *version_name, struct line_list *list)
{
	static const char mark[] = "warning: ";
	size_t found = 0;

	for (size_t i = 0; i < profile->comment_count; i++) {
		const char *comment = profile->comments[i];

		if (strncmp(comment, mark, strlen(mark)) == 0 && found++ < MOST_TROUBLES)
			add_line(list, arena_printf(list->arena, "%s: %s", version_name,
					       comment + strlen(mark)));
	}
	if (found > MOST_TROUBLES)
		add_line(list, arena_printf(list->arena, "%s: %zu more files could not be read",
				       version_name, found - MOST_TROUBLES));
}

/*
 * What there is something to do about. What unchanged code takes more is told, but warns only where
 * the total grew by more than noise and the code's place in memory explain, and something that runs
 * has changed; or where it grew beyond its margin and nobody has counted whether that code is
 * called more often. Cost that moved warns where the total grew.
 */
uint32_t warning_reasons(const struct verdict_result *verdict)
{
	const uint32_t placed = VERDICT_REASON_LAYOUT | VERDICT_REASON_UNCHANGED_CODE |
				VERDICT_REASON_NODE_UNEXPLAINED | VERDICT_REASON_TOTAL_UNEXPLAINED;
	uint32_t warning = VERDICT_REASON_CONTRADICTED, shown;

	if (!verdict->calls_known || !(verdict->reasons & VERDICT_REASON_TOTAL_UNCHANGED))
		warning |= VERDICT_REASON_TOTAL_UNEXPLAINED;
	if (verdict->total.flagged && verdict->total.low > 0)
		warning |= VERDICT_REASON_SHIFTED;
	if (verdict->total.low > verdict->layout &&
		!(verdict->nothing_changed && verdict->calls_known))
		warning |= placed;
	shown = verdict->reasons & warning;
	/* They speak of other functions and sums than of those that fail, and would take back what
	 * is said; which those are, is told with what was ruled out. */
	if (verdict->status == VERDICT_REGRESSION)
		shown &= ~(uint32_t)(VERDICT_REASON_LAYOUT | VERDICT_REASON_UNCHANGED_CODE |
				     VERDICT_REASON_NODE_UNEXPLAINED);
	return shown;
}

bool total_is_layout(const struct verdict_result *verdict)
{
	const struct verdict_total *total = &verdict->total;
	bool counts = total->state == VERDICT_CONFIRMED || (total->flagged && !total->confirmed);

	return total->low > 0 && total->low <= verdict->layout && !counts &&
	       verdict->status == VERDICT_PASS &&
	       !(warning_reasons(verdict) & VERDICT_REASON_TOTAL_UNEXPLAINED);
}

/* One reason may say what another leaves open. */
static uint32_t said_reasons(const struct verdict_result *verdict)
{
	const uint32_t facts = VERDICT_REASON_UNREACHABLE_STAGE1 |
			       VERDICT_REASON_UNREACHABLE_STAGE2 | VERDICT_REASON_UNCHANGED_GREW;
	const uint32_t moved = VERDICT_REASON_SHIFTED | VERDICT_REASON_UNCHANGED_CODE |
			       VERDICT_REASON_NODE_UNEXPLAINED | VERDICT_REASON_LAYOUT |
			       VERDICT_REASON_TOTAL_UNEXPLAINED;
	uint32_t said = warning_reasons(verdict) | (verdict->reasons & facts);

	if (verdict->status == VERDICT_PASS && verdict->bound >= 0)
		said |= verdict->reasons & moved;
	if (verdict->reasons & VERDICT_REASON_TOTAL_UNCHANGED) {
		said |= VERDICT_REASON_TOTAL_UNCHANGED;
		said &= ~(uint32_t)VERDICT_REASON_TOTAL_UNEXPLAINED;
	}
	if (total_is_layout(verdict))
		said &= ~(uint32_t)(VERDICT_REASON_TOTAL_UNCHANGED |
				    VERDICT_REASON_TOTAL_UNEXPLAINED);
	return said;
}

static const char *coverage_text(struct arena *arena, const char *version_name,
	const struct recording *recording, double coverage)
{
	double seconds = recording_run_seconds(recording);

	if (seconds < RECORDING_SHORT_SECONDS)
		return arena_printf(arena,
			"%s: a run takes only %.2g ms of CPU time, and samples account for only "
			"%.0f %% of that: do more work per run, 0.1 s or more",
			version_name, seconds * 1e3, coverage * 100);
	return arena_printf(arena, "%s: samples account for only %.0f %% of the CPU time",
		version_name, coverage * 100);
}

static void fill_warnings(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	const uint32_t shown = said_reasons(&analysis->verdict);
	struct line_list list = {arena, NULL, 0};
	const double *coverage = out->sampling.coverage;

	for (size_t i = 0; i < out->warning_count; i++)
		add_line(&list, out->warnings[i]);
	for (uint32_t bit = VERDICT_REASON_SHIFTED; bit <= VERDICT_REASON_TOTAL_UNCHANGED;
		bit <<= 1)
		if (shown & bit)
			add_line(&list, arena_strdup(arena, verdict_reason_text(bit)));
	for (int version = 0; version < VERSION_COUNT; version++)
		if (coverage[version] < 0.9)
			add_line(&list, coverage_text(arena, version_names[version],
						analysis->recordings[version], coverage[version]));
	for (int version = 0; version < VERSION_COUNT; version++)
		add_reading_troubles(
			analysis->recordings[version]->profile, version_names[version], &list);
	out->warnings = list.items;
	out->warning_count = list.count;
}

static void add_folded_nodes(
	const struct analysis *analysis, struct arena *arena, struct line_list *list)
{
	const struct comparison *comparison = &analysis->comparison;

	if (comparison->is_folded)
		add_line(list,
			arena_printf(arena,
				"The call tree was too large: its %zu largest nodes are kept; what "
				"was left out, no node of it above %.2g %% of the benchmark, "
				"counts as its caller's",
				comparison->node_count, comparison->folded_share * 100));
}

static void fill_excluded(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	struct line_list list = {arena, NULL, 0};
	size_t ineligible = 0;

	for (size_t i = 0; i < out->excluded_count; i++)
		add_line(&list, out->excluded[i]);
	for (size_t i = 0; i < out->function_count; i++)
		ineligible += out->functions[i].self.state == STATE_INELIGIBLE;
	if (out->dropped_pairs)
		add_line(&list,
			arena_printf(arena, "%zu of %zu pairs: outliers of the totals' ratio",
				out->dropped_pairs, out->pair_count));
	if (ineligible)
		add_line(&list, arena_printf(arena,
					"%zu of %zu functions: fewer than %d samples, not tested",
					ineligible, out->function_count, COMPARISON_MIN_SAMPLES));
	add_folded_nodes(analysis, arena, &list);
	if (analysis->comparison.tested_count < analysis->comparison.node_count)
		add_line(&list,
			arena_printf(arena, "%zu of %zu call-tree nodes: fewer than %d samples",
				analysis->comparison.node_count - analysis->comparison.tested_count,
				analysis->comparison.node_count, COMPARISON_MIN_SAMPLES));
	if (out->sampling.lost)
		add_line(&list, arena_printf(arena, "%llu samples were lost for want of space",
					(unsigned long long)out->sampling.lost));
	if (!analysis->recordings[VERSION_HEAD]->layouts)
		add_line(&list, "code layout was not varied: both versions were "
				"measured as one build each");
	out->excluded = list.items;
	out->excluded_count = list.count;
}

void fill_benchmark(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out)
{
	struct arena *arena = &result->arena;

	fill_functions(analysis, arena, out);
	fill_matchings(analysis, arena, out);
	fill_inlinings(analysis, arena, out);
	fill_nodes(analysis, arena, out);
	fill_total(analysis, out);
	fill_pairs(analysis, arena, out);
	fill_sampling(analysis, arena, out);
	fill_warnings(analysis, arena, out);
	fill_excluded(analysis, arena, out);
	fill_findings(analysis, result, out);
	fill_labels(analysis, result, out);
}

/* Head's runs without pairs: how much they differ is worth seeing. */
static void fill_single_pairs(
	const struct recording *head, struct arena *arena, struct result_benchmark *out)
{
	struct result_pair *pairs = arena_array(arena, head->round_count, sizeof(*pairs));

	if (head->round_count < 2)
		return;
	for (size_t i = 0; i < head->round_count; i++)
		pairs[i] = (struct result_pair){
			.head_seconds = head->rounds[i].cpu_seconds / head->rounds[i].iterations,
			.stage = 1,
		};
	out->pairs = pairs;
	out->pair_count = head->round_count;
	out->stage1_pairs = head->round_count;
}

/* CPU time is what the clock says; of all else there is what the profile holds. */
static double profiled_total(
	const struct analysis *analysis, const struct result_benchmark *out, int version)
{
	if (strcmp(out->profile_type, RECORDING_TYPE_CPU) == 0)
		return analysis_run_seconds(analysis->recordings[version]);
	return out->nodes[0].total[version];
}

static void fill_left_out(
	const struct analysis *analysis, struct arena *arena, struct result_benchmark *out)
{
	struct line_list list = {arena, NULL, 0};

	for (size_t i = 0; i < out->excluded_count; i++)
		add_line(&list, out->excluded[i]);
	add_folded_nodes(analysis, arena, &list);
	out->excluded = list.items;
	out->excluded_count = list.count;
}

void fill_profiles(
	const struct analysis *analysis, struct result *result, struct result_benchmark *out)
{
	struct arena *arena = &result->arena;

	const struct profile *head = analysis->recordings[VERSION_HEAD]->profile;

	const struct profile_value_type *type = &head->types[profile_judged_type(head)];

	out->unit = arena_strdup(arena, value_unit_name(type->unit));
	out->profile_type = arena_strdup(arena, type->type);
	fill_functions(analysis, arena, out);
	fill_matchings(analysis, arena, out);
	fill_inlinings(analysis, arena, out);
	fill_nodes(analysis, arena, out);
	fill_left_out(analysis, arena, out);
	fill_sampling(analysis, arena, out);
	if (strcmp(out->profile_type, RECORDING_TYPE_CPU) == 0)
		fill_single_pairs(analysis->recordings[VERSION_HEAD], arena, out);
	out->sides =
		analysis_is_nothing(analysis->recordings[VERSION_BASE]) ? SIDES_HEAD : SIDES_BOTH;
	out->total.base = profiled_total(analysis, out, VERSION_BASE);
	out->total.head = profiled_total(analysis, out, VERSION_HEAD);
	out->total.state = STATE_INELIGIBLE;
	if (out->total.base > 0)
		out->total.change = out->total.head / out->total.base - 1;
	fill_labels(analysis, result, out);
}
