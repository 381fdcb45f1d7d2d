/* SPDX-License-Identifier: Apache-2.0 */
/* Where the loader enters and leaves the library. */
#include <errno.h>

#include "gate/sampler/heap/heap.h"
#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/real.h"
#include "gate/sampler/waits/real_waits.h"

/* A program begins with an errno of 0. */
__attribute__((constructor)) static void loaded(void)
{
	int saved_errno = errno;

	/* At its first call a lookup would undo the program's dlerror(), or be in a handler. */
	fg_real_init();
	fg_real_waits();
	fg_process_start();
	fg_heap_loaded();
	fg_off_cpu_start();
	errno = saved_errno;
}

__attribute__((destructor)) static void unloaded(void)
{
	fg_process_exit();
}
