/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/robust.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double middle_of_sorted(const double *values, size_t count)
{
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double robust_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return middle_of_sorted(values, count);
}

double robust_deviation(double *values, size_t count)
{
	double median = robust_median(values, count);

	for (size_t i = 0; i < count; i++)
		values[i] = fabs(values[i] - median);
	return 1.4826 * robust_median(values, count);
}

double robust_quantile(double *values, size_t count, double part)
{
	double at = part * (double)(count - 1), below = floor(at);
	size_t i = (size_t)below, next = i + 1 < count ? i + 1 : i;

	qsort(values, count, sizeof(*values), compare_doubles);
	return values[i] + (at - below) * (values[next] - values[i]);
}

static double winsorised_squares(const double *sorted, size_t count, size_t cut)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < count; i++) {
		size_t at = i < cut ? cut : (i >= count - cut ? count - cut - 1 : i);

		sum += sorted[at];
	}
	mean = sum / (double)count;
	for (size_t i = 0; i < count; i++) {
		size_t at = i < cut ? cut : (i >= count - cut ? count - cut - 1 : i);

		squares += (sorted[at] - mean) * (sorted[at] - mean);
	}
	return squares;
}

size_t robust_trimmed(size_t count)
{
	return count / 5;
}

/* By insertion: there are few, and qsort() knows no context. */
void robust_order(const double *values, size_t count, size_t *order)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		for (; at && values[order[at - 1]] > values[i]; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
}

struct robust_mean robust_trimmed_mean(double *values, size_t count)
{
	size_t cut = robust_trimmed(count), kept = count - 2 * cut;
	struct robust_mean result = {0};

	qsort(values, count, sizeof(*values), compare_doubles);
	for (size_t i = cut; i < count - cut; i++)
		result.mean += values[i] / (double)kept;
	result.df = (double)(kept - 1);
	result.se = sqrt(winsorised_squares(values, count, cut) / ((double)kept * result.df));
	return result;
}
