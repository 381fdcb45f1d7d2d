/* SPDX-License-Identifier: Apache-2.0 */
/* System calls behind the C library's back, descriptors, children of every make. */
#include "tests/sampler/harmless/harmless.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- waits by syscall() ---------------------------------------------------------------------- */

static int epoll = -1;

static long raw_wait(long which, long us)
{
	struct timespec time = {0, us * 1000}, until;
	unsigned long none = 0;
	struct epoll_event event;
	int word = 1;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += us * 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	switch (which) {
	case 0:
		return syscall(SYS_nanosleep, &time, NULL);
	case 1:
		return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL);
	case 2:
		return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	case 3:
		return syscall(SYS_ppoll, NULL, 0, &time, NULL, 8);
	case 4:
		return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &time, NULL);
	case 5:
		return syscall(SYS_epoll_pwait, epoll, &event, 1, 1, NULL, 8);
	case 6:
		return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &time, NULL, 0);
	case 7:
		return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, &until, NULL, ~0);
	default:
		return syscall(SYS_rt_sigtimedwait, &none, NULL, &time, 8);
	}
}

static int mode_raw_waits(long rounds, long us)
{
	unsigned interrupted = 0, early = 0, odd = 0;

	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (long i = 0; i < rounds; i++)
		for (long which = 0; which < 9; which++) {
			uint64_t start;
			long result;

			burn_us(i * 7 % 11 * 20);
			start = now_ns();
			errno = 0;
			result = raw_wait(which, us);
			interrupted += result == -1 && errno == EINTR;
			odd += result == -1 && errno != EINTR && errno != ETIMEDOUT &&
			       errno != EAGAIN;
			early += errno != EINTR && now_ns() - start < (uint64_t)us * 1000;
		}
	if (!interrupted && !early && !odd)
		return fine();
	printf("%u EINTR, %u too short, %u odd\n", interrupted, early, odd);
	return fail("raw waits");
}

/* ---- threads and children -------------------------------------------------------------------- */

#define STACK_BYTES ((size_t)256 << 10)
#define THREAD_FLAGS                                                                               \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |        \
		CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID)

static volatile int raw_tid, raw_done;
static volatile unsigned long raw_sum;

static void raw_burn(void)
{
	for (unsigned long i = 0; i < 60000000; i++)
		raw_sum = raw_sum * 31 + i;
}

static int clone_body(void *unused)
{
	(void)unused;
	raw_burn();
	raw_done = 1;
	return 0;
}

/* syscall() returns here in the new thread: there is nothing to go back to. */
static void raw_body(void)
{
	raw_burn();
	raw_done = 1;
	for (;;)
		__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
}

static char *new_stack(void)
{
	char *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return stack + STACK_BYTES;
}

static int join_raw(long made)
{
	struct timespec moment = {0, 1000000};

	if (made <= 0)
		return fail("clone");
	while (raw_tid)
		nanosleep(&moment, NULL);
	return raw_done ? 0 : fail("the thread did nothing");
}

static int mode_raw_threads(long unused, long unused2)
{
	struct clone_args args = {.flags = THREAD_FLAGS};
	void **top = (void **)(void *)new_stack();

	(void)unused, (void)unused2;
	raw_tid = 1;
	if (join_raw(clone(clone_body, new_stack(), THREAD_FLAGS, NULL, NULL, NULL, &raw_tid)) != 0)
		return 1;
	raw_tid = 1, raw_done = 0;
	*(top -= 2) = (void *)raw_body;
	errno = 77;
	if (join_raw(syscall(SYS_clone, THREAD_FLAGS, top, NULL, &raw_tid, NULL)) != 0)
		return 1;
	raw_tid = 1, raw_done = 0;
	args.stack = (uintptr_t)top - STACK_BYTES / 2;
	args.stack_size = STACK_BYTES / 2;
	args.child_tid = (uintptr_t)&raw_tid;
	if (join_raw(syscall(SYS_clone3, &args, sizeof(args))) != 0)
		return 1;
	return errno == 77 ? fine() : fail("errno");
}

static int ended_with(pid_t child, int wanted)
{
	int status;

	if (child <= 0 || waitpid(child, &status, 0) != child)
		return fail("no child");
	return WIFEXITED(status) && WEXITSTATUS(status) == wanted ? 0 : fail("a child's status");
}

static int fork_body(void *data)
{
	burn_us(20000);
	return *(int *)data;
}

static int exec_body(void *unused)
{
	(void)unused;
	execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
	return 1;
}

