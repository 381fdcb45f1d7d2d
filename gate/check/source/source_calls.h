/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: where a function is called from, line by line. */
#ifndef FG_CHECK_SOURCE_CALLS_H
#define FG_CHECK_SOURCE_CALLS_H

#include <stddef.h>

#include "gate/compare/comparison.h"

struct recording;

/*
 * What the callee and what it calls cost a version, by the lines of the caller that lead to it: of
 * each sample the frame of the caller's that is nearest above it. matched: of the version's
 * functions (match.h), as callee and caller are. Largest first; free() it.
 */
struct comparison_line *source_call_lines(const struct recording *recording,
	const uint32_t *matched, size_t callee, size_t caller, size_t *count);

#endif
