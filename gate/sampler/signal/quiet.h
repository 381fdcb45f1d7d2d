/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that puts itself under a seccomp filter allows the calls that it makes, and is killed
 * for ours. So before a filter is installed we fall silent for good, in this image and in what it
 * starts: timers end, nothing more is counted, the handler of a signal that is still on its way
 * returns at once. The capture says so (FG_COUNTER_QUIET), and keeps what it has.
 */
#ifndef FG_SAMPLER_QUIET_H
#define FG_SAMPLER_QUIET_H

#include <stdbool.h>

/* any. */
bool fg_is_quiet(void);
/* thread. */
void fg_quiet(void);

#endif
