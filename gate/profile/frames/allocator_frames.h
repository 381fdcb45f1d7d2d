/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who asked for memory: malloc's family, C++'s operator new, its standard allocators and Rust's
 * do nothing but pass a request on, so the leaf of a heap's stacks is who called them, as pprof and
 * the allocators' own profilers have it. What allocates for a purpose of its own (strdup, a
 * container) stays.
 */
#ifndef FG_PROFILE_ALLOCATOR_FRAMES_H
#define FG_PROFILE_ALLOCATOR_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/profile/profile.h"

/* By its name alone: a class's own operator new, or one with other parameters, is the program's. */
bool allocator_frame_is(const struct profile_function *function);

/*
 * Of a stack, leaf first: how many of its first locations are allocators' alone. Where some inlined
 * frames of the next one are, too, it becomes one without them. 0 where there is nobody else.
 */
uint32_t allocator_frames_skip(struct profile *profile, uint32_t *locations, uint32_t depth);

/* From all stacks, if the profile's values are a heap's. Once more changes nothing; what a sample
 * counts is never changed. */
void allocator_frames_drop(struct profile *profile);

#endif
