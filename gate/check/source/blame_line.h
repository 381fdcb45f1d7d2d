/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: the one line that annotations, tables and headlines name. */
#ifndef FG_CHECK_BLAME_LINE_H
#define FG_CHECK_BLAME_LINE_H

#include "gate/check/analysis/analysis.h"

struct result_culprit;

/*
 * Sets culprit->file and line, in head, and the link where they show one that was not known; its
 * function, blame, link and path are known already. The first of these that there is, of lines that
 * the diff changes:
 * - the call that leads to it: of a culprit that is called more often, in its direct caller
 * - in the function itself: the one that costs most, else the one nearest to what costs most
 * - in a caller on its path, the nearest first: the call that leads to it, else the nearest one
 * - in the function that the diff touches nearest to it, where that is one it leads to
 * - of a function whose machine code has changed: in a table, macro or type that it uses, see
 *   blame_table.h; else in how the program is built, see blame_build.h; else above all known
 *   functions of its file, the nearest
 * - none: the function's definition
 */
void blame_line(
	const struct analysis *analysis, struct arena *arena, struct result_culprit *culprit);

#endif
