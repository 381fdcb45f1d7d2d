/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/real.h"

#include <dlfcn.h>
#include <string.h>

struct fg_real fg_real;

/* POSIX promises that a data pointer can carry a function's; ISO C has no cast for it. */
static void look_up(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

bool fg_real_init(void)
{
	static bool done;

	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		return true;
	look_up(&fg_real.pthread_create, "pthread_create");
	look_up(&fg_real.thrd_create, "thrd_create");
	look_up(&fg_real.pthread_sigmask, "pthread_sigmask");
	look_up(&fg_real.sigprocmask, "sigprocmask");
	look_up(&fg_real.sigaction, "sigaction");
	look_up(&fg_real.signal, "signal");
	look_up(&fg_real.sysv_signal, "sysv_signal");
	look_up(&fg_real.sigset, "sigset");
	look_up(&fg_real.sigwait, "sigwait");
	look_up(&fg_real.sigwaitinfo, "sigwaitinfo");
	look_up(&fg_real.sigtimedwait, "sigtimedwait");
	look_up(&fg_real.signalfd, "signalfd");
	look_up(&fg_real.execve, "execve");
	look_up(&fg_real.execvpe, "execvpe");
	look_up(&fg_real.fexecve, "fexecve");
	look_up(&fg_real.execveat, "execveat");
	look_up(&fg_real._Fork, "_Fork");
	look_up(&fg_real.dlclose, "dlclose");
	look_up(&fg_real.close, "close");
	look_up(&fg_real.close_range, "close_range");
	look_up(&fg_real.closefrom, "closefrom");
	if (!fg_real.pthread_create || !fg_real.pthread_sigmask || !fg_real.sigaction ||
		!fg_real.sigprocmask || !fg_real.sigtimedwait || !fg_real.execve)
		return false;
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return true;
}
