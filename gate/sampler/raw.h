/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls without the C library's cancellation points: a thread that is cancelled must not end
 * inside the sample handler with a lock held.
 */
#ifndef FG_SAMPLER_RAW_H
#define FG_SAMPLER_RAW_H

#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int fg_raw_open(const char *path, int flags, int mode)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline void fg_raw_close(int fd)
{
	syscall(SYS_close, fd);
}

static inline ssize_t fg_raw_read(int fd, void *buffer, size_t bytes)
{
	return syscall(SYS_read, fd, buffer, bytes);
}

#endif
