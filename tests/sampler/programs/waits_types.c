/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What locks of all types return in all states, a line each. The test compares this program's
 * output with and without the library.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const char *type_name;

static void say(const char *what, int result)
{
	printf("%s: %s: %d errno %d\n", type_name, what, result, errno);
}

static struct timespec moment(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	while (time.tv_nsec >= 1000000000) {
		time.tv_nsec -= 1000000000;
		time.tv_sec++;
	}
	return time;
}

static const struct timespec past = {1, 0}, negative = {1, -1}, large = {1, 1000000000};

/* ---- mutexes --------------------------------------------------------------------------------- */

/* From another thread, with the mutex held. */
static void *contend(void *opaque)
{
	pthread_mutex_t *mutex = opaque;
	struct timespec soon = moment(CLOCK_REALTIME, 5), sooner = moment(CLOCK_MONOTONIC, 5);

	errno = 77;
	say("other trylock", pthread_mutex_trylock(mutex));
	say("other timedlock, past", pthread_mutex_timedlock(mutex, &past));
	say("other timedlock, negative", pthread_mutex_timedlock(mutex, &negative));
	say("other timedlock, large", pthread_mutex_timedlock(mutex, &large));
	say("other timedlock, soon", pthread_mutex_timedlock(mutex, &soon));
	say("other clocklock, soon", pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &sooner));
	say("other clocklock, wrong clock",
		pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
	say("other unlock", type_name[0] == 'n' ? 0 : pthread_mutex_unlock(mutex));
	return NULL;
}

static void in_thread(void *(*run)(void *), void *argument)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, argument);
	pthread_join(thread, NULL);
}

/* The mutex is free. */
static void uncontended(pthread_mutex_t *mutex)
{
	say("timedlock, negative", pthread_mutex_timedlock(mutex, &negative));
	say("unlock", pthread_mutex_unlock(mutex));
	say("timedlock, past", pthread_mutex_timedlock(mutex, &past));
	say("unlock", pthread_mutex_unlock(mutex));
	say("clocklock, large", pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &large));
	say("unlock", pthread_mutex_unlock(mutex));
	say("clocklock, wrong clock",
		pthread_mutex_clocklock(mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
}

static void check_mutex(const char *name, int type, int protocol, int robustness)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;

	type_name = name;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, robustness);
	say("init", pthread_mutex_init(&mutex, &attributes));
	errno = 0;
	say("lock", pthread_mutex_lock(&mutex));
	if (type != PTHREAD_MUTEX_NORMAL && type != PTHREAD_MUTEX_ADAPTIVE_NP) {
		say("lock again", pthread_mutex_lock(&mutex));
		say("timedlock again", pthread_mutex_timedlock(&mutex, &past));
	}
	in_thread(contend, &mutex);
	say("unlock", pthread_mutex_unlock(&mutex));
	if (type == PTHREAD_MUTEX_RECURSIVE) {
		say("unlock", pthread_mutex_unlock(&mutex));
		say("unlock", pthread_mutex_unlock(&mutex));
	}
	if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)
		say("unlock, free", pthread_mutex_unlock(&mutex));
	uncontended(&mutex);
	say("destroy", pthread_mutex_destroy(&mutex));
}

static void *die_holding(void *mutex)
{
	pthread_mutex_lock(mutex);
	return NULL;
}

/* A waiter finds that the owner has died, also one that waits already. */
static void check_robust(const char *name, int protocol)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;

	type_name = name;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attributes);
	in_thread(die_holding, &mutex);
	say("lock, owner dead", pthread_mutex_lock(&mutex));
	say("consistent", pthread_mutex_consistent(&mutex));
	say("unlock", pthread_mutex_unlock(&mutex));
	say("lock", pthread_mutex_lock(&mutex));
	say("unlock", pthread_mutex_unlock(&mutex));
	in_thread(die_holding, &mutex);
	say("timedlock, owner dead", pthread_mutex_timedlock(&mutex, &past));
	say("unlock, not consistent", pthread_mutex_unlock(&mutex));
	say("lock, lost", pthread_mutex_lock(&mutex));
	say("timedlock, lost", pthread_mutex_timedlock(&mutex, &past));
	say("destroy", pthread_mutex_destroy(&mutex));
}

