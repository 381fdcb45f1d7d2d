/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: the changed line of what a function uses and the diff changes, though
 * it leaves the function alone: a constant table, a macro, a type.
 */
#ifndef FG_CHECK_BLAME_TABLE_H
#define FG_CHECK_BLAME_TABLE_H

#include "gate/check/analysis/analysis.h"

/*
 * In head's commit, which may be out of reach: then nothing is found. The first line in the diff's
 * order that is a part of a definition whose name is in the function's text, or in that of what is
 * inlined into it; if there is none, in that of a definition of the diff's files whose name is;
 * where the diff only deletes, the line before. *file is the diff's; both are
 * untouched if there is none. By names alone: a variable of the function's own may have the same.
 */
bool blame_table(
	const struct analysis *analysis, uint32_t function, const char **file, int64_t *line);

#endif
