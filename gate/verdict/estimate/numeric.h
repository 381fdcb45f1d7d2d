/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution functions. Relative error about 1e-13 for the degrees of freedom that pairs give. */
#ifndef FG_VERDICT_NUMERIC_H
#define FG_VERDICT_NUMERIC_H

/* Regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1 (DLMF 8.17). */
double numeric_incomplete_beta(double a, double b, double x);

/* P(T > t) for Student's t with df > 0 degrees of freedom; t may be infinite. */
double numeric_student_upper(double t, double df);

/* The t with P(T > t) = upper; 0 < upper < 1. */
double numeric_student_quantile(double upper, double df);

/* P(Z > z) for the standard normal distribution, and the z with P(Z > z) = upper. */
double numeric_normal_upper(double z);
double numeric_normal_quantile(double upper);

#endif