/* Children by everything but fork(). */
static int mode_raw_children(long unused, long unused2)
{
	struct clone_args args = {.exit_signal = SIGCHLD};
	int status = 7;
	pid_t child;

	(void)unused, (void)unused2;
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(fork_body(&status));
	if (ended_with(child, 7) != 0)
		return 1;
	child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0)
		_exit(fork_body(&status));
	if (ended_with(child, 7) != 0)
		return 1;
	child = _Fork();
	if (child == 0)
		_exit(fork_body(&status));
	if (ended_with(child, 7) != 0 ||
		ended_with(clone(fork_body, new_stack(), SIGCHLD, &status), 7) != 0 ||
		ended_with(clone(fork_body, new_stack(), CLONE_FILES | SIGCHLD, &status), 7) != 0 ||
		ended_with(clone(exec_body, new_stack(), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL),
			9) != 0)
		return 1;
	burn_us(20000);
	errno = 0;
	if (syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0) != -1 || errno != EINVAL)
		return fail("a wrong clone");
	return fine();
}

/* A large heap, touched: its fork takes longer than a sampling period. Prints what it took. */
static int mode_big_fork(long mib, long forks)
{
	size_t bytes = (size_t)mib << 20;
	char *heap = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start;

	if (heap == MAP_FAILED)
		return fail("mmap");
	madvise(heap, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += 4096)
		heap[i] = 1;
	start = now_ns();
	for (long i = 0; i < forks; i++) {
		pid_t child = i % 2 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();

		if (child == 0)
			_exit(0);
		if (ended_with(child, 0) != 0)
			return 1;
	}
	fprintf(stderr, "%ld\n", (long)((now_ns() - start) / 1000000));
	return fine();
}

/* fork, setsid, fork: what daemons do; the daemon's word comes through a pipe. */
static int mode_daemon(long unused, long unused2)
{
	int ends[2], status;
	char word[8] = "";
	pid_t child;

	(void)unused, (void)unused2;
	if (pipe(ends) != 0)
		return fail("pipe");
	child = fork();
	if (child == 0) {
		if (daemon(1, 1) != 0)
			_exit(1);
		closefrom(ends[1] + 1);
		burn_us(50000);
		_exit(write(ends[1], "daemon", 6) == 6 ? 0 : 1);
	}
	close(ends[1]);
	waitpid(child, &status, 0);
	burn_us(20000);
	if (read(ends[0], word, 6) != 6 || strcmp(word, "daemon") != 0)
		return fail("the daemon");
	return fine();
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Numbers come in order up to the limit, and all can be had. */
static int mode_all_descriptors(long limit, long unused)
{
	struct rlimit files = {(rlim_t)limit, (rlim_t)limit};
	int low = 0, fd;

	(void)unused;
	burn_us(20000);
	setrlimit(RLIMIT_NOFILE, &files);
	for (int wanted = 0; wanted < limit && wanted < 256; wanted++, low++)
		if (fcntl(wanted, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != wanted)
			return fail("a descriptor's number");
	while ((fd = open("/dev/null", O_RDONLY)) >= 0)
		;
	if (errno != EMFILE || low != (limit < 256 ? limit : 256))
		return fail("the number of descriptors");
	burn_us(100000);
	return fine();
}

static void *burn_thread(void *us)
{
	burn_us(*(long *)us);
	return NULL;
}

/* Threads that begin when there is no descriptor left. */
static int mode_none_left(long us, long unused)
{
	struct rlimit files = {300, 300};
	pthread_t threads[4];

	(void)unused;
	setrlimit(RLIMIT_NOFILE, &files);
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, burn_thread, &us) != 0)
			return fail("pthread_create");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return fine();
}

/* Closes what it finds in /proc/self/fd, then takes the numbers for itself. */
static int mode_take_numbers(long us, long unused)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;

	(void)unused;
	burn_us(us);
	while ((entry = readdir(directory)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		if (fd > 2 && fd != dirfd(directory))
			syscall(SYS_close, fd);
	}
	closedir(directory);
	burn_us(us);
	for (int fd = 200; fd < 330; fd++)
		if (dup2(1, fd) != fd || fcntl(fd, F_GETFD) != 0)
			return fail("dup2");
	burn_us(us);
	for (int fd = 200; fd < 330; fd++)
		if (dup3(2, fd, O_CLOEXEC) != fd || fcntl(fd, F_GETFD) != FD_CLOEXEC)
			return fail("dup3");
	for (int fd = 200; fd < 330; fd++)
		if (close(fd) != 0)
			return fail("close");
	if (dup2(1, 1) != 1 || dup2(999, 5) != -1 || errno != EBADF || dup3(1, 1, 0) != -1 ||
		errno != EINVAL || syscall(SYS_close_range, 3, ~0U, 0) != 0)
		return fail("edges");
	burn_us(us);
	return fine();
}

const struct mode call_modes[] = {
	{"rawwaits", mode_raw_waits},
	{"rawthreads", mode_raw_threads},
	{"rawchildren", mode_raw_children},
	{"bigfork", mode_big_fork},
	{"daemon", mode_daemon},
	{"alldescriptors", mode_all_descriptors},
	{"noneleft", mode_none_left},
	{"takenumbers", mode_take_numbers},
	{0},
};
