/* SPDX-License-Identifier: Apache-2.0 */
/* Waits: none may end with EINTR for our signal's sake, all must for the program's own. */
#include "tests/sampler/harmless/harmless.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int quiet[2]; /* a pipe in which nothing ever comes */
static int epoll = -1;
static sem_t semaphore;

static int set_up(void)
{
	struct epoll_event event = {.events = EPOLLIN};

	epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || pipe(quiet) != 0 || sem_init(&semaphore, 0, 0) != 0 ||
		epoll_ctl(epoll, EPOLL_CTL_ADD, quiet[0], &event) != 0)
		return fail("set up");
	return 0;
}

static struct timespec after_us(long us)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += us * 1000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static int by_nanosleep(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};

	return nanosleep(&time, NULL);
}

static int by_clock_nanosleep(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};

	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	return errno ? -1 : 0;
}

static int by_usleep(long us)
{
	return usleep((useconds_t)us);
}

static int by_poll(long us)
{
	struct pollfd wanted = {quiet[0], POLLIN, 0};

	return poll(&wanted, 1, (int)((us + 999) / 1000));
}

static int by_ppoll(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};
	struct pollfd wanted = {quiet[0], POLLIN, 0};

	return ppoll(&wanted, 1, &time, NULL);
}

static int by_select(long us)
{
	struct timeval time = {us / 1000000, us % 1000000};
	fd_set in;

	FD_ZERO(&in);
	FD_SET(quiet[0], &in);
	return select(quiet[0] + 1, &in, NULL, NULL, &time);
}

static int by_pselect(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};
	fd_set in;

	FD_ZERO(&in);
	FD_SET(quiet[0], &in);
	return pselect(quiet[0] + 1, &in, NULL, NULL, &time, NULL);
}

static int by_epoll_wait(long us)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, (int)((us + 999) / 1000));
}

static int by_epoll_pwait2(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};
	struct epoll_event event;
	int result = epoll_pwait2(epoll, &event, 1, &time, NULL);

	return result == -1 && errno == ENOSYS ? 0 : result;
}

static int by_semaphore(long us)
{
	struct timespec until = after_us(us);

	return sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT ? 0 : -1;
}

static int by_signal(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &time) == -1 && errno == EAGAIN ? 0 : -1;
}

static const struct {
	const char *name;
	int (*wait)(long us);
} waits[] = {
	{"nanosleep", by_nanosleep},
	{"clock_nanosleep", by_clock_nanosleep},
	{"usleep", by_usleep},
	{"poll", by_poll},
	{"ppoll", by_ppoll},
	{"select", by_select},
	{"pselect", by_pselect},
	{"epoll_wait", by_epoll_wait},
	{"epoll_pwait2", by_epoll_pwait2},
	{"sem_timedwait", by_semaphore},
	{"sigtimedwait", by_signal},
};
#define WAITS (sizeof(waits) / sizeof(waits[0]))

/* The other end of a pipe: a byte each time after a moment, so that reads do wait. */
static void *feed(void *data)
{
	const int *pipe_end = data;

	while (write(*pipe_end, "x", 1) == 1)
		usleep(50);
	return NULL;
}

static int pipe_reads(long count)
{
	pthread_t feeder;
	int ends[2], failed = 0;
	char byte;

	if (pipe(ends) != 0 || pthread_create(&feeder, NULL, feed, &ends[1]) != 0)
		return fail("pipe");
	for (long i = 0; i < count; i++) {
		burn_us(i % 7 * 15);
		if (read(ends[0], &byte, 1) != 1)
			failed++;
	}
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	pthread_join(feeder, NULL);
	close(ends[1]);
	return failed;
}

/* CPU bursts between short waits of every kind; all must end by themselves and not too early. */
static int mode_mix(long rounds, long us)
{
	unsigned interrupted[WAITS] = {0}, early = 0, failed = 0;

	if (set_up() != 0)
		return 1;
	for (long i = 0; i < rounds; i++)
		for (size_t w = 0; w < WAITS; w++) {
			uint64_t start;
			int result;

			burn_us(i * 7 % 11 * 20);
			start = now_ns();
			result = waits[w].wait(us);
			interrupted[w] += result == -1 && errno == EINTR;
			failed += result != 0 && errno != EINTR;
			early += result == 0 && waits[w].wait != by_semaphore &&
				 now_ns() - start < (uint64_t)us * 1000;
		}
	for (size_t w = 0; w < WAITS; w++) {
		if (interrupted[w])
			printf("%s: %u times EINTR\n", waits[w].name, interrupted[w]);
		failed += interrupted[w];
	}
	if (early)
		printf("%u waits were too short\n", early);
	failed += early + (unsigned)pipe_reads(rounds);
	return failed ? fail("waits") : fine();
}

