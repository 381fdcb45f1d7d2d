/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for descriptors: they go on when our signal alone has ended them (retry.h). The C library's
 * functions do the waiting, so that they stay cancellation points.
 */
#include "gate/sampler/sampler.h"

#include "gate/sampler/signal/opened.h"
#include "gate/sampler/signal/retry.h"
#include "gate/sampler/waits/real_waits.h"

FG_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	int result;

	fg_retry_begin_ms(&retry, timeout);
	do
		result = real->poll(fds, count, retry.ms);
	while (result == -1 && fg_retry_again(&retry));
	return result;
}

FG_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout, size_t room)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	int result;

	fg_retry_begin_ms(&retry, timeout);
	do
		result = real->__poll_chk(fds, count, retry.ms, room);
	while (result == -1 && fg_retry_again(&retry));
	return result;
}

FG_EXPORT int ppoll(
	struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_opened opened;
	struct fg_retry retry;
	int result;

	fg_open(&opened, mask);
	fg_retry_begin_time(&retry, timeout);
	do
		result = real->ppoll(fds, count, retry.time, mask);
	while (result == -1 && fg_retry_again(&retry));
	fg_close(&opened);
	return result;
}

FG_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
	const sigset_t *mask, size_t room)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_opened opened;
	struct fg_retry retry;
	int result;

	fg_open(&opened, mask);
	fg_retry_begin_time(&retry, timeout);
	do
		result = real->__ppoll_chk(fds, count, retry.time, mask, room);
	while (result == -1 && fg_retry_again(&retry));
	fg_close(&opened);
	return result;
}

/* What is left was cut to whole microseconds; a wait must not be too short. */
static void round_up(struct timeval *timeout)
{
	if (!timeout || (!timeout->tv_sec && !timeout->tv_usec))
		return;
	if (++timeout->tv_usec == 1000000) {
		timeout->tv_usec = 0;
		timeout->tv_sec++;
	}
}

/* Linux writes what is left of the time-out back. */
FG_EXPORT int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
	struct timeval *restrict timeout)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	int result;

	fg_retry_begin(&retry);
	while ((result = real->select(count, in, out, other, timeout)) == -1 &&
		fg_retry_again(&retry))
		round_up(timeout);
	return result;
}

FG_EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
	const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_opened opened;
	struct fg_retry retry;
	int result;

	fg_open(&opened, mask);
	fg_retry_begin_time(&retry, timeout);
	do
		result = real->pselect(count, in, out, other, retry.time, mask);
	while (result == -1 && fg_retry_again(&retry));
	fg_close(&opened);
	return result;
}

FG_EXPORT int epoll_wait(int fd, struct epoll_event *events, int room, int timeout)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_retry retry;
	int result;

	fg_retry_begin_ms(&retry, timeout);
	do
		result = real->epoll_wait(fd, events, room, retry.ms);
	while (result == -1 && fg_retry_again(&retry));
	return result;
}

FG_EXPORT int epoll_pwait(
	int fd, struct epoll_event *events, int room, int timeout, const sigset_t *mask)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_opened opened;
	struct fg_retry retry;
	int result;

	fg_open(&opened, mask);
	fg_retry_begin_ms(&retry, timeout);
	do
		result = real->epoll_pwait(fd, events, room, retry.ms, mask);
	while (result == -1 && fg_retry_again(&retry));
	fg_close(&opened);
	return result;
}

FG_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int room,
	const struct timespec *timeout, const sigset_t *mask)
{
	const struct fg_real_waits *real = fg_real_waits();
	struct fg_opened opened;
	struct fg_retry retry;
	int result;

	fg_open(&opened, mask);
	fg_retry_begin_time(&retry, timeout);
	do
		result = real->epoll_pwait2(fd, events, room, retry.time, mask);
	while (result == -1 && fg_retry_again(&retry));
	fg_close(&opened);
	return result;
}
