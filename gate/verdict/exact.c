/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/verdict/check_input.h"
#include "gate/verdict/estimate/robust.h"

#define RUNS_MIN 3
#define HISTORY_MIN 8
#define RATIO_TOLERANCE 1e-12
#define EXPLAINED_PART 0.5
#define COMPENSATED_PART 0.5
#define EXPLAINED_LEAST 0.1 /* of an increase, to be worth naming where runs differ */
#define SYMBOLS (VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_VANISHED)

struct file_sum {
	uint32_t file;
	double change;
};

struct analysis {
	const struct exact_input *input;
	struct arena *arena;
	struct exact_result *result;
	double *self[2]; /* [function] per unit of work */
	/* what groups of functions changed by, per unit of work */
	struct file_sum *files;
	size_t file_count;
	double touched, symbols;
};

static double work_of(const struct exact_input *input, int version, size_t pair)
{
	return input->work[version] ? input->work[version][pair] : 1;
}

static bool policy_is_sane(const struct exact_policy *policy)
{
	return check_number(policy->threshold) && check_number(policy->least_per_unit);
}

static bool build_is_sane(const struct exact_input *input, int version)
{
	for (size_t b = 0; b < input->pairs[version]; b++) {
		if (!check_number(input->total[version][b]) ||
			!check_divisor(work_of(input, version, b)))
			return false;
		for (size_t f = 0; f < input->function_count; f++)
			if (!check_number(input->self[version][f * input->row + b]))
				return false;
	}
	return true;
}

/* "" if the numbers can be decided at all. */
static const char *check_exact(const struct exact_input *input)
{
	if (!policy_is_sane(&input->policy))
		return "the threshold makes no sense";
	if (input->pairs[0] < RUNS_MIN || input->pairs[1] < RUNS_MIN)
		return "fewer than three runs";
	if (input->row < input->pairs[0] || input->row < input->pairs[1])
		return "runs are missing";
	if (!build_is_sane(input, 0) || !build_is_sane(input, 1))
		return "a cost is not a number that a measurement can give";
	return "";
}

/* total / work of two runs, without a division that rounds. */
static bool same_ratio(double total, double work, double other_total, double other_work)
{
	double left = total * other_work, right = other_total * work;

	return fabs(left - right) <= RATIO_TOLERANCE * fmax(left, right);
}

static bool is_exact(const struct exact_input *input, int version)
{
	const double *total = input->total[version], *work = input->work[version];

	for (size_t b = 1; b < input->pairs[version]; b++)
		if (work ? !same_ratio(total[b], work[b], total[0], work[0]) : total[b] != total[0])
			return false;
	return true;
}

/* Q3 + 3 IQR: what the project's own commits do to this number without anybody minding. */
static double usual_change(const struct exact_policy *policy, struct arena *arena)
{
	double *changes = arena_array(arena, policy->history_count, sizeof(*changes)), lower, upper;
	size_t count = 0;

	for (size_t i = 0; i < policy->history_count; i++)
		if (policy->history[i] >= 0 && policy->history[i] <= 1)
			changes[count++] = policy->history[i];
	if (count < HISTORY_MIN)
		return 0;
	lower = robust_quantile(changes, count, 0.25);
	upper = robust_quantile(changes, count, 0.75);
	return upper + 3 * (upper - lower);
}

static double mean_total(const struct exact_input *input, int version)
{
	double sum = 0;

	for (size_t b = 0; b < input->pairs[version]; b++)
		sum += input->total[version][b] / work_of(input, version, b);
	return sum / (double)input->pairs[version];
}

/* Where base has nothing, any growth is beyond measure. */
static void set_change(const struct analysis *analysis)
{
	struct exact_result *result = analysis->result;
	const struct exact_policy *policy = &analysis->input->policy;
	double least = result->base > 0 ? policy->least_per_unit / result->base : 0;

	result->change = result->base > 0   ? (result->head - result->base) / result->base
			 : result->head > 0 ? INFINITY
					    : 0;
	result->usual = usual_change(policy, analysis->arena);
	result->threshold = fmax(fmax(policy->threshold, least), result->usual);
}

