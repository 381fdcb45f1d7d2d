/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/mde.h"

#include <math.h>

#include "gate/verdict/estimate/moderate.h"
#include "gate/verdict/estimate/numeric.h"

#define POWER 0.8
#define INCREASE_MAX 100
#define INTERVAL_TAIL 0.025
#define DEVIATION_POINTS 7
#define STEPS 40
#define TOTAL_WILCOXON_EFFICIENCY                                                                  \
	0.955 /* of the rank test against the t test, normal noise: 3/pi */

/* E max(1, X) for normal X: the test never takes the noise for less than the sampling's. */
static double expected_at_least_one(double mean, double deviation)
{
	double u = (mean - 1) / deviation;
	double density = exp(-u * u / 2) / sqrt(2 * M_PI);

	return 1 + (mean - 1) * numeric_normal_upper(-u) + deviation * density;
}

double mde_expected_inflation(double kappa, double n, double samples, double truth)
{
	double prior = 1 + kappa * samples, pairs = n - 1;
	double mean = (MODERATE_PRIOR_DF * prior + pairs * truth) / (MODERATE_PRIOR_DF + pairs);
	double deviation = truth * sqrt(2 * pairs) / (MODERATE_PRIOR_DF + pairs);

	return expected_at_least_one(mean, deviation);
}

/* What is tested: a function's own cost, or a call's with all below it. As all within this file but
 * what is said of the total: fractions of the mean of both versions' totals. */
struct tested {
	double share, margin;
	double kappa;             /* variance / sampling variance - 1, per sample, as it truly is */
	double allowance;         /* the interval of all pairs must lie above it as well */
	double critical_total[3]; /* of the total's test beside it */
	double critical_allowance;
};

/* The chance that one stage lets an increase through; sampling noise grows with the increase. */
static double stage_power(
	const struct verdict_power *power, int stage, const struct tested *tested, double increase)
{
	double n = power->stage[stage].n, share = tested->share + increase / 2;
	double samples = power->samples_per_run * share, truth = 1 + tested->kappa * samples;
	double above, threshold;

	if (n < 2)
		return 1;
	above = (increase - tested->margin) / sqrt(truth * share * power->poisson / n);
	threshold = power->stage[stage].t_critical *
		    sqrt(mde_expected_inflation(power->kappa, n, samples, truth) / truth);
	if (isinf(above) || isnan(above))
		return above > 0;
	return numeric_student_upper(threshold - above, power->stage[stage].df);
}

/* What failed both stages counts only where all pairs together leave the layout no room. */
static double allowance_power(const struct verdict_total_power *total, double critical,
	double log_increase, double deviation)
{
	double n = total->n[0] + total->n[1];
	double above =
		(log_increase - total->allowance) / deviation * sqrt(n * TOTAL_WILCOXON_EFFICIENCY);

	if (!(total->allowance > 0) || isnan(above))
		return 1;
	return numeric_student_upper(critical - above, n - 1);
}

/* The same pairs decide both, so what passes the harder one mostly passes the other. */
static double power_with(const struct verdict_total_power *total, const double critical[3],
	double log_increase, double deviation)
{
	double power = 1;

	for (int stage = 0; stage < 2; stage++) {
		double n = total->n[stage], above;

		if (n < 2)
			continue;
		if (total->alpha[stage] < exp2(-n))
			return 0;
		above = (log_increase - log1p(total->margin)) / deviation *
			sqrt(n * TOTAL_WILCOXON_EFFICIENCY);
		if (isnan(above))
			return 0;
		power *= numeric_student_upper(critical[stage] - above, n - 1);
	}
	return fmin(power, allowance_power(total, critical[2], log_increase, deviation));
}

/*
 * The deviation is itself an estimate from few pairs, and twice the noise costs more power than
 * half of it gains: the mean over what the deviation may truly be, deviation * sqrt(df / chi^2_df)
 * (chi^2 by Wilson and Hilferty 1931).
 */
