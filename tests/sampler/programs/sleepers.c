/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that sleep. usage: sleepers MODE [NUMBER], see the table at the end.
 * Built with and without optimisation and frame pointers: stacks must be whole in each.
 */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/single_threaded.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define AFTER_CALL() __asm__ volatile("" ::: "memory") /* no tail call */

static void die(const char *what)
{
	fprintf(stderr, "sleepers: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static struct timespec of_ms(int ms)
{
	return (struct timespec){ms / 1000, ms % 1000 * 1000000L};
}

static struct timespec deadline(int ms)
{
	uint64_t then = clock_ns(CLOCK_REALTIME) + (uint64_t)ms * 1000000;

	return (struct timespec){(time_t)(then / 1000000000), (long)(then % 1000000000)};
}

static NOINLINE void sleep_ms(int ms)
{
	struct timespec left = of_ms(ms);

	if (nanosleep(&left, NULL) != 0)
		die("a sleep was cut short");
	AFTER_CALL();
}

static void burn_ms(int ms)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

/* ---- many ways to sleep ---------------------------------------------------------------------- */

static int ends[2], sockets[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static NOINLINE void in_nanosleep(int ms)
{
	sleep_ms(ms);
	AFTER_CALL();
}

static NOINLINE void in_poll(int ms)
{
	struct pollfd none = {.fd = -1};

	poll(&none, 1, ms);
	AFTER_CALL();
}

static NOINLINE void in_select(int ms)
{
	struct timeval time = {ms / 1000, ms % 1000 * 1000};

	select(0, NULL, NULL, NULL, &time);
	AFTER_CALL();
}

static NOINLINE void in_epoll(int ms)
{
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC);

	epoll_wait(fd, &event, 1, ms);
	close(fd);
}

static NOINLINE void in_read(int ms)
{
	char byte;

	(void)ms;
	if (read(ends[0], &byte, 1) != 1)
		die("read");
	AFTER_CALL();
}

static NOINLINE void in_recv(int ms)
{
	char byte;

	(void)ms;
	if (recv(sockets[0], &byte, 1, 0) != 1)
		die("recv");
	AFTER_CALL();
}

static NOINLINE void in_condition(int ms)
{
	struct timespec until = deadline(ms);

	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&condition, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

static NOINLINE void in_semaphore(int ms)
{
	struct timespec until = deadline(ms);

	sem_timedwait(&semaphore, &until);
	AFTER_CALL();
}

static NOINLINE void in_sigtimedwait(int ms)
{
	struct timespec time = of_ms(ms);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigtimedwait(&set, NULL, &time);
	AFTER_CALL();
}

static NOINLINE void in_futex(int ms)
{
	static int word;
	struct timespec time = of_ms(ms);

	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
	AFTER_CALL();
}

static NOINLINE void in_alloca(int ms)
{
	volatile char *room = alloca((size_t)(ms % 7 + 1) * 1000);

	room[ms % 7 * 1000] = 1;
	sleep_ms(ms);
	AFTER_CALL();
}

static NOINLINE void in_depth(int ms)
{
	static __thread int depth;

	if (depth++ < 40)
		in_depth(ms);
	else
		sleep_ms(ms);
	AFTER_CALL();
}

static void (*const sleepers[])(int) = {in_nanosleep, in_poll, in_select, in_epoll, in_read,
	in_recv, in_condition, in_semaphore, in_sigtimedwait, in_futex, in_alloca, in_depth};
#define SLEEPERS (sizeof(sleepers) / sizeof(sleepers[0]))

static int kinds_ms;

static void *fall_asleep(void *which)
{
	sleepers[(size_t)which](kinds_ms);
	return which;
}

static void kinds(int ms)
{
	pthread_t threads[SLEEPERS];

	kinds_ms = ms;
	for (size_t i = 0; i < SLEEPERS; i++)
		if (pthread_create(&threads[i], NULL, fall_asleep, (void *)i) != 0)
			die("pthread_create");
	sleep_ms(ms);
	if (write(ends[1], "", 1) != 1 || send(sockets[1], "", 1, 0) != 1)
		die("write");
	for (size_t i = 0; i < SLEEPERS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- weights --------------------------------------------------------------------------------- */

static NOINLINE void long_sleep(int ms)
{
	sleep_ms(ms * 7);
	AFTER_CALL();
}

static NOINLINE void short_sleep(int ms)
{
	sleep_ms(ms * 3);
	AFTER_CALL();
}

static void split(int ms)
{
	long_sleep(ms);
	short_sleep(ms);
}

/* Seven parts asleep, three of CPU time. Says what was asked for, and the most that it can be. */
static void duty(int rounds)
{
	uint64_t slept = 0;

	for (int i = 0; i < rounds; i++) {
		uint64_t begun = clock_ns(CLOCK_MONOTONIC);

		sleep_ms(7);
		slept += clock_ns(CLOCK_MONOTONIC) - begun;
		burn_ms(3);
	}
	printf("low %" PRIu64 "\nhigh %" PRIu64 "\n", (uint64_t)rounds * 7000000, slept);
}

static void busy(int ms)
{
	burn_ms(ms);
}

/* Says how much CPU time, in ms, the program has used. */
static void idle(int ms)
{
	for (int i = 0; i < 10; i++)
		sleep_ms(ms / 10);
	printf("cpu %" PRIu64 "\n", clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1000000);
}

static void *nap(void *ms)
{
	sleep_ms((int)(intptr_t)ms);
	return NULL;
}

/* One after the other, each too short for a look of its own. */
static void short_threads(int count)
{
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nap, (void *)(intptr_t)4) != 0)
			die("pthread_create");
		pthread_join(thread, NULL);
	}
}

/* ---- nothing is different -------------------------------------------------------------------- */

static void descriptors(int ms)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + 2 * (uint64_t)ms * 1000000;
	int lowest = open("/dev/null", O_RDONLY), others = 0;

	sleep_ms(ms);
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		int fd;

		close(lowest);
		fd = open("/dev/null", O_RDONLY);
		others += fd != lowest;
		if (fd != lowest)
			close(fd);
	}
	others += open("/dev/null", O_RDONLY) != lowest + 1;
	printf("%d others\n", others);
}

