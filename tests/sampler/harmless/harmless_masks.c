/* SPDX-License-Identifier: Apache-2.0 */
/* Masks that waits and threads have of their own, for each real-time signal:
 * ours is one of them. */
#include "tests/sampler/harmless/harmless.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t seen[_NSIG];

static void on_signal(int number)
{
	seen[number]++;
}

static void take(int number)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(number, &action, NULL);
}

/* ---- waits ----------------------------------------------------------------------------------- */

static const struct timespec long_time = {5, 0};
static int polled_end = -1;

static int by_sigsuspend(const sigset_t *mask)
{
	return sigsuspend(mask);
}

static int by_ppoll(const sigset_t *mask)
{
	struct pollfd one = {.fd = polled_end, .events = POLLIN};

	return ppoll(&one, 1, &long_time, mask);
}

static int by_pselect(const sigset_t *mask)
{
	return pselect(0, NULL, NULL, NULL, &long_time, mask);
}

static int epoll_fd(void)
{
	static int fd = -1;

	return fd >= 0 ? fd : (fd = epoll_create1(EPOLL_CLOEXEC));
}

static int by_epoll_pwait(const sigset_t *mask)
{
	struct epoll_event event;

	return epoll_pwait(epoll_fd(), &event, 1, 5000, mask);
}

static int by_epoll_pwait2(const sigset_t *mask)
{
	struct epoll_event event;

	return epoll_pwait2(epoll_fd(), &event, 1, &long_time, mask);
}

static int by_raw_ppoll(const sigset_t *mask)
{
	struct timespec left = long_time;

	return (int)syscall(SYS_ppoll, NULL, 0, &left, mask, 8);
}

static int by_raw_pselect(const sigset_t *mask)
{
	const struct {
		const sigset_t *mask;
		size_t bytes;
	} both = {mask, 8};
	struct timespec left = long_time;

	return (int)syscall(SYS_pselect6, 0, NULL, NULL, NULL, &left, &both);
}

static int by_raw_epoll(const sigset_t *mask)
{
	struct epoll_event event;

	return (int)syscall(SYS_epoll_pwait, epoll_fd(), &event, 1, 5000, mask, 8);
}

static int by_raw_sigsuspend(const sigset_t *mask)
{
	return (int)syscall(SYS_rt_sigsuspend, mask, 8);
}

static const struct wait {
	const char *name;
	int (*wait)(const sigset_t *mask);
} waits[] = {
	{"sigsuspend", by_sigsuspend},
	{"ppoll", by_ppoll},
	{"pselect", by_pselect},
	{"epoll_pwait", by_epoll_pwait},
	{"epoll_pwait2", by_epoll_pwait2},
	{"SYS_ppoll", by_raw_ppoll},
	{"SYS_pselect6", by_raw_pselect},
	{"SYS_epoll_pwait", by_raw_epoll},
	{"SYS_rt_sigsuspend", by_raw_sigsuspend},
};

static int is_blocked(int number)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number);
}

static void *send_later(void *data)
{
	const struct timespec soon = {0, 2000000};

	nanosleep(&soon, NULL);
	kill(getpid(), *(int *)data);
	return NULL;
}

/* Sent before the wait, or from another thread while it lasts: it ends it, once the handler ran. */
static int ends(const struct wait *wait, int number, bool is_later)
{
	pthread_t sender;
	sigset_t mask;
	int result;

	sigfillset(&mask);
	sigdelset(&mask, number);
	seen[number] = 0;
	if (is_later)
		pthread_create(&sender, NULL, send_later, &number);
	else
		kill(getpid(), number);
	if (!is_later && seen[number])
		return fail("a blocked signal came");
	burn_us(300);
	errno = 0;
	result = wait->wait(&mask);
	if (result != -1 || errno != EINTR || seen[number] != 1 || !is_blocked(number)) {
		printf("%s, signal %d %s: %d errno %d seen %d\n", wait->name, number,
			is_later ? "later" : "before", result, errno, (int)seen[number]);
		return 1;
	}
	if (is_later)
		pthread_join(sender, NULL);
	return 0;
}

