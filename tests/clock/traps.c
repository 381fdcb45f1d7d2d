/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traps NAME: programs that a replayed clock could break. Each prints how much it did, which must be
 * the same in every replay, or ends in a way that must be noticed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "timed.h"

#define THREADS 4

static struct timespec later(clockid_t clock, int64_t ns)
{
	int64_t then = now(clock) + ns;

	return (struct timespec){then / 1000000000, then % 1000000000};
}

/* ---- every way to ask for the time --------------------------------------------------------- */

static unsigned by_gettimeofday(void)
{
	struct timeval start, t;
	unsigned rounds = 0;

	gettimeofday(&start, NULL);
	do {
		work(20000);
		gettimeofday(&t, NULL);
		rounds++;
	} while ((t.tv_sec - start.tv_sec) * 1000000 + t.tv_usec - start.tv_usec < 30000);
	return rounds;
}

static unsigned by_time(void)
{
	time_t start = time(NULL);
	unsigned rounds = 0;

	for (; time(NULL) < start + 1; rounds++)
		work(20000);
	return rounds;
}

static unsigned by_times(void)
{
	struct tms t;
	clock_t start = times(&t);
	unsigned rounds = 0;

	for (; times(&t) < start + 4; rounds++)
		work(20000);
	return rounds;
}

static unsigned by_usage(void)
{
	struct rusage start, usage;
	unsigned rounds = 0;

	getrusage(RUSAGE_SELF, &start);
	do {
		work(20000);
		getrusage(RUSAGE_SELF, &usage);
		rounds++;
	} while ((usage.ru_utime.tv_sec - start.ru_utime.tv_sec) * 1000000 +
			 usage.ru_utime.tv_usec - start.ru_utime.tv_usec <
		 40000);
	return rounds;
}

static unsigned by_syscall(void)
{
	struct timespec t;
	int64_t end = now(CLOCK_MONOTONIC) + 30 * MS;
	unsigned rounds = 0;

	do {
		work(20000);
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
		rounds++;
	} while (t.tv_sec * INT64_C(1000000000) + t.tv_nsec < end);
	return rounds;
}

static unsigned by_clock(void)
{
	clock_t start = clock();
	unsigned rounds = 0;

	for (; clock() < start + CLOCKS_PER_SEC / 30; rounds++)
		work(20000);
	return rounds;
}

static unsigned by_timespec_get(void)
{
	struct timespec start, t;
	unsigned rounds = 0;

	timespec_get(&start, TIME_UTC);
	do {
		work(20000);
		timespec_get(&t, TIME_UTC);
		rounds++;
	} while ((t.tv_sec - start.tv_sec) * 1000000000 + t.tv_nsec - start.tv_nsec < 30 * MS);
	return rounds;
}

