/* SPDX-License-Identifier: Apache-2.0 */
/* Reading /proc/self/task, with raw calls and no memory of its own. Context: any. */
#include "gate/sampler/offcpu/off_cpu.h"

#include <string.h>

#include "gate/sampler/raw.h"

#define MAX_NAME 32
#define MAX_TEXT 1024
#define MAX_PID_DIGITS 10

/* The file's text, NUL-terminated; false when it cannot be read. */
static bool read_text(int tasks_fd, pid_t tid, const char *name, char text[MAX_TEXT])
{
	char path[MAX_NAME + MAX_PID_DIGITS + 2], *digit = path + MAX_PID_DIGITS;
	ssize_t length;
	long fd;

	*digit = '/';
	for (pid_t rest = tid; rest && digit > path; rest /= 10)
		*--digit = (char)('0' + rest % 10);
	memcpy(path + MAX_PID_DIGITS + 1, name, strlen(name) + 1);
	fd = FG_RAW6(SYS_openat, tasks_fd, digit, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fg_raw_failed(fd))
		return false;
	length = fg_raw_read((int)fd, text, MAX_TEXT - 1);
	fg_raw_close((int)fd);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a number of that base and steps over it; false when there is none, or one too large. */
static bool take_number(const char **text, unsigned base, uint64_t *value)
{
	const char *at = *text;
	uint64_t number = 0;
	int digit;

	for (; (digit = digit_of(*at)) >= 0 && (unsigned)digit < base; at++)
		if (__builtin_mul_overflow(number, base, &number) ||
			__builtin_add_overflow(number, (uint64_t)digit, &number))
			return false;
	if (at == *text)
		return false;
	*text = at;
	*value = number;
	return true;
}

static bool take_hex(const char **text, uint64_t *value)
{
	if (strncmp(*text, " 0x", 3) != 0)
		return false;
	*text += 3;
	return take_number(text, 16, value);
}

/* "NUMBER ARG*6 SP PC", "-1 SP PC" (blocked, but not in a call) or "running". */
enum fg_activity fg_activity_parse(const char *text, struct fg_place *place)
{
	bool in_call = *text != '-';
	struct fg_place found = {.call = -1};
	uint64_t number, ignored;

	if (strncmp(text, "running", 7) == 0)
		return FG_ACTIVITY_RUNNING;
	text += !in_call;
	if (!take_number(&text, 10, &number) || number > INT32_MAX)
		return FG_ACTIVITY_UNKNOWN;
	if (in_call)
		found.call = (int64_t)number;
	for (int i = 0; in_call && i < 6; i++)
		if (!take_hex(&text, &ignored))
			return FG_ACTIVITY_UNKNOWN;
	if (!take_hex(&text, &found.sp) || !take_hex(&text, &found.pc) || *text != '\n')
		return FG_ACTIVITY_UNKNOWN;
	if (!found.sp && !found.pc)
		return FG_ACTIVITY_DEAD;
	*place = found;
	return FG_ACTIVITY_ASLEEP;
}

enum fg_activity fg_activity_read(int tasks_fd, pid_t tid, struct fg_place *place)
{
	char text[MAX_TEXT];

	if (!read_text(tasks_fd, tid, "syscall", text))
		return FG_ACTIVITY_UNKNOWN;
	return fg_activity_parse(text, place);
}

/* "CPU-NS WAITED-NS SLICES"; a kernel that does not count says 0 of a thread that must have run. */
bool fg_usage_parse(const char *text, uint64_t *used_ns)
{
	uint64_t on_cpu, waiting;

	if (!take_number(&text, 10, &on_cpu) || *text++ != ' ' ||
		!take_number(&text, 10, &waiting) || *text != ' ' || !on_cpu)
		return false;
	*used_ns = on_cpu + waiting;
	return true;
}

bool fg_usage_read(int tasks_fd, pid_t tid, uint64_t *used_ns)
{
	char text[MAX_TEXT];

	return read_text(tasks_fd, tid, "schedstat", text) && fg_usage_parse(text, used_ns);
}

/* The last number of stat. The name before it may hold anything, but comes first. */
int fg_exit_code_parse(const char *text)
{
	const char *last = strrchr(text, ' ');
	uint64_t status;

	if (!last++ || !take_number(&last, 10, &status))
		return 0;
	return (int)(status >> 8 & 0xff);
}

int fg_exit_code_read(int tasks_fd, pid_t tid)
{
	char text[MAX_TEXT];

	return read_text(tasks_fd, tid, "stat", text) ? fg_exit_code_parse(text) : 0;
}

bool fg_thread_cpu_ns(pid_t tid, uint64_t *cpu_ns)
{
	struct timespec time;

	if (fg_raw_failed(FG_RAW3(SYS_clock_gettime, fg_thread_clock(tid), &time, 0)))
		return false;
	*cpu_ns = (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
	return true;
}

/* struct linux_dirent64 of getdents64(2) */
struct entry {
	uint64_t inode, offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

pid_t fg_task_next(struct fg_task_list *list)
{
	for (;;) {
		const struct entry *entry = (const struct entry *)(list->bytes + list->at);
		const char *name = entry->name;
		uint64_t tid;

		if (list->at >= list->length) {
			list->at = 0;
			list->length =
				FG_RAW3(SYS_getdents64, list->fd, list->bytes, sizeof(list->bytes));
			if (list->length <= 0)
				return 0;
			continue;
		}
		list->at += entry->bytes;
		if (take_number(&name, 10, &tid) && !*name && tid <= INT32_MAX)
			return (pid_t)tid;
	}
}
