/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small programs to be sampled, one per mode; each burns a fixed amount of CPU time, so that what
 * is expected of its capture does not depend on the machine's speed or load. Exit 0 and one line on
 * stdout when the program saw nothing unusual.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static const char *self;
static volatile unsigned long sink;

static double thread_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

NOINLINE void burn_step(void)
{
	unsigned long x = sink;

	for (int i = 0; i < 20000; i++)
		x = x * 31 + (unsigned long)i;
	sink = x;
}

NOINLINE void burn(double ms)
{
	for (double end = thread_ms() + ms; thread_ms() < end;)
		burn_step();
}

static int fail(const char *what)
{
	printf("FAILED: %s (errno %d)\n", what, errno);
	return 1;
}

static int done(int status)
{
	if (status == 0)
		puts("fine");
	return status;
}

static int mode_busy(long ms, long unused)
{
	(void)unused;
	burn((double)ms);
	return done(0);
}

/* ---- many different stacks ------------------------------------------------------------------- */

NOINLINE void left(unsigned path, unsigned depth);
NOINLINE void right(unsigned path, unsigned depth);

NOINLINE void descend(unsigned path, unsigned depth)
{
	if (!depth)
		burn_step();
	else if (path & 1)
		right(path >> 1, depth - 1);
	else
		left(path >> 1, depth - 1);
	sink++;
}

void left(unsigned path, unsigned depth)
{
	descend(path, depth);
	sink++;
}

void right(unsigned path, unsigned depth)
{
	descend(path, depth);
	sink += 2;
}

static int mode_stacks(long ms, long depth)
{
	unsigned path = 0;

	for (double end = thread_ms() + (double)ms; thread_ms() < end;)
		descend(path++ * 2654435761u, (unsigned)depth);
	return done(0);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *burn_thread(void *ms)
{
	burn(*(double *)ms);
	return NULL;
}

static void *burn_and_exit_thread(void *ms)
{
	burn(*(double *)ms);
	pthread_exit(NULL);
}

static int mode_threads(long count, long ms)
{
	pthread_t threads[64];
	double each = (double)ms;

	for (long i = 0; i < count && i < 64; i++)
		if (pthread_create(&threads[i], NULL, i % 2 ? burn_thread : burn_and_exit_thread,
			    &each) != 0)
			return fail("pthread_create");
	for (long i = 0; i < count && i < 64; i++)
		pthread_join(threads[i], NULL);
	return done(0);
}

static int mode_short_threads(long count, long us)
{
	double each = (double)us / 1e3;

	for (long i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, burn_thread, &each) != 0)
			return fail("pthread_create");
		pthread_join(thread, NULL);
	}
	return done(0);
}

static void *endless_thread(void *unused)
{
	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		burn_step();
	return NULL;
}

static int mode_cancel(long count, long ms)
{
	for (long i = 0; i < count; i++) {
		pthread_t thread;
		void *result;

		if (pthread_create(&thread, NULL, endless_thread, NULL) != 0)
			return fail("pthread_create");
		burn((double)ms);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		if (result != PTHREAD_CANCELED)
			return fail("not cancelled");
	}
	return done(0);
}

/* ---- processes ------------------------------------------------------------------------------- */

static int wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return fail("waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		printf("child status %x\n", (unsigned)status);
		return 1;
	}
	return 0;
}

static int mode_fork(long count, long ms)
{
	for (long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			burn((double)ms);
			_exit(0);
		}
		burn((double)ms);
		if (wait_for(pid) != 0)
			return 1;
	}
	return done(0);
}

/* A child that no wrapper and no atfork handler sees.
 * Its exit must not be taken for its parent's. */
static int mode_raw_fork(long count, long ms)
{
	for (long i = 0; i < count; i++) {
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

		if (pid == 0) {
			burn((double)ms);
			exit(0);
		}
		burn((double)ms);
		if (wait_for(pid) != 0)
			return 1;
	}
	return done(0);
}

static int mode_fork_exec(long count, long ms)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", ms);
	for (long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (freopen("/dev/null", "w", stdout))
				execl(self, self, "busy", text, (char *)NULL);
			_exit(127);
		}
		if (wait_for(pid) != 0)
			return 1;
	}
	burn((double)ms);
	return done(0);
}

/* Fails once before it succeeds, like a search through PATH. */
static int mode_vfork_exec(long count, long ms)
{
	char text[32];
	char *argv[] = {(char *)self, "quiet", text, NULL};

	snprintf(text, sizeof(text), "%ld", ms);
	for (long i = 0; i < count; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execv("/nonexistent/program", argv);
			execv(self, argv);
			_exit(127);
		}
		burn((double)ms);
		if (wait_for(pid) != 0)
			return 1;
	}
	return done(0);
}

static int mode_quiet(long ms, long unused)
{
	(void)unused;
	burn((double)ms);
	return 0;
}

