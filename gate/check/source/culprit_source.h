/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: the lines of a culprit's function that cost, and that changed. */
#ifndef FG_CHECK_CULPRIT_SOURCE_H
#define FG_CHECK_CULPRIT_SOURCE_H

#include <stddef.h>

#include "gate/check/analysis/analysis.h"

struct result_culprit;
struct result_source;

/*
 * Of the caller that the diff touches and that leads to it; else of itself; else of the nearest
 * caller whose file is in head's tree: of callers with what the culprit costs by the line that
 * leads to it. Into the arena; NULL where nobody's file is there, or where the text would take more
 * than *bytes_left, which goes down by what it takes.
 */
const struct result_source *culprit_source(const struct analysis *analysis,
	const struct result_culprit *culprit, struct arena *arena, size_t *bytes_left);

#endif
