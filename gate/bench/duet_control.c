/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/duet_control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int control_create(const char *path, struct fg_control_page **out, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct fg_control_page *page = MAP_FAILED;
	int rc = ERR_OK;

	if (fd >= 0 && !posix_fallocate(fd, 0, FG_CONTROL_BYTES))
		page = mmap(NULL, FG_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		rc = error_errno(err, ERR_IO, errno, "cannot make the control page %s", path);
	if (fd >= 0)
		close(fd);
	if (rc)
		return rc;
	page->version = FG_CONTROL_VERSION;
	page->runner_pid = (uint32_t)getpid();
	__atomic_store_n(&page->magic, FG_CONTROL_MAGIC, __ATOMIC_RELEASE);
	*out = page;
	return ERR_OK;
}

void control_release(struct fg_control_page *page)
{
	if (page)
		munmap(page, FG_CONTROL_BYTES);
}

void control_park(struct fg_control_page *page, bool park)
{
	__atomic_store_n(&page->park, park, __ATOMIC_RELAXED);
	if (!park)
		syscall(SYS_futex, &page->park, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
