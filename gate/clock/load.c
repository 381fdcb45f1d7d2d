/* SPDX-License-Identifier: Apache-2.0 */
/* Where the loader enters the library. */
#include "gate/clock/clock.h"
#include "gate/clock/real_deadlines.h"

/* At a first call a lookup would undo the program's dlerror(), or be in a handler. */
__attribute__((constructor)) static void loaded(void)
{
	fg_clock_deadlines();
	fg_clock_process_start();
}
