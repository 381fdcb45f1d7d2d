/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breaks NAME: programs under a replayed clock that break off. They jump out of signal handlers,
 * become another program, or end a thread at any place. Each prints how much it did, as traps.c.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "timed.h"

#define THREADS 4

/* ---- jumps out of handlers ----------------------------------------------------------------- */

#define JUMPS 200

static sigjmp_buf place;

static void every_us(unsigned us)
{
	setitimer(ITIMER_REAL, &(struct itimerval){{0, us}, {0, us}}, NULL);
}

static void jump(int number)
{
	siglongjmp(place, number);
}

/* Nearly all of them hit a call that reads the clock. */
static void jumps(void)
{
	volatile unsigned left = JUMPS;

	signal(SIGALRM, jump);
	if (sigsetjmp(place, 1))
		left--;
	else
		every_us(1000);
	while (left)
		now(CLOCK_MONOTONIC);
	every_us(0);
	timed(CLOCK_MONOTONIC, 30 * MS);
	printf("jumps\n");
}

static void *read_clock(void *rounds)
{
	*(unsigned *)rounds = timed(CLOCK_MONOTONIC, 5 * MS);
	return NULL;
}

/* Of a process whose first call is left; then another thread needs what that call was about. */
static void jump_first(unsigned us)
{
	volatile bool has_jumped = false;
	pthread_t thread;
	unsigned rounds;

	signal(SIGALRM, jump);
	if (sigsetjmp(place, 1))
		has_jumped = true;
	else
		setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, us}}, NULL);
	while (!has_jumped)
		now(CLOCK_MONOTONIC);
	pthread_create(&thread, NULL, read_clock, &rounds);
	pthread_join(thread, NULL);
	_exit(0);
}

static void first_jumps(void)
{
	unsigned ended = 0;
	int status;

	for (unsigned us = 4; us <= JUMPS; us += 4) {
		if (fork() == 0)
			jump_first(us);
		wait(&status);
		ended += WIFEXITED(status);
	}
	printf("%u of %u\n", ended, JUMPS / 4);
}

/* One that waits for the clock which it interrupted. */
static void wait_in_handler(int number)
{
	(void)number;
	for (int64_t end = now(CLOCK_MONOTONIC) + MS / 10; now(CLOCK_MONOTONIC) < end;)
		continue;
}

static void waiting_handler(void)
{
	signal(SIGALRM, wait_in_handler);
	every_us(2000);
	for (int64_t end = now(CLOCK_MONOTONIC) + 200 * MS; now(CLOCK_MONOTONIC) < end;)
		continue;
	every_us(0);
	printf("waited\n");
}

/* ---- other programs ------------------------------------------------------------------------ */

static void after_exec(void)
{
	printf("%u\n", timed(CLOCK_MONOTONIC, 30 * MS));
}

static void become(const char *name)
{
	execl("/proc/self/exe", "breaks", name, (char *)NULL);
	_exit(127);
}

static void execs(void)
{
	printf("%u ", timed(CLOCK_MONOTONIC, 30 * MS));
	fflush(stdout);
	become("after_exec");
}

/* The child reads its parent's clock first: they are one process so far. */
static void vforks(void)
{
	unsigned before = timed(CLOCK_MONOTONIC, 30 * MS);
	pid_t child;

	printf("%u ", before);
	fflush(stdout);
	child = vfork();
	if (child == 0) {
		now(CLOCK_MONOTONIC);
		become("after_exec");
	}
	waitpid(child, NULL, 0);
	printf("%u\n", timed(CLOCK_MONOTONIC, 30 * MS));
}

/* One after the other: which of two that are started at once is the first is chance. */
static void spawns(void)
{
	char *arguments[] = {"breaks", "after_exec", NULL};

	for (int i = 0; i < THREADS; i++) {
		pid_t child = -1;

		now(CLOCK_MONOTONIC);
		if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0)
			waitpid(child, NULL, 0);
	}
	after_exec();
}

static void *fork_child(void *rounds)
{
	int pipe_ends[2], index = *(int *)rounds;
	unsigned done = 0;

	if (pipe(pipe_ends))
		return NULL;
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();

		if (child == 0) {
			done = timed(CLOCK_MONOTONIC, (10 + 5 * index + i) * MS);
			_exit(write(pipe_ends[1], &done, sizeof(done)) != sizeof(done));
		}
		if (read(pipe_ends[0], &done, sizeof(done)) != sizeof(done))
			done = 0;
		waitpid(child, NULL, 0);
	}
	*(unsigned *)rounds = done;
	return NULL;
}

