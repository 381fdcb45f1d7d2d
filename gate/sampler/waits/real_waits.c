/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/waits/real_waits.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

struct fg_real_waits fg_real_waits_table;

static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

/* POSIX promises that a data pointer can carry a function's; ISO C has no cast for it. */
static void look_up(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	long (*none)(void) = missing;

	memcpy(function, &found, sizeof(found));
	if (!found)
		memcpy(function, &none, sizeof(none));
}

const struct fg_real_waits *fg_real_waits(void)
{
	static bool done;

	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		return &fg_real_waits_table;
#define LOOK_UP(name) look_up(&fg_real_waits_table.name, #name);
	FG_REAL_WAITS(LOOK_UP)
#undef LOOK_UP
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return &fg_real_waits_table;
}
