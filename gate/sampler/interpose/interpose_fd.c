/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs close descriptors that they never opened (daemons do, and what starts children): ours
 * are not there for them. In a vfork child they stay open until its exec closes them.
 */
#include "gate/sampler/sampler.h"

#include <errno.h>
#include <unistd.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/real.h"
#include "gate/sampler/thread/slots.h"

FG_EXPORT int close(int fd)
{
	if (!fg_real_init() || !fg_real.close) {
		errno = ENOSYS;
		return -1;
	}
	if (fg_signal && fg_threads_own_fd(fd)) {
		errno = EBADF;
		return -1;
	}
	return fg_real.close(fd);
}

/* With a flag nothing is closed, only marked; ours carry that mark anyway. */
FG_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	int ours;

	if (!fg_real_init() || !fg_real.close_range) {
		errno = ENOSYS;
		return -1;
	}
	while (!flags && fg_signal && first <= last && (ours = fg_threads_next_fd(first)) >= 0 &&
		(unsigned)ours <= last) {
		if ((unsigned)ours > first &&
			fg_real.close_range(first, (unsigned)ours - 1, flags) != 0)
			return -1;
		first = (unsigned)ours + 1;
		if (first > last)
			return 0;
	}
	return fg_real.close_range(first, last, flags);
}

/*
 * A number above 255 that the program takes for itself, if its call can succeed: our event there
 * ends, the thread's timer becomes another one as soon as it is missed (timer_perf.c). A vfork
 * child has descriptors of its own, but our table.
 */
static void yield(int fd, int wanted)
{
	struct fg_thread *owner = fg_signal ? fg_slot_of_fd(wanted) : NULL;

	if (owner && fd != wanted && fg_process_is_ours(true) &&
		!fg_raw_failed(FG_RAW3(SYS_fcntl, fd, F_GETFD, 0)))
		fg_slot_set_fd(owner, -1);
}

static int from_kernel(long result)
{
	if (!fg_raw_failed(result))
		return (int)result;
	errno = (int)-result;
	return -1;
}

FG_EXPORT int dup2(int fd, int wanted)
{
	yield(fd, wanted);
#ifdef SYS_dup2
	return from_kernel(FG_RAW3(SYS_dup2, fd, wanted, 0));
#else
	if (fd == wanted) {
		long flags = FG_RAW3(SYS_fcntl, fd, F_GETFD, 0);

		return fg_raw_failed(flags) ? from_kernel(flags) : fd;
	}
	return from_kernel(FG_RAW3(SYS_dup3, fd, wanted, 0));
#endif
}

FG_EXPORT int dup3(int fd, int wanted, int flags)
{
	yield(fd, wanted);
	return from_kernel(FG_RAW3(SYS_dup3, fd, wanted, flags));
}

FG_EXPORT void closefrom(int low)
{
	if (close_range(low < 0 ? 0 : (unsigned)low, ~0U, 0) != 0 && fg_real_init() &&
		fg_real.closefrom)
		fg_real.closefrom(low);
}