static pthread_barrier_t meeting;

static void *die_holding_later(void *mutex)
{
	const struct timespec while_other_waits = {0, 30000000};

	pthread_mutex_lock(mutex);
	pthread_barrier_wait(&meeting);
	nanosleep(&while_other_waits, NULL);
	return NULL;
}

static void check_robust_waiter(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	pthread_t thread;

	type_name = "robust waiter";
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attributes);
	pthread_barrier_init(&meeting, NULL, 2);
	pthread_create(&thread, NULL, die_holding_later, &mutex);
	pthread_barrier_wait(&meeting);
	say("lock", pthread_mutex_lock(&mutex));
	pthread_join(thread, NULL);
}

/* ---- locks for readers and writers ----------------------------------------------------------- */

static void *contend_shared(void *opaque)
{
	pthread_rwlock_t *lock = opaque;
	struct timespec soon = moment(CLOCK_REALTIME, 5), sooner = moment(CLOCK_MONOTONIC, 5);

	say("other timedrdlock, past", pthread_rwlock_timedrdlock(lock, &past));
	say("other timedwrlock, past", pthread_rwlock_timedwrlock(lock, &past));
	say("other timedwrlock, large", pthread_rwlock_timedwrlock(lock, &large));
	say("other timedwrlock, soon", pthread_rwlock_timedwrlock(lock, &soon));
	say("other clockwrlock, soon", pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &sooner));
	say("other clockwrlock, wrong clock", pthread_rwlock_clockwrlock(lock, 9, &past));
	return NULL;
}

static void check_shared(void)
{
	pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	type_name = "rwlock";
	say("wrlock", pthread_rwlock_wrlock(&lock));
	say("rdlock, own", pthread_rwlock_rdlock(&lock));
	say("wrlock, own", pthread_rwlock_wrlock(&lock));
	say("timedrdlock, own", pthread_rwlock_timedrdlock(&lock, &past));
	in_thread(contend_shared, &lock);
	say("unlock", pthread_rwlock_unlock(&lock));
	say("timedrdlock, negative", pthread_rwlock_timedrdlock(&lock, &negative));
	say("timedwrlock, large", pthread_rwlock_timedwrlock(&lock, &large));
	say("clockrdlock, wrong clock",
		pthread_rwlock_clockrdlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past));
	say("rdlock", pthread_rwlock_rdlock(&lock));
	say("timedrdlock, past", pthread_rwlock_timedrdlock(&lock, &past));
	say("clockrdlock, past", pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past));
	say("unlock", pthread_rwlock_unlock(&lock));
	say("unlock", pthread_rwlock_unlock(&lock));
	say("unlock", pthread_rwlock_unlock(&lock));
	say("destroy", pthread_rwlock_destroy(&lock));
}

/* ---- conditions ------------------------------------------------------------------------------ */

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void unlock_guard(void *unused)
{
	(void)unused;
	say("cancelled with the lock, unlock", pthread_mutex_unlock(&guard));
}

static void *wait_for_ever(void *unused)
{
	pthread_mutex_lock(&guard);
	pthread_cleanup_push(unlock_guard, NULL);
	pthread_barrier_wait(&meeting);
	pthread_cond_wait(&condition, &guard);
	pthread_cleanup_pop(0);
	return unused;
}

static void check_cancellation(void)
{
	int cancelled, joined; /* said once the thread, which speaks too, is gone */
	void *result = NULL;
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_barrier_wait(&meeting);
	pthread_mutex_lock(&guard); /* it waits now, or is about to */
	pthread_mutex_unlock(&guard);
	cancelled = pthread_cancel(thread);
	joined = pthread_join(thread, &result);
	say("cancel", cancelled);
	say("join", joined);
	say("was cancelled", result == PTHREAD_CANCELED);
	say("lock", pthread_mutex_lock(&guard));
	say("unlock", pthread_mutex_unlock(&guard));
}

