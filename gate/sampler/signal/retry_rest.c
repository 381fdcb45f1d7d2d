/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/signal/retry_rest.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#define MEMORY_DEVICES 1 /* their major number */

bool fg_transfer_is_stream(mode_t type, dev_t device)
{
	(void)device;
	return S_ISFIFO(type) || S_ISSOCK(type) || S_ISCHR(type);
}

bool fg_transfer_is_memory(mode_t type, dev_t device)
{
	return S_ISCHR(type) && major(device) == MEMORY_DEVICES;
}

static size_t sum(const struct iovec *parts, size_t count)
{
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += parts[i].iov_len;
	return bytes;
}

/* A regular file's call ends early for other reasons (a full disk), which a second would repeat. */
static bool may_go_on(const struct fg_transfer *transfer)
{
	struct stat status = {0};

	return (transfer->fd < 0 || fstat(transfer->fd, &status) == 0) &&
	       transfer->may_go_on(status.st_mode, status.st_rdev);
}

/* How much of one part was moved: less than all where it fails or ends for another reason. */
static size_t move_part(const struct fg_transfer *transfer, struct fg_retry *retry,
	const struct iovec *part, size_t done)
{
	while (done < part->iov_len) {
		ssize_t more;

		fg_retry_mark(retry);
		more = transfer->step(
			transfer, (char *)part->iov_base + done, part->iov_len - done);
		if (more == -1 && fg_retry_again(retry))
			continue;
		if (more <= 0)
			break;
		done += (size_t)more;
		if (done < part->iov_len && !fg_retry_was_cut(retry))
			break;
	}
	return done;
}

static size_t move_rest(const struct fg_transfer *transfer, struct fg_retry *retry,
	const struct iovec *parts, size_t count, size_t done)
{
	size_t before = 0; /* bytes of the parts already passed */

	for (size_t i = 0; i < count; before += parts[i++].iov_len) {
		done = before + move_part(transfer, retry, &parts[i], done - before);
		if (done < before + parts[i].iov_len)
			break;
	}
	return done;
}

ssize_t fg_retry_rest(const struct fg_transfer *transfer, struct fg_retry *retry,
	const struct iovec *parts, size_t count, ssize_t done)
{
	int saved_errno = errno;

	if (done <= 0 || (size_t)done >= sum(parts, count) || !fg_retry_was_cut(retry))
		return done;
	if (may_go_on(transfer))
		done = (ssize_t)move_rest(transfer, retry, parts, count, (size_t)done);
	errno = saved_errno;
	return done;
}
