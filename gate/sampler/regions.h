/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the control page and the program itself (flamegate.h) say, as far as samples ask. Asked for
 * each allocation, too: so inline.
 */
#ifndef FG_SAMPLER_REGIONS_H
#define FG_SAMPLER_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/sampler/capture/capture.h"
#include "gate/sampler/control.h"
#include "gate/sampler/sampler.h"

/* What the program wants: until its first mark, what the configuration says. */
enum fg_wanted { FG_WANTED_UNSAID, FG_WANTED_RUN, FG_WANTED_PAUSE };

struct fg_marks {
	uint32_t wanted; /* enum fg_wanted */
	uint32_t epoch;  /* of the program's own; 0: none yet */
};
extern struct fg_marks fg_marks __attribute__((visibility("hidden")));

/* NULL: there is none. Read by fg_control_word(). */
extern const struct fg_control_page *fg_control __attribute__((visibility("hidden")));
/* init. Maps the control page; a missing or wrong one is none (sample.c). */
void fg_control_open(void);

static inline uint32_t fg_control_word(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

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

/* any. The page's epoch, where not 0, else the program's. */
static inline uint32_t fg_epoch(void)
{
	uint32_t epoch = fg_control ? fg_control_word(&fg_control->epoch) : 0;

	return epoch ? epoch : fg_marks_epoch();
}

/* any. Is nothing to be recorded now? */
static inline bool fg_paused(void)
{
	return (fg_control && fg_control_word(&fg_control->pause)) ||
	       fg_marks_paused(fg_config.start_paused);
}

/* any. Is this version to stand still (control.h)? */
static inline bool fg_parked(void)
{
	return fg_control && fg_control_word(&fg_control->park);
}

/* any. This image has a fresh capture: what was marked before is written into it. */
void fg_marks_attach(struct fg_capture_header *header);
/*
 * thread, in a forked child. Regions stay open, with the same numbers; iterations and epochs begin
 * anew.
 */
void fg_marks_forked(void);

#endif
