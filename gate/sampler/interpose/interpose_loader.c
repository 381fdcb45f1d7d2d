/* SPDX-License-Identifier: Apache-2.0 */
/* After a dlclose the same addresses may become another object's code. */
#include "gate/sampler/offcpu/off_cpu.h"

#include <dlfcn.h>
#include <errno.h>

#include "gate/sampler/real.h"

FG_EXPORT int dlclose(void *handle)
{
	int result, saved_errno;

	if (!fg_real_init() || !fg_real.dlclose)
		return -1;
	fg_off_cpu_hold();
	result = fg_real.dlclose(handle);
	saved_errno = errno;
	fg_off_cpu_release();
	if (fg_process_is_ours(false))
		fg_modules_closed();
	errno = saved_errno;
	return result;
}
