/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets with a time-out (SO_RCVTIMEO, SO_SNDTIMEO): their calls end with EINTR whatever
 * SA_RESTART says. Our signal comes to a thread that runs, so to a wait at its very beginning: the
 * next attempt has the whole time-out again. Sends, and receives that shall wait for all, may be
 * cut short by any signal.
 */
#include "gate/sampler/sampler.h"

#include "gate/sampler/signal/retry_rest.h"
#include "gate/sampler/waits/real_waits.h"

FG_EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *restrict length)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->accept(fd, address, length));
}

FG_EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *restrict length, int flags)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->accept4(fd, address, length, flags));
}

/* The connection goes on meanwhile; what the second attempt says of that, the first would not. */
FG_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	bool again = false;
	int result;

	fg_retry_begin(&retry);
	while ((result = real->connect(fd, address, length)) == -1 && fg_retry_again(&retry))
		again = true;
	if (again && result == -1 && errno == EISCONN) {
		errno = retry.saved_errno;
		return 0;
	}
	if (again && result == -1 && errno == EALREADY)
		errno = EINPROGRESS;
	return result;
}

static ssize_t receive_step(const struct fg_transfer *transfer, void *bytes, size_t count)
{
	return fg_real_waits()->recv(transfer->fd, bytes, count, transfer->flags);
}

static ssize_t send_step(const struct fg_transfer *transfer, void *bytes, size_t count)
{
	return fg_real_waits()->send(transfer->fd, bytes, count, transfer->flags);
}

static ssize_t finish_receive(const struct fg_transfer *wanted, struct fg_retry *retry, void *bytes,
	size_t count, ssize_t done)
{
	const struct iovec part = {bytes, count};

	if (!(wanted->flags & MSG_WAITALL) || wanted->flags & MSG_PEEK)
		return done;
	return fg_retry_rest(wanted, retry, &part, 1, done);
}

FG_EXPORT ssize_t recv(int fd, void *bytes, size_t count, int flags)
{
	const struct fg_transfer wanted = {receive_step, fd, flags, fg_transfer_is_stream};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->recv(fd, bytes, count, flags);
	while (result == -1 && fg_retry_again(&retry));
	return finish_receive(&wanted, &retry, bytes, count, result);
}

FG_EXPORT ssize_t __recv_chk(int fd, void *bytes, size_t count, size_t room, int flags)
{
	const struct fg_transfer wanted = {receive_step, fd, flags, fg_transfer_is_stream};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->__recv_chk(fd, bytes, count, room, flags);
	while (result == -1 && fg_retry_again(&retry));
	return finish_receive(&wanted, &retry, bytes, count, result);
}

FG_EXPORT ssize_t recvfrom(int fd, void *restrict bytes, size_t count, int flags,
	__SOCKADDR_ARG address, socklen_t *restrict length)
{
	const struct fg_transfer wanted = {receive_step, fd, flags, fg_transfer_is_stream};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->recvfrom(fd, bytes, count, flags, address, length);
	while (result == -1 && fg_retry_again(&retry));
	return finish_receive(&wanted, &retry, bytes, count, result);
}

FG_EXPORT ssize_t __recvfrom_chk(int fd, void *restrict bytes, size_t count, size_t room, int flags,
	__SOCKADDR_ARG address, socklen_t *restrict length)
{
	const struct fg_transfer wanted = {receive_step, fd, flags, fg_transfer_is_stream};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->__recvfrom_chk(fd, bytes, count, room, flags, address, length);
	while (result == -1 && fg_retry_again(&retry));
	return finish_receive(&wanted, &retry, bytes, count, result);
}

FG_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->recvmsg(fd, message, flags));
}

FG_EXPORT int recvmmsg(
	int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->recvmmsg(fd, messages, count, flags, timeout));
}

FG_EXPORT ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
	const struct fg_transfer wanted = {send_step, fd, flags, fg_transfer_is_stream};
	const struct iovec part = {(void *)(uintptr_t)bytes, count};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->send(fd, bytes, count, flags);
	while (result == -1 && fg_retry_again(&retry));
	return fg_retry_rest(&wanted, &retry, &part, 1, result);
}

/* An address is for datagrams, which are sent whole; what is left over was a stream's. */
FG_EXPORT ssize_t sendto(int fd, const void *bytes, size_t count, int flags,
	__CONST_SOCKADDR_ARG address, socklen_t length)
{
	const struct fg_transfer wanted = {send_step, fd, flags, fg_transfer_is_stream};
	const struct iovec part = {(void *)(uintptr_t)bytes, count};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->sendto(fd, bytes, count, flags, address, length);
	while (result == -1 && fg_retry_again(&retry));
	return fg_retry_rest(&wanted, &retry, &part, 1, result);
}

/* Control data went with the first part. */
FG_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	const struct fg_transfer wanted = {send_step, fd, flags, fg_transfer_is_stream};
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	ssize_t result;

	fg_retry_begin(&retry);
	do
		result = real->sendmsg(fd, message, flags);
	while (result == -1 && fg_retry_again(&retry));
	return result > 0 ? fg_retry_rest(
				    &wanted, &retry, message->msg_iov, message->msg_iovlen, result)
			  : result;
}

FG_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	const struct fg_real_waits *real = fg_real_waits();

	return FG_RETRIED(real->sendmmsg(fd, messages, count, flags));
}
