/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_WINDOW_H
#define LOGSTAT_WINDOW_H

#include <stdint.h>

/* Requests a minute and their smoothed rate, to find the busiest time and bursts. */
struct window {
	int64_t minute;
	uint64_t count;
	double mean, deviation;
	uint64_t minutes, bursts;
	int64_t busiest_minute;
	uint64_t busiest_count;
	uint64_t by_hour[7][24]; /* by weekday */
};

void window_add(struct window *window, int64_t milliseconds);
void window_finish(struct window *window);

#endif
