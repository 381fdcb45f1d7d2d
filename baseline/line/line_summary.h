/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A summary: the functions that cost most themselves, each with the mean and the standard deviation
 * of its cost over the rounds, per run of the mean number of iterations.
 *
 * Restored, it is a flat profile whose rounds are made up so that each function has just this mean
 * and deviation (but for rounding to whole units), and what is left is a function "(other)". Of n
 * rounds k are high and the rest low, k as large as keeps the low ones from below zero, at most n /
 * 2. Which rounds are high turns from function to function: the functions are about uncorrelated,
 * so of round totals only the mean means something. Samples and squares are in proportion to the
 * cost, as in the recording as a whole.
 */
#ifndef FG_BASELINE_LINE_SUMMARY_H
#define FG_BASELINE_LINE_SUMMARY_H

#include "baseline/line/line_head.h"
#include "baseline/line/line_tree.h"

/* Members of the head: "functions": [[name, system name, file, line, mean, sd], ...], "other":
 * [mean, sd], "wall", "iterations", "squares". */
void line_summary_write(struct json_writer *writer, const struct line_tree *tree);

/* A tree to be restored. line_tree_release() only after ERR_OK. */
int line_summary_read(const struct line_parts *parts, struct line_tree *tree, struct error *err);

#endif