static void check_conditions(void)
{
	pthread_mutexattr_t attributes;
	struct timespec soon = moment(CLOCK_REALTIME, 3), sooner = moment(CLOCK_MONOTONIC, 3);
	pthread_mutex_t checked;

	type_name = "condition";
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &attributes);
	say("wait, not locked", pthread_cond_wait(&condition, &checked));
	say("timedwait, not locked", pthread_cond_timedwait(&condition, &checked, &past));
	pthread_mutex_lock(&checked);
	say("timedwait, past", pthread_cond_timedwait(&condition, &checked, &past));
	say("timedwait, large", pthread_cond_timedwait(&condition, &checked, &large));
	say("timedwait, soon", pthread_cond_timedwait(&condition, &checked, &soon));
	say("clockwait, soon",
		pthread_cond_clockwait(&condition, &checked, CLOCK_MONOTONIC, &sooner));
	say("clockwait, wrong clock", pthread_cond_clockwait(&condition, &checked, 9, &past));
	say("unlock", pthread_mutex_unlock(&checked));
	check_cancellation();
}

static void check_c11(void)
{
	struct timespec soon = moment(CLOCK_REALTIME, 3);
	cnd_t cnd;
	mtx_t mtx;

	type_name = "threads.h";
	mtx_init(&mtx, mtx_timed | mtx_recursive);
	cnd_init(&cnd);
	say("mtx_lock", mtx_lock(&mtx));
	say("mtx_lock again", mtx_lock(&mtx));
	say("mtx_timedlock, large", mtx_timedlock(&mtx, &large));
	say("cnd_timedwait, large", cnd_timedwait(&cnd, &mtx, &large));
	say("mtx_unlock", mtx_unlock(&mtx));
	say("mtx_unlock", mtx_unlock(&mtx));
	say("cnd_timedwait", cnd_timedwait(&cnd, &mtx, &soon));
	say("mtx_unlock", mtx_unlock(&mtx));
}

/* So that a child has samples, and a capture, of its own. */
static void burn_ms(long ms)
{
	const clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		;
}

/* A signal's handler forks while this thread waits for a lock. */
static void fork_in_handler(int signal)
{
	pid_t child = fork();
	int status = 0;

	(void)signal;
	if (child == 0) {
		burn_ms(40);
		return; /* goes on waiting, until the deadline */
	}
	waitpid(child, &status, 0);
	say("the child's status", status);
}

static pid_t own;

static void *wait_and_be_forked(void *unused)
{
	struct timespec soon = moment(CLOCK_REALTIME, 150);
	int result = pthread_mutex_timedlock(&guard, &soon);

	if (getpid() != own)
		_exit(result == ETIMEDOUT ? 5 : 6);
	say("timedlock", result);
	return unused;
}

static void check_forked_wait(void)
{
	const struct timespec until_it_waits = {0, 20000000};
	pthread_t thread;

	type_name = "fork in a handler";
	own = getpid();
	signal(SIGUSR1, fork_in_handler);
	pthread_mutex_lock(&guard);
	pthread_create(&thread, NULL, wait_and_be_forked, NULL);
	nanosleep(&until_it_waits, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	pthread_mutex_unlock(&guard);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	pthread_barrier_init(&meeting, NULL, 2);
	check_mutex("normal", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	check_mutex(
		"n adaptive", PTHREAD_MUTEX_ADAPTIVE_NP, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	check_mutex("recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	check_mutex(
		"errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
	check_mutex("n robust", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
	check_mutex("robust errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE,
		PTHREAD_MUTEX_ROBUST);
	check_mutex("n inherit", PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED);
	check_mutex("inherit recursive", PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_INHERIT,
		PTHREAD_MUTEX_STALLED);
	check_mutex("inherit errorcheck", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_INHERIT,
		PTHREAD_MUTEX_STALLED);
	check_robust("robust", PTHREAD_PRIO_NONE);
	check_robust("robust inherit", PTHREAD_PRIO_INHERIT);
	check_robust_waiter();
	check_shared();
	check_conditions();
	check_c11();
	check_forked_wait();
	return 0;
}
