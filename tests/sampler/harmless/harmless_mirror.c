/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints all that a program can see of itself through the C library, and lets children of every
 * kind do the same. The preload's own variables are left out, and addresses and process numbers
 * with them.
 */
#include "tests/sampler/harmless/harmless.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_environment(void)
{
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "LD_PRELOAD=", 11) != 0 &&
			strncmp(*variable, "FLAMEGATE_", 10) != 0)
			printf("env %s\n", *variable);
}

static void print_signals(void)
{
	sigset_t mask, pending;
	stack_t stack;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	for (int number = 1; number < _NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) != 0)
			continue;
		printf("signal %d: %s flags %x blocked %d pending %d\n", number,
			action.sa_handler == SIG_DFL   ? "default"
			: action.sa_handler == SIG_IGN ? "ignored"
						       : "handler",
			(unsigned)action.sa_flags, sigismember(&mask, number),
			sigismember(&pending, number));
	}
	sigaltstack(NULL, &stack);
	printf("alternate stack: flags %d size %zu\n", stack.ss_flags, stack.ss_size);
}

static void print_descriptors(void)
{
	for (int fd = 0; fd < 256; fd++) {
		struct stat status;
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0 && fstat(fd, &status) == 0)
			printf("fd %d: flags %x status %x type %o\n", fd, (unsigned)flags,
				(unsigned)fcntl(fd, F_GETFL), status.st_mode & S_IFMT);
	}
	printf("the next descriptor is %d\n", open("/dev/null", O_RDONLY));
	close(3);
}

static void print_limits(void)
{
	struct itimerval timer;

	for (int which = 0; which < RLIM_NLIMITS; which++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)which, &limit) == 0)
			printf("limit %d: %llu %llu\n", which, (unsigned long long)limit.rlim_cur,
				(unsigned long long)limit.rlim_max);
	}
	for (int which = 0; which < 3; which++)
		if (getitimer((__itimer_which_t)which, &timer) == 0)
			printf("timer %d: %ld %ld\n", which, (long)timer.it_value.tv_sec,
				(long)timer.it_value.tv_usec);
}

static void print_status(void)
{
	static const char *const lines[] = {
		"Threads:", "Seccomp:", "NoNewPrivs:", "CapEff:", "Uid:", "Gid:", "SigIgn:"};
	FILE *status = fopen("/proc/self/status", "re");
	char line[256], name[17] = "";

	while (status && fgets(line, sizeof(line), status))
		for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
			if (strncmp(line, lines[i], strlen(lines[i])) == 0)
				fputs(line, stdout);
	if (status)
		fclose(status);
	prctl(PR_GET_NAME, name);
	printf("name %s dumpable %d nice %d policy %d slack %d\n", name, prctl(PR_GET_DUMPABLE),
		getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), prctl(PR_GET_TIMERSLACK));
}

static int mode_self(long depth, long unused)
{
	char directory[4096];
	mode_t mask = umask(0);

	(void)unused;
	umask(mask);
	printf("depth %ld umask %o directory %s\n", depth, mask,
		getcwd(directory, sizeof(directory)) ? directory : "?");
	print_environment();
	print_signals();
	print_descriptors();
	print_limits();
	print_status();
	return 0;
}

/* A different setting of each kind for the children to see. */
static void change(void)
{
	struct rlimit files = {300, 300};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMAX - 1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGRTMIN + 3, SIG_IGN);
	setrlimit(RLIMIT_NOFILE, &files);
	dup2(1, 7);
	fcntl(7, F_SETFD, 0);
	umask(027);
	setenv("SEEN", "yes", 1);
}

static void by_spawn(char **argv)
{
	posix_spawnattr_t attributes;
	sigset_t mask, defaults;
	pid_t child;

	posix_spawnattr_init(&attributes);
	sigfillset(&mask);
	sigdelset(&mask, SIGRTMAX - 5);
	posix_spawnattr_setsigmask(&attributes, &mask);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	if (posix_spawn(&child, "/proc/self/exe", NULL, &attributes, argv, environ) == 0)
		waitpid(child, NULL, 0);
	posix_spawnattr_destroy(&attributes);
}

static void by_pipe(const char *command)
{
	FILE *pipe = popen(command, "re");
	int c;

	while (pipe && (c = getc(pipe)) != EOF)
		putchar(c);
	if (pipe)
		printf("popen's status %x\n", (unsigned)pclose(pipe));
}

static int mode_mirror(long unused, long unused2)
{
	char *argv[] = {(char *)"harmless", (char *)"self", (char *)"1", NULL};
	char path[4096] = "", command[4200];
	pid_t child;

	(void)unused, (void)unused2;
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return fail("readlink");
	setvbuf(stdout, NULL, _IOLBF, 0);
	mode_self(0, 0);
	change();
	burn_us(30000);
	mode_self(0, 0);
	child = fork();
	if (child == 0) {
		burn_us(5000);
		mode_self(2, 0);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (child == 0) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	by_spawn(argv);
	snprintf(command, sizeof(command), "%s self 3; exit 5", path);
	printf("system's status %x\n", (unsigned)system(command));
	by_pipe(command);
	return 0;
}

const struct mode mirror_modes[] = {
	{"self", mode_self},
	{"mirror", mode_mirror},
	{0},
};
