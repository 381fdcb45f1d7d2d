/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/clock/real_deadlines.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "gate/clock/clock.h"

/* The C library has an older condition variable of this name, which it finds first. */
#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#else
#define CONDITION_VERSION "GLIBC_2.17"
#endif

static struct fg_clock_deadlines real;

/* The next library's that has no versions, or else the C library's of this version. */
static void look_up_condition(void)
{
	void *next = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	void *own = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", CONDITION_VERSION);
	Dl_info first, second;

	if (own && (!next || (dladdr(next, &first) && dladdr(own, &second) &&
				     first.dli_fbase == second.dli_fbase)))
		next = own;
	memcpy(&real.pthread_cond_timedwait, &next, sizeof(next));
}

const struct fg_clock_deadlines *fg_clock_deadlines(void)
{
	static bool is_done;

	if (__atomic_load_n(&is_done, __ATOMIC_ACQUIRE))
		return &real;
#define LOOK_UP(name) fg_clock_look_up(&real.name, #name);
	FG_CLOCK_EACH_DEADLINE(LOOK_UP)
#undef LOOK_UP
	look_up_condition();
	__atomic_store_n(&is_done, true, __ATOMIC_RELEASE);
	return &real;
}