static int mode_spawn(long count, long ms)
{
	char text[32];
	char *argv[] = {(char *)self, "quiet", text, NULL};

	snprintf(text, sizeof(text), "%ld", ms);
	for (long i = 0; i < count; i++) {
		pid_t pid;

		if (posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
			return fail("posix_spawn");
		burn((double)ms);
		if (wait_for(pid) != 0)
			return 1;
	}
	return done(0);
}

/* Replaces itself `count` times, with a failing exec in between. */
static int mode_exec_loop(long count, long ms)
{
	char left_text[32], ms_text[32];

	burn((double)ms);
	if (count <= 0)
		return done(0);
	execlp("no-such-program-anywhere", "x", (char *)NULL);
	if (errno != ENOENT)
		return fail("execlp did not say ENOENT");
	burn((double)ms);
	snprintf(left_text, sizeof(left_text), "%ld", count - 1);
	snprintf(ms_text, sizeof(ms_text), "%ld", ms);
	execle(self, self, "execloop", left_text, ms_text, (char *)NULL, environ);
	return fail("execle");
}

/* Several threads fork at the same time; the children have threads of their own. */
static void *fork_thread(void *data)
{
	const double *each = data;

	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			pthread_t thread;
			double ms = *each;

			burn(ms / 2);
			if (pthread_create(&thread, NULL, burn_thread, &ms) != 0)
				_exit(1);
			pthread_join(thread, NULL);
			_exit(0);
		}
		burn(*each);
		if (wait_for(pid) != 0)
			return data;
	}
	return NULL;
}

static int mode_thread_fork(long count, long ms)
{
	pthread_t threads[16];
	double each = (double)ms;
	void *result;
	int failed = 0;

	for (long i = 0; i < count && i < 16; i++)
		if (pthread_create(&threads[i], NULL, fork_thread, &each) != 0)
			return fail("pthread_create");
	for (long i = 0; i < count && i < 16; i++) {
		pthread_join(threads[i], &result);
		failed |= result != NULL;
	}
	return failed ? fail("a child failed") : done(0);
}

/* A thread that is not the first one execs while others run. */
static void *exec_thread(void *data)
{
	const char *left = data;

	burn(5);
	execl(self, self, "threadexec", left, (char *)NULL);
	return NULL;
}

static int mode_thread_exec(long count, long unused)
{
	static char left_text[32];
	pthread_t thread;

	(void)unused;
	if (count <= 0)
		return done(0);
	snprintf(left_text, sizeof(left_text), "%ld", count - 1);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, endless_thread, NULL) != 0)
			return fail("pthread_create");
	if (pthread_create(&thread, NULL, exec_thread, left_text) != 0)
		return fail("pthread_create");
	pthread_join(thread, NULL);
	return fail("execl");
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

static int mode_timers(long ms, long unused)
{
	struct itimerval every = {{0, 5000}, {0, 5000}};
	struct sigaction action = {.sa_handler = on_alarm};

	(void)unused;
	sigfillset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPROF, &action, NULL);
	if (setitimer(ITIMER_REAL, &every, NULL) != 0 || setitimer(ITIMER_PROF, &every, NULL) != 0)
		return fail("setitimer");
	burn((double)ms);
	return alarms ? done(0) : fail("no alarm came");
}

/* A program that takes every signal there is for itself. */
static int mode_signals(long ms, long unused)
{
	const struct timespec now = {0, 0};
	struct sigaction action = {.sa_handler = on_alarm}, old;
	sigset_t all, before;
	int fd;

	(void)unused;
	sigfillset(&all);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (sigaction(number, &action, NULL) != 0 || sigaction(number, NULL, &old) != 0 ||
			old.sa_handler != on_alarm)
			return fail("sigaction");
	if (sigprocmask(SIG_BLOCK, &all, &before) != 0)
		return fail("sigprocmask");
	for (int number = 1; number < 65; number++)
		if (sigismember(&before, number) == 1)
			return fail("a signal was blocked at the start");
	fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
	for (int i = 0; i < 20; i++) {
		struct signalfd_siginfo info;

		burn((double)ms / 20);
		if (sigtimedwait(&all, NULL, &now) != -1)
			return fail("sigtimedwait saw a signal");
		if (read(fd, &info, sizeof(info)) != -1)
			return fail("signalfd saw a signal");
	}
	if (sigprocmask(SIG_SETMASK, &before, NULL) != 0)
		return fail("sigprocmask");
	burn((double)ms);
	return alarms ? fail("a handler of the program ran") : done(0);
}

/* Blocks everything behind the C library's back, for many periods. */
static int mode_raw_block(long ms, long unused)
{
	unsigned long all = ~0UL, before;

	(void)unused;
	for (int i = 0; i < 3; i++) {
		if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof(all)) != 0)
			return fail("rt_sigprocmask");
		burn((double)ms);
		if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(all)) != 0)
			return fail("rt_sigprocmask");
		burn((double)ms);
	}
	return done(0);
}

static int mode_errno(long ms, long unused)
{
	(void)unused;
	for (double end = thread_ms() + (double)ms; thread_ms() < end;) {
		errno = 12345;
		burn_step();
		if (errno != 12345)
			return fail("errno changed");
	}
	return done(0);
}

