/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel does only for a process with one thread (user namespaces above all): ours ends
 * for the call and is made anew behind it, where there was one. Context: thread.
 */
#include <errno.h>

#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/real.h"

static int missing(void)
{
	errno = ENOSYS;
	return -1;
}

FG_EXPORT int unshare(int flags)
{
	bool had_thread;
	int result;

	if (!fg_real_init() || !fg_real.unshare)
		return missing();
	had_thread = fg_off_cpu_stop();
	result = fg_real.unshare(flags);
	if (had_thread)
		fg_off_cpu_start();
	return result;
}

FG_EXPORT int setns(int fd, int type)
{
	bool had_thread;
	int result;

	if (!fg_real_init() || !fg_real.setns)
		return missing();
	had_thread = fg_off_cpu_stop();
	result = fg_real.setns(fd, type);
	if (had_thread)
		fg_off_cpu_start();
	return result;
}
