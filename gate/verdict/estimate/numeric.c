/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/numeric.h"

#include <float.h>
#include <math.h>

#define FRACTION_STEPS_MAX 20000

/* Lentz's method divides by what may vanish. */
static double away_from_zero(double value)
{
	return fabs(value) < DBL_MIN / DBL_EPSILON ? DBL_MIN / DBL_EPSILON : value;
}

/* The continued fraction of DLMF 8.17.22; converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;

	for (int step = 1; step <= FRACTION_STEPS_MAX; step++) {
		double m = step, twice = 2 * m;
		double even = m * (b - m) * x / ((a + twice - 1) * (a + twice));
		double odd = -(a + m) * (a + b + m) * x / ((a + twice) * (a + twice + 1));
		double change;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		result *= d * c;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		change = d * c;
		result *= change;
		if (fabs(change - 1) <= DBL_EPSILON)
			break;
	}
	return result;
}

static double log_gamma(double value)
{
	int sign; /* lgamma() would write a global */

	return lgamma_r(value, &sign);
}

/* y is 1 - x, given by the caller who may know it more exactly. */
static double incomplete_beta(double a, double b, double x, double y)
{
	double front;

	if (x <= 0)
		return 0;
	if (y <= 0)
		return 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

double numeric_incomplete_beta(double a, double b, double x)
{
	return incomplete_beta(a, b, x, 1 - x);
}

double numeric_student_upper(double t, double df)
{
	double square = t * t, tail;

	if (isnan(t))
		return t;
	if (isinf(square))
		return t > 0 ? 0 : 1;
	tail = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square));
	return t > 0 ? tail : 1 - tail;
}

double numeric_normal_upper(double z)
{
	return 0.5 * erfc(z / sqrt(2));
}

static double normal_upper(double z, double unused)
{
	(void)unused;
	return numeric_normal_upper(z);
}

/* Bisection: slow and certain, and quantiles are asked for a few times per gate. upper <= 1/2. */
static double invert_upper(double (*tail)(double, double), double df, double upper)
{
	double low = 0, high = 1;

	while (tail(high, df) > upper && high < DBL_MAX / 4)
		high *= 2;
	for (;;) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return middle;
		if (tail(middle, df) > upper)
			low = middle;
		else
			high = middle;
	}
}

double numeric_student_quantile(double upper, double df)
{
	if (upper > 0.5)
		return -invert_upper(numeric_student_upper, df, 1 - upper);
	return invert_upper(numeric_student_upper, df, upper);
}

double numeric_normal_quantile(double upper)
{
	if (upper > 0.5)
		return -invert_upper(normal_upper, 0, 1 - upper);
	return invert_upper(normal_upper, 0, upper);
}
