/* SPDX-License-Identifier: Apache-2.0 */
/* What the program has said about itself by flamegate.h, as far as samples ask. */
#ifndef FG_SAMPLER_REGIONS_H
#define FG_SAMPLER_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/sampler/capture.h"

/* What the program wants: until its first mark, what the configuration says. */
enum fg_wanted { FG_WANTED_UNSAID, FG_WANTED_RUN, FG_WANTED_PAUSE };

struct fg_marks {
	uint32_t wanted; /* enum fg_wanted */
	uint32_t epoch;  /* of the program's own; 0: none yet */
};
extern struct fg_marks fg_marks __attribute__((visibility("hidden")));

/* any. start_paused: the configuration's. */
static inline bool fg_marks_paused(bool start_paused)
{
	uint32_t wanted = __atomic_load_n(&fg_marks.wanted, __ATOMIC_RELAXED);

	return wanted == FG_WANTED_UNSAID ? start_paused : wanted == FG_WANTED_PAUSE;
}

/* any. */
static inline uint32_t fg_marks_epoch(void)
{
	return __atomic_load_n(&fg_marks.epoch, __ATOMIC_RELAXED);
}

/* any. This image has a fresh capture: what was marked before is written into it. */
void fg_marks_attach(struct fg_capture_header *header);
/*
 * thread, in a forked child. Regions stay open, with the same numbers; iterations and epochs begin
 * anew.
 */
void fg_marks_forked(void);

#endif