/* ---- the program's own signals --------------------------------------------------------------- */

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

static void alarm_after(long us, long again_us, int flags)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
	const struct itimerval times = {{0, again_us}, {0, us}}, never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &action, NULL);
	alarms = 0;
	setitimer(ITIMER_REAL, &times, NULL);
}

/*
 * Each wait would take a minute; an alarm must end it, with and without SA_RESTART. On a busy
 * machine the first may come before the wait.
 */
static int mode_own_signal(long rounds, long unused)
{
	(void)unused;
	if (set_up() != 0)
		return 1;
	for (long i = 0; i < rounds; i++)
		for (size_t w = 0; w < WAITS; w++) {
			alarm_after(3000, 30000, i % 2 ? SA_RESTART : 0);
			burn_us(200);
			errno = 0;
			if (waits[w].wait(60000000) != -1 || errno != EINTR || !alarms)
				return fail(waits[w].name);
		}
	return fine();
}

/* Some of the time the alarm comes before the wait, which may then be left only by a mask that is
 * swapped atomically: a lost wake-up stands until the test's own time-out. */
static int mode_atomic_mask(long rounds, long unused)
{
	sigset_t blocked, open;

	(void)unused;
	if (set_up() != 0)
		return 1;
	sigemptyset(&open);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	for (long i = 0; i < rounds; i++) {
		struct pollfd wanted = {quiet[0], POLLIN, 0};
		struct epoll_event event;
		int result;

		alarm_after(1 + i * 37 % 600, 0, SA_RESTART);
		burn_us(i * 53 % 600);
		result = i % 4 == 0   ? ppoll(&wanted, 1, NULL, &open)
			 : i % 4 == 1 ? pselect(0, NULL, NULL, NULL, NULL, &open)
			 : i % 4 == 2 ? epoll_pwait(epoll, &event, 1, -1, &open)
				      : sigsuspend(&open);
		if (result != -1 || errno != EINTR || alarms != 1)
			return fail("a wait with its own mask");
	}
	return fine();
}

/* A timer of the program's at 1 kHz: each wait that it ends is seen,
 * and the sleep's rest is right. */
static int mode_own_timer(long rounds, long unused)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval every = {{0, 1000}, {0, 1000}};
	unsigned interrupted = 0;

	(void)unused;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (long i = 0; i < rounds; i++) {
		struct timespec wanted = {0, 3000000}, left = {9, 9};
		uint64_t start = now_ns(), slept;

		burn_us(i % 5 * 100);
		if (nanosleep(&wanted, &left) == 0)
			continue;
		slept = now_ns() - start;
		if (errno != EINTR || left.tv_sec != 0 || (uint64_t)left.tv_nsec + slept < 3000000)
			return fail("nanosleep's rest");
		interrupted++;
	}
	every = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &every, NULL);
	/* A timer at 1 kHz ends each sleep of 3 ms, unless the machine itself stood still. */
	return interrupted * 2 < (unsigned)rounds ? fail("own signals were kept away") : fine();
}

static int mode_sleep_rest(long unused, long unused2)
{
	(void)unused, (void)unused2;
	alarm_after(300000, 0, 0);
	errno = 0;
	if (sleep(60) != 59 || errno != EINTR || alarms != 1)
		return fail("sleep's rest");
	errno = 77;
	if (sleep(0) != 0 || usleep(10) != 0 || errno != 77)
		return fail("errno after a sleep");
	return fine();
}

/* ---- cancellation ---------------------------------------------------------------------------- */

static void *wait_for_ever(void *data)
{
	int (*wait)(long) = *(int (**)(long))data;

	for (;;)
		if (wait(60000000) == -1)
			return NULL;
}

static void *write_for_ever(void *data)
{
	static char bytes[65536];

	while (write(*(int *)data, bytes, sizeof(bytes)) > 0)
		;
	return NULL;
}

static int cancel(void *(*routine)(void *), void *data)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, routine, data) != 0)
		return fail("pthread_create");
	usleep(2000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	return result == PTHREAD_CANCELED ? 0 : fail("not cancelled");
}

static int mode_cancel(long unused, long unused2)
{
	(void)unused, (void)unused2;
	if (set_up() != 0)
		return 1;
	for (size_t w = 0; w < WAITS; w++)
		if (cancel(wait_for_ever, (void *)&waits[w].wait) != 0)
			return fail(waits[w].name);
	if (cancel(write_for_ever, &quiet[1]) != 0)
		return fail("write");
	return fine();
}

const struct mode wait_modes[] = {
	{"mix", mode_mix},
	{"ownsignal", mode_own_signal},
	{"atomicmask", mode_atomic_mask},
	{"owntimer", mode_own_timer},
	{"sleeprest", mode_sleep_rest},
	{"cancel", mode_cancel},
	{0},
};
