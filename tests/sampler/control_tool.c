/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays the runner's part with the control page.
 * usage: control_tool FILE create RUNNER_PID | epoch N | pause N | park N
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate/sampler/control.h"

static void act(struct fg_control_page *page, const char *what, uint32_t value)
{
	if (strcmp(what, "create") == 0) {
		page->version = FG_CONTROL_VERSION;
		page->runner_pid = value;
		__atomic_store_n(&page->magic, FG_CONTROL_MAGIC, __ATOMIC_RELEASE);
	} else if (strcmp(what, "epoch") == 0) {
		__atomic_store_n(&page->epoch, value, __ATOMIC_RELAXED);
	} else if (strcmp(what, "pause") == 0) {
		__atomic_store_n(&page->pause, value, __ATOMIC_RELAXED);
	} else if (strcmp(what, "park") == 0) {
		__atomic_store_n(&page->park, value, __ATOMIC_RELAXED);
		syscall(SYS_futex, &page->park, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	struct fg_control_page *page;
	int fd;

	if (argc != 4)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, FG_CONTROL_BYTES) != 0)
		return 3;
	page = mmap(NULL, FG_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return 3;
	act(page, argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
	return 0;
}
