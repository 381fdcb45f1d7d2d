/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What syscall() does differently here: calls that wait go on when our signal alone has ended them,
 * calls that touch our signal or our descriptors are as harmless as the C library's functions of
 * the same name, forks and execs are seen. Everything else goes straight to the kernel. Context:
 * thread.
 */
#ifndef FG_SAMPLER_SYSCALLS_H
#define FG_SAMPLER_SYSCALLS_H

#include <stdbool.h>

#define FG_CALL_ARGUMENTS 6

/* All of syscall() but clones that share memory. Returns -1 and sets errno, or keeps it. */
long fg_syscall(long number, long a, long b, long c, long d, long e, long f);

/* Returns as the kernel does: -errno on failure. May write to the arguments. */
long fg_syscall_wait(long number, long *arguments);

/* Is this one that it knows? */
bool fg_syscall_waits(long number);

#endif
