/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boxes of a static flame graph of both versions: what can be seen of the call tree at a width
 * in pixels. As in the viewer, a box is as wide as the larger side's self cost plus its children,
 * so that both trees fit into one picture; costs below zero are as wide as their size.
 */
#ifndef FG_REPORT_SVG_BOXES_H
#define FG_REPORT_SVG_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"

struct result_benchmark;

/* Their frames are always shown, if they are half a pixel wide. */
#define SVG_CULPRITS 5

struct svg_box {
	uint32_t node; /* RESULT_NONE: `merged` neighbours, each too narrow to be seen */
	size_t merged;
	size_t row;      /* 0: the outermost that is shown */
	double x, width; /* pixels */
	double cost[2];  /* total of base and head */
};

struct svg_frame {
	double width;     /* of the outermost box */
	double min_width; /* narrower ones are merged with their neighbours; coloured ones at half
			   */
	size_t max_rows;
};

struct svg_boxes {
	struct svg_box *boxes; /* parents before children */
	size_t count, capacity, rows;
	double scale; /* pixels per cost */
	size_t above; /* outer frames left out, because the tree is higher than max_rows */
	bool below;   /* inner ones are left out for the same reason */
};

/* Nodes must be as in a view (parent < child). */
void svg_boxes_init(struct svg_boxes *boxes, const struct result_benchmark *benchmark,
	const struct svg_frame *frame);
void svg_boxes_release(struct svg_boxes *boxes);

/* Which way a node's cost went, if that is worth a colour: 1 more, -1 less, 0 neither. */
int svg_direction(const struct result_benchmark *benchmark, uint32_t node);

#endif
