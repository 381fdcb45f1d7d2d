/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose profile is known: each measures by its own CPU clock what part of its work is done
 * in which function, and prints "truth FUNCTION PERMILLE" lines for shares.c to hold the profile
 * against. Sizes are CPU time, so the machine's speed and load do not matter.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MS 1000000LL
#define FAULT_BYTES ((size_t)1 << 20)

static volatile unsigned long sink;

static long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* About 5 us. */
static inline __attribute__((always_inline)) void spin(void)
{
	unsigned long x = sink;

	for (int i = 0; i < 5000; i++)
		x = x * 31 + (unsigned long)i;
	sink = x;
}

/* ---- functions that a profile must tell apart: each works until its thread's CPU clock says so */

#define WORKER(name)                                                                               \
	NOINLINE void name(long long until)                                                        \
	{                                                                                          \
		while (cpu_ns() < until)                                                           \
			spin();                                                                    \
		__asm__ volatile("# " #name);                                                      \
	}
WORKER(work_a)
WORKER(work_b)
WORKER(work_c)

NOINLINE void work_reading(long long until)
{
	static __thread char buffer[65536];
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (cpu_ns() < until)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			abort();
	close(fd);
}

NOINLINE void work_faulting(long long until)
{
	char *memory =
		mmap(NULL, FAULT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	madvise(memory, FAULT_BYTES, MADV_NOHUGEPAGE);
	while (cpu_ns() < until) {
		for (size_t i = 0; i < FAULT_BYTES / 8; i += 4096)
			memory[i] = 1;
		madvise(memory, FAULT_BYTES, MADV_DONTNEED);
	}
	munmap(memory, FAULT_BYTES);
}

typedef void work(long long until);
static const struct {
	const char *name;
	work *run;
} workers[] = {{"work_a", work_a}, {"work_b", work_b}, {"work_c", work_c},
	{"work_reading", work_reading}, {"work_faulting", work_faulting}};
enum { A, B, C, READING, FAULTING, WORKERS };

/* By worker, over all threads and processes. */
static long long *spent;

static void run_until(int worker, long long until)
{
	long long before = cpu_ns();

	workers[worker].run(until);
	__atomic_fetch_add(&spent[worker], cpu_ns() - before, __ATOMIC_RELAXED);
}

static void run_for(int worker, double ms)
{
	run_until(worker, cpu_ns() + (long long)(ms * (double)MS));
}

static int tell(void)
{
	long long all = 0;

	for (int i = 0; i < WORKERS; i++)
		all += spent[i];
	for (int i = 0; i < WORKERS; i++)
		if (spent[i])
			printf("truth %s %.1f\n", workers[i].name,
				(double)spent[i] * 1000 / (double)all);
	printf("cpu_ms %lld\n", all / MS);
	return 0;
}

static int fail(const char *what)
{
	printf("FAILED: %s (errno %d)\n", what, errno);
	return 1;
}

struct size {
	long cpu_ms, a, b, c; /* the command line's numbers */
};

/* ---- one function for a fixed part of each period ------------------------------------------- */

struct duty {
	int busy;
	const struct size *size;
};

/* On a grid in CPU time: what one part runs over, the next one lacks. */
static void *duty_thread(void *data)
{
	const struct duty *duty = data;
	long long start = cpu_ns(), end = start + duty->size->cpu_ms * MS;
	long long period = duty->size->a * 1000, part = period * duty->size->b / 1000;

	for (long long from = start; from < end; from += period) {
		run_until(duty->busy, from + part);
		run_until(B, from + period);
	}
	return NULL;
}

static int duty_of(int busy, const struct size *size)
{
	struct duty duty = {busy, size};
	pthread_t threads[64];
	long count = size->c > 64 ? 64 : size->c;

	if (count < 2) {
		duty_thread(&duty);
		return tell();
	}
	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, duty_thread, &duty) != 0)
			return fail("pthread_create");
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return tell();
}

/* PERIOD_US PERMILLE [THREADS], of CPU_MS each */
static int mode_duty(const struct size *size)
{
	return duty_of(A, size);
}

static int mode_reading(const struct size *size)
{
	return duty_of(READING, size);
}

static int mode_faulting(const struct size *size)
{
	return duty_of(FAULTING, size);
}

/* ---- 50 / 30 / 20 ---------------------------------------------------------------------------- */

static int mode_split(const struct size *size)
{
	for (long long end = cpu_ns() + size->cpu_ms * MS; cpu_ns() < end;) {
		run_for(A, 0.4);
		run_for(B, 0.24);
		run_for(C, 0.16);
	}
	return tell();
}

/* ---- two functions that call each other ------------------------------------------------------ */

NOINLINE void descend_even(int depth);
NOINLINE void descend_odd(int depth);

NOINLINE void descend_even(int depth)
{
	run_for(A, 0.35);
	if (depth > 0)
		descend_odd(depth - 1);
	sink++;
}

NOINLINE void descend_odd(int depth)
{
	run_for(B, 0.15);
	if (depth > 0)
		descend_even(depth - 1);
	sink++;
}

