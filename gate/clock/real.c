/* SPDX-License-Identifier: Apache-2.0 */
/* The real clock, and the functions behind the names that are interposed. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "gate/clock/clock.h"
#include "gate/sampler/raw.h"

static int (*real_clock_gettime)(clockid_t, struct timespec *);

/* POSIX promises that a data pointer can carry a function's; ISO C has no cast for it. */
void fg_clock_look_up(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

__attribute__((constructor(101))) static void look_up(void)
{
	fg_clock_look_up(&real_clock_gettime, "clock_gettime");
}

/* Also before the constructor: the loader's, or an earlier library's. */
int fg_clock_real(clockid_t clock, struct timespec *time)
{
	long result;

	if (real_clock_gettime)
		return real_clock_gettime(clock, time);
	result = FG_RAW3(SYS_clock_gettime, clock, time, 0);
	if (!fg_raw_failed(result))
		return 0;
	errno = (int)-result;
	return -1;
}

int64_t fg_clock_real_ns(clockid_t clock)
{
	struct timespec time = {0, 0};

	fg_clock_real(clock, &time);
	return (int64_t)time.tv_sec * FG_NS + time.tv_nsec;
}
