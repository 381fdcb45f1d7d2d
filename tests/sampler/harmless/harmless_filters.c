/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that put themselves under a seccomp filter, which kills for any call that it does not
 * know. */
#include "tests/sampler/harmless/harmless.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long raw_sum;

static const int allowed[] = {SYS_read, SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn,
	SYS_futex, SYS_madvise, SYS_munmap, SYS_rt_sigprocmask, SYS_newfstatat, SYS_fstat,
	SYS_ppoll, SYS_rt_sigtimedwait};

/* Kills at any other call. The whole process: threads that were there before are under it too. */
static int install_filter(bool by_syscall)
{
	enum { COUNT = sizeof(allowed) / sizeof(allowed[0]) };
	struct sock_filter code[2 * COUNT + 2];
	struct sock_fprog program = {.filter = code};
	unsigned short at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < COUNT; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	program.len = at;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	if (by_syscall)
		return (int)syscall(
			SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Many stacks, so that the capture would have to grow. */
static __attribute__((noinline)) unsigned descend(unsigned path, unsigned depth)
{
	if (!depth)
		raw_sum += path;
	else if (path & 1)
		return descend(path >> 1, depth - 1) + 1;
	else
		return descend(path >> 1, depth - 1) * 3 + (unsigned)raw_sum;
	return path;
}

static void *spin(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < 20000000; i++)
		raw_sum += descend(i, i % 13);
	return NULL;
}

/* As a program does that blocks all signals but in its waits. */
static int wait_under_filter(const sigset_t *all)
{
	const struct timespec moment = {0, 1000000};
	sigset_t none;

	sigemptyset(&none);
	return ppoll(NULL, 0, &moment, &none) == 0 && sigtimedwait(all, NULL, &moment) == -1 &&
			       errno == EAGAIN
		       ? 0
		       : fail("a wait under the filter");
}

static int mode_filter(long by_syscall, long unused)
{
	pthread_t threads[2];
	sigset_t all;

	(void)unused;
	sigfillset(&all);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, spin, NULL) != 0)
			return fail("pthread_create");
	burn_us(50000);
	sigprocmask(SIG_BLOCK, &all, NULL);
	if (by_syscall ? install_filter(true) != 0 : install_filter(false) != 0)
		return fail("the filter");
	if (wait_under_filter(&all) != 0)
		return 1;
	spin(NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return fine();
}

/* read, write, exit and sigreturn are all that is left. */
static int mode_strict(long unused, long unused2)
{
	(void)unused, (void)unused2;
	burn_us(50000);
	puts("fine");
	fflush(stdout);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		return fail("strict mode");
	spin(NULL);
	for (;;)
		__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(0) : "rcx", "r11", "memory");
}

const struct mode filter_modes[] = {
	{"filter", mode_filter},
	{"strict", mode_strict},
	{0},
};