static int mode_recursion(const struct size *size)
{
	for (long long end = cpu_ns() + size->cpu_ms * MS; cpu_ns() < end;)
		descend_even(100);
	return tell();
}

/* ---- threads that live for 0.3 to 3 ms, beside one that lives on ----------------------------- */

static void *short_thread(void *data)
{
	run_for(A, *(double *)data);
	return NULL;
}

static void *long_thread(void *data)
{
	run_for(B, *(double *)data);
	return NULL;
}

static int mode_short(const struct size *size)
{
	double half = (double)size->cpu_ms / 2, done = 0, next = 0.3;
	pthread_t other, thread;

	if (pthread_create(&other, NULL, long_thread, &half) != 0)
		return fail("pthread_create");
	for (; done < half; done += next) {
		next = next < 2.9 ? next + 0.1 : 0.3;
		if (pthread_create(&thread, NULL, short_thread, &next) != 0)
			return fail("pthread_create");
		pthread_join(thread, NULL);
	}
	pthread_join(other, NULL);
	return tell();
}

/* ---- a storm of processes -------------------------------------------------------------------- */

static int mode_forks(const struct size *size)
{
	for (double done = 0; done < (double)size->cpu_ms; done += 10) {
		pid_t pids[4];

		for (int i = 0; i < 4; i++) {
			pids[i] = fork();
			if (pids[i] == 0) {
				run_for(A, 1 + i % 2);
				_exit(0);
			}
		}
		run_for(B, 4);
		for (int i = 0; i < 4; i++)
			if (pids[i] < 0 || waitpid(pids[i], NULL, 0) != pids[i])
				return fail("fork");
	}
	return tell();
}

/* ---- bursts between sleeps ------------------------------------------------------------------- */

static int mode_bursts(const struct size *size)
{
	const struct timespec nap = {0, 300000};
	long ended = 0;

	for (long long end = cpu_ns() + size->cpu_ms * MS; cpu_ns() < end;) {
		run_for(A, 0.42);
		run_for(B, 0.28);
		ended += nanosleep(&nap, NULL) != 0;
	}
	printf("ended_sleeps %ld\n", ended);
	return tell();
}

/* ---- threads that the C library knows nothing of --------------------------------------------- */

#if defined(__x86_64__)
#define RAW_STACK 65536

/* Shares its maker's thread-local storage. The system call is no library's,
 * nobody can interpose. */
static long raw_thread(char *stack_top, void (*function)(void *), void *argument, int *ended)
{
	long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		     CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
	register long r10 __asm__("r10") = (long)ended;
	register long r8 __asm__("r8") = 0;
	void **stack = (void **)stack_top;
	long result;

	*--stack = argument;
	*--stack = (void *)function;
	__asm__ volatile("syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "popq %%rax\n\t"
			 "popq %%rdi\n\t"
			 "call *%%rax\n\t"
			 "xorl %%edi, %%edi\n\t"
			 "movl $60, %%eax\n\t"
			 "syscall\n\t"
			 "1:"
			 : "=a"(result)
			 : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0L), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}

static void raw_work(void *data)
{
	run_for(A, *(double *)data);
}

/* As many threads one after the other as CPU_MS has 50 ms; the first thread works as much. */
static int mode_raw(const struct size *size)
{
	char *stack =
		mmap(NULL, RAW_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double each = 50;

	if (stack == MAP_FAILED)
		return fail("mmap");
	for (long done = 0; done < size->cpu_ms; done += 100) {
		int running = 1;

		if (raw_thread(stack + RAW_STACK, raw_work, &each, &running) < 0)
			return fail("clone");
		errno = 4711;
		run_for(B, each);
		if (errno != 4711)
			return fail("errno changed");
		while (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
			syscall(SYS_futex, &running, FUTEX_WAIT, 1, NULL, NULL, 0);
	}
	return tell();
}
#else
static int mode_raw(const struct size *size)
{
	(void)size;
	puts("unsupported");
	return 77;
}
#endif

static const struct {
	const char *name;
	int (*run)(const struct size *);
} modes[] = {{"duty", mode_duty}, {"reading", mode_reading}, {"faulting", mode_faulting},
	{"split", mode_split}, {"recursion", mode_recursion}, {"short", mode_short},
	{"forks", mode_forks}, {"bursts", mode_bursts}, {"raw", mode_raw}};

static long number(int argc, char **argv, int at, long fallback)
{
	return at < argc ? strtol(argv[at], NULL, 10) : fallback;
}

int main(int argc, char **argv)
{
	struct size size = {number(argc, argv, 2, 1000), number(argc, argv, 3, 4000),
		number(argc, argv, 4, 300), number(argc, argv, 5, 1)};

	spent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spent == MAP_FAILED)
		return fail("mmap");
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run(&size);
	fprintf(stderr, "usage: truths MODE [CPU_MS [PERIOD_US PERMILLE [THREADS]]]\n");
	return 2;
}
