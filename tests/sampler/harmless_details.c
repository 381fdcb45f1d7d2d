/* SPDX-License-Identifier: Apache-2.0 */
/* What a program keeps that a careless call of ours would take: stacks, errors, its only thread. */
#include "tests/sampler/harmless.h"

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

/* ---- handlers that ask for an alternate stack --------------------------------------------------
 */

enum { DEEP = 300, NEAR = 64 << 10 };
static unsigned char own_stack[256 << 10];
static uintptr_t interrupted;
static volatile bool on_own, on_interrupted;
static volatile int depth;

static __attribute__((noinline)) int use_stack(int blocks)
{
	volatile unsigned char block[1024];

	memset((void *)(uintptr_t)block, blocks, sizeof(block));
	return blocks ? use_stack(blocks - 1) + block[5] % 2 : block[7];
}

static void on_signal(int number)
{
	unsigned char here;

	(void)number;
	on_own = (uintptr_t)&here - (uintptr_t)own_stack < sizeof(own_stack);
	on_interrupted = interrupted - (uintptr_t)&here < NEAR;
	use_stack(depth);
}

static bool asks_for_stack(int number)
{
	struct sigaction now;

	return sigaction(number, NULL, &now) == 0 && now.sa_handler == on_signal &&
	       (now.sa_flags & (SA_ONSTACK | SA_NODEFER)) == (SA_ONSTACK | SA_NODEFER);
}

/* Without a stack to go to they run where they interrupt, as deep as they like. */
static int mode_on_stack(long by_system_call, long unused)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
	const stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof(own_stack)};

	(void)unused;
	interrupted = (uintptr_t)&action;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	depth = DEEP;
	for (int i = 0; i < 20; i++) {
		burn_us(500);
		raise(SIGUSR1);
	}
	if (!on_interrupted || !asks_for_stack(SIGUSR1))
		return fail("before there is a stack");
	if ((by_system_call ? syscall(SYS_sigaltstack, &stack, NULL) : sigaltstack(&stack, NULL)) !=
		0)
		return fail("sigaltstack");
	depth = 1;
	raise(SIGUSR1);
	if (!on_own || !asks_for_stack(SIGUSR1) || !asks_for_stack(SIGUSR2))
		return fail("with a stack");
	action.sa_flags = 0;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	return on_interrupted ? fine() : fail("a handler that asks for none");
}

/* ---- timers and descriptors that send real-time signals ----------------------------------------
 */

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

/* ---- a call's first time -----------------------------------------------------------------------
 */

static int mode_dlerror(long unused, long unused2)
{
	(void)unused, (void)unused2;
	if (dlerror() != NULL)
		return fail("an error that is not the program's");
	if (dlsym(RTLD_DEFAULT, "flamegate_no_such_function") != NULL || poll(NULL, 0, 0) != 0)
		return fail("poll");
	return dlerror() ? fine() : fail("the program's error is lost");
}

/* ---- exec is no cancellation point -------------------------------------------------------------
 */

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

/* ---- a child that has our table, and calls that fail -------------------------------------------
 */

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

/* ---- what a process with one thread may do -----------------------------------------------------
 */

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
	{"onstack", mode_on_stack},
	{"ownevents", mode_own_events},
	{"dlerror", mode_dlerror},
	{"cancelledexec", mode_cancelled_exec},
	{"takenothing", mode_take_nothing},
	{"alone", mode_alone},
	{0},
};
