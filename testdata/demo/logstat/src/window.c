/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <math.h>

#include "timestamp.h"

#define SMOOTHING 0.05

static void close_minute(struct window *window)
{
	double excess = (double)window->count - window->mean;

	if (window->minutes > 10 && excess > 3 * window->deviation)
		window->bursts++;
	if (window->count > window->busiest_count) {
		window->busiest_count = window->count;
		window->busiest_minute = window->minute;
	}
	window->mean += SMOOTHING * excess;
	window->deviation += SMOOTHING * (fabs(excess) - window->deviation);
	window->minutes++;
	window->count = 0;
}

void window_add(struct window *window, int64_t milliseconds)
{
	int64_t minute = milliseconds / 60000;

	if (window->minute == 0)
		window->minute = minute;
	for (; window->minute < minute; window->minute++)
		close_minute(window);
	window->count++;
	window->by_hour[timestamp_weekday(milliseconds)][minute / 60 % 24]++;
}

void window_finish(struct window *window)
{
	if (window->count > 0)
		close_minute(window);
}
