/* SPDX-License-Identifier: Apache-2.0 */
/* One stage: every function's self cost,
 * every node's inclusive cost and the total, on its pairs. */
#ifndef FG_VERDICT_STAGE_H
#define FG_VERDICT_STAGE_H

#include "gate/verdict/estimate/moderate.h"
#include "gate/verdict/estimate/pairs.h"
#include "gate/verdict/estimate/robust.h"

struct stage {
	struct pairs pairs;
	struct moments *function, *node; /* self; inclusive */
	double kappa;
	double df, t975; /* of tests with sampling variance, and their two-sided 95 % quantile */
	struct robust_mean log_ratio; /* of the total */
	double total[2];              /* geometric means of the pairs that log_ratio.mean is of */
	double total_p;               /* Wilcoxon against the margin */
};

/* Fills everything from stage->pairs. */
void stage_measure(const struct verdict_input *input, struct arena *arena, struct stage *stage);

/* Whether there are enough samples and pairs to test this at all. */
bool stage_eligible(const struct verdict_input *input, const struct stage *stage,
	const struct moments *moments);

/* How many functions and nodes are eligible: Bonferroni's divisor in stage 1.
 * The root is no test. */
size_t stage_tests(const struct verdict_input *input, const struct stage *stage);

/* The margin that a change has to exceed. */
double stage_self_margin(const struct verdict_policy *policy, const struct moments *moments);
double stage_total_margin(const struct verdict_policy *policy, const struct moments *moments);

/*
 * Moments and estimates are fractions of the mean of both versions' totals. Times this, they are
 * fractions of base's, as the total's change is: (T0 + T1) / (2 T0) by the stage's own log_ratio.
 */
double stage_of_base(const struct stage *stage);

/* The moderated estimate and its one-sided p against a margin. */
struct estimate stage_estimate(const struct stage *stage, const struct moments *moments);
/* Half of the 95 % interval. */
double stage_half_width(const struct stage *stage, const struct estimate *estimate);
double stage_p(const struct stage *stage, const struct moments *moments, double margin);

#endif
