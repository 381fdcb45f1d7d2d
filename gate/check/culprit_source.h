/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: the lines of a culprit's function that cost, and that changed. */
#ifndef FG_CHECK_CULPRIT_SOURCE_H
#define FG_CHECK_CULPRIT_SOURCE_H

#include <stddef.h>

#include "gate/check/decision.h"
#include "gate/check/result.h"

/*
 * Into the arena; NULL where head's file is not in its commit's tree, or where the text would take
 * more than *bytes_left, which goes down by what it takes.
 */
const struct result_source *culprit_source(
	const struct decision *decision, size_t function, struct arena *arena, size_t *bytes_left);

#endif
