/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child runs in a fork of the tool, without exec, and reads hostile files: what it has
 * inherited is closed, what it may use is limited, and what could reach outside is refused by the
 * kernel.
 */
#include "gate/profile/symbolize/symbolize_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_SHADOW_MEMORY 1 /* terabytes of address space: a limit on it makes no sense */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_SHADOW_MEMORY 1
#endif
#endif

static void set_limit(__rlimit_resource_t resource, uint64_t soft, uint64_t hard)
{
	struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
	if (setrlimit(resource, &limit) != 0)
		_exit(1);
}

#ifndef HAVE_SHADOW_MEMORY
/* The address space that the fork begins with does not count against the limit. */
static void limit_memory(uint64_t bytes)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");
	if (file != NULL) {
		if (fscanf(file, "%lu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	bytes += (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
	set_limit(RLIMIT_AS, bytes, bytes);
}
#else
static void limit_memory(uint64_t bytes)
{
	(void)bytes;
}
#endif

static void limit_resources(const struct symbolizer_limits *limits)
{
	limit_memory(limits->max_memory_bytes);
	set_limit(RLIMIT_CORE, 0, 0);
	set_limit(RLIMIT_FSIZE, 0, 0);
	set_limit(RLIMIT_NOFILE, 64, 64);
	set_limit(RLIMIT_CPU, limits->max_cpu_seconds, limits->max_cpu_seconds + 1);
}

/* ---- system calls ---------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
static const unsigned refused_calls[] = {
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_clone,
	SYS_clone3,
	SYS_kill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_tkill,
	SYS_pidfd_open,
	SYS_pidfd_send_signal,
	SYS_pidfd_getfd,
	SYS_openat2,
	SYS_open_by_handle_at,
	SYS_unlinkat,
	SYS_renameat,
	SYS_renameat2,
	SYS_linkat,
	SYS_symlinkat,
	SYS_mkdirat,
	SYS_mknodat,
	SYS_fchmod,
	SYS_fchmodat,
	SYS_fchown,
	SYS_fchownat,
	SYS_utimensat,
	SYS_truncate,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_setxattr,
	SYS_mount,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_setns,
	SYS_unshare,
	SYS_io_uring_setup,
	SYS_prlimit64,
	SYS_shmget,
	SYS_msgget,
#ifdef __x86_64__
	SYS_fork,
	SYS_vfork,
	SYS_open,
	SYS_creat,
	SYS_unlink,
	SYS_rename,
	SYS_link,
	SYS_symlink,
	SYS_mkdir,
	SYS_rmdir,
	SYS_mknod,
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_utime,
	SYS_utimes,
#endif
};
enum { REFUSED_CALLS = sizeof(refused_calls) / sizeof(*refused_calls) };

struct filter {
	struct sock_filter code[2 * REFUSED_CALLS + 24];
	unsigned short length;
};

static void filter_add(struct filter *filter, unsigned code, unsigned k, unsigned yes, unsigned no)
{
	filter->code[filter->length++] = (struct sock_filter){
		(unsigned short)code, (unsigned char)yes, (unsigned char)no, k};
}

static void filter_load(struct filter *filter, size_t offset)
{
	filter_add(filter, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void filter_refuse(struct filter *filter)
{
	filter_add(filter, BPF_RET | BPF_K, (unsigned)SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

static void filter_allow(struct filter *filter)
{
	filter_add(filter, BPF_RET | BPF_K, (unsigned)SECCOMP_RET_ALLOW, 0, 0);
}

#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t))

/* Little endian: the low word of an argument comes first. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the filter loads low words");

/* openat() to read is what the child is for; abort() signals its own process. */
static void filter_checked_calls(struct filter *filter)
{
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4);
	filter_load(filter, ARGUMENT(2));
	filter_add(filter, BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
	filter_refuse(filter);
	filter_allow(filter);
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4);
	filter_load(filter, ARGUMENT(0));
	filter_add(filter, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 1, 0);
	filter_refuse(filter);
	filter_allow(filter);
}

/* On top of the limits: where the kernel has no filters, the limits remain. */
static void refuse_system_calls(void)
{
	struct filter filter = {.length = 0};
	filter_load(&filter, offsetof(struct seccomp_data, arch));
	filter_add(&filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	filter_refuse(&filter);
	filter_load(&filter, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	filter_add(&filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32's numbers */
	filter_refuse(&filter);
#endif
	filter_checked_calls(&filter);
	for (unsigned i = 0; i < REFUSED_CALLS; i++) {
		filter_add(&filter, BPF_JMP | BPF_JEQ | BPF_K, refused_calls[i], 0, 1);
		filter_refuse(&filter);
	}
	filter_allow(&filter);
	struct sock_fprog program = {.len = filter.length, .filter = filter.code};
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void refuse_system_calls(void)
{
}
#endif

/* ---- what was inherited ---------------------------------------------------------------------- */

static void default_signals(void)
{
	sigset_t none;
	sigemptyset(&none);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_files(int fd)
{
	if (fd != SYMBOL_LINE_FD && dup2(fd, SYMBOL_LINE_FD) < 0)
		_exit(1);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		_exit(1);
	if (syscall(SYS_close_range, SYMBOL_LINE_FD + 1, ~0U, 0) != 0)
		for (int other = SYMBOL_LINE_FD + 1; other < 65536; other++)
			close(other);
}

void symbolizer_confine(int fd, const struct symbolizer_limits *limits)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	default_signals();
	close_files(fd);
	clearenv(); /* no secrets, and no DEBUGINFOD_URLS: nobody outside is asked */
	limit_resources(limits);
	prctl(PR_SET_DUMPABLE, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		refuse_system_calls();
}