/* A second holder of the pipe's end would keep this from ever ending. */
static void end_of_file(int ms)
{
	int pair[2];
	char byte;

	if (pipe(pair) != 0)
		die("pipe");
	sleep_ms(ms);
	close(pair[1]);
	printf("%zd\n", read(pair[0], &byte, 1));
}

static void leave_by_pthread_exit(int ms)
{
	sleep_ms(ms);
	pthread_exit(NULL);
}

static void leave_by_raw_exit(int ms)
{
	sleep_ms(ms);
	syscall(SYS_exit, 3);
}

static void single(int ms)
{
	sleep_ms(ms);
	printf("%d\n", __libc_single_threaded);
}

static void alone(int ms)
{
	int result;

	sleep_ms(ms);
	result = unshare(CLONE_NEWUSER);
	printf("%d %d\n", result, result ? errno : 0);
	sleep_ms(ms);
}

/* A line of /proc/self/status, "NAME:	hexadecimal". */
static unsigned long long mask_of(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtoull(line + strlen(name) + 1, NULL, 16) : ~0ULL;
}

/*
 * This program catches nothing, so a signal that is caught is the sampler's: the kernel may raise
 * one while it answers. What else is pending is the program's.
 */
static void print_masks(void)
{
	char status[8192] = "";
	FILE *file = fopen("/proc/self/status", "r");

	if (!file || fread(status, 1, sizeof(status) - 1, file) == 0)
		die("/proc/self/status");
	fclose(file);
	printf("pending %llx %llx blocked %llx ignored %llx\n",
		mask_of(status, "SigPnd") & ~mask_of(status, "SigCgt"),
		mask_of(status, "ShdPnd") & ~mask_of(status, "SigCgt"), mask_of(status, "SigBlk"),
		mask_of(status, "SigIgn"));
}

/* Nobody else takes a signal that this thread has blocked. */
static void masks(int ms)
{
	const struct timespec long_time = {10, 0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sleep_ms(ms);
	kill(getpid(), SIGUSR1);
	print_masks();
	printf("%d\n", sigtimedwait(&set, NULL, &long_time) == SIGUSR1);
	for (int i = 0; i < 500; i++) /* long enough for an expiry to be pending in some */
		print_masks();
}

static void children(int ms)
{
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			sleep_ms(ms);
			exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static const struct {
	const char *name;
	void (*run)(int);
} modes[] = {
	{"kinds", kinds},
	{"split", split},
	{"duty", duty},
	{"busy", busy},
	{"idle", idle},
	{"short_threads", short_threads},
	{"descriptors", descriptors},
	{"end_of_file", end_of_file},
	{"pthread_exit", leave_by_pthread_exit},
	{"raw_exit", leave_by_raw_exit},
	{"single", single},
	{"alone", alone},
	{"masks", masks},
	{"children", children},
};

int main(int argc, char **argv)
{
	if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0 ||
		sem_init(&semaphore, 0, 0) != 0)
		die("set-up");
	for (size_t i = 0; argc == 3 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run(atoi(argv[2]));
			return 0;
		}
	die("no such mode");
}
