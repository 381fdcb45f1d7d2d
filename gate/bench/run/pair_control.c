/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/pair_control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate/base/error.h"

int control_create(const char *path, struct fg_control_page **out, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct fg_control_page *page = MAP_FAILED;
	/* It returns its error, and leaves errno as it is. */
	int error = fd < 0 ? errno : posix_fallocate(fd, 0, FG_CONTROL_BYTES);

	if (!error)
		page = mmap(NULL, FG_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!error && page == MAP_FAILED)
		error = errno;
	if (fd >= 0)
		close(fd);
	if (error)
		return error_errno(err, ERR_IO, error, "cannot make the control page %s", path);
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
