/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Go's runtime does by itself: its collector's and its scheduler's threads have no caller in
 * the program, and what each of their functions takes differs from run to run. So a stack of theirs
 * is one frame. What the runtime does for a goroutine (an allocation, a growing stack) stays with
 * it. Names as of Go 1.18 to 1.26, runtime/proc.go, mgc.go, mgcsweep.go and mgcscavenge.go.
 */
#ifndef FG_PROFILE_GO_FRAMES_H
#define FG_PROFILE_GO_FRAMES_H

#include <stdint.h>

#include "gate/profile/profile.h"

#define GO_COLLECTOR_NAME "(Go's garbage collector)"
#define GO_SCHEDULER_NAME "(Go's scheduler)"

/* Of a stack, leaf first: the name of the frame that stands for all of it; NULL: it is another's. */
const char *go_frames_name(
	const struct profile *profile, const uint32_t *locations, uint32_t depth);

#endif
