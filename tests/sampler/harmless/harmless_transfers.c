/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers: our signal cuts none short, and ends none that has a time-out. */
#include "tests/sampler/harmless/harmless.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- sockets with a time-out ----------------------------------------------------------------- */

static int timed_sockets(int ends[2], int *listener)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval time = {0, 1000};
	static char full[65536];

	*listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*listener < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 ||
		bind(*listener, (struct sockaddr *)&address, sizeof(sa_family_t)) != 0 ||
		listen(*listener, 1) != 0)
		return fail("sockets");
	setsockopt(*listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
	while (send(ends[0], full, sizeof(full), MSG_DONTWAIT) > 0)
		;
	return 0;
}

/* Each call finds nothing to do until its time is out: EAGAIN, never EINTR. */
static int mode_sockets(long rounds, long unused)
{
	char byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int ends[2], listener;

	(void)unused;
	if (timed_sockets(ends, &listener) != 0)
		return 1;
	for (long i = 0; i < rounds; i++) {
		ssize_t result;

		burn_us(i * 7 % 11 * 30);
		result = i % 6 == 0   ? recv(ends[0], &byte, 1, 0)
			 : i % 6 == 1 ? read(ends[0], &byte, 1)
			 : i % 6 == 2 ? recvmsg(ends[0], &message, 0)
			 : i % 6 == 3 ? accept(listener, NULL, NULL)
			 : i % 6 == 4 ? send(ends[0], &byte, 1, 0)
				      : write(ends[0], &byte, 1);
		if (result != -1 || errno != EAGAIN)
			return fail("a socket with a time-out");
	}
	return fine();
}

/* ---- transfers ------------------------------------------------------------------------------- */

#define CHUNK ((size_t)1 << 20)

/* Reads slowly, checks what comes, exits with 0 after this many bytes. */
static void drain(int fd, size_t bytes)
{
	static unsigned char buffer[30000];
	size_t at = 0;
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < got; i++, at++)
			if (buffer[i] != (unsigned char)(at % CHUNK * 7 >> 3))
				_exit(1);
	_exit(at == bytes ? 0 : 2);
}

static ssize_t by_write(int fd, char *bytes, size_t count)
{
	return write(fd, bytes, count);
}

static ssize_t by_writev(int fd, char *bytes, size_t count)
{
	struct iovec parts[3] = {{bytes, 5}, {bytes + 5, count / 2}, {0}};

	parts[2].iov_base = bytes + 5 + count / 2;
	parts[2].iov_len = count - 5 - count / 2;
	return writev(fd, parts, 3);
}

static ssize_t by_send(int fd, char *bytes, size_t count)
{
	return send(fd, bytes, count, MSG_NOSIGNAL);
}

static ssize_t by_sendmsg(int fd, char *bytes, size_t count)
{
	struct iovec parts[2] = {{bytes, count / 3}, {bytes + count / 3, count - count / 3}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	return sendmsg(fd, &message, MSG_NOSIGNAL);
}

/* Blocking writes of a megabyte to a slow reader: each takes all, in order. */
static int transfer(
	const char *name, bool is_socket, ssize_t (*put)(int, char *, size_t), long rounds)
{
	static char bytes[CHUNK];
	unsigned cut = 0;
	int ends[2], status;
	pid_t reader;

	for (size_t i = 0; i < CHUNK; i++)
		bytes[i] = (char)(i * 7 >> 3);
	if (is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
		return fail("pipe");
	reader = fork();
	if (reader == 0) {
		close(ends[1]);
		drain(ends[0], (size_t)rounds * CHUNK);
	}
	close(ends[0]);
	for (long i = 0; i < rounds; i++) {
		ssize_t done = put(ends[1], bytes, CHUNK);

		cut += done != (ssize_t)CHUNK;
	}
	close(ends[1]);
	waitpid(reader, &status, 0);
	if (cut || status != 0)
		printf("%s: %u of %ld were cut short, reader's status %x\n", name, cut, rounds,
			(unsigned)status);
	return cut || status != 0;
}

static int mode_transfers(long rounds, long unused)
{
	int failed = transfer("write to a pipe", false, by_write, rounds);

	(void)unused;
	failed |= transfer("write to a socket", true, by_write, rounds);
	failed |= transfer("writev", true, by_writev, rounds);
	failed |= transfer("send", true, by_send, rounds);
	failed |= transfer("sendmsg", true, by_sendmsg, rounds);
	return failed ? fail("transfers") : fine();
}

/* Long reads from devices that never end. */
static int mode_devices(long rounds, long unused)
{
	static const char *const names[] = {"/dev/zero", "/dev/urandom"};
	static char bytes[4 * CHUNK];

	(void)unused;
	for (size_t d = 0; d < 2; d++) {
		int fd = open(names[d], O_RDONLY);

		for (long i = 0; i < rounds; i++)
			if (read(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
				return fail(names[d]);
		close(fd);
	}
	return fine();
}

const struct mode transfer_modes[] = {
	{"sockets", mode_sockets},
	{"transfers", mode_transfers},
	{"devices", mode_devices},
	{0},
};
