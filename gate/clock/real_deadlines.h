/* SPDX-License-Identifier: Apache-2.0 */
/* Private to libflamegate-clock.so: the functions behind the names of interpose_deadline.c. */
#ifndef FG_CLOCK_REAL_DEADLINES_H
#define FG_CLOCK_REAL_DEADLINES_H

#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <time.h>

/* clang-format off */
#define FG_CLOCK_EACH_DEADLINE(each)                                                              \
	each(pthread_cond_clockwait) each(cnd_timedwait) each(mtx_timedlock)                       \
	each(pthread_mutex_timedlock) each(pthread_mutex_clocklock)                                \
	each(pthread_rwlock_timedrdlock) each(pthread_rwlock_timedwrlock)                          \
	each(pthread_rwlock_clockrdlock) each(pthread_rwlock_clockwrlock)                          \
	each(sem_timedwait) each(sem_clockwait) each(pthread_timedjoin_np)                         \
	each(pthread_clockjoin_np) each(clock_nanosleep) each(timer_settime)                       \
	each(timerfd_settime) each(mq_timedsend) each(mq_timedreceive)
/* clang-format on */

struct fg_clock_deadlines {
	__typeof__(pthread_cond_timedwait) *pthread_cond_timedwait;
#define FG_CLOCK_POINTER(name) __typeof__(name) *name;
	FG_CLOCK_EACH_DEADLINE(FG_CLOCK_POINTER)
#undef FG_CLOCK_POINTER
};

/* Looked up at the first call. */
const struct fg_clock_deadlines *fg_clock_deadlines(void);

#endif
