/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A release's bin/flamegate: is this system's libc new enough? Then it becomes lib/flamegate/flamegate. The loader
 * would refuse that one on an older glibc too, but with the exit status of a regression and no word on what to do.
 *
 * So it must start where the program cannot: it has no start-up code of libc's (whose symbol has the
 * version of the libc that it was linked with), and calls nothing that glibc 2.17 does not have. A
 * test reads its version needs.
 */
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEEDED_MAJOR 2
#define NEEDED_MINOR 35 /* _dl_find_object(), by which the sampler unwinds */
#define NEEDED "2.35"
#define PROGRAM "/lib/flamegate/flamegate"
#define COULD_NOT_MEASURE 3

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(COULD_NOT_MEASURE);
}

static int number(const char **text)
{
	int value = 0;

	while (**text >= '0' && **text <= '9')
		value = value * 10 + *(*text)++ - '0';
	return value;
}

static int is_new_enough(const char *version)
{
	int major = number(&version), minor = *version++ == '.' ? number(&version) : 0;

	return major > NEEDED_MAJOR || (major == NEEDED_MAJOR && minor >= NEEDED_MINOR);
}

/* Of PREFIX/bin/flamegate, PREFIX/lib/flamegate/flamegate. */
static int program_path(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - sizeof(PROGRAM));

	for (int folders = 2; length > 0 && folders; folders--)
		while (length > 0 && path[--length] != '/')
			;
	if (length < 0)
		return 0;
	memcpy(path + length, PROGRAM, sizeof(PROGRAM));
	return 1;
}

static void launch(char **argv)
{
	char path[PATH_MAX];
	const char *version = gnu_get_libc_version();

	if (!is_new_enough(version)) {
		say("flamegate: this system has glibc ");
		say(version);
		say(", and this build needs " NEEDED
		    " or newer: use a newer system, or build flamegate from its "
		    "source here\n");
		_exit(COULD_NOT_MEASURE);
	}
	if (program_path(path, sizeof(path)))
		execv(path, argv);
	say("flamegate: cannot start ");
	say(path);
	say("; unpack the release again, and leave its folders as they are\n");
	_exit(COULD_NOT_MEASURE);
}

/* The kernel's stack: argc, argv[], NULL, envp[]. libc's own constructors have run, and have environ. */
__attribute__((used)) static void begin(char **stack)
{
	launch(stack + 1);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tmov x0, sp\n\tbl begin\n");
#endif