static void clocks(void)
{
	static const clockid_t all[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME,
		CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
		CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
	clockid_t of_process;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		printf("%u ", timed(all[i], 30 * MS));
	clock_getcpuclockid(getpid(), &of_process);
	printf("%u ", timed(of_process, 30 * MS));
	printf("%u %u %u %u %u ", by_gettimeofday(), by_syscall(), by_clock(), by_timespec_get(),
		by_times());
	printf("%u %u\n", by_usage(), by_time());
}

/* ---- waits --------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static int wait_on_condition(clockid_t clock)
{
	struct timespec until = later(clock, 100 * MS);
	pthread_condattr_t attributes;
	pthread_cond_t condition;
	int error;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, clock);
	pthread_cond_init(&condition, &attributes);
	pthread_mutex_lock(&mutex);
	do
		error = pthread_cond_timedwait(&condition, &mutex, &until);
	while (!error);
	pthread_mutex_unlock(&mutex);
	return error;
}

static int wait_with_clock(void)
{
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec until = later(CLOCK_MONOTONIC, 100 * MS);
	int error;

	pthread_mutex_lock(&mutex);
	do
		error = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until);
	while (!error);
	pthread_mutex_unlock(&mutex);
	return error;
}

static int wait_c11(void)
{
	struct timespec until = later(CLOCK_REALTIME, 100 * MS);
	cnd_t condition;
	mtx_t lock;
	int result;

	cnd_init(&condition);
	mtx_init(&lock, mtx_timed);
	mtx_lock(&lock);
	do
		result = cnd_timedwait(&condition, &lock, &until);
	while (result == thrd_success);
	mtx_unlock(&lock);
	return result == thrd_timedout ? ETIMEDOUT : result;
}

static int wait_on_timer(void)
{
	struct itimerspec when = {.it_value = later(CLOCK_MONOTONIC, 100 * MS)};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct pollfd poller = {fd, POLLIN, 0};

	timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
	return poll(&poller, 1, 5000) == 1 ? ETIMEDOUT : 0;
}

static int wait_on_timer_by_call(void)
{
	struct itimerspec when = {.it_value = later(CLOCK_MONOTONIC, 100 * MS)};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	struct pollfd poller = {fd, POLLIN, 0};

	syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &when, NULL);
	return poll(&poller, 1, 5000) == 1 ? ETIMEDOUT : 0;
}

static int wait_for_signal(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec when = {.it_value = later(CLOCK_REALTIME, 100 * MS)};
	timer_t timer;
	sigset_t set;
	int number = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	timer_create(CLOCK_REALTIME, &event, &timer);
	timer_settime(timer, TIMER_ABSTIME, &when, NULL);
	sigwait(&set, &number);
	return number == SIGUSR1 ? ETIMEDOUT : 0;
}

static int wait_on_futex(void)
{
	struct timespec until = later(CLOCK_MONOTONIC, 100 * MS);
	uint32_t word = 0;

	return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &until, NULL,
		       FUTEX_BITSET_MATCH_ANY) == -1
		       ? errno
		       : 0;
}

static void *hold(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	sem_post(&semaphore);
	pause();
	return NULL;
}

static int wait_in_queue(void)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	struct timespec until;
	char name[64], message[8];
	mqd_t queue;
	ssize_t got;

	snprintf(name, sizeof(name), "/flamegate-test-%d", (int)getpid());
	queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
	mq_unlink(name);
	until = later(CLOCK_REALTIME, 100 * MS);
	got = mq_timedreceive(queue, message, sizeof(message), NULL, &until);
	return got == -1 ? errno : 0;
}

/* What another thread never gives back. */
static void wait_for_locks(int *errors)
{
	pthread_t thread;
	struct timespec until;

	sem_init(&semaphore, 0, 0);
	pthread_create(&thread, NULL, hold, NULL);
	sem_wait(&semaphore);
	until = later(CLOCK_REALTIME, 100 * MS);
	errors[0] = pthread_mutex_timedlock(&mutex, &until);
	until = later(CLOCK_MONOTONIC, 100 * MS);
	errors[1] = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);
	until = later(CLOCK_REALTIME, 100 * MS);
	errors[2] = pthread_rwlock_timedrdlock(&rwlock, &until);
	until = later(CLOCK_MONOTONIC, 100 * MS);
	errors[3] = pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &until);
	until = later(CLOCK_REALTIME, 100 * MS);
	errors[4] = sem_timedwait(&semaphore, &until) == -1 ? errno : 0;
	until = later(CLOCK_REALTIME, 100 * MS);
	errors[5] = pthread_timedjoin_np(thread, NULL, &until);
}

