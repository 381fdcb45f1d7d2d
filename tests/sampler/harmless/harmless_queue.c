/* SPDX-License-Identifier: Apache-2.0 */
/* No room for another real-time signal: the kernel sends SIGIO in the place of a perf event's. */
#include "tests/sampler/harmless/harmless.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t heard;

static void on_io(int number)
{
	heard += number == SIGIO;
}

static int fill_queue(void)
{
	const struct rlimit none = {0, 0};

	return setrlimit(RLIMIT_SIGPENDING, &none);
}

static void *burn_thread(void *unused)
{
	burn_us(30000);
	return unused;
}

static int default_is_told(void)
{
	struct sigaction now, restarts = {.sa_handler = SIG_DFL, .sa_flags = SA_RESTART};
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} raw;

	if (sigaction(SIGIO, NULL, &now) != 0 || now.sa_handler != SIG_DFL || now.sa_flags != 0 ||
		sigismember(&now.sa_mask, SIGUSR1) != 0)
		return fail("the default");
	if (sigaction(SIGIO, &restarts, &now) != 0 || now.sa_handler != SIG_DFL ||
		sigaction(SIGIO, NULL, &now) != 0 || !(now.sa_flags & SA_RESTART))
		return fail("sigaction");
	if (signal(SIGIO, on_io) != SIG_DFL || signal(SIGIO, SIG_DFL) != on_io ||
		signal(SIGIO, SIG_IGN) != SIG_DFL || signal(SIGIO, SIG_DFL) != SIG_IGN)
		return fail("signal");
	if (syscall(SYS_rt_sigaction, SIGIO, NULL, &raw, 8) != 0 || raw.handler != SIG_DFL)
		return fail("rt_sigaction asked");
	raw.handler = SIG_DFL;
	raw.flags = 0;
	if (syscall(SYS_rt_sigaction, SIGIO, &raw, &raw, 8) != 0 || raw.handler != SIG_DFL ||
		sigaction(SIGIO, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
		return fail("rt_sigaction told");
	return 0;
}

/* Our signal is blocked during a fork: what is due then is due afterwards. */
static int mode_queueforks(long rounds, long unused)
{
	int status;

	(void)unused;
	if (fill_queue() != 0)
		return fail("the limit");
	for (long i = 0; i < rounds; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (waitpid(child, &status, 0) != child)
			return fail("a child");
		burn_us(1000);
	}
	return fine();
}

/* Before a sample has come: what expires meanwhile is sent to nobody. Then again and again: each
 * time it may have been the only one. */
static int mode_queueignored(long rounds, long toggles)
{
	if (signal(SIGIO, SIG_IGN) != SIG_DFL || fill_queue() != 0)
		return fail("the limit");
	burn_us(3000);
	if (signal(SIGIO, SIG_DFL) != SIG_IGN)
		return fail("signal");
	for (long i = 0; i < rounds; i++) {
		burn_us(1000);
		for (long k = 0; k < toggles; k++)
			if (signal(SIGIO, SIG_IGN) != SIG_DFL || signal(SIGIO, SIG_DFL) != SIG_IGN)
				return fail("signal");
	}
	return fine();
}

/* Who burns, sleeps or execs meanwhile lives on, and finds the default as it was. */
static int mode_fullqueue(long rounds, long unused)
{
	pthread_t thread;

	(void)unused;
	/* In this order: for a moment the program has a handler, which would cost this thread its
	 * clock. */
	if (default_is_told() != 0 || fill_queue() != 0)
		return fail("the limit");
	pthread_create(&thread, NULL, burn_thread, NULL);
	for (long i = 0; i < rounds; i++) {
		burn_us(1000);
		if (usleep(100) != 0)
			return fail("a sleep");
	}
	pthread_join(thread, NULL);
	return default_is_told() == 0 ? fine() : 1;
}

/* A child whose end is looked at: 0 when its status is what it should be. */
static int check_child(void (*child_does)(void), int wanted)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		child_does();
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && status == wanted ? 0 : fail("a child's end");
}

static void raise_io(void)
{
	burn_us(10000);
	kill(getpid(), SIGIO); /* not raise(): of two that are pending for one thread the later is
				  dropped */
}

/* The new image is not sampled, so that none is of its own making. */
static void exec_with_io_blocked(void)
{
	char *nothing[] = {NULL};
	sigset_t io;

	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	sigprocmask(SIG_BLOCK, &io, NULL);
	burn_us(20000);
	execle("/proc/self/exe", "harmless", "openio", NULL, nothing);
	_exit(1);
}

/* What the exec above becomes: nothing waits behind the mask. */
static int mode_openio(long unused, long unused2)
{
	sigset_t all, pending;

	(void)unused, (void)unused2;
	sigpending(&pending);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	return sigismember(&pending, SIGIO) == 0 ? 0 : fail("SIGIO waited");
}

static int mode_ioends(long unused, long unused2)
{
	(void)unused, (void)unused2;
	if (fill_queue() != 0 || check_child(raise_io, SIGIO) != 0 ||
		check_child(exec_with_io_blocked, 0) != 0)
		return 1;
	return fine();
}

/* A byte in a pipe with O_ASYNC: 1 when the program's handler was called for it. */
static int is_told_of_a_byte(void)
{
	int before = heard, ends[2];

	if (pipe(ends) != 0 || fcntl(ends[0], F_SETOWN, getpid()) != 0 ||
		fcntl(ends[0], F_SETFL, O_ASYNC) != 0 || write(ends[1], "x", 1) != 1)
		return 0;
	burn_us(3000);
	close(ends[0]);
	close(ends[1]);
	return heard > before;
}

/* A handler for once leaves the default behind. */
static int is_left_alone_behind_it(struct sigaction *action)
{
	struct sigaction now;

	action->sa_flags = (int)SA_RESETHAND;
	sigaction(SIGIO, action, NULL);
	if (raise(SIGIO) != 0 || heard != 1 || sigaction(SIGIO, NULL, &now) != 0 ||
		now.sa_handler != SIG_DFL || fill_queue() != 0)
		return fail("SA_RESETHAND");
	burn_us(20000);
	return fine();
}

/* The program's own SIGIO comes, with room and without; hardly any other does. */
static int mode_ownio(long for_once, long unused)
{
	struct sigaction action = {.sa_handler = on_io, .sa_flags = SA_RESTART};

	(void)unused;
	if (for_once)
		return is_left_alone_behind_it(&action);
	sigaction(SIGIO, &action, NULL);
	burn_us(20000);
	if (heard != 0 || !is_told_of_a_byte() || heard != 1 || raise(SIGIO) != 0 || heard != 2)
		return fail("SIGIO with room");
	if (fill_queue() != 0)
		return fail("the limit");
	burn_us(50000);
	if (heard > 4)
		return fail("SIGIO of others");
	return is_told_of_a_byte() ? fine() : fail("SIGIO without room");
}

const struct mode queue_modes[] = {
	{"fullqueue", mode_fullqueue},
	{"queueignored", mode_queueignored},
	{"queueforks", mode_queueforks},
	{"ioends", mode_ioends},
	{"openio", mode_openio},
	{"ownio", mode_ownio},
	{0},
};