static void set_totals(const struct analysis *analysis)
{
	const struct exact_input *input = analysis->input;
	struct exact_result *result = analysis->result;

	result->base = input->total[0][0] / work_of(input, 0, 0);
	result->head = input->total[1][0] / work_of(input, 1, 0);
	set_change(analysis);
}

static void find_range(const struct exact_input *input, int version, double *least, double *most)
{
	for (size_t b = 0; b < input->pairs[version]; b++) {
		double cost = input->total[version][b] / work_of(input, version, b);

		if (!b || cost < *least)
			*least = cost;
		if (!b || cost > *most)
			*most = cost;
	}
}

static bool is_all_above(const struct exact_input *input, const struct exact_result *result)
{
	double least[2], most[2], gap;

	for (int version = 0; version < 2; version++)
		find_range(input, version, &least[version], &most[version]);
	gap = least[1] - most[0];
	return gap > most[0] - least[0] && gap > most[1] - least[1] &&
	       gap >= result->threshold * most[0];
}

/* A single function may differ from run to run where the total does not. */
static void measure_functions(struct analysis *analysis)
{
	const struct exact_input *input = analysis->input;

	for (int version = 0; version < 2; version++) {
		double *self = arena_array(analysis->arena, input->function_count, sizeof(*self));
		double runs = (double)input->pairs[version];

		for (size_t f = 0; f < input->function_count; f++)
			for (size_t b = 0; b < input->pairs[version]; b++)
				self[f] += input->self[version][f * input->row + b] /
					   work_of(input, version, b) / runs;
		analysis->self[version] = self;
	}
}

static double increase_of(const struct analysis *analysis, size_t function)
{
	return analysis->self[1][function] - analysis->self[0][function];
}

static bool has_flag(const struct analysis *analysis, size_t function, unsigned flags)
{
	const uint8_t *all = analysis->input->function_flags;

	return all && (all[function] & flags) != 0;
}

static int compare_files(const void *left, const void *right)
{
	const struct file_sum *a = left, *b = right;

	return (a->file > b->file) - (a->file < b->file);
}

/* One sum per file, ordered by file. */
static void sum_files(struct analysis *analysis)
{
	const struct exact_input *input = analysis->input;
	size_t functions = input->function_file ? input->function_count : 0, last = 0;
	struct file_sum *files = arena_array(analysis->arena, functions, sizeof(*files));

	for (size_t f = 0; f < functions; f++)
		files[f] = (struct file_sum){input->function_file[f], increase_of(analysis, f)};
	qsort(files, functions, sizeof(*files), compare_files);
	for (size_t i = 1; i < functions; i++) {
		if (files[i].file == files[last].file)
			files[last].change += files[i].change;
		else
			files[++last] = files[i];
	}
	analysis->files = files;
	analysis->file_count = functions ? last + 1 : 0;
}

static void sum_groups(struct analysis *analysis)
{
	for (size_t f = 0; f < analysis->input->function_count; f++) {
		if (has_flag(analysis, f, VERDICT_FUNCTION_TOUCHED))
			analysis->touched += increase_of(analysis, f);
		if (has_flag(analysis, f, SYMBOLS))
			analysis->symbols += increase_of(analysis, f);
	}
	sum_files(analysis);
}

static double file_change(const struct analysis *analysis, size_t function)
{
	const struct file_sum wanted = {analysis->input->function_file[function], 0};
	const struct file_sum *found = bsearch(
		&wanted, analysis->files, analysis->file_count, sizeof(wanted), compare_files);

	return found->change;
}

/* The rest of the group went down by more than half of what this function grew. */
static bool compensates(double group, double own, double increase)
{
	return group - own < -COMPENSATED_PART * increase;
}

static bool is_shifted(const struct analysis *analysis, size_t grown)
{
	const uint32_t *file = analysis->input->function_file;
	const struct exact_result *result = analysis->result;
	double increase = increase_of(analysis, grown);
	double touched = has_flag(analysis, grown, VERDICT_FUNCTION_TOUCHED) ? increase : 0;
	double symbols = has_flag(analysis, grown, SYMBOLS) ? increase : 0;

	if (file && file[grown] != VERDICT_NONE &&
		compensates(file_change(analysis, grown), increase, increase))
		return true;
	return compensates(analysis->touched, touched, increase) ||
	       compensates(analysis->symbols, symbols, increase) ||
	       compensates(result->head - result->base, increase, increase);
}