static void deadlines(void)
{
	static const char *const names[] = {
		"mutex", "mutex-clock", "rwlock", "rwlock-clock", "semaphore", "join"};
	int errors[6];
	struct timespec until;

	printf("condition %d\n", wait_on_condition(CLOCK_REALTIME) == ETIMEDOUT);
	printf("condition-monotonic %d\n", wait_on_condition(CLOCK_MONOTONIC) == ETIMEDOUT);
	printf("condition-clock %d\n", wait_with_clock() == ETIMEDOUT);
	printf("c11 %d\n", wait_c11() == ETIMEDOUT);
	printf("timerfd %d\n", wait_on_timer() == ETIMEDOUT);
	printf("timerfd-call %d\n", wait_on_timer_by_call() == ETIMEDOUT);
	printf("timer %d\n", wait_for_signal() == ETIMEDOUT);
	printf("futex %d\n", wait_on_futex() == ETIMEDOUT);
	printf("queue %d\n", wait_in_queue() == ETIMEDOUT);
	until = later(CLOCK_MONOTONIC, 100 * MS);
	printf("sleep %d\n", clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
	wait_for_locks(errors);
	for (size_t i = 0; i < 6; i++)
		printf("%s %d\n", names[i], errors[i] == ETIMEDOUT);
	fflush(stdout);
	_exit(0);
}

/* A wait with a predicate: one that finds its deadline in the past evaluates it for ever. */
static atomic_int is_ready;

static void *get_ready(void *condition)
{
	usleep(200000);
	pthread_mutex_lock(&mutex);
	is_ready = 1;
	pthread_cond_signal(condition);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void predicate(void)
{
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	unsigned evaluations = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, get_ready, &condition);
	pthread_mutex_lock(&mutex);
	while (!is_ready) {
		struct timespec until = later(CLOCK_REALTIME, 10000 * MS);

		pthread_cond_timedwait(&condition, &mutex, &until);
		evaluations++;
	}
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	printf("%u\n", evaluations);
}

/* Ten seconds of a fast clock go by before a thread that reads none gets a deadline of another's. */
static int passed_on[2];

static void *wait_as_told(void *condition)
{
	struct timespec until;
	int error = 0;

	if (read(passed_on[0], &until, sizeof(until)) != sizeof(until))
		return NULL;
	pthread_mutex_lock(&mutex);
	while (!error)
		error = pthread_cond_timedwait(condition, &mutex, &until);
	pthread_mutex_unlock(&mutex);
	return error == ETIMEDOUT ? condition : NULL;
}

static void passes_deadline(void)
{
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec until;
	pthread_t thread;
	void *result = NULL;

	if (pipe(passed_on))
		return;
	pthread_create(&thread, NULL, wait_as_told, &condition);
	timed(CLOCK_REALTIME, 10000 * MS);
	until = later(CLOCK_REALTIME, 10 * MS);
	if (write(passed_on[1], &until, sizeof(until)) == sizeof(until))
		pthread_join(thread, &result);
	printf("%d\n", result == &condition);
}

/* What says less than was told already: deadlines are of the finer one. */
static void asks_coarsely(void)
{
	int over = 0;

	for (int i = 0; i < 20; i++) {
		struct timespec until;

		while (now(CLOCK_REALTIME) % 1000000000 < 500 * MS)
			continue;
		until = later(CLOCK_REALTIME, 10 * MS);
		time(NULL);
		over += clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0;
	}
	printf("%d\n", over);
}

/* But if they are all that is asked, they are what a deadline is of. */
static void asks_seconds(void)
{
	struct timespec until;
	int over = 0;

	for (int i = 0; i < 2; i++) {
		until = (struct timespec){time(NULL) + 1, 0};
		over += clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0;
	}
	printf("%d\n", over);
}

/* ---- threads and processes ----------------------------------------------------------------- */

static void *read_clock(void *rounds)
{
	*(unsigned *)rounds =
		timed(CLOCK_MONOTONIC, 30 * MS) + timed(CLOCK_THREAD_CPUTIME_ID, 30 * MS);
	return NULL;
}

static void *read_clocks_below(void *rounds)
{
	pthread_t thread;

	pthread_create(&thread, NULL, read_clock, rounds);
	pthread_join(thread, NULL);
	return NULL;
}

/* The one that made them reads beside them. */
static void threads(void)
{
	unsigned rounds[2 * THREADS + 1];
	pthread_t all[2 * THREADS];

	for (int i = 0; i < 2 * THREADS; i++)
		pthread_create(&all[i], NULL, i % 2 ? read_clock : read_clocks_below, &rounds[i]);
	read_clock(&rounds[2 * THREADS]);
	for (int i = 0; i < 2 * THREADS; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i <= 2 * THREADS; i++)
		printf("%u ", rounds[i]);
	printf("\n");
}

/* Side by side: who reads first is chance. */
static void forks(void)
{
	int pipes[THREADS][2];
	unsigned rounds;

	for (int i = 0; i < THREADS; i++) {
		if (pipe(pipes[i]) || fork())
			continue;
		rounds = timed(CLOCK_MONOTONIC, (30 + 10 * i) * MS);
		_exit(write(pipes[i][1], &rounds, sizeof(rounds)) != sizeof(rounds));
	}
	for (int i = 0; i < THREADS; i++) {
		if (read(pipes[i][0], &rounds, sizeof(rounds)) == sizeof(rounds))
			printf("%u ", rounds);
		wait(NULL);
	}
	printf("%u\n", timed(CLOCK_REALTIME, 30 * MS));
}

/* Two threads that wait for each other by reading the clock: how often is chance. */
static void *finish_later(void *flag)
{
	work(3000000 + (unsigned)(getpid() % 7) * 1000000);
	atomic_store((atomic_int *)flag, 1);
	return NULL;
}

static void spins(void)
{
	atomic_int flag = 0;
	pthread_t thread;
	unsigned readings = 0;

	pthread_create(&thread, NULL, finish_later, &flag);
	while (!atomic_load(&flag)) {
		now(CLOCK_MONOTONIC);
		readings++;
	}
	pthread_join(thread, NULL);
	printf("%u\n", readings);
}

static void draws_date(void)
{
	struct timespec t;
	struct tm date;
	char text[64];

	clock_gettime(CLOCK_REALTIME, &t);
	localtime_r(&t.tv_sec, &date);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &date);
	printf("%s %u\n", text, timed(CLOCK_MONOTONIC, 30 * MS));
}

