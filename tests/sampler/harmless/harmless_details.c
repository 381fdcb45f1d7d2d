/* SPDX-License-Identifier: Apache-2.0 */
/* What a program keeps that a careless call of ours would take: stacks, errors, its only thread. */
#include "tests/sampler/harmless/harmless.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- timers and descriptors that send real-time signals -------------------------------------- */

#define PATIENCE_NS UINT64_C(10000000000)
static volatile sig_atomic_t seen;

static void on_event(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	seen |= info->si_code == SI_TIMER ? 1 : info->si_code == POLL_IN ? 2 : 4;
}

static bool set_timer(int number, timer_t *timer)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
	const struct itimerspec when = {{0, 1000000}, {0, 1000000}};

	event.sigev_value.sival_int = number;
	return timer_create(CLOCK_MONOTONIC, &event, timer) == 0 &&
	       timer_settime(*timer, 0, &when, NULL) == 0;
}

static bool set_descriptor(int fd, int number)
{
	return fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETSIG, number) == 0 &&
	       fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

static bool events_come(int number, const int ends[2])
{
	struct sigaction action = {.sa_sigaction = on_event, .sa_flags = SA_SIGINFO | SA_RESTART};
	uint64_t until = now_ns() + PATIENCE_NS;
	timer_t timer;

	seen = 0;
	if (sigaction(number, &action, NULL) != 0 || !set_timer(number, &timer) ||
		!set_descriptor(ends[0], number) || write(ends[1], "", 1) != 1)
		return false;
	while (seen != 3 && now_ns() < until)
		burn_us(100);
	return timer_delete(timer) == 0 && seen == 3;
}

static int mode_own_events(long unused, long unused2)
{
	int ends[2];

	(void)unused, (void)unused2;
	if (pipe(ends) != 0)
		return fail("pipe");
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (!events_come(number, ends))
			return fail("a timer's or a descriptor's signal");
	return fine();
}

/* ---- a call's first time --------------------------------------------------------------------- */

static int mode_dlerror(long unused, long unused2)
{
	(void)unused, (void)unused2;
	if (dlerror() != NULL)
		return fail("an error that is not the program's");
	if (dlsym(RTLD_DEFAULT, "flamegate_no_such_function") != NULL || poll(NULL, 0, 0) != 0)
		return fail("poll");
	return dlerror() ? fine() : fail("the program's error is lost");
}

/* ---- exec is no cancellation point ----------------------------------------------------------- */

static void *exec_cancelled(void *unused)
{
	char *const argv[] = {"echo", "fine", NULL};

	pthread_cancel(pthread_self());
	execv("/bin/echo", argv);
	return unused;
}

static int mode_cancelled_exec(long unused, long unused2)
{
	pthread_t thread;

	(void)unused, (void)unused2;
	pthread_create(&thread, NULL, exec_cancelled, NULL);
	pthread_join(thread, NULL);
	return fail("exec was cancelled");
}

/* ---- a child that has our table, and calls that fail ----------------------------------------- */

static int mode_take_nothing(long us, long unused)
{
	pid_t child;

	(void)unused;
	burn_us(us);
	child = vfork();
	if (child == 0) {
		for (int fd = 256; fd < 300; fd++)
			syscall(SYS_dup3, 1, fd, O_CLOEXEC);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) != child)
		return fail("vfork");
	for (int fd = 256; fd < 300; fd++)
		if (dup2(999, fd) != -1)
			return fail("dup2");
	burn_us(us);
	return fine();
}

/* ---- what a process with one thread may do --------------------------------------------------- */

static int mode_alone(long by_system_call, long unused)
{
	(void)unused;
	burn_us(30000);
	usleep(30000);
	errno = 0;
	if (by_system_call)
		syscall(SYS_unshare, CLONE_NEWUSER);
	else
		unshare(CLONE_NEWUSER);
	return errno == EINVAL ? fail("not alone") : fine();
}

const struct mode detail_modes[] = {
	{"ownevents", mode_own_events},
	{"dlerror", mode_dlerror},
	{"cancelledexec", mode_cancelled_exec},
	{"takenothing", mode_take_nothing},
	{"alone", mode_alone},
	{0},
};
