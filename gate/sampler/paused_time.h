/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much CPU time the process spent while the program had paused the counting (flamegate.h), by
 * the process's CPU clock: what is to be taken off before samples are compared with CPU time. The
 * runner's own pauses (control page) are the runner's to know.
 */
#ifndef FG_SAMPLER_PAUSED_TIME_H
#define FG_SAMPLER_PAUSED_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/sampler/capture/capture.h"

/* init, or thread in a forked child. An image begins at this CPU time, paused or not. */
void fg_paused_time_begin(uint64_t cpu_ns, bool paused);
/* thread. The program pauses or goes on; nothing where it says so again. */
void fg_paused_time_switch(bool paused);
/* any. What is known so far goes into a new capture. */
void fg_paused_time_attach(struct fg_capture_header *header);

#endif