static double total_power(
	const struct verdict_total_power *total, const double critical[3], double log_increase)
{
	double sum = 0, c = 2 / (9 * total->df);

	if (!(total->df > 0))
		return power_with(total, critical, log_increase, total->deviation);
	for (int i = 0; i < DEVIATION_POINTS; i++) {
		double z = numeric_normal_quantile((i + 0.5) / DEVIATION_POINTS);
		double factor = pow(fmax(1 - c + z * sqrt(c), 0.1), -1.5);

		sum += power_with(total, critical, log_increase, total->deviation * factor);
	}
	return sum / DEVIATION_POINTS;
}

static void set_critical(const struct verdict_total_power *total, double critical[3])
{
	for (int stage = 0; stage < 2; stage++)
		critical[stage] =
			total->n[stage] >= 2
				? numeric_student_quantile(total->alpha[stage], total->n[stage] - 1)
				: 0;
	critical[2] = total->allowance > 0 ? numeric_student_quantile(
						     INTERVAL_TAIL, total->n[0] + total->n[1] - 1)
					   : 0;
}

double mde_total(const struct verdict_total_power *total)
{
	double low = 0, high = log(INCREASE_MAX), critical[3];

	set_critical(total, critical);
	if (!(total_power(total, critical, high) >= POWER))
		return INFINITY;
	for (int step = 0; step < STEPS; step++) {
		double middle = (low + high) / 2;

		if (total_power(total, critical, middle) >= POWER)
			high = middle;
		else
			low = middle;
	}
	return expm1(high);
}

/* As allowance_power(), of a call. */
static double call_allowance_power(
	const struct verdict_power *power, const struct tested *tested, double increase)
{
	double n = power->stage[0].n + power->stage[1].n, share = tested->share + increase / 2;
	double truth = 1 + tested->kappa * power->samples_per_run * share;
	double above = (increase - tested->allowance) / sqrt(truth * share * power->poisson / n);

	if (!(tested->allowance > 0) || isnan(above))
		return 1;
	return numeric_student_upper(tested->critical_allowance - above, n + 9);
}

/* Of two tests of the same increase the better one: they fail together more often than not. */
static double gate_power(
	const struct verdict_power *power, const struct tested *tested, double increase)
{
	double own =
		stage_power(power, 0, tested, increase) * stage_power(power, 1, tested, increase);
	double total = total_power(
		&power->total, tested->critical_total, log1p(increase * power->of_base));

	own = fmin(own, call_allowance_power(power, tested, increase));
	return fmax(own, total);
}

static void set_tested(const struct verdict_power *power, struct tested *tested)
{
	set_critical(&power->total, tested->critical_total);
	if (tested->allowance > 0)
		tested->critical_allowance = numeric_student_quantile(
			INTERVAL_TAIL, power->stage[0].n + power->stage[1].n + 9);
}

static double least_increase(const struct verdict_power *power, struct tested *tested)
{
	double low = 0, high = INCREASE_MAX;

	if (power->stage[0].n <= 0)
		return INFINITY;
	set_tested(power, tested);
	if (!(gate_power(power, tested, high) >= POWER))
		return INFINITY;
	for (int step = 0; step < STEPS; step++) {
		double middle = (low + high) / 2;

		if (gate_power(power, tested, middle) >= POWER)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static struct tested own_cost(const struct verdict_power *power, double base_share)
{
	double share = base_share / power->of_base;

	return (struct tested){
		.share = share,
		.margin = power->margin_points + power->margin_self_relative * share,
		.kappa = power->kappa_seen,
	};
}

double verdict_mde(const struct verdict_power *power, double base_share)
{
	struct tested tested = own_cost(power, base_share);

	return power->of_base * least_increase(power, &tested);
}

double verdict_chance(const struct verdict_power *power, double base_share, double increase)
{
	struct tested tested = own_cost(power, base_share);

	if (power->stage[0].n <= 0)
		return 0;
	set_tested(power, &tested);
	return gate_power(power, &tested, increase / power->of_base);
}

double verdict_mde_called(const struct verdict_power *power, double base_share)
{
	double share = base_share / power->of_base;
	struct tested tested = {
		.share = share,
		.margin = power->margin_points + power->margin_total_relative * share,
		.kappa = power->kappa_calls,
		.allowance = fmin(power->allowance_relative * share, power->total.allowance),
	};

	return power->of_base * least_increase(power, &tested);
}
