/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's functions behind the names that we interpose. */
#ifndef FG_SAMPLER_REAL_H
#define FG_SAMPLER_REAL_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>

struct fg_real {
	int (*clock_gettime)(clockid_t, struct timespec *);
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*thrd_create)(thrd_t *, thrd_start_t, void *);
	int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
	int (*sigprocmask)(int, const sigset_t *, sigset_t *);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	void (*(*signal)(int, void (*)(int)))(int);
	void (*(*sysv_signal)(int, void (*)(int)))(int);
	void (*(*sigset)(int, void (*)(int)))(int);
	int (*sigwait)(const sigset_t *, int *);
	int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
	int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
	int (*signalfd)(int, const sigset_t *, int);
	int (*execve)(const char *, char *const[], char *const[]);
	int (*execvpe)(const char *, char *const[], char *const[]);
	int (*fexecve)(int, char *const[], char *const[]);
	int (*execveat)(int, const char *, char *const[], char *const[], int);
	pid_t (*_Fork)(void);
	int (*dlclose)(void *);
	int (*close)(int);
	int (*close_range)(unsigned, unsigned, int);
	void (*closefrom)(int);
	/* locks */
	int (*pthread_mutex_trylock)(pthread_mutex_t *);
	int (*pthread_mutex_lock)(pthread_mutex_t *);
	int (*pthread_mutex_timedlock)(pthread_mutex_t *, const struct timespec *);
	int (*pthread_mutex_clocklock)(pthread_mutex_t *, clockid_t, const struct timespec *);
	int (*pthread_rwlock_tryrdlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_rdlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_timedrdlock)(pthread_rwlock_t *, const struct timespec *);
	int (*pthread_rwlock_clockrdlock)(pthread_rwlock_t *, clockid_t, const struct timespec *);
	int (*pthread_rwlock_trywrlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_wrlock)(pthread_rwlock_t *);
	int (*pthread_rwlock_timedwrlock)(pthread_rwlock_t *, const struct timespec *);
	int (*pthread_rwlock_clockwrlock)(pthread_rwlock_t *, clockid_t, const struct timespec *);
	int (*mtx_trylock)(mtx_t *);
	int (*mtx_lock)(mtx_t *);
	int (*mtx_timedlock)(mtx_t *, const struct timespec *);
	int (*pthread_cond_wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*pthread_cond_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
	int (*pthread_cond_clockwait)(
		pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
	int (*cnd_wait)(cnd_t *, mtx_t *);
	int (*cnd_timedwait)(cnd_t *, mtx_t *, const struct timespec *);
	int (*pthread_barrier_wait)(pthread_barrier_t *);
	/* off-CPU time */
	int (*clone)(int (*)(void *), void *, int, void *, ...);
	int (*unshare)(int);
	int (*setns)(int, int);
};
extern struct fg_real fg_real;

/* thread or init. Looks all of them up once;
 * false when one that we cannot do without is missing. */
bool fg_real_init(void);

/* any. The kernel's clock, whatever another preloaded library lets the program read. time is left as
 * it was where there is no such clock. */
void fg_real_clock(clockid_t clock, struct timespec *time);

#endif
