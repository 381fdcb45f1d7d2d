/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/pairs.h"

#include <math.h>
#include <string.h>

#include "gate/verdict/estimate/numeric.h"
#include "gate/verdict/estimate/robust.h"

#define OUTLIER_DEVIATIONS 4
#define MANY_PAIRS 16
#define OUTLIER_DEVIATION_FLOOR 0.004 /* very quiet machines must not drop half of their pairs */

static double work_of(const struct verdict_input *input, int version, size_t pair)
{
	return input->work[version] ? input->work[version][pair] : 1;
}

static double total_of(const struct verdict_input *input, int version, size_t pair)
{
	return input->total[version][pair] / work_of(input, version, pair);
}

static double log_ratio(const struct verdict_input *input, size_t pair)
{
	return log(total_of(input, 1, pair) / total_of(input, 0, pair));
}

/*
 * The median deviation of few pairs is often far too small, and then ordinary pairs are thrown
 * away, of 8 that are just enough one in ten times. Below 16 the limit is what keeps a normal pair
 * as often as with many: Student's quantile instead of the normal one, and the bias of the median
 * deviation (Croux and Rousseeuw 1992, doi 10.1007/978-3-662-26811-7_58).
 */
static double outlier_deviations(size_t count)
{
	double n = (double)count;

	if (count >= MANY_PAIRS || count < 2)
		return OUTLIER_DEVIATIONS;
	return numeric_student_quantile(numeric_normal_upper(OUTLIER_DEVIATIONS), n - 1) * n /
	       (n - 0.8);
}

static void mark_outliers(const struct verdict_input *input, size_t first, size_t end,
	bool *dropped, struct arena *arena)
{
	size_t count = end - first;
	double *sorted = arena_array(arena, count, sizeof(*sorted));
	double median, deviation, limit;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		sorted[i] = log_ratio(input, first + i);
	median = robust_median(sorted, count);
	deviation = fmax(robust_deviation(sorted, count), OUTLIER_DEVIATION_FLOOR);
	limit = outlier_deviations(count) * deviation;
	for (size_t b = first; b < end; b++)
		dropped[b] = fabs(log_ratio(input, b) - median) > limit;
}

static void pairs_alloc(size_t count, struct arena *arena, struct pairs *pairs)
{
	pairs->n = 0;
	pairs->pair = arena_array(arena, count, sizeof(*pairs->pair));
	pairs->log_base = arena_array(arena, count, sizeof(*pairs->log_base));
	pairs->log_ratio = arena_array(arena, count, sizeof(*pairs->log_ratio));
	for (int version = 0; version < 2; version++)
		pairs->factor[version] = arena_array(arena, count, sizeof(double));
}

void pairs_select(const struct verdict_input *input, size_t first, size_t end, bool *dropped,
	struct arena *arena, struct pairs *pairs)
{
	mark_outliers(input, first, end, dropped, arena);
	pairs_alloc(end - first, arena, pairs);
	for (size_t b = first; b < end; b++) {
		size_t k = pairs->n;
		double mean = (total_of(input, 0, b) + total_of(input, 1, b)) / 2;

		if (dropped[b])
			continue;
		pairs->pair[k] = (uint32_t)b;
		pairs->log_base[k] = log(total_of(input, 0, b));
		pairs->log_ratio[k] = log_ratio(input, b);
		for (int version = 0; version < 2; version++)
			pairs->factor[version][k] = 1 / (work_of(input, version, b) * mean);
		pairs->n++;
	}
}

static void append(struct pairs *to, const struct pairs *from)
{
	if (from->n == 0)
		return;
	memcpy(to->pair + to->n, from->pair, from->n * sizeof(*to->pair));
	memcpy(to->log_base + to->n, from->log_base, from->n * sizeof(*to->log_base));
	memcpy(to->log_ratio + to->n, from->log_ratio, from->n * sizeof(*to->log_ratio));
	for (int version = 0; version < 2; version++)
		memcpy(to->factor[version] + to->n, from->factor[version],
			from->n * sizeof(double));
	to->n += from->n;
}

void pairs_join(const struct pairs *first, const struct pairs *second, struct arena *arena,
	struct pairs *joined)
{
	pairs_alloc(first->n + second->n, arena, joined);
	append(joined, first);
	append(joined, second);
}
