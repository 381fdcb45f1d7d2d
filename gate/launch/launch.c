/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A release's bin/flamegate: is this system's glibc new enough? Then it becomes
 * lib/flamegate/flamegate. The kernel and the loader would refuse that one elsewhere too, but with
 * the status of a regression or of a command that does not exist, and no word on what to do.
 *
 * So it must start everywhere: it is static and links nothing, libc among it. The loader is the
 * part of glibc that lies at the same place on all systems, and the version that we need has a
 * symbol in it, _dl_find_object(): so its name stands in the loader from that version on.
 */
#include <fcntl.h>
#include <linux/limits.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEEDED "2.35"
#define PROGRAM "/lib/flamegate/flamegate"
#define COULD_NOT_MEASURE 3

/* The processor's own: where the loader is, how the kernel is called, and where a program begins. */
#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n"
	"\tcall begin\n");

static long kernel(long call, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(call), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
#define LOADER "/lib/ld-linux-aarch64.so.1"
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tmov x0, sp\n\tbl begin\n");

static long kernel(long call, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = call, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#endif

static void say(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	kernel(SYS_write, STDERR_FILENO, (long)text, (long)length, 0, 0, 0);
}

static void die(const char *text, const char *detail, const char *advice)
{
	say(text);
	say(detail);
	say(advice);
	for (;;)
		kernel(SYS_exit_group, COULD_NOT_MEASURE, 0, 0, 0, 0, 0);
}

static int holds(const char *text, long size, const char *wanted, long length)
{
	for (long at = 0; at + length <= size; at++) {
		long same = 0;

		while (same < length && text[at + same] == wanted[same])
			same++;
		if (same == length)
			return 1;
	}
	return 0;
}

/* Dies where it is not. */
static void check_loader(void)
{
	static const char version[] = "GLIBC_" NEEDED;
	long file = kernel(SYS_openat, AT_FDCWD, (long)LOADER, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long size = file < 0 ? file : kernel(SYS_lseek, file, 0, SEEK_END, 0, 0, 0);
	long text = size <= 0 ? -1 : kernel(SYS_mmap, 0, size, PROT_READ, MAP_PRIVATE, file, 0);

	/* The kernel's errors are -1 to -4095. */
	if (text < 0 && text > -4096)
		die("flamegate: there is no ", LOADER,
			", so no glibc here: use a system with glibc " NEEDED
			" or newer, such as Debian rather than Alpine\n");
	if (!holds((const char *)text, size, version, sizeof(version)))
		die("flamegate: this build needs glibc " NEEDED " or newer, and ", LOADER,
			" is older (ldd --version says how old): use a newer system, or build "
			"flamegate from its source here\n");
	kernel(SYS_munmap, text, size, 0, 0, 0, 0);
	kernel(SYS_close, file, 0, 0, 0, 0, 0);
}

/* Of PREFIX/bin/flamegate, PREFIX/lib/flamegate/flamegate. Dies where it cannot be told. */
static void find_program(char *path, long size)
{
	static const char program[] = PROGRAM;
	long longest = size - (long)sizeof(program);
	long length =
		kernel(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)path, longest, 0, 0);

	if (length <= 0 || length >= longest)
		die("flamegate: cannot tell where it lies: ", "/proc/self/exe",
			" cannot be read; mount /proc\n");
	for (int folders = 2; folders; folders--)
		while (length > 0 && path[--length] != '/')
			;
	for (size_t i = 0; i < sizeof(program); i++)
		path[(size_t)length + i] = program[i];
}

/* stack: the kernel's: argc, argv[], NULL, envp[], NULL. */
__attribute__((used)) static void begin(long *stack)
{
	char path[PATH_MAX];

	check_loader();
	find_program(path, sizeof(path));
	kernel(SYS_execve, (long)path, (long)(stack + 1), (long)(stack + stack[0] + 2), 0, 0, 0);
	die("flamegate: cannot start ", path,
		"; unpack the release again, and leave its folders as they are\n");
}
