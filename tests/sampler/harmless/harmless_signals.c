/* SPDX-License-Identifier: Apache-2.0 */
/* Signals of the program's own, the sampler's number among them. */
#include "tests/sampler/harmless/harmless.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t seen[_NSIG];
static volatile int last_value;
static volatile bool wrong;

static void on_signal(int number, siginfo_t *info, void *context)
{
	wrong |= info->si_signo != number || !context;
	last_value = info->si_value.sival_int;
	seen[number]++;
}

static int take_all(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigfillset(&action.sa_mask);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct sigaction now;

		if (sigaction(number, &action, NULL) != 0 || sigaction(number, NULL, &now) != 0)
			return fail("sigaction");
		if (now.sa_sigaction != on_signal || !(now.sa_flags & SA_SIGINFO) ||
			sigismember(&now.sa_mask, number) != 1)
			return fail("sigaction told something else");
	}
	return 0;
}

/* Handlers for all real-time signals, each sent to oneself while samples come. */
static int mode_all(long unused, long unused2)
{
	(void)unused, (void)unused2;
	if (take_all() != 0)
		return 1;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		burn_us(2000);
		if (sigqueue(getpid(), number, (union sigval){.sival_int = number * 3}) != 0)
			return fail("sigqueue");
		if (seen[number] != 1 || last_value != number * 3 || wrong) {
			printf("signal %d: %d times\n", number, (int)seen[number]);
			return fail("a signal to oneself");
		}
	}
	return fine();
}

/* Sent while blocked, they come when the mask is opened, or to who waits for them. */
static int mode_blocked(long unused, long unused2)
{
	const struct timespec soon = {1, 0};
	sigset_t all, before, now;

	(void)unused, (void)unused2;
	if (take_all() != 0)
		return 1;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	sigprocmask(SIG_BLOCK, NULL, &now);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		sigset_t one;
		siginfo_t info;

		if (sigismember(&now, number) != 1 || sigismember(&before, number) != 0)
			return fail("the mask");
		sigemptyset(&one);
		sigaddset(&one, number);
		sigqueue(getpid(), number, (union sigval){.sival_int = 5});
		burn_us(1000);
		if (seen[number] || sigtimedwait(&one, &info, &soon) != number ||
			info.si_value.sival_int != 5)
			return fail("waiting for a blocked signal");
		sigqueue(getpid(), number, (union sigval){.sival_int = 6});
		burn_us(1000);
		if (seen[number])
			return fail("a blocked signal");
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (seen[number] != 1)
			return fail("an opened signal");
	return fine();
}

/* The default of all of them ends the process. */
static int mode_default(long unused, long unused2)
{
	(void)unused, (void)unused2;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			burn_us(1500);
			raise(number);
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != number) {
			printf("signal %d: status %x\n", number, (unsigned)status);
			return fail("a child's end");
		}
	}
	return fine();
}

static void *wait_for_signals(void *data)
{
	sigset_t set;
	int number, count = 0;

	sigfillset(&set);
	while (sigwait(&set, &number) == 0 && number != SIGRTMIN + 3)
		count += number == SIGRTMIN + 2;
	*(int *)data = count;
	return NULL;
}

static void *burn_thread(void *data)
{
	burn_us(*(long *)data);
	return NULL;
}

/* One thread takes all signals, as servers have it; the one that ends it is the last of those that
 * wait. */
static int mode_sigwait(long rounds, long us)
{
	pthread_t waiter, burner;
	int count = 0;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	pthread_create(&waiter, NULL, wait_for_signals, &count);
	pthread_create(&burner, NULL, burn_thread, &us);
	for (long i = 0; i < rounds; i++) {
		sigqueue(getpid(), SIGRTMIN + 2, (union sigval){0});
		burn_us(us / rounds);
	}
	sigqueue(getpid(), SIGRTMIN + 3, (union sigval){0});
	pthread_join(waiter, NULL);
	pthread_join(burner, NULL);
	return count == rounds ? fine() : fail("signals were lost");
}

