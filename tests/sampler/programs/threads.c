/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of every kind to be sampled (test_threads.sh): very many, without descriptors, made
 * behind the C library's back, and what becomes of the others when some of them end in unusual
 * ways. Each burns a fixed amount of CPU time. Exit 0 and "fine" when the program saw nothing
 * unusual.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define MAX_THREADS 4096
#define RAW_STACK ((size_t)64 << 10)

static volatile unsigned long sink;

static double thread_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

NOINLINE void burn(double ms)
{
	for (double end = thread_ms() + ms; thread_ms() < end;)
		for (int i = 0; i < 5000; i++)
			sink = sink * 31 + (unsigned long)i;
}

static int fail(const char *what)
{
	printf("FAILED: %s (errno %d)\n", what, errno);
	return 1;
}

static int fine(void)
{
	puts("fine");
	return 0;
}

/* A system call that no library sees. */
static long bare(long number, long a, long b, long c)
{
	long result;

#if defined(__x86_64__)
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
#else
	result = syscall(number, a, b, c);
#endif
	return result;
}

static void *burn_thread(void *ms)
{
	burn(*(double *)ms);
	return NULL;
}

static int run_threads(long count, void *(*routine)(void *), double each)
{
	static pthread_t threads[MAX_THREADS];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)128 << 10);
	for (long i = 0; i < count && i < MAX_THREADS; i++)
		if (pthread_create(&threads[i], &attributes, routine, &each) != 0)
			return fail("pthread_create");
	for (long i = 0; i < count && i < MAX_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* COUNT MS: all there at the same time */
static pthread_barrier_t all_there;

static void *wait_and_burn(void *ms)
{
	pthread_barrier_wait(&all_there);
	burn(*(double *)ms);
	return NULL;
}

static int mode_many(long count, long ms)
{
	if (count > MAX_THREADS || pthread_barrier_init(&all_there, NULL, (unsigned)count) != 0)
		return fail("barrier");
	return run_threads(count, wait_and_burn, (double)ms) ? 1 : fine();
}

/* COUNT MS: no descriptor left for perf */
static int mode_no_descriptors(long count, long ms)
{
	struct rlimit limit = {200, 200};

	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return fail("setrlimit");
	return run_threads(count, burn_thread, (double)ms) ? 1 : fine();
}

/* MS MS: all descriptors are closed in between, by system calls that nobody sees */
static int mode_closed(long before, long after)
{
	burn((double)before);
	for (int fd = 3; fd < 1024; fd++)
		bare(SYS_close, fd, 0, 0);
	burn((double)after);
	return fine();
}

/* COUNT MS: threads that end without the C library's knowing, so that no destructor runs */
static void *vanish(void *ms)
{
	burn(*(double *)ms);
	bare(SYS_exit, 0, 0, 0);
	return NULL;
}

/* The numbers and slots of those that are gone are free for others. */
static int mode_vanish(long count, long ms)
{
	double each = (double)ms;

	for (long i = 0; i < count; i++) {
		pthread_attr_t attributes;
		pthread_t thread;

		pthread_attr_init(&attributes);
		pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
		if (pthread_create(&thread, &attributes, vanish, &each) != 0)
			return fail("pthread_create");
		burn((double)ms * 2);
	}
	return fine();
}

/* COUNT MS: the first thread ends, the others go on */
static void *end_process(void *ms)
{
	burn(*(double *)ms);
	exit(fine());
}

static int mode_headless(long count, long ms)
{
	static double each, longest;
	pthread_t thread;

	each = (double)ms;
	longest = (double)ms * 3;
	for (long i = 0; i < count; i++)
		if (pthread_create(&thread, NULL, burn_thread, &each) != 0)
			return fail("pthread_create");
	if (pthread_create(&thread, NULL, end_process, &longest) != 0)
		return fail("pthread_create");
	pthread_exit(NULL);
}

/* COUNT MS: clone() of the C library, threads without their own thread-local storage */
static int raw_thread(void *ms)
{
	burn(*(double *)ms);
	return 0;
}

static int mode_clone(long count, long ms)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID;
	double each = (double)ms;

	for (long i = 0; i < count; i++) {
		char *stack = mmap(NULL, RAW_STACK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pid_t running = 1;

		if (stack == MAP_FAILED || clone(raw_thread, stack + RAW_STACK, flags, &each, NULL,
						   NULL, &running) < 0)
			return fail("clone");
		errno = 4711;
		for (pid_t now; (now = __atomic_load_n(&running, __ATOMIC_ACQUIRE)) != 0;)
			bare(SYS_sched_yield, 0, 0, 0);
		if (errno != 4711)
			return fail("errno changed");
		munmap(stack, RAW_STACK);
	}
	return fine();
}

/* MS NAPS: bursts of computing between long sleeps */
static int mode_naps(long ms, long naps)
{
	const struct timespec nap = {0, 5000000};
	long ended = 0;

	for (long i = 0; i < naps; i++) {
		burn((double)ms);
		ended += bare(SYS_nanosleep, (long)&nap, 0, 0) == -EINTR;
	}
	printf("ended %ld\n", ended);
	return fine();
}

/* MS ROUNDS: stopped and let go by a child of its own, again and again */
static int mode_stopped(long ms, long rounds)
{
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		for (long i = 0; i < rounds; i++) {
			usleep(20000);
			kill(parent, SIGSTOP);
			usleep(20000);
			kill(parent, SIGCONT);
		}
		_exit(0);
	}
	burn((double)ms);
	return child < 0 || waitpid(child, NULL, 0) != child ? fail("fork") : fine();
}

static const struct {
	const char *name;
	int (*run)(long, long);
} modes[] = {{"many", mode_many}, {"nodescriptors", mode_no_descriptors}, {"closed", mode_closed},
	{"vanish", mode_vanish}, {"headless", mode_headless}, {"clone", mode_clone},
	{"naps", mode_naps}, {"stopped", mode_stopped}};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 4 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run(strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10));
	fprintf(stderr, "usage: threads MODE NUMBER NUMBER\n");
	return 2;
}