/* Only the zone, and by a pointer, as the header has the compiler forbid it. */
static void asks_zone(void)
{
	int (*volatile ask)(struct timeval *, void *) =
		(int (*)(struct timeval *, void *))gettimeofday;
	struct timezone zone = {1, 1};
	int result = ask(NULL, &zone);

	printf("%d %d %u\n", result, zone.tz_dsttime, timed(CLOCK_MONOTONIC, 30 * MS));
}

/* Clocks that began before the machine: a time since 1970 that goes on at the wrong place overflows. */
static void other_clocks(void)
{
	static const clockid_t wall[] = {CLOCK_TAI, CLOCK_REALTIME_ALARM};

	for (size_t i = 0; i < sizeof(wall) / sizeof(wall[0]); i++) {
		struct timespec t;
		int64_t apart;

		if (clock_gettime(wall[i], &t))
			continue;
		apart = now(wall[i]) / 1000000000 - now(CLOCK_REALTIME) / 1000000000;
		printf("%d %u ", apart > -60 && apart < 60, timed(wall[i], 300 * MS));
	}
	printf("\n");
}

static void sleeps(void)
{
	unsigned rounds = 0;

	for (int64_t end = now(CLOCK_MONOTONIC) + 200 * MS; now(CLOCK_MONOTONIC) < end; rounds++) {
		usleep(20000);
		work(20000);
	}
	printf("%u\n", rounds);
}

static void by_counter(void)
{
	unsigned rounds = 0;
#if defined(__x86_64__)
	uint64_t end = __builtin_ia32_rdtsc() + 600000000;

	for (now(CLOCK_MONOTONIC); __builtin_ia32_rdtsc() < end; rounds++)
		work(20000);
#endif
	printf("counter\n");
	sink = rounds;
}

static void by_alarm(void)
{
	static volatile sig_atomic_t is_over;
	struct sigaction action = {.sa_handler = SIG_IGN};
	sigset_t set;

	now(CLOCK_MONOTONIC);
	sigaction(SIGUSR2, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 300000}}, NULL);
	while (!is_over) {
		work(20000);
		sigpending(&set);
		is_over = sigismember(&set, SIGALRM);
	}
	printf("alarm\n");
}

/* It is asked while it is asked: a handler reads the clock at any place. */
static volatile sig_atomic_t handled;

static void read_in_handler(int number)
{
	(void)number;
	now(CLOCK_REALTIME);
	handled++;
}

static void handler(void)
{
	unsigned rounds;

	signal(SIGPROF, read_in_handler);
	setitimer(ITIMER_PROF, &(struct itimerval){{0, 4000}, {0, 4000}}, NULL);
	rounds = timed(CLOCK_MONOTONIC, 100 * MS);
	setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
	printf("%u\n", rounds);
}

static void io_uring(void)
{
	now(CLOCK_MONOTONIC);
#ifdef SYS_io_uring_setup
	char parameters[120] = {0};

	syscall(SYS_io_uring_setup, 1, parameters);
#endif
	printf("io_uring\n");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"clocks", clocks}, {"deadlines", deadlines}, {"predicate", predicate},
		{"passes_deadline", passes_deadline}, {"asks_coarsely", asks_coarsely},
		{"asks_seconds", asks_seconds}, {"threads", threads}, {"forks", forks},
		{"spins", spins}, {"date", draws_date}, {"zone", asks_zone},
		{"other_clocks", other_clocks}, {"sleeps", sleeps}, {"counter", by_counter},
		{"alarm", by_alarm}, {"handler", handler}, {"io_uring", io_uring}};

	for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(argv[1], all[i].name) == 0) {
			all[i].run();
			return 0;
		}
	fprintf(stderr, "traps NAME\n");
	return 2;
}