/* At the same time: which thread forks first is chance. */
static void forks_in_threads(void)
{
	pthread_t threads[THREADS];
	unsigned rounds[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		rounds[i] = i;
		pthread_create(&threads[i], NULL, fork_child, &rounds[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		printf("%u ", rounds[i]);
	}
	printf("\n");
}

/* ---- ends of threads ----------------------------------------------------------------------- */

static void read_at_the_end(void *rounds)
{
	*(unsigned *)rounds += timed(CLOCK_MONOTONIC, MS);
}

static pthread_key_t at_the_end;
static sem_t is_read;

static void *end_soon(void *rounds)
{
	unsigned ns = *(unsigned *)rounds;

	pthread_setspecific(at_the_end, rounds);
	*(unsigned *)rounds = timed(CLOCK_MONOTONIC, ns);
	return NULL;
}

/* Some end while others are made and read; each reads once more while it ends. */
static void ends(void)
{
	pthread_t threads[4 * THREADS];
	unsigned rounds[4 * THREADS];

	pthread_key_create(&at_the_end, read_at_the_end);
	for (unsigned i = 0; i < 4 * THREADS; i++) {
		rounds[i] = (1 + 7 * i % 5) * (unsigned)MS;
		pthread_create(&threads[i], NULL, end_soon, &rounds[i]);
	}
	for (int i = 0; i < 4 * THREADS; i++) {
		pthread_join(threads[i], NULL);
		printf("%u ", rounds[i]);
	}
	printf("\n");
}

static void read_by_timer(union sigval rounds)
{
	*(unsigned *)rounds.sival_ptr = timed(CLOCK_MONOTONIC, 5 * MS);
	sem_post(&is_read);
}

/* Beside others, one that the C library makes: nobody sees by whom. */
static void strangers(void)
{
	unsigned rounds[3] = {0, 0, 0};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD,
		.sigev_notify_function = read_by_timer,
		.sigev_value.sival_ptr = &rounds[2]};
	pthread_t threads[2];
	timer_t timer;

	sem_init(&is_read, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, read_clock, &rounds[i]);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &(struct itimerspec){.it_value = {0, MS}}, NULL);
	sem_wait(&is_read);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%u %u %u %u\n", rounds[0], rounds[1], rounds[2], timed(CLOCK_MONOTONIC, 5 * MS));
}

static void *sleep_long(void *kind)
{
	struct timespec until = {now(CLOCK_MONOTONIC) / 1000000000 + 1000, 0};

	if (*(int *)kind % 2)
		nanosleep(&(struct timespec){1000, 0}, NULL);
	else
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	return NULL;
}

static void cancelled_sleeps(void)
{
	unsigned cancelled = 0;

	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, sleep_long, &i);
		usleep(5000);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	printf("%u %u\n", cancelled, timed(CLOCK_MONOTONIC, 30 * MS));
}

static void *read_for_ever(void *begun)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (;;) {
		now(CLOCK_MONOTONIC);
		atomic_store((atomic_int *)begun, 1);
	}
	return NULL;
}

/* At any place of a call; then others go on. */
static void cancelled_readers(void)
{
	unsigned cancelled = 0;

	for (int i = 0; i < 10 * THREADS; i++) {
		atomic_int begun = 0;
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, read_for_ever, &begun);
		while (!atomic_load(&begun))
			usleep(100);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
	}
	timed(CLOCK_MONOTONIC, 30 * MS);
	printf("%u\n", cancelled);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {{"jumps", jumps}, {"first_jumps", first_jumps},
		{"waiting_handler", waiting_handler}, {"execs", execs}, {"after_exec", after_exec},
		{"vforks", vforks}, {"spawns", spawns}, {"forks_in_threads", forks_in_threads},
		{"ends", ends}, {"strangers", strangers}, {"cancelled_sleeps", cancelled_sleeps},
		{"cancelled_readers", cancelled_readers}};

	for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(argv[1], all[i].name) == 0) {
			all[i].run();
			return 0;
		}
	fprintf(stderr, "breaks NAME\n");
	return 2;
}
