/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One frame of a stack as debug information has it. Where a compiler inlines a function in part,
 * the rest of it is called under the same name by what was inlined, and one that is inlined into
 * itself is one piece of code: by debug information both call themselves, and nobody does. A
 * function that really recurs has a frame of its own each time.
 */
#ifndef FG_PROFILE_PROFILE_FRAME_H
#define FG_PROFILE_PROFILE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/profile/profile.h"

struct profile_frame {
	uint32_t function;
	bool is_inlined;
};

/* The frame of one of a location's lines. */
static inline struct profile_frame profile_frame_of(
	const struct profile_location *location, uint32_t line)
{
	return (struct profile_frame){
		location->lines[line].function, line + 1 < location->line_count};
}

/* Whether inner, right below outer on the stack, is no call but more of the same function. */
static inline bool profile_frame_goes_on(
	const struct profile_frame *outer, const struct profile_frame *inner)
{
	return outer->function == inner->function && (outer->is_inlined || inner->is_inlined);
}

#endif
