/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/recording/call_counts.h"

#include <string.h>

int call_count_compare(const struct call_count *left, const struct call_count *right)
{
	int order = strcmp(left->callee, right->callee);

	if (!order)
		order = strcmp(left->callee_file, right->callee_file);
	if (!order)
		order = strcmp(left->caller, right->caller);
	return order ? order : strcmp(left->caller_file, right->caller_file);
}

const struct call_count *call_counts_find(const struct call_counts *counts, const char *caller,
	const char *caller_file, const char *callee, const char *callee_file)
{
	const struct call_count wanted = {.caller = caller,
		.caller_file = caller_file,
		.callee = callee,
		.callee_file = callee_file};
	size_t first = 0, end = counts->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;
		int order = call_count_compare(&counts->items[middle], &wanted);

		if (!order)
			return &counts->items[middle];
		if (order < 0)
			first = middle + 1;
		else
			end = middle;
	}
	return NULL;
}
