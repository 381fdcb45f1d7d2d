/* SPDX-License-Identifier: Apache-2.0 */
/* Estimators that a few bad pairs cannot move. */
#ifndef FG_VERDICT_ROBUST_H
#define FG_VERDICT_ROBUST_H

#include <stddef.h>

/* Both sort values in place; count > 0. */
double robust_median(double *values, size_t count);
/* Median absolute deviation from the median, times 1.4826 (the SD of normal values). */
double robust_deviation(double *values, size_t count);

/* The value below which `part` (0..1) of them lie, interpolated.
 * Sorts values in place; count > 0. */
double robust_quantile(double *values, size_t count, double part);

struct robust_mean {
	double mean; /* 20 % trimmed from each end */
	double se, df;
};

/*
 * Trimmed mean of paired differences with Yuen's standard error: the winsorised variance over the
 * values kept, df = kept - 1 (Tukey and McLaughlin 1963; Wilcox, Introduction to Robust Estimation,
 * 4.3). Sorts values in place; count >= 2.
 */
struct robust_mean robust_trimmed_mean(double *values, size_t count);
/* So many of `count` values are left out at each end. */
size_t robust_trimmed(size_t count);
/* order[]: the places of the values from the smallest to the largest, equal ones by place. */
void robust_order(const double *values, size_t count, size_t *order);

#endif
