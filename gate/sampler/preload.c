/* SPDX-License-Identifier: Apache-2.0 */
/* Where the loader enters and leaves the library. */
#include "gate/sampler/off_cpu.h"

__attribute__((constructor)) static void loaded(void)
{
	fg_process_start();
	fg_off_cpu_start();
}

__attribute__((destructor)) static void unloaded(void)
{
	fg_process_exit();
}
