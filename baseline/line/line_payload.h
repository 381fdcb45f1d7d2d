/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The payload of a line: a line_tree as bytes, before they are deflated. Columns rather than rows,
 * so that deflate sees like beside like. Numbers are LEB128 varints (signed ones zigzag); a text
 * column is front-coded: lengths shared with the text before, lengths of the rest, the rests.
 *
 *   counts     rounds, functions, nodes, cells
 *   rounds     cpu, wall, iterations as 8-byte little-endian doubles; then samples, complete, lost,
 *              order, processes, squares
 *   functions  module, file, name, system name as text columns; start line, less the one before
 *   nodes      levels up from the node before; then the function, as its place among those that the
 *              same caller was seen to call before, from 1, or 0 and a number in the next column
 *   cells      steps to the next cell (node by node, each round by round) times 2, plus 1 if the
 *              value is another than 1; then those values. A counted type's values are less those
 *              of the same node's round before, since most do not change: equal rounds cost nothing
 */
#ifndef FG_BASELINE_LINE_PAYLOAD_H
#define FG_BASELINE_LINE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "baseline/line/line_tree.h"
#include "gate/base/strbuf.h"

struct error;

#define LINE_PAYLOAD_MAX_BYTES ((size_t)64 << 20)

/* counted: the values of equal nodes are close to each other from round to round. */
void line_payload_encode(const struct line_tree *tree, bool counted, struct strbuf *out);
/*
 * Hostile bytes: counts, limits of line_tree.h, indices, depths and sums are checked, and nothing
 * is left behind the end. line_tree_release() tree only after ERR_OK; it owns all that it holds,
 * but unit, quantum and weight, which the line's head has, are "" and 1.
 */
int line_payload_decode(
	const void *data, size_t length, bool counted, struct line_tree *tree, struct error *err);

#endif
