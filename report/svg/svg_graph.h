/* SPDX-License-Identifier: Apache-2.0 */
/* The boxes of a static flame graph as SVG elements. Their classes are those of svg_style.h. */
#ifndef FG_REPORT_SVG_GRAPH_H
#define FG_REPORT_SVG_GRAPH_H

#include <stddef.h>

#include "gate/base/strbuf.h"

struct result_benchmark;

struct svg_graph {
	double x, y, width; /* where it stands */
	size_t max_bytes;   /* of its elements: boxes are merged until they fit */
	size_t rows;        /* the rest is filled in by svg_graph() */
	size_t above;
	int below;
};

#define SVG_ROW 20

/* Appends the graph; nothing, and no rows,
 * for a benchmark without a call tree or too large a one. */
void svg_graph(
	struct svg_graph *graph, const struct result_benchmark *benchmark, struct strbuf *out);

#endif
