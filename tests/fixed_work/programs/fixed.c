/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed work in many shapes: fixed SHAPE ROUNDS, where as many rounds are done in all. What such a
 * program costs goes with what a slowdown burns, however its threads and processes wait.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "flamegate.h"
#include "work.h"

#define THREADS 4

static unsigned long rounds;

static void plain(void)
{
	turn(rounds, 1);
}

/* ---- threads ------------------------------------------------------------------------------- */

static void run_threads(void *(*body)(void *))
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, body, NULL))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void *part(void *unused)
{
	(void)unused;
	turn(rounds / THREADS, 1);
	return NULL;
}

static void threads(void)
{
	run_threads(part);
}

static atomic_flag lock = ATOMIC_FLAG_INIT;

static void *locked_part(void *unused)
{
	(void)unused;
	for (int i = 0; i < 200; i++) {
		while (atomic_flag_test_and_set(&lock))
			continue;
		turn(rounds / THREADS / 200, 1);
		atomic_flag_clear(&lock);
	}
	return NULL;
}

static void spinlock(void)
{
	run_threads(locked_part);
}

static atomic_int produced;

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++) {
		turn(rounds / 200, 1);
		atomic_fetch_add(&produced, 1);
	}
	return NULL;
}

/* A consumer that never sleeps. */
static void polling(void)
{
	pthread_t producer;

	if (pthread_create(&producer, NULL, produce, NULL))
		exit(1);
	for (int i = 0; i < 100; i++) {
		while (atomic_load(&produced) <= i)
			continue;
		turn(rounds / 200, 1);
	}
	pthread_join(producer, NULL);
}

/* ---- processes ----------------------------------------------------------------------------- */

static pid_t fork_or_end(void)
{
	pid_t child = fork();

	if (child < 0)
		exit(1);
	return child;
}

static void forks(void)
{
	for (int i = 0; i < 40; i++) {
		if (!fork_or_end()) {
			turn(rounds / 40, 1);
			_exit(0);
		}
		wait(NULL);
	}
}

static void wait_by_looking(const struct timespec *pause)
{
	pid_t child = fork_or_end();

	if (!child) {
		turn(rounds, 1);
		_exit(0);
	}
	while (!waitpid(child, NULL, WNOHANG))
		if (pause)
			nanosleep(pause, NULL);
}

static void parent_that_polls(void)
{
	wait_by_looking(&(struct timespec){0, 1000000});
}

static void parent_that_spins(void)
{
	wait_by_looking(NULL);
}

/* A fixed load: 400 requests, one after the other. */
static void server(void)
{
	char byte = 0;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(1);
	if (!fork_or_end()) {
		close(ends[0]);
		while (read(ends[1], &byte, 1) == 1) {
			turn(rounds / 400, 1);
			if (write(ends[1], &byte, 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	for (int i = 0; i < 400; i++)
		if (write(ends[0], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			exit(1);
	close(ends[0]);
	wait(NULL);
}

/* ---- memory, sleep, signals ---------------------------------------------------------------- */

static void memory(void)
{
	size_t count = (size_t)4 << 20, at = 0;
	unsigned *next = malloc(count * sizeof(*next));

	if (!next)
		exit(1);
	for (size_t i = 0; i < count; i++)
		next[i] = (unsigned)((i * 2654435761u + 12345) % count);
	for (unsigned long i = 0; i < rounds / 10; i++)
		at = next[at];
	if (at == count)
		puts("never");
	free(next);
}

static void sleeps(void)
{
	for (int i = 0; i < 20; i++) {
		turn(rounds / 20, 1);
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
}

static void ignores_signals(void)
{
	sigset_t all;

	for (int signal = 1; signal < NSIG; signal++)
		sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	plain();
}

static volatile sig_atomic_t ticks;
static void tick(int unused)
{
	(void)unused;
	ticks++;
}

static void own_timer(void)
{
	const struct itimerval each = {{0, 5000}, {0, 5000}};

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &each, NULL);
	plain();
}

/* A watchdog that never bites. */
static void own_alarm(void)
{
	alarm(600);
	plain();
}

/* ---- what the program tells ---------------------------------------------------------------- */

static void paused(void)
{
	turn(rounds / 2, 1);
	flamegate_region_begin("work");
	turn(rounds, 1);
	flamegate_region_end();
}

/* For a fixed time, but it says what it did. */
static void marks(void)
{
	while (clock() < CLOCKS_PER_SEC / 8) {
		turn(rounds / 100, 1);
		flamegate_iteration(1);
	}
}

static void count_file(void)
{
	FILE *file = fopen("count", "w");
	unsigned long done = 0;

	if (!file)
		exit(1);
	for (; clock() < CLOCKS_PER_SEC / 8; done++)
		turn(rounds / 100, 1);
	fprintf(file, "%lu\n", done);
	fclose(file);
}

/* The first run of all fills a cache, and costs twice as much. */
static void cold(void)
{
	FILE *cache = fopen("cold.cache", "r");

	if (!cache) {
		cache = fopen("cold.cache", "w");
		turn(rounds, 1);
	}
	if (cache)
		fclose(cache);
	turn(rounds, 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} shapes[] = {{"plain", plain}, {"threads", threads}, {"spinlock", spinlock},
		{"polling", polling}, {"forks", forks}, {"parent-polls", parent_that_polls},
		{"parent-spins", parent_that_spins}, {"server", server}, {"memory", memory},
		{"sleeps", sleeps}, {"ignores-signals", ignores_signals}, {"own-timer", own_timer},
		{"own-alarm", own_alarm}, {"paused", paused}, {"marks", marks},
		{"count-file", count_file}, {"cold", cold}};

	if (argc != 3)
		return 2;
	rounds = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(argv[1], shapes[i].name)) {
			shapes[i].run();
			return 0;
		}
	return 2;
}
