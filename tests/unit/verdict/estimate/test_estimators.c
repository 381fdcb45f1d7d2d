/* SPDX-License-Identifier: Apache-2.0 */
/* Wilcoxon, the robust estimators and the moderated estimate, on numbers small enough to check. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/estimate/moderate.h"
#include "gate/verdict/estimate/robust.h"
#include "gate/verdict/estimate/wilcoxon.h"

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static void assert_close(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-12 * fmax(fabs(expected), 1e-3)))
		fail_msg("got %.17g, expected %.17g", got, expected);
}

static double signed_rank(const double *values, size_t count)
{
	struct arena arena = ARENA_INIT;
	double p = wilcoxon_upper(values, count, &arena);

	arena_release(&arena);
	return p;
}

/* scipy.stats.wilcoxon(alternative="greater", method="exact"), SciPy 1.x */
static void test_wilcoxon_is_exact(void **state)
{
	static const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8};
	static const double mixed[] = {0.3, -0.1, 0.7, 1.2, -0.4, 0.9, 1.1, 0.05};
	static const double ten[] = {2.5, -1.5, 3.5, 0.5, -0.25, 4.5, 1.25, -0.75, 2.0, 3.0};

	(void)state;
	assert_close(signed_rank(rising, COUNT(rising)), 0.00390625);
	assert_close(signed_rank(mixed, COUNT(mixed)), 0.0546875);
	assert_close(signed_rank(ten, COUNT(ten)), 0.0322265625);
}

/* Every sign pattern of the midranks counted (2^n of them). */
static void test_wilcoxon_is_exact_with_ties_and_zeros(void **state)
{
	static const double ties[] = {1, 1, -1, 2, 2, 3, -3, 3};
	static const double zeros[] = {0, 0, 1, 2, -1, 4, 4, -2};
	static const double equal[] = {1, 1, 1, 1, 1, 1, 1, 1, -1, -1};

	(void)state;
	assert_close(signed_rank(ties, COUNT(ties)), 0.13671875);
	assert_close(signed_rank(zeros, COUNT(zeros)), 0.15625);
	assert_close(signed_rank(equal, COUNT(equal)), 0.0546875);
}

static void test_wilcoxon_reaches_two_to_minus_n_and_no_less(void **state)
{
	double values[40] = {0};

	(void)state;
	assert_close(signed_rank(values, COUNT(values)), 1);
	assert_close(signed_rank(values, 0), 1);
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = 1 + (double)i;
	assert_true(fabs(signed_rank(values, 40) / 0x1p-40 - 1) < 1e-9);
}

/* scipy.stats.trim_mean(0.2), median_abs_deviation;
 * Yuen's se from the winsorised variance in numpy */
static void test_trimmed_mean_ignores_two_wild_pairs(void **state)
{
	double values[] = {0.012, -0.003, 0.021, 0.008, 0.015, 0.19, 0.002, 0.011, -0.2, 0.009,
		0.017, 0.005, 0.013, 0.01, 0.007, 0.016};
	struct robust_mean mean = robust_trimmed_mean(values, COUNT(values));

	(void)state;
	assert_close(mean.mean, 0.0106);
	assert_close(mean.se, 0.0018010413654327877);
	assert_close(mean.df, 9);
	assert_close(robust_median(values, COUNT(values)), 0.0105);
	assert_close(robust_deviation(values, COUNT(values)), 1.4826 * 0.005);
}

static struct estimate moderated(double variance, double poisson, double samples, double kappa)
{
	struct moments moments = {.mean = 0.01,
		.variance = variance,
		.poisson = poisson,
		.samples = samples,
		.sampled = 2 * 16 * samples};

	return moderate(&moments, 16, kappa);
}

static void test_moderated_variance_is_never_below_the_sampling_variance(void **state)
{
	struct estimate estimate = moderated(0, 1.6e-5, 50, 0);

	(void)state;
	assert_close(estimate.se, 1e-3);
	assert_close(estimate.df, 25);
}

static void test_moderated_variance_lies_between_prior_and_own(void **state)
{
	/* (10 (1 + 0.02 * 50) + 15 * 4) / 25 = 3.2 */
	struct estimate estimate = moderated(6.4e-5, 1.6e-5, 50, 0.02);

	(void)state;
	assert_close(estimate.se, sqrt(3.2) * 1e-3);
}

static void test_exact_counts_are_tested_by_their_spread_alone(void **state)
{
	struct estimate spread = moderated(1.6e-5, 0, 50, 0.02), exact = moderated(0, 0, 50, 0);

	(void)state;
	assert_close(spread.se, 1e-3);
	assert_close(spread.df, 15);
	assert_true(isinf(estimate_t(&exact, 0.002)) && estimate_t(&exact, 0.002) > 0);
	assert_true(isinf(estimate_t(&exact, 0.02)) && estimate_t(&exact, 0.02) < 0);
}

static void test_kappa_is_the_common_noise_of_the_largest(void **state)
{
	struct arena arena = ARENA_INIT;
	struct moments functions[60];

	(void)state;
	for (size_t i = 0; i < COUNT(functions); i++) {
		double samples = i < 40 ? 100 : 10;

		/* the small ones show wild noise, which must not count */
		functions[i] = (struct moments){.poisson = 1,
			.variance = i < 40 ? 1 + 0.005 * samples : 50,
			.samples = samples,
			.sampled = 32 * samples};
	}
	assert_close(moderate_kappa(functions, COUNT(functions), 20, &arena), 0.005);
	assert_close(moderate_kappa(functions, 0, 20, &arena), 0);
	for (size_t i = 0; i < COUNT(functions); i++)
		functions[i].variance = 0.5;
	assert_close(moderate_kappa(functions, COUNT(functions), 20, &arena), 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wilcoxon_is_exact),
		cmocka_unit_test(test_wilcoxon_is_exact_with_ties_and_zeros),
		cmocka_unit_test(test_wilcoxon_reaches_two_to_minus_n_and_no_less),
		cmocka_unit_test(test_trimmed_mean_ignores_two_wild_pairs),
		cmocka_unit_test(test_moderated_variance_is_never_below_the_sampling_variance),
		cmocka_unit_test(test_moderated_variance_lies_between_prior_and_own),
		cmocka_unit_test(test_exact_counts_are_tested_by_their_spread_alone),
		cmocka_unit_test(test_kappa_is_the_common_noise_of_the_largest),
	};

	return cmocka_run_group_tests_name("verdict estimators", tests, NULL, NULL);
}