static int ready_descriptor_goes_first(int number)
{
	const struct timespec none = {0, 0};
	sigset_t mask, one;
	int pipe_ends[2], result;

	sigfillset(&mask);
	sigdelset(&mask, number);
	sigemptyset(&one);
	sigaddset(&one, number);
	seen[number] = 0;
	if (pipe(pipe_ends) != 0 || write(pipe_ends[1], "x", 1) != 1)
		return fail("a pipe");
	polled_end = pipe_ends[0];
	kill(getpid(), number);
	result = by_ppoll(&mask);
	polled_end = -1;
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	if (result != 1 || seen[number] || sigtimedwait(&one, NULL, &none) != number)
		return fail("a ready descriptor");
	return 0;
}

static int mode_openwaits(long unused, long unused2)
{
	sigset_t all;

	(void)unused, (void)unused2;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		take(number);
		for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
			if (ends(&waits[i], number, false) != 0 ||
				ends(&waits[i], number, true) != 0)
				return 1;
		if (ready_descriptor_goes_first(number) != 0)
			return 1;
	}
	return fine();
}

/* What waits for a parent does not wait for its child. */
static int mode_heldback(long unused, long unused2)
{
	sigset_t all, pending;
	int status;
	pid_t child;

	(void)unused, (void)unused2;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		kill(getpid(), number);
	child = fork();
	if (child == 0) {
		burn_us(500);
		sigpending(&pending);
		sigprocmask(SIG_UNBLOCK, &all, NULL);
		_exit(!sigisemptyset(&pending));
	}
	if (waitpid(child, &status, 0) != child || status != 0)
		return fail("a child");
	sigpending(&pending);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (sigismember(&pending, number) != 1)
			return fail("a parent");
	return fine();
}

/* ---- threads --------------------------------------------------------------------------------- */

struct inheritor {
	int number, was_blocked;
	volatile int is_there, is_sent;
};

static void *inherit(void *data)
{
	struct inheritor *self = data;

	self->was_blocked = is_blocked(self->number);
	self->is_there = 1;
	while (!self->is_sent)
		burn_us(200);
	burn_us(500);
	return NULL;
}

/* A thread begins with the signal blocked: one sent to it ends nobody and calls nobody. */
static int keeps_it_blocked(int number, const pthread_attr_t *attributes, int is_blocked_there)
{
	struct inheritor thread = {.number = number};
	pthread_t id;

	seen[number] = 0;
	if (pthread_create(&id, attributes, inherit, &thread) != 0)
		return fail("pthread_create");
	while (!thread.is_there)
		usleep(100);
	pthread_kill(id, number);
	thread.is_sent = 1;
	pthread_join(id, NULL);
	if (thread.was_blocked != is_blocked_there || seen[number] != !is_blocked_there) {
		printf("signal %d: blocked %d seen %d\n", number, thread.was_blocked,
			(int)seen[number]);
		return 1;
	}
	return 0;
}

static int mode_inherited(long unused, long unused2)
{
	pthread_attr_t blocks, opens;
	sigset_t all, none;

	(void)unused, (void)unused2;
	sigfillset(&all);
	sigemptyset(&none);
	pthread_attr_init(&blocks);
	pthread_attr_init(&opens);
	pthread_attr_setsigmask_np(&blocks, &all);
	pthread_attr_setsigmask_np(&opens, &none);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		if (keeps_it_blocked(number, &blocks, 1) != 0)
			return 1;
		sigprocmask(SIG_BLOCK, &all, NULL);
		if (keeps_it_blocked(number, NULL, 1) != 0)
			return 1;
		take(number);
		if (keeps_it_blocked(number, &opens, 0) != 0)
			return 1;
		signal(number, SIG_IGN);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(number, SIG_DFL);
	}
	return fine();
}

/* A mask that the kernel refuses is refused, whoever looks at it before. */
static int mode_badmasks(long unused, long unused2)
{
	struct timespec moment = {0, 1000};
	void *nowhere = (void *)8;
	uint64_t mask = 0;

	(void)unused, (void)unused2;
	if (syscall(SYS_ppoll, NULL, 0, &moment, nowhere, 8) != -1 || errno != EFAULT)
		return fail("ppoll's mask");
	if (syscall(SYS_pselect6, 0, NULL, NULL, NULL, &moment, nowhere) != -1 || errno != EFAULT)
		return fail("pselect's mask");
	if (syscall(SYS_ppoll, NULL, 0, &moment, &mask, 4) != -1 || errno != EINVAL)
		return fail("a mask's size");
	return fine();
}

const struct mode mask_modes[] = {
	{"badmasks", mode_badmasks},
	{"openwaits", mode_openwaits},
	{"heldback", mode_heldback},
	{"inherited", mode_inherited},
	{0},
};
