/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a benchmark harness has on the stack between main() and the benchmark: five to ten frames,
 * the same in every sample, which only make a graph higher. They are one frame. Functions in which
 * a sample was taken keep their names, and so does a frame in which code of the benchmark is
 * inlined: no function's own cost changes.
 */
#ifndef FG_PROFILE_HARNESS_FRAMES_H
#define FG_PROFILE_HARNESS_FRAMES_H

#include <stdint.h>

#include "gate/profile/profile.h"

struct harness_frames {
	uint32_t first, count; /* of a stack, leaf first; count is 2 or more */
	const char *name;      /* of the frame that stands for them: "(google-benchmark)" */
};

/* The next of them from `from` on; count 0: there is none. */
struct harness_frames harness_frames_find(
	const struct profile *profile, const uint32_t *locations, uint32_t depth, uint32_t from);

#endif
