/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/verdict/estimate/wilcoxon.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
	double size;
	size_t twice_rank; /* midranks are multiples of one half */
	bool positive;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return (a->size > b->size) - (a->size < b->size);
}

static size_t drop_zeros(const double *values, size_t count, struct ranked *ranked)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (values[i] != 0)
			ranked[kept++] = (struct ranked){fabs(values[i]), 0, values[i] > 0};
	qsort(ranked, kept, sizeof(*ranked), compare_ranked);
	return kept;
}

static void assign_midranks(struct ranked *ranked, size_t count)
{
	for (size_t first = 0, next; first < count; first = next) {
		for (next = first + 1; next < count && ranked[next].size <= ranked[first].size;)
			next++;
		for (size_t i = first; i < next; i++)
			ranked[i].twice_rank = first + next + 1; /* (first + 1) + next */
	}
}

/* chance[s] becomes P(sum of the doubled ranks of a random subset = s). */
static void subset_sums(const struct ranked *ranked, size_t count, double *chance)
{
	size_t reached = 0;

	chance[0] = 1;
	for (size_t i = 0; i < count; i++) {
		size_t step = ranked[i].twice_rank;

		reached += step;
		for (size_t sum = reached + 1; sum-- > 0;)
			chance[sum] = (chance[sum] + (sum >= step ? chance[sum - step] : 0)) / 2;
	}
}

double wilcoxon_upper(const double *values, size_t count, struct arena *arena)
{
	struct ranked *ranked = arena_array(arena, count + 1, sizeof(*ranked));
	size_t kept = drop_zeros(values, count, ranked), observed = 0;
	size_t all = kept * (kept + 1);
	double *chance = arena_array(arena, all + 1, sizeof(*chance)), upper = 0;

	assign_midranks(ranked, kept);
	for (size_t i = 0; i < kept; i++)
		observed += ranked[i].positive ? ranked[i].twice_rank : 0;
	subset_sums(ranked, kept, chance);
	/* From the far end, so that the small terms are not lost. */
	for (size_t sum = all + 1; sum-- > observed;)
		upper += chance[sum];
	return fmin(upper, 1);
}
