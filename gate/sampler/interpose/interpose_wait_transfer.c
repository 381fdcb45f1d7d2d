/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes. On sockets with a time-out they end with EINTR whatever SA_RESTART says; writes
 * to pipes and sockets, and long reads from memory devices, may be cut short by any signal.
 */
#include "gate/sampler/sampler.h"

#include "gate/sampler/signal/retry_rest.h"
#include "gate/sampler/waits/real_waits.h"

static ssize_t write_step(const struct fg_transfer *transfer, void *bytes, size_t count)
{
	return fg_real_waits()->write(transfer->fd, bytes, count);
}

static ssize_t read_step(const struct fg_transfer *transfer, void *bytes, size_t count)
{
	return fg_real_waits()->read(transfer->fd, bytes, count);
}

static ssize_t random_step(const struct fg_transfer *transfer, void *bytes, size_t count)
{
	return fg_real_waits()->getrandom(bytes, count, (unsigned)transfer->flags);
}

/* A call that has moved all, the usual case, is not looked at any further. */
static bool is_short(ssize_t result, size_t bytes)
{
	return __builtin_expect(result > 0 && (size_t)result < bytes, 0);
}

FG_EXPORT ssize_t write(int fd, const void *bytes, size_t count)
{
	const struct fg_transfer transfer = {write_step, fd, 0, fg_transfer_is_stream};
	const struct iovec part = {(void *)(uintptr_t)bytes, count};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->write(fd, bytes, count);
	while (result == -1 && fg_retry_again(&retry));
	return is_short(result, count) ? fg_retry_rest(&transfer, &retry, &part, 1, result)
				       : result;
}

FG_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	const struct fg_transfer transfer = {write_step, fd, 0, fg_transfer_is_stream};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->writev(fd, parts, count);
	while (result == -1 && fg_retry_again(&retry));
	return result > 0 ? fg_retry_rest(&transfer, &retry, parts, (size_t)count, result) : result;
}

static ssize_t finish_read(int fd, struct fg_retry *retry, void *bytes, size_t count, ssize_t done)
{
	const struct fg_transfer transfer = {read_step, fd, 0, fg_transfer_is_memory};
	const struct iovec part = {bytes, count};

	return is_short(done, count) ? fg_retry_rest(&transfer, retry, &part, 1, done) : done;
}

FG_EXPORT ssize_t read(int fd, void *bytes, size_t count)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->read(fd, bytes, count);
	while (result == -1 && fg_retry_again(&retry));
	return finish_read(fd, &retry, bytes, count, result);
}

FG_EXPORT ssize_t __read_chk(int fd, void *bytes, size_t count, size_t room)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->__read_chk(fd, bytes, count, room);
	while (result == -1 && fg_retry_again(&retry));
	return finish_read(fd, &retry, bytes, count, result);
}

FG_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
	const struct fg_transfer transfer = {read_step, fd, 0, fg_transfer_is_memory};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->readv(fd, parts, count);
	while (result == -1 && fg_retry_again(&retry));
	return result > 0 ? fg_retry_rest(&transfer, &retry, parts, (size_t)count, result) : result;
}

/* There is no descriptor to ask. */
static bool always(mode_t type, dev_t device)
{
	(void)type;
	(void)device;
	return true;
}

FG_EXPORT ssize_t getrandom(void *bytes, size_t count, unsigned flags)
{
	const struct fg_transfer transfer = {random_step, -1, (int)flags, always};
	const struct iovec part = {bytes, count};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->getrandom(bytes, count, flags);
	while (result == -1 && fg_retry_again(&retry));
	return is_short(result, count) ? fg_retry_rest(&transfer, &retry, &part, 1, result)
				       : result;
}
