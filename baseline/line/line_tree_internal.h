/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of line_tree.h share. */
#ifndef FG_BASELINE_LINE_TREE_INTERNAL_H
#define FG_BASELINE_LINE_TREE_INTERNAL_H

#include "baseline/line/line_tree.h"

/* Sorts the functions, drops those that no node has, and renumbers the nodes'. */
void line_tree_order_functions(struct line_tree *tree);
/* Sorts; cells of one node and round become one, empty ones go. Returns how many are left. */
size_t line_cells_unite(struct line_cell *cells, size_t count);

#endif