static int mode_signalfd(long rounds, long unused)
{
	sigset_t all;
	int fd;

	(void)unused;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	fd = signalfd(-1, &all, SFD_CLOEXEC);
	for (long i = 0; i < rounds; i++) {
		struct signalfd_siginfo info;

		burn_us(2000);
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = (int)i});
		if (read(fd, &info, sizeof(info)) != sizeof(info) ||
			info.ssi_signo != (unsigned)SIGRTMIN + 1 || info.ssi_int != i)
			return fail("signalfd");
	}
	return fine();
}

static void on_simple(int number)
{
	seen[number]++;
}

/* What is installed is what is told, by every way of asking. */
static int mode_told(long unused, long unused2)
{
	struct sigaction once = {.sa_handler = on_simple, .sa_flags = (int)SA_RESETHAND}, now;
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} raw;

	(void)unused, (void)unused2;
	if (signal(SIGUSR1, on_simple) != SIG_DFL || signal(SIGUSR1, SIG_IGN) != on_simple ||
		signal(SIGUSR1, on_simple) != SIG_IGN || sigaction(SIGUSR1, NULL, &now) != 0 ||
		now.sa_handler != on_simple)
		return fail("signal");
	if (syscall(SYS_rt_sigaction, SIGUSR1, NULL, &raw, 8) != 0 || raw.handler != on_simple)
		return fail("rt_sigaction");
	raw.handler = SIG_DFL;
	if (syscall(SYS_rt_sigaction, SIGUSR2, &raw, NULL, 8) != 0 ||
		signal(SIGUSR2, SIG_DFL) != SIG_DFL)
		return fail("rt_sigaction's default");
	sigaction(SIGUSR2, &once, NULL);
	raise(SIGUSR2);
	if (seen[SIGUSR2] != 1 || sigaction(SIGUSR2, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
		return fail("SA_RESETHAND");
	errno = 0;
	if (signal(SIGKILL, on_simple) != SIG_ERR || errno != EINVAL ||
		sigaction(SIGSTOP, &once, NULL) == 0 || sigaction(0, NULL, &now) == 0 ||
		sigaction(65, NULL, &now) == 0 || sigaction(-1, NULL, &now) == 0)
		return fail("wrong numbers");
	raise(SIGUSR1);
	return seen[SIGUSR1] == 1 ? fine() : fail("the handler");
}

/* Stopped and continued again and again, a sleep still ends in time and without EINTR. */
static int mode_stopped(long rounds, long unused)
{
	pid_t child = fork();
	int status;

	(void)unused;
	if (child == 0) {
		unsigned interrupted = 0;

		for (long i = 0; i < rounds; i++) {
			struct timespec time = {0, 300000};

			burn_us(500);
			interrupted += nanosleep(&time, NULL) != 0;
		}
		_exit(interrupted ? 1 : 0);
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		kill(child, SIGSTOP);
		usleep(200);
		kill(child, SIGCONT);
		usleep(700);
	}
	return status == 0 ? fine() : fail("a sleep was ended");
}

/* Children's ends are all seen, by a handler that restarts and waits that are retried. */
static int mode_children(long rounds, long unused)
{
	struct sigaction action = {.sa_handler = on_simple, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
	sigset_t child, before;

	(void)unused;
	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	for (long i = 0; i < rounds; i++) {
		int had = seen[SIGCHLD];
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		burn_us(i * 41 % 700);
		while (seen[SIGCHLD] == had)
			if (sigsuspend(&before) != -1 || errno != EINTR)
				return fail("sigsuspend");
		if (waitpid(pid, NULL, 0) != pid)
			return fail("waitpid");
	}
	return seen[SIGCHLD] == rounds ? fine() : fail("SIGCHLD");
}

const struct mode signal_modes[] = {
	{"all", mode_all},
	{"blocked", mode_blocked},
	{"default", mode_default},
	{"sigwait", mode_sigwait},
	{"signalfd", mode_signalfd},
	{"told", mode_told},
	{"stopped", mode_stopped},
	{"children", mode_children},
	{0},
};
