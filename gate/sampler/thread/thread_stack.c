/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/thread/thread_stack.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "gate/sampler/raw.h"

#define MAIN_STACK_MIN (UINT64_C(128) << 20) /* the least gap that the kernel leaves below it */
#define MARGIN (UINT64_C(64) << 10)          /* what the C library keeps at the top, generously */

extern void *__libc_stack_end;

/* A line of /proc/self/maps starts "low-high ", in hexadecimal. */
struct maps_line {
	uint64_t numbers[2];
	unsigned which; /* number being read; 2: the rest of the line */
};

/* Takes one character; true when it completes the line's range. */
static bool feed(struct maps_line *line, char c)
{
	unsigned digit = c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : (unsigned)(c - '0');

	if (c == '\n') {
		memset(line, 0, sizeof(*line));
		return false;
	}
	if (line->which == 2)
		return false;
	if (digit < 16)
		line->numbers[line->which] = line->numbers[line->which] << 4 | digit;
	else
		line->which++;
	return digit >= 16 && line->which == 2;
}

/* The end of the mapping that holds the address; 0 if it is not found. */
static uint64_t mapping_end(uint64_t address)
{
	static char text[4096];
	struct maps_line line = {{0, 0}, 0};
	uint64_t found = 0;
	ssize_t length;
	int fd = fg_raw_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	while (!found && (length = fg_raw_read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < length; i++)
			if (feed(&line, text[i]) && address >= line.numbers[0] &&
				address < line.numbers[1])
				found = line.numbers[1];
	fg_raw_close(fd);
	return found;
}

void fg_stack_of_main(struct fg_thread *thread)
{
	uint64_t end = (uint64_t)(uintptr_t)__libc_stack_end;
	struct rlimit limit;
	uint64_t size = MAIN_STACK_MIN;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < MAIN_STACK_MIN)
		size = limit.rlim_cur;
	thread->stack_high = mapping_end(end);
	if (!thread->stack_high)
		thread->stack_high = end + sizeof(void *);
	thread->stack_low = thread->stack_high - size;
}

/*
 * The C library keeps its own data of a thread, which pthread_self() points to, at the top of the
 * thread's stack. pthread_getattr_np() would say more, but allocates: that would be counted in a
 * heap profile, as the program's.
 */
void fg_stack_of_pthread(struct fg_thread *thread, size_t stack_bytes)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
	uint64_t high = (uint64_t)pthread_self();

	thread->stack_low = thread->stack_high = 0;
	if (stack_bytes <= MARGIN || here >= high || high - here > stack_bytes - MARGIN)
		return;
	thread->stack_high = high;
	thread->stack_low = high - (stack_bytes - MARGIN);
}

void fg_alt_stack_set(struct fg_thread *thread)
{
	stack_t now;

	if (FG_RAW3(SYS_sigaltstack, NULL, &now, 0) != 0 || !(now.ss_flags & SS_DISABLE))
		return;
	memset(&now, 0, sizeof(now));
	now.ss_sp = thread->alt_stack;
	now.ss_size = FG_ALT_STACK_BYTES;
	FG_RAW3(SYS_sigaltstack, &now, NULL, 0);
}

void fg_alt_stack_drop(const struct fg_thread *thread)
{
	stack_t now;

	if (FG_RAW3(SYS_sigaltstack, NULL, &now, 0) != 0 || now.ss_sp != thread->alt_stack ||
		(now.ss_flags & SS_ONSTACK))
		return;
	memset(&now, 0, sizeof(now));
	now.ss_flags = SS_DISABLE;
	FG_RAW3(SYS_sigaltstack, &now, NULL, 0);
}
