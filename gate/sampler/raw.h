/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls without the C library: no cancellation point (a thread that is cancelled must not
 * end inside the sample handler with a lock held), no errno (a thread made by a raw clone may share
 * its maker's), and not through the names that we interpose. All return the kernel's value: at
 * least -4095 and below 0 is -errno.
 */
#ifndef FG_SAMPLER_RAW_H
#define FG_SAMPLER_RAW_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

#if defined(__x86_64__)
static inline long fg_raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long fg_raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "raw.h knows x86-64 and aarch64"
#endif

#define FG_RAW_ARGUMENT(x) ((long)(uintptr_t)(x))
#define FG_RAW6(number, a, b, c, d, e, f)                                                          \
	fg_raw_call(number, FG_RAW_ARGUMENT(a), FG_RAW_ARGUMENT(b), FG_RAW_ARGUMENT(c),            \
		FG_RAW_ARGUMENT(d), FG_RAW_ARGUMENT(e), FG_RAW_ARGUMENT(f))
#define FG_RAW3(number, a, b, c) FG_RAW6(number, a, b, c, 0, 0, 0)

static inline bool fg_raw_failed(long result)
{
	return (unsigned long)result > -4096UL;
}

static inline int fg_raw_open(const char *path, int flags, int mode)
{
	return (int)FG_RAW6(SYS_openat, AT_FDCWD, path, flags, mode, 0, 0);
}

static inline void fg_raw_close(int fd)
{
	FG_RAW3(SYS_close, fd, 0, 0);
}

static inline ssize_t fg_raw_read(int fd, void *buffer, size_t bytes)
{
	return FG_RAW3(SYS_read, fd, buffer, bytes);
}

/* NULL when the kernel refuses. */
static inline void *fg_raw_map(size_t bytes, int protection, int flags, int fd)
{
	long result = FG_RAW6(SYS_mmap, 0, bytes, protection, flags, fd, 0);

	return fg_raw_failed(result) ? NULL : (void *)result;
}

static inline void fg_raw_unmap(void *address, size_t bytes)
{
	FG_RAW3(SYS_munmap, address, bytes, 0);
}

/* Private memory, zeroed. */
static inline void *fg_raw_pages(size_t bytes)
{
	return fg_raw_map(
		bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

#endif
