/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads that take locks, and forks among them. Nothing is known of their waits; they must
 * end. usage: waits_crowd crowd THREADS | waits_crowd fork_held CHILDREN
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void die(const char *what)
{
	fprintf(stderr, "waits_crowd: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void sleep_ms(int ms)
{
	const struct timespec time = {0, ms * 1000000L};

	if (nanosleep(&time, NULL) != 0)
		die("a sleep was cut short");
}

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static uint64_t counted;

static void *take_locks(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		counted++;
		if (i == 10)
			sched_yield();
		pthread_mutex_unlock(&mutex);
		pthread_rwlock_rdlock(&shared);
		pthread_rwlock_unlock(&shared);
		if (i % 10 == 0) {
			pthread_rwlock_wrlock(&shared);
			pthread_rwlock_unlock(&shared);
			sleep_ms(1);
		}
	}
	return unused;
}

static void crowd(int count)
{
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &small, take_locks, NULL) != 0)
			die("pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", counted == 20u * (unsigned)count);
}

static int is_over;

static void *hold_and_wait(void *unused)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&mutex);
		sched_yield();
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void before_fork(void)
{
	pthread_mutex_lock(&mutex);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&mutex);
}

/* Children that lock and sleep, forked while others hold locks and wait for them. */
static void fork_held(int count)
{
	pthread_t threads[3];

	pthread_atfork(before_fork, after_fork, after_fork);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, hold_and_wait, NULL);
	for (int i = 0; i < count; i++) {
		int status = -1;
		pid_t child = fork();

		if (child == 0) {
			take_locks(NULL);
			_exit(7);
		}
		if (waitpid(child, &status, 0) != child || status != 7 << 8)
			die("a child ended otherwise");
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("fine\n");
}

int main(int argc, char **argv)
{
	int number = argc == 3 ? atoi(argv[2]) : 0;

	if (number > 0 && strcmp(argv[1], "crowd") == 0)
		crowd(number);
	else if (number > 0 && strcmp(argv[1], "fork_held") == 0)
		fork_held(number);
	else
		die("no such mode");
	return 0;
}