static int compare_effects(const void *left, const void *right)
{
	const struct exact_effect *a = left, *b = right;

	if (a->shifted != b->shifted)
		return a->shifted ? 1 : -1;
	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* When it is a regression somebody has to be named: moved cost that grew on its way counts too. */
static void unshift_unless_explained(const struct exact_result *result)
{
	double explained = 0;

	for (size_t i = 0; i < result->grown_count; i++)
		explained += result->grown[i].shifted ? 0 : result->grown[i].change;
	if (result->status != EXACT_REGRESSION || explained >= EXPLAINED_PART * result->change)
		return;
	for (size_t i = 0; i < result->grown_count; i++)
		result->grown[i].shifted = false;
}

static void find_grown(const struct analysis *analysis)
{
	struct exact_result *result = analysis->result;
	size_t functions = analysis->input->function_count;

	result->grown = arena_array(analysis->arena, functions, sizeof(*result->grown));
	for (size_t f = 0; f < functions; f++) {
		double increase = increase_of(analysis, f);

		if (increase <= RATIO_TOLERANCE * analysis->self[0][f])
			continue;
		result->grown[result->grown_count++] = (struct exact_effect){
			.function = (uint32_t)f,
			.base = analysis->self[0][f],
			.head = analysis->self[1][f],
			.change = increase / (result->base > 0 ? result->base : result->head),
			.shifted = is_shifted(analysis, f),
		};
	}
	unshift_unless_explained(result);
	qsort(result->grown, result->grown_count, sizeof(*result->grown), compare_effects);
}

static bool is_regression(const struct exact_input *input, const struct exact_result *result)
{
	if (!(result->base > 0) && result->head < input->policy.least_per_unit)
		return false;
	return result->change > 0 && result->change >= result->threshold * (1 - RATIO_TOLERANCE);
}

static void explain(struct analysis *analysis)
{
	measure_functions(analysis);
	sum_groups(analysis);
	find_grown(analysis);
}

void exact_decide(const struct exact_input *input, struct arena *arena, struct exact_result *result)
{
	struct analysis analysis = {.input = input, .arena = arena, .result = result};

	memset(result, 0, sizeof(*result));
	result->status = EXACT_CANNOT;
	result->reason = check_exact(input);
	if (*result->reason)
		return;
	set_totals(&analysis);
	if (!is_exact(input, 0) || !is_exact(input, 1)) {
		result->status = EXACT_NOT_EXACT;
		result->reason =
			is_exact(input, 0) ? "the runs of head differ" : "the runs of base differ";
		result->all_above = is_all_above(input, result);
		return;
	}
	result->status = is_regression(input, result) ? EXACT_REGRESSION : EXACT_PASS;
	explain(&analysis);
}

static void set_means(const struct analysis *analysis, enum exact_status status, double change)
{
	analysis->result->status = status;
	analysis->result->base = mean_total(analysis->input, 0);
	analysis->result->head = mean_total(analysis->input, 1);
	set_change(analysis);
	analysis->result->change = change;
}

void exact_explain(const struct exact_input *input, double change, struct arena *arena,
	struct exact_result *result)
{
	struct analysis analysis = {.input = input, .arena = arena, .result = result};
	double least = EXPLAINED_LEAST * fmin(change, 1);

	set_means(&analysis, EXACT_REGRESSION, change);
	explain(&analysis);
	while (result->grown_count &&
		(result->grown[result->grown_count - 1].shifted ||
			result->grown[result->grown_count - 1].change < least))
		result->grown_count--;
}

void exact_clear(const struct exact_input *input, double change, struct arena *arena,
	struct exact_result *result)
{
	struct analysis analysis = {.input = input, .arena = arena, .result = result};

	set_means(&analysis, EXACT_PASS, change);
}
