/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call tree's changes as a few lines of text: the nodes that matter and where they are, the
 * worst subtree first; frames that only lead there are left out and counted.
 */
#ifndef FG_REPORT_TREE_TEXT_H
#define FG_REPORT_TREE_TEXT_H

#include <stddef.h>

#include "gate/base/strbuf.h"

struct result_benchmark;

struct tree_text_limits {
	size_t max_lines;
	size_t max_columns; /* of a name */
	double floor; /* nodes that changed less (fraction of the total) are not shown for their own
			 sake */
};

/*
 * Appends lines such as "+   +5.0 %    1.00 s -> 1.05 s     parse_field src/parse.c:120", each with
 * a mark in front: '+' significantly more, '-' less, ' ' neither (where nothing was decided:
 * '+' and '-' for what changed most). Nothing if nothing changed or there is no base. Names are
 * clean but not escaped for any format. Nodes must be as in a view (parent < child).
 */
void tree_text_add(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct tree_text_limits *limits);

#endif
