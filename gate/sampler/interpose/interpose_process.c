/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec and _Fork. fork, daemon and forkpty are reached by pthread_atfork(); posix_spawn, system and
 * popen start children that have no timer and inherit no pending signal.
 *
 * An exec keeps the signal blocked: one that is still on its way would kill the new image, which
 * has no handler yet. If it is sampled too, its constructor takes the signal up again. vfork
 * children come here with their parent's memory, so nothing is written.
 */
#include "gate/sampler/sampler.h"

#include <alloca.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gate/sampler/real.h"

FG_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	struct fg_exec_guard guard;
	int result;

	if (!fg_real_init())
		return errno = ENOSYS, -1;
	fg_exec_before(&guard);
	result = fg_real.execve(path, argv, envp);
	fg_exec_failed(&guard);
	return result;
}

FG_EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

FG_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	struct fg_exec_guard guard;
	int result;

	if (!fg_real_init() || !fg_real.execvpe)
		return errno = ENOSYS, -1;
	fg_exec_before(&guard);
	result = fg_real.execvpe(file, argv, envp);
	fg_exec_failed(&guard);
	return result;
}

FG_EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

FG_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct fg_exec_guard guard;
	int result;

	if (!fg_real_init() || !fg_real.fexecve)
		return errno = ENOSYS, -1;
	fg_exec_before(&guard);
	result = fg_real.fexecve(fd, argv, envp);
	fg_exec_failed(&guard);
	return result;
}

FG_EXPORT int execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct fg_exec_guard guard;
	int result;

	if (!fg_real_init() || !fg_real.execveat)
		return errno = ENOSYS, -1;
	fg_exec_before(&guard);
	result = fg_real.execveat(fd, path, argv, envp, flags);
	fg_exec_failed(&guard);
	return result;
}

/* The C library's header says that first is never NULL; programs do not know. */
static const char *launder(const char *first)
{
	__asm__("" : "+r"(first));
	return first;
}

/* The arguments before the terminating NULL. */
static size_t count_arguments(const char *first, va_list *list)
{
	size_t count = 0;

	for (const char *argument = launder(first); argument; argument = va_arg(*list, char *))
		count++;
	return count;
}

/* Fills argv with count arguments and the NULL, which it takes from the list too. */
static void copy_arguments(char **argv, const char *first, size_t count, va_list *list)
{
	memset(argv, 0, (count + 1) * sizeof(*argv));
	memcpy(argv, &first, sizeof(first));
	for (size_t i = 1; i <= count; i++)
		argv[i] = va_arg(*list, char *);
}

/* On the stack: exec is async-signal-safe, and these must stay so.
 * Leaves `list` behind the NULL. */
#define GATHER(argv, list, first)                                                                  \
	do {                                                                                       \
		size_t count;                                                                      \
		va_list counted;                                                                   \
		va_copy(counted, list);                                                            \
		count = count_arguments(first, &counted);                                          \
		va_end(counted);                                                                   \
		(argv) = alloca((count + 1) * sizeof(char *));                                     \
		copy_arguments(argv, first, count, &(list));                                       \
	} while (0)

FG_EXPORT int execl(const char *path, const char *first, ...)
{
	va_list list;
	char **argv;

	va_start(list, first);
	GATHER(argv, list, first);
	va_end(list);
	return execve(path, argv, environ);
}

FG_EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;
	char **argv;

	va_start(list, first);
	GATHER(argv, list, first);
	va_end(list);
	return execvpe(file, argv, environ);
}

FG_EXPORT int execle(const char *path, const char *first, ...)
{
	va_list list;
	char **argv, **envp;

	va_start(list, first);
	GATHER(argv, list, first);
	envp = va_arg(list, char **);
	va_end(list);
	return execve(path, argv, envp);
}

FG_EXPORT pid_t _Fork(void)
{
	pid_t pid;

	if (!fg_real_init() || !fg_real._Fork)
		return errno = ENOSYS, -1;
	fg_fork_before();
	pid = fg_real._Fork();
	if (pid == 0)
		fg_fork_child();
	else
		fg_fork_parent();
	return pid;
}