/* What daemons do. */
static int mode_close_all(long ms, long unused)
{
	(void)unused;
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	burn((double)ms);
	closefrom(3);
	burn((double)ms);
	if (close_range(3, ~0U, 0) != 0)
		return fail("close_range");
	burn((double)ms);
	return done(0);
}

/* The smallest that the kernel takes, with little more for the handler and a guard page below. */
static int mode_alt_stack(long ms, long unused)
{
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 1024, room = (size + 4095) & ~(size_t)4095;
	char *memory = mmap(NULL, room + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t own = {.ss_sp = memory + 4096, .ss_size = size}, now;

	(void)unused;
	if (memory == MAP_FAILED || mprotect(memory + 4096, room, PROT_READ | PROT_WRITE) != 0)
		return fail("mmap");
	if (sigaltstack(&own, NULL) != 0)
		return fail("sigaltstack");
	burn((double)ms);
	if (sigaltstack(NULL, &now) != 0 || now.ss_sp != own.ss_sp)
		return fail("the alternate stack was replaced");
	return done(0);
}

static uintptr_t interrupted_at;
static volatile int handlers_called, handlers_far;

static void on_stack_handler(int number, siginfo_t *info, void *context)
{
	enum { NEAR = 64 << 10 };

	handlers_called++;
	if (interrupted_at - (uintptr_t)context > NEAR || interrupted_at - (uintptr_t)info > NEAR)
		handlers_far++;
	burn(1);
	if (number == SIGUSR1)
		raise(SIGUSR2);
}

/* In a thread without an alternate stack handlers that ask for one run where they interrupt. */
static int mode_on_stack(long ms, long unused)
{
	struct sigaction action = {
		.sa_sigaction = on_stack_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	int raised = 0;

	(void)unused;
	interrupted_at = (uintptr_t)&action;
	if (sigaction(SIGUSR1, &action, NULL) != 0 || sigaction(SIGUSR2, &action, NULL) != 0)
		return fail("sigaction");
	for (double end = thread_ms() + (double)ms; thread_ms() < end; raised++)
		raise(SIGUSR1);
	if (handlers_called != 2 * raised)
		return fail("a handler was not called");
	return handlers_far ? fail("a handler is on another stack") : done(0);
}

/* Kernel time: page faults. */
static int mode_kernel(long ms, long unused)
{
	size_t bytes = (size_t)8 << 20;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)unused;
	if (memory == MAP_FAILED)
		return fail("mmap");
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (double end = thread_ms() + (double)ms; thread_ms() < end;) {
		for (size_t i = 0; i < bytes; i += 4096)
			memory[i] = 1;
		madvise(memory, bytes, MADV_DONTNEED);
	}
	munmap(memory, bytes);
	return done(0);
}

/* The second plug-in most likely comes to lie where the first one was. */
static int run_plugin(const char *name, long ms)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
	void (*function)(void);
	void *handle;

	if (length < 0)
		return fail("readlink");
	path[length] = '\0';
	snprintf(strrchr(path, '/'), 64, "/%s.so", name);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return fail("dlopen");
	*(void **)&function = dlsym(handle, name);
	for (double end = thread_ms() + (double)ms; function && thread_ms() < end;)
		function();
	return dlclose(handle);
}

static int mode_plugins(long rounds, long ms)
{
	for (long i = 0; i < rounds; i++)
		if (run_plugin("plugin_one", ms) != 0 || run_plugin("plugin_two", ms) != 0)
			return 1;
	return done(0);
}

static int mode_vdso(long ms, long unused)
{
	(void)unused;
	for (double end = thread_ms() + (double)ms; thread_ms() < end;)
		for (int i = 0; i < 10000; i++) {
			struct timespec now;

			clock_gettime(CLOCK_MONOTONIC, &now);
			sink += (unsigned long)now.tv_nsec;
		}
	return done(0);
}

static const struct {
	const char *name;
	int (*run)(long, long);
} modes[] = {
	{"busy", mode_busy},
	{"quiet", mode_quiet},
	{"stacks", mode_stacks},
	{"threads", mode_threads},
	{"short", mode_short_threads},
	{"cancel", mode_cancel},
	{"fork", mode_fork},
	{"rawfork", mode_raw_fork},
	{"forkexec", mode_fork_exec},
	{"vforkexec", mode_vfork_exec},
	{"spawn", mode_spawn},
	{"execloop", mode_exec_loop},
	{"threadfork", mode_thread_fork},
	{"threadexec", mode_thread_exec},
	{"timers", mode_timers},
	{"signals", mode_signals},
	{"rawblock", mode_raw_block},
	{"errno", mode_errno},
	{"closeall", mode_close_all},
	{"altstack", mode_alt_stack},
	{"onstack", mode_on_stack},
	{"kernel", mode_kernel},
	{"plugins", mode_plugins},
	{"vdso", mode_vdso},
};

int main(int argc, char **argv)
{
	self = "/proc/self/exe";
	for (size_t i = 0; argc >= 3 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run(strtol(argv[2], NULL, 10),
				argc > 3 ? strtol(argv[3], NULL, 10) : 0);
	fprintf(stderr, "usage: target MODE NUMBER [NUMBER]\n");
	return 2;
}
