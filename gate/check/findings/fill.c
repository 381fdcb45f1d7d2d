/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/findings/fill.h"
#include "gate/check/analysis/presence.h"
#include "gate/check/runs/run_text.h"
#include "gate/verdict/estimate/robust.h"

#include <math.h>
#include <string.h>

#define MOST_TROUBLES 4 /* a program may map any number of files */

static const enum result_state state_of[] = {
	[VERDICT_UNCHANGED] = STATE_UNCHANGED,
	[VERDICT_INELIGIBLE] = STATE_INELIGIBLE,
	[VERDICT_FLAGGED] = STATE_FLAGGED,
	[VERDICT_CONFIRMED] = STATE_CONFIRMED,
	[VERDICT_SHIFTED] = STATE_SHIFTED,
	[VERDICT_VETOED] = STATE_VETOED,
	[VERDICT_EXONERATED] = STATE_EXONERATED,
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
static enum result_match match_in(const struct decision *decision, size_t function)
{
	enum match_kind kind = decision->comparison.matches.functions[function].kind;
	int lacking = kind == MATCHED_NEW ? ARM_BASE : ARM_HEAD;

	if ((kind != MATCHED_NEW && kind != MATCHED_VANISHED) ||
		decision->presence[lacking][function] != PRESENCE_ABSENT)
		return match_of[kind];
	return kind == MATCHED_NEW ? MATCH_NEW : MATCH_VANISHED;
}

/* Of a run, from the sum of all runs. */
static double mean_cost(const struct decision *decision, int arm, double sum)
{
	return sum * decision->scale[arm] / recording_total_work(decision->recordings[arm]);
}

static struct result_change self_change(const struct decision *decision, size_t function)
{
	struct result_change out = {.state = STATE_INELIGIBLE};
	const struct verdict_effect *effect =
		decision->verdict.functions ? &decision->verdict.functions[function] : NULL;

	if (effect) {
		out.base = effect->base * decision->whole;
		out.head = effect->head * decision->whole;
		out.change = effect->change;
		out.low = effect->low;
		out.high = effect->high;
		out.se = effect->se;
		out.state = state_of[effect->state];
		return out;
	}
	out.base =
		mean_cost(decision, ARM_BASE, decision_self_seconds(decision, ARM_BASE, function));
	out.head =
		mean_cost(decision, ARM_HEAD, decision_self_seconds(decision, ARM_HEAD, function));
	if (decision->whole > 0) {
		out.change = (out.head - out.base) / decision->whole;
		out.low = out.high = out.se = NAN;
	}
	return out;
}

static void fill_function_total(
	const struct decision *decision, size_t function, struct result_function *out)
{
	uint32_t known = decision->comparison.function_known[function];
	const struct verdict_known *total;

	out->total_change = out->total_low = out->total_high = NAN;
	for (int arm = 0; arm < ARM_COUNT; arm++)
		out->total[arm] = mean_cost(
			decision, arm, decision->comparison.function_total[arm][function]);
	if (known == COMPARE_NONE || !decision->verdict.known)
		return;
	total = &decision->verdict.known[known];
	out->total[ARM_BASE] = total->base * decision->whole;
	out->total[ARM_HEAD] = total->head * decision->whole;
	out->total_change = total->change;
	out->total_low = total->low;
	out->total_high = total->high;
}

static void fill_functions(
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	const struct comparison *comparison = &decision->comparison;
	struct result_function *functions =
		arena_array(arena, comparison->matches.count, sizeof(*functions));

	for (size_t i = 0; i < comparison->matches.count; i++) {
		const struct matched_function *matched = &comparison->matches.functions[i];
		int arm = matched->kind == MATCHED_VANISHED ? COMPARE_BASE : COMPARE_HEAD;

		functions[i] = (struct result_function){
			.name = arena_strdup(arena, matched->name),
			.module = arena_strdup(arena, comparison->function_module[i]),
			.file = arena_strdup(arena, matched->file[arm]),
			.line = matched->line[arm],
			.match = match_in(decision, i),
			.touched = decision->input.function_flags[i] & VERDICT_FUNCTION_TOUCHED,
			.self = self_change(decision, i),
		};
		fill_function_total(decision, i, &functions[i]);
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
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	const struct function_matches *matches = &decision->comparison.matches;
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

static const enum result_fold_kind fold_of[] = {
	[FOLD_INLINED] = FOLDED_INLINED,
	[FOLD_OUTLINED] = FOLDED_OUTLINED,
	[FOLD_SPLIT] = FOLDED_SPLIT,
	[FOLD_MERGED] = FOLDED_MERGED,
};

static const char *file_of(const struct matched_function *matched, struct arena *arena)
{
	int arm = matched->kind == MATCHED_VANISHED ? COMPARE_BASE : COMPARE_HEAD;

	return arena_strdup(arena, matched->file[arm]);
}

/* What only chance made look like one is none of the program's. */
static void fill_folds(
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	const struct matched_function *functions = decision->comparison.matches.functions;
	const struct folds *from = &decision->comparison.folds;
	struct result_fold *folds = arena_array(arena, from->count, sizeof(*folds));

	out->folds = folds;
	out->fold_count = 0;
	for (size_t i = 0; i < from->count; i++) {
		const struct fold *fold = &from->items[i];
		const struct matched_function *host = &functions[fold->host];
		const struct matched_function *part = &functions[fold->part];

		if (fold->is_chance)
			continue;
		folds[out->fold_count++] =
			(struct result_fold){.host = arena_strdup(arena, host->name),
				.host_file = file_of(host, arena),
				.part = arena_strdup(arena, part->name),
				.part_file = file_of(part, arena),
				.kind = fold_of[fold->kind],
				.reason = fold->reason,
				.similarity = fold->similarity};
	}
}

static void judge_node(const struct decision *decision, const struct comparison_node *from,
	struct result_node *node)
{
	const struct verdict_result *verdict = &decision->verdict;
	const struct verdict_effect *total;
	const struct verdict_part *self;

	node->state = node->self_state = STATE_INELIGIBLE;
	if (decision->whole > 0) {
		node->self_change = (node->self[ARM_HEAD] - node->self[ARM_BASE]) / decision->whole;
		node->total_change =
			(node->total[ARM_HEAD] - node->total[ARM_BASE]) / decision->whole;
	}
	if (from->tested == COMPARE_NONE || !verdict->nodes)
		return;
	total = &verdict->nodes[from->tested];
	self = &verdict->node_self[from->tested];
	node->self[ARM_BASE] = self->base * decision->whole;
	node->self[ARM_HEAD] = self->head * decision->whole;
	node->self_change = self->change;
	node->total[ARM_BASE] = total->base * decision->whole;
	node->total[ARM_HEAD] = total->head * decision->whole;
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
static void judge_root(const struct decision *decision, struct result_node *root)
{
	const struct verdict_result *verdict = &decision->verdict;

	if (!verdict->nodes)
		return;
	root->total[ARM_BASE] = decision->total[ARM_BASE];
	root->total[ARM_HEAD] = decision->total[ARM_HEAD];
	root->total_change = verdict->total.change;
	root->state = total_state(verdict);
}

static void fill_nodes(
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	const struct comparison *comparison = &decision->comparison;
	struct result_node *nodes = arena_array(arena, comparison->node_count, sizeof(*nodes));

	for (size_t i = 0; i < comparison->node_count; i++) {
		const struct comparison_node *from = &comparison->nodes[i];

		nodes[i].parent = from->parent;
		nodes[i].function = from->function == COMPARE_NONE ? RESULT_NONE : from->function;
		for (int arm = 0; arm < ARM_COUNT; arm++) {
			nodes[i].self[arm] = mean_cost(decision, arm, from->self[arm]);
			nodes[i].total[arm] = mean_cost(decision, arm, from->total[arm]);
		}
		judge_node(decision, from, &nodes[i]);
	}
	judge_root(decision, &nodes[0]);
	out->nodes = nodes;
	out->node_count = comparison->node_count;
}

/* A difference that all blocks share is no noise: what is left would be there between equals. */
static double block_noise(const struct decision *decision)
{
	const struct verdict_input *input = &decision->input;
	struct arena scratch = ARENA_INIT;
	double *ratios = arena_array(&scratch, input->blocks + 1, sizeof(*ratios)), noise;
	size_t count = 0;

	for (size_t i = 0; i < input->blocks; i++) {
		const struct recording_block *base = &decision->recordings[ARM_BASE]->blocks[i];
		const struct recording_block *head = &decision->recordings[ARM_HEAD]->blocks[i];
		double ratio = head->cpu_seconds * base->iterations /
			       (base->cpu_seconds * head->iterations);

		if (ratio > 0 && isfinite(ratio))
			ratios[count++] = log(ratio);
	}
	noise = count > 1 ? robust_deviation(ratios, count) : 0;
	arena_release(&scratch);
	return noise;
}

static void fill_total(const struct decision *decision, struct result_benchmark *out)
{
	const struct verdict_total *total = &decision->verdict.total;

	out->total = (struct result_change){
		.base = decision->total[ARM_BASE],
		.head = decision->total[ARM_HEAD],
		.change = total->change,
		.low = total->low,
		.high = total->high,
		.state = total_state(&decision->verdict),
	};
	out->per = decision->recordings[ARM_HEAD]->counted_work ? PER_ITERATION : PER_RUN;
	out->changes_of = decision->verdict.fresh ? PAIRS_CONFIRMING : PAIRS_ALL;
	out->bound = decision->verdict.bound;
	out->noise = block_noise(decision);
	out->mde_total = total->mde;
	out->mde_function = decision->verdict.mde_function;
}

static void fill_blocks(
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	const struct recording *base = decision->recordings[ARM_BASE];
	const struct recording *head = decision->recordings[ARM_HEAD];
	size_t count = decision->input.blocks;
	struct result_block *blocks = arena_array(arena, count, sizeof(*blocks));

	for (size_t i = 0; i < count; i++)
		blocks[i] = (struct result_block){
			.base_seconds = base->blocks[i].cpu_seconds / base->blocks[i].iterations,
			.head_seconds = head->blocks[i].cpu_seconds / head->blocks[i].iterations,
			.head_first = head->blocks[i].order == 0,
			.dropped = decision->verdict.dropped && decision->verdict.dropped[i],
			.stage = i < decision->input.stage1_blocks ? 1 : 2,
		};
	out->blocks = blocks;
	out->block_count = count;
	out->stage1_blocks = decision->input.stage1_blocks;
	out->stage2_blocks = count - decision->input.stage1_blocks;
	out->dropped_blocks = decision->verdict.dropped_count;
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
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	struct result_sampling *sampling = &out->sampling;

	for (int arm = 0; arm < ARM_COUNT; arm++) {
		const struct recording *recording = decision->recordings[arm];
		double sampled = 0, cpu = 0, own = 0;

		for (size_t i = 0; i < recording->block_count; i++) {
			const struct recording_block *block = &recording->blocks[i];

			sampled += block->sampled_seconds;
			own += block->own_seconds;
			cpu += block->cpu_seconds;
			sampling->samples += block->samples;
			sampling->complete += block->complete;
			sampling->lost += block->lost;
		}
		sampling->coverage[arm] = cpu > 0 ? sampled / cpu : 0;
		sampling->own_cost[arm] = cpu > 0 ? own / cpu : 0;
	}
	sampling->mechanism =
		arena_strdup(arena, mechanism_text(decision->recordings[ARM_HEAD]->mechanism));
	sampling->rate_hz = decision->recordings[ARM_HEAD]->rate_hz;
	out->seed = decision->recordings[ARM_HEAD]->seed;
	if (decision->recordings[ARM_HEAD]->layouts)
		out->layouts =
			arena_printf(arena, "%u layouts", decision->recordings[ARM_HEAD]->layouts);
	out->slices = slices_text(decision->recordings[ARM_HEAD], arena);
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

/* What could not be read of an arm's files: it has no names, or nobody's code is the same. */
static void add_reading_troubles(
	const struct profile *profile, const char *arm, struct line_list *list)
{
	static const char mark[] = "warning: ";
	size_t found = 0;

	for (size_t i = 0; i < profile->comment_count; i++) {
		const char *comment = profile->comments[i];

		if (strncmp(comment, mark, strlen(mark)) == 0 && found++ < MOST_TROUBLES)
			add_line(list,
				arena_printf(list->arena, "%s: %s", arm, comment + strlen(mark)));
	}
	if (found > MOST_TROUBLES)
		add_line(list, arena_printf(list->arena, "%s: %zu more files could not be read",
				       arm, found - MOST_TROUBLES));
}

/*
 * What there is something to do about. What unchanged code takes more is told, but warns only where
 * the total grew by more than noise and the code's place in memory explain; or where it grew beyond
 * its margin and nobody has counted whether that code is called more often. Cost that moved warns
 * where the total grew.
 */
uint32_t warning_reasons(const struct verdict_result *verdict)
{
	const uint32_t placed = VERDICT_REASON_LAYOUT | VERDICT_REASON_EXONERATED |
				VERDICT_REASON_NODE_UNEXPLAINED | VERDICT_REASON_TOTAL_UNEXPLAINED;
	uint32_t warning = VERDICT_REASON_VETOED, shown;

	if (!verdict->calls_known || !(verdict->reasons & VERDICT_REASON_TOTAL_ALIKE))
		warning |= VERDICT_REASON_TOTAL_UNEXPLAINED;
	if (verdict->total.flagged && verdict->total.low > 0)
		warning |= VERDICT_REASON_SHIFTED;
	if (verdict->total.low > verdict->layout)
		warning |= placed;
	shown = verdict->reasons & warning;
	/* They speak of other functions and sums than of those that fail, and would take back what
	 * is said; which those are, is told with what was ruled out. */
	if (verdict->status == VERDICT_REGRESSION)
		shown &= ~(uint32_t)(VERDICT_REASON_LAYOUT | VERDICT_REASON_EXONERATED |
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
			       VERDICT_REASON_UNREACHABLE_STAGE2 | VERDICT_REASON_SAME_CODE;
	const uint32_t moved = VERDICT_REASON_SHIFTED | VERDICT_REASON_EXONERATED |
			       VERDICT_REASON_NODE_UNEXPLAINED | VERDICT_REASON_LAYOUT |
			       VERDICT_REASON_TOTAL_UNEXPLAINED;
	uint32_t said = warning_reasons(verdict) | (verdict->reasons & facts);

	if (verdict->status == VERDICT_PASS && verdict->bound >= 0)
		said |= verdict->reasons & moved;
	if (verdict->reasons & VERDICT_REASON_TOTAL_ALIKE) {
		said |= VERDICT_REASON_TOTAL_ALIKE;
		said &= ~(uint32_t)VERDICT_REASON_TOTAL_UNEXPLAINED;
	}
	if (total_is_layout(verdict))
		said &= ~(uint32_t)(VERDICT_REASON_TOTAL_ALIKE | VERDICT_REASON_TOTAL_UNEXPLAINED);
	return said;
}

static const char *coverage_text(
	struct arena *arena, const char *arm, const struct recording *recording, double coverage)
{
	double seconds = recording_run_seconds(recording);

	if (seconds < RECORDING_SHORT_SECONDS)
		return arena_printf(arena,
			"%s: a run takes only %.2g ms of CPU time, and samples account for only "
			"%.0f %% of that: do more work per run, 0.1 s or more",
			arm, seconds * 1e3, coverage * 100);
	return arena_printf(
		arena, "%s: samples account for only %.0f %% of the CPU time", arm, coverage * 100);
}

static void fill_warnings(
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	const uint32_t shown = said_reasons(&decision->verdict);
	struct line_list list = {arena, NULL, 0};
	const double *coverage = out->sampling.coverage;

	for (size_t i = 0; i < out->warning_count; i++)
		add_line(&list, out->warnings[i]);
	for (uint32_t bit = VERDICT_REASON_SHIFTED; bit <= VERDICT_REASON_TOTAL_ALIKE; bit <<= 1)
		if (shown & bit)
			add_line(&list, arena_strdup(arena, verdict_reason_text(bit)));
	for (int arm = 0; arm < ARM_COUNT; arm++)
		if (coverage[arm] < 0.9)
			add_line(&list, coverage_text(arena, arm_names[arm],
						decision->recordings[arm], coverage[arm]));
	for (int arm = 0; arm < ARM_COUNT; arm++)
		add_reading_troubles(decision->recordings[arm]->profile, arm_names[arm], &list);
	out->warnings = list.items;
	out->warning_count = list.count;
}

static void add_folded_nodes(
	const struct decision *decision, struct arena *arena, struct line_list *list)
{
	const struct comparison *comparison = &decision->comparison;

	if (comparison->is_folded)
		add_line(list,
			arena_printf(arena,
				"The call tree was too large: its %zu largest nodes are kept; what "
				"was left out, no node of it above %.2g %% of the benchmark, "
				"counts "
				"as its caller's",
				comparison->node_count, comparison->folded_share * 100));
}

static void fill_excluded(
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	struct line_list list = {arena, NULL, 0};
	size_t ineligible = 0;

	for (size_t i = 0; i < out->excluded_count; i++)
		add_line(&list, out->excluded[i]);
	for (size_t i = 0; i < out->function_count; i++)
		ineligible += out->functions[i].self.state == STATE_INELIGIBLE;
	if (out->dropped_blocks)
		add_line(&list,
			arena_printf(arena, "%zu of %zu blocks: outliers of the totals' ratio",
				out->dropped_blocks, out->block_count));
	if (ineligible)
		add_line(&list, arena_printf(arena,
					"%zu of %zu functions: fewer than %d samples, not tested",
					ineligible, out->function_count, COMPARISON_MIN_SAMPLES));
	add_folded_nodes(decision, arena, &list);
	if (decision->comparison.tested_count < decision->comparison.node_count)
		add_line(&list,
			arena_printf(arena, "%zu of %zu call-tree nodes: fewer than %d samples",
				decision->comparison.node_count - decision->comparison.tested_count,
				decision->comparison.node_count, COMPARISON_MIN_SAMPLES));
	if (out->sampling.lost)
		add_line(&list, arena_printf(arena, "%llu samples were lost for want of space",
					(unsigned long long)out->sampling.lost));
	if (!decision->recordings[ARM_HEAD]->layouts)
		add_line(&list, "code layout was not varied: both versions were measured as one "
				"build each");
	out->excluded = list.items;
	out->excluded_count = list.count;
}

void fill_benchmark(
	const struct decision *decision, struct result *result, struct result_benchmark *out)
{
	struct arena *arena = &result->arena;

	fill_functions(decision, arena, out);
	fill_matchings(decision, arena, out);
	fill_folds(decision, arena, out);
	fill_nodes(decision, arena, out);
	fill_total(decision, out);
	fill_blocks(decision, arena, out);
	fill_sampling(decision, arena, out);
	fill_warnings(decision, arena, out);
	fill_excluded(decision, arena, out);
	fill_findings(decision, result, out);
	fill_labels(decision, result, out);
}

/* Head's runs without pairs: how much they differ is worth seeing. */
static void fill_single_blocks(
	const struct recording *head, struct arena *arena, struct result_benchmark *out)
{
	struct result_block *blocks = arena_array(arena, head->block_count, sizeof(*blocks));

	if (head->block_count < 2)
		return;
	for (size_t i = 0; i < head->block_count; i++)
		blocks[i] = (struct result_block){
			.head_seconds = head->blocks[i].cpu_seconds / head->blocks[i].iterations,
			.stage = 1,
		};
	out->blocks = blocks;
	out->block_count = head->block_count;
	out->stage1_blocks = head->block_count;
}

/* CPU time is what the clock says; of all else there is what the profile holds. */
static double profiled_total(
	const struct decision *decision, const struct result_benchmark *out, int arm)
{
	if (strcmp(out->profile_type, RECORDING_TYPE_CPU) == 0)
		return decision_run_seconds(decision->recordings[arm]);
	return out->nodes[0].total[arm];
}

static void fill_left_out(
	const struct decision *decision, struct arena *arena, struct result_benchmark *out)
{
	struct line_list list = {arena, NULL, 0};

	for (size_t i = 0; i < out->excluded_count; i++)
		add_line(&list, out->excluded[i]);
	add_folded_nodes(decision, arena, &list);
	out->excluded = list.items;
	out->excluded_count = list.count;
}

void fill_profiles(
	const struct decision *decision, struct result *result, struct result_benchmark *out)
{
	struct arena *arena = &result->arena;

	const struct profile *head = decision->recordings[ARM_HEAD]->profile;

	const struct profile_value_type *type = &head->types[comparison_value_type(head)];

	out->unit = arena_strdup(arena, value_unit_name(type->unit));
	out->profile_type = arena_strdup(arena, type->type);
	fill_functions(decision, arena, out);
	fill_matchings(decision, arena, out);
	fill_folds(decision, arena, out);
	fill_nodes(decision, arena, out);
	fill_left_out(decision, arena, out);
	fill_sampling(decision, arena, out);
	if (strcmp(out->profile_type, RECORDING_TYPE_CPU) == 0)
		fill_single_blocks(decision->recordings[ARM_HEAD], arena, out);
	out->sides = decision_is_nothing(decision->recordings[ARM_BASE]) ? SIDES_HEAD : SIDES_BOTH;
	out->total.base = profiled_total(decision, out, ARM_BASE);
	out->total.head = profiled_total(decision, out, ARM_HEAD);
	out->total.state = STATE_INELIGIBLE;
	if (out->total.base > 0)
		out->total.change = out->total.head / out->total.base - 1;
	fill_labels(decision, result, out);
}
