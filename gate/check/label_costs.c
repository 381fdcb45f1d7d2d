/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of one label value and one node add up: the check needs it to fill labels in, and the
 * report to cut its tree. Declared in result.h.
 */
#include "gate/check/result.h"

#include <stdlib.h>

static int compare_costs(const void *left, const void *right)
{
	const struct result_label_cost *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

size_t label_costs_merge(struct result_label_cost *costs, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(costs, count, sizeof(*costs), compare_costs);
	for (size_t i = 0; i < count; i++) {
		if (kept && !compare_costs(&costs[kept - 1], &costs[i])) {
			costs[kept - 1].self[0] += costs[i].self[0];
			costs[kept - 1].self[1] += costs[i].self[1];
		} else {
			costs[kept++] = costs[i];
		}
	}
	return kept;
}
