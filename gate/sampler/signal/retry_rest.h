/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers that our signal has cut short go on with what is left: a blocking write of a megabyte
 * to a pipe takes the whole megabyte where no signal comes, and few programs expect less. Context:
 * thread.
 */
#ifndef FG_SAMPLER_RETRY_REST_H
#define FG_SAMPLER_RETRY_REST_H

#include <sys/types.h>
#include <sys/uio.h>

#include "gate/sampler/signal/retry.h"

struct fg_transfer {
	ssize_t (*step)(const struct fg_transfer *transfer, void *bytes, size_t count);
	int fd; /* negative: none */
	int flags;
	/* Does a call on such a file end early for signals only? Asked about its status. */
	bool (*may_go_on)(mode_t type, dev_t device);
};

/*
 * The first call has moved `done` bytes of these parts. If our signal alone has cut it short, moves
 * the rest, as far as that goes without an error, and returns the sum. Keeps errno.
 */
ssize_t fg_retry_rest(const struct fg_transfer *transfer, struct fg_retry *retry,
	const struct iovec *parts, size_t count, ssize_t done);

/* Pipes, sockets and terminals. */
bool fg_transfer_is_stream(mode_t type, dev_t device);
/* /dev/zero, /dev/urandom and the like. */
bool fg_transfer_is_memory(mode_t type, dev_t device);

#endif
