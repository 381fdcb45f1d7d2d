/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that would notice a careless profiler. Each mode says "fine" and exits 0 when it saw
 * nothing of us; what a mode prints otherwise is compared with a run without us.
 */
#ifndef TESTS_SAMPLER_HARMLESS_H
#define TESTS_SAMPLER_HARMLESS_H

#include <stdint.h>

struct mode {
	const char *name;
	int (*run)(long first, long second);
};
extern const struct mode wait_modes[], transfer_modes[], signal_modes[], call_modes[],
	filter_modes[], mirror_modes[], detail_modes[], queue_modes[], mask_modes[], stack_modes[];

/* Burns CPU time of this thread. */
void burn_us(long us);
/* CLOCK_MONOTONIC. */
uint64_t now_ns(void);
/* "FAILED: what (errno n)" and 1. */
int fail(const char *what);
/* "fine" and 0. */
int fine(void);

#endif
