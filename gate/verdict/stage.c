/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/stage.h"

#include <math.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/estimate/wilcoxon.h"

static struct moments *measure_rows(const struct pairs *pairs, size_t row_pairs, size_t count,
	const struct verdict_cell *const cells[2], struct arena *arena)
{
	struct moments *moments = arena_array(arena, count, sizeof(*moments));

	for (size_t i = 0; i < count; i++)
		moments_of_row(
			pairs, cells[0] + i * row_pairs, cells[1] + i * row_pairs, &moments[i]);
	return moments;
}

/* The means' ratio is the trimmed mean's: of all pairs they might contradict it. */
static void measure_means(struct stage *stage, struct arena *arena)
{
	const struct pairs *pairs = &stage->pairs;
	size_t cut = robust_trimmed(pairs->n), kept = pairs->n - 2 * cut;
	size_t *order = arena_array(arena, pairs->n, sizeof(*order));
	double base = 0;

	robust_order(pairs->log_ratio, pairs->n, order);
	for (size_t i = cut; i < cut + kept; i++)
		base += pairs->log_base[order[i]] / (double)kept;
	stage->total[0] = exp(base);
	stage->total[1] = exp(base + stage->log_ratio.mean);
}

static void measure_total(
	const struct verdict_input *input, struct arena *arena, struct stage *stage)
{
	size_t n = stage->pairs.n;
	double *values = arena_array(arena, n, sizeof(*values));
	double margin = log1p(input->policy.total_margin);

	for (size_t k = 0; k < n; k++)
		values[k] = stage->pairs.log_ratio[k] - margin;
	stage->total_p = wilcoxon_upper(values, n, arena);
	if (n < 2) {
		stage->log_ratio = (struct robust_mean){n ? values[0] + margin : 0, INFINITY, 1};
	} else {
		stage->log_ratio = robust_trimmed_mean(values, n);
		stage->log_ratio.mean += margin;
	}
	if (n)
		measure_means(stage, arena);
}

void stage_measure(const struct verdict_input *input, struct arena *arena, struct stage *stage)
{
	stage->function = measure_rows(
		&stage->pairs, input->pairs, input->function_count, input->self, arena);
	stage->node = measure_rows(
		&stage->pairs, input->pairs, input->node_count, input->node_total, arena);
	stage->kappa = moderate_kappa(
		stage->function, input->function_count, input->policy.min_samples, arena);
	stage->df = (double)stage->pairs.n + 9;
	stage->t975 = numeric_student_quantile(0.025, stage->df);
	measure_total(input, arena, stage);
}

bool stage_eligible(
	const struct verdict_input *input, const struct stage *stage, const struct moments *moments)
{
	return stage->pairs.n >= input->policy.min_pairs &&
	       moments->sampled >= input->policy.min_samples;
}

size_t stage_tests(const struct verdict_input *input, const struct stage *stage)
{
	size_t tests = 0;

	for (size_t i = 0; i < input->function_count; i++)
		tests += stage_eligible(input, stage, &stage->function[i]);
	for (size_t v = 1; v < input->node_count; v++)
		tests += stage_eligible(input, stage, &stage->node[v]);
	return tests;
}

double stage_self_margin(const struct verdict_policy *policy, const struct moments *moments)
{
	return policy->margin_points + policy->margin_self_relative * moments->base;
}

double stage_total_margin(const struct verdict_policy *policy, const struct moments *moments)
{
	return policy->margin_points + policy->margin_total_relative * moments->base;
}

double stage_of_base(const struct stage *stage)
{
	return (1 + exp(stage->log_ratio.mean)) / 2;
}

struct estimate stage_estimate(const struct stage *stage, const struct moments *moments)
{
	return moderate(moments, stage->pairs.n, stage->kappa);
}

double stage_p(const struct stage *stage, const struct moments *moments, double margin)
{
	struct estimate estimate = stage_estimate(stage, moments);

	return numeric_student_upper(estimate_t(&estimate, margin), estimate.df);
}

double stage_half_width(const struct stage *stage, const struct estimate *estimate)
{
	double t = stage->t975;

	if (estimate->df != stage->df)
		t = numeric_student_quantile(0.025, estimate->df);
	return t * estimate->se;
}
