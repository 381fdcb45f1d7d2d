/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sampler/harmless/harmless.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile unsigned long sink;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

void burn_us(long us)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)us * 1000;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 2000; i++)
			sink = sink * 31 + i;
}

int fail(const char *what)
{
	printf("FAILED: %s (errno %d)\n", what, errno);
	return 1;
}

int fine(void)
{
	puts("fine");
	return 0;
}

/* A lost wake-up shall not stand for ever. */
static void end_after(time_t seconds)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec when = {.it_value = {seconds, 0}};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &when, NULL);
}

static const struct mode *find(const struct mode *modes, const char *name)
{
	for (; modes->name; modes++)
		if (strcmp(modes->name, name) == 0)
			return modes;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct mode *const all[] = {wait_modes, transfer_modes, signal_modes, call_modes,
		filter_modes, mirror_modes, detail_modes, queue_modes, mask_modes, stack_modes};

	end_after(100);
	for (size_t i = 0; argc >= 2 && i < sizeof(all) / sizeof(all[0]); i++) {
		const struct mode *mode = find(all[i], argv[1]);

		if (mode)
			return mode->run(argc > 2 ? strtol(argv[2], NULL, 10) : 0,
				argc > 3 ? strtol(argv[3], NULL, 10) : 0);
	}
	fprintf(stderr, "usage: harmless MODE [NUMBER [NUMBER]]\n");
	return 2;
}
