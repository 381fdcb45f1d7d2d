/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/real.h"

#include <dlfcn.h>
#include <string.h>

#include "gate/sampler/raw.h"

struct fg_real fg_real;

/* POSIX promises that a data pointer can carry a function's; ISO C has no cast for it. */
static void look_up(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	memcpy(function, &found, sizeof(found));
}

/* RTLD_NEXT alone finds the oldest of several versions: another condition variable's. */
#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#else
#define CONDITION_VERSION "GLIBC_2.17"
#endif

static void look_up_condition(void *function, const char *name)
{
	void *found = dlvsym(RTLD_NEXT, name, CONDITION_VERSION);

	if (found)
		memcpy(function, &found, sizeof(found));
	else
		look_up(function, name);
}

static void look_up_locks(void)
{
	look_up(&fg_real.pthread_mutex_trylock, "pthread_mutex_trylock");
	look_up(&fg_real.pthread_mutex_lock, "pthread_mutex_lock");
	look_up(&fg_real.pthread_mutex_timedlock, "pthread_mutex_timedlock");
	look_up(&fg_real.pthread_mutex_clocklock, "pthread_mutex_clocklock");
	look_up(&fg_real.pthread_rwlock_tryrdlock, "pthread_rwlock_tryrdlock");
	look_up(&fg_real.pthread_rwlock_rdlock, "pthread_rwlock_rdlock");
	look_up(&fg_real.pthread_rwlock_timedrdlock, "pthread_rwlock_timedrdlock");
	look_up(&fg_real.pthread_rwlock_clockrdlock, "pthread_rwlock_clockrdlock");
	look_up(&fg_real.pthread_rwlock_trywrlock, "pthread_rwlock_trywrlock");
	look_up(&fg_real.pthread_rwlock_wrlock, "pthread_rwlock_wrlock");
	look_up(&fg_real.pthread_rwlock_timedwrlock, "pthread_rwlock_timedwrlock");
	look_up(&fg_real.pthread_rwlock_clockwrlock, "pthread_rwlock_clockwrlock");
	look_up(&fg_real.mtx_trylock, "mtx_trylock");
	look_up(&fg_real.mtx_lock, "mtx_lock");
	look_up(&fg_real.mtx_timedlock, "mtx_timedlock");
	look_up_condition(&fg_real.pthread_cond_wait, "pthread_cond_wait");
	look_up_condition(&fg_real.pthread_cond_timedwait, "pthread_cond_timedwait");
	look_up(&fg_real.pthread_cond_clockwait, "pthread_cond_clockwait");
	look_up(&fg_real.cnd_wait, "cnd_wait");
	look_up(&fg_real.cnd_timedwait, "cnd_timedwait");
	look_up(&fg_real.pthread_barrier_wait, "pthread_barrier_wait");
}

bool fg_real_init(void)
{
	static bool done;

	if (__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		return true;
	/* First: a later one that is not found may allocate (dlerror), and allocators lock. */
	look_up_locks();
	look_up(&fg_real.clock_gettime, "clock_gettime");
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
	look_up(&fg_real.clone, "clone");
	look_up(&fg_real.unshare, "unshare");
	look_up(&fg_real.setns, "setns");
	if (!fg_real.pthread_create || !fg_real.pthread_sigmask || !fg_real.sigaction ||
		!fg_real.sigprocmask || !fg_real.sigtimedwait || !fg_real.execve)
		return false;
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	return true;
}

void fg_real_clock(clockid_t clock, struct timespec *time)
{
	if (fg_real.clock_gettime)
		fg_real.clock_gettime(clock, time);
	else
		FG_RAW3(SYS_clock_gettime, clock, time, 0);
}
