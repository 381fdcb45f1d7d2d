/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that are known: how many, and between which bounds by the program's own clock.
 * usage: waits mutex|rwlock|condition|futex ROUNDS     prints "count N", "low NS", "high NS"
 *        waits free ROUNDS                       locks that nobody holds
 *        waits early                             locks before any constructor
 *
 * A round: the main thread holds a lock, the waiter takes it. The main thread lets go when the
 * kernel says that the waiter sleeps in a futex, and some time has passed; that time is in the
 * wait. What the waiter's own clock says around the call has the wait in it. Both hold on any
 * machine.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "waits_scenes.h"

#define HOLD_NS 2000000

/* ---- rounds ---------------------------------------------------------------------------------- */

static struct {
	const struct scene *scene; /* to play; NULL: none */
	pid_t waiter;
	int turn; /* grows with each round begun */
	int done; /* rounds that the waiter has ended */
	uint64_t low_ns, high_ns;
} stage;

static int load(int *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void *waiter(void *unused)
{
	__atomic_store_n(&stage.waiter, (pid_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	for (int round = 1;; round++) {
		const struct scene *scene;
		uint64_t begun;

		while (load(&stage.turn) < round)
			sched_yield();
		scene = stage.scene;
		if (!scene)
			return unused;
		begun = clock_ns(CLOCK_MONOTONIC);
		if (scene->wait() != scene->result)
			die("a wait ended otherwise");
		stage.high_ns += clock_ns(CLOCK_MONOTONIC) - begun;
		if (scene->leave)
			scene->leave();
		__atomic_store_n(&stage.done, round, __ATOMIC_SEQ_CST);
	}
}

/* What the kernel says of the waiter begins with the number of its call. */
static int sleeps_in_futex(void)
{
	char path[64], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", load(&stage.waiter));
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		die("/proc is not readable");
	close(fd);
	return text[0] != 'r' && atoi(text) == SYS_futex;
}

static void play(const struct scene *scene)
{
	const struct timespec hold = {0, HOLD_NS};
	int round = load(&stage.turn) + 1;
	uint64_t begun;

	scene->take();
	stage.scene = scene;
	__atomic_store_n(&stage.turn, round, __ATOMIC_SEQ_CST);
	while (scene->result == 0 && !sleeps_in_futex())
		sched_yield();
	begun = clock_ns(CLOCK_MONOTONIC);
	if (scene->result == 0)
		nanosleep(&hold, NULL);
	stage.low_ns += clock_ns(CLOCK_MONOTONIC) - begun;
	while (scene->result != 0 && load(&stage.done) < round)
		sched_yield();
	scene->let_go();
	while (load(&stage.done) < round)
		sched_yield();
}

static void play_all(const struct scene *scenes, int rounds)
{
	pthread_t thread;
	int count = 0;

	pthread_create(&thread, NULL, waiter, NULL);
	while (!load(&stage.waiter))
		sched_yield();
	for (; scenes->wait; scenes++)
		for (int i = 0; i < rounds; i++, count++)
			play(scenes);
	stage.scene = NULL;
	__atomic_add_fetch(&stage.turn, 1, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	printf("count %d\nlow %" PRIu64 "\nhigh %" PRIu64 "\n", count, stage.low_ns, stage.high_ns);
}

/* ---- locks that nobody holds ----------------------------------------------------------------- */

static void play_free(const struct scene *scenes)
{
	for (; scenes->wait; scenes++)
		if (scenes->leave && scenes->wait() == 0)
			scenes->leave();
}

static void all_free(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		play_free(mutex_scenes);
		play_free(shared_scenes);
	}
	printf("fine\n");
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t second = PTHREAD_RWLOCK_INITIALIZER;
static int early_result = -1;

static void before_constructors(void)
{
	early_result = pthread_mutex_lock(&first) | pthread_mutex_unlock(&first) |
		       pthread_rwlock_rdlock(&second) | pthread_rwlock_unlock(&second);
}
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = before_constructors;

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int rounds = argc > 2 ? atoi(argv[2]) : 1;

	make_locks();
	if (strcmp(mode, "mutex") == 0)
		play_all(mutex_scenes, rounds);
	else if (strcmp(mode, "rwlock") == 0)
		play_all(shared_scenes, rounds);
	else if (strcmp(mode, "condition") == 0)
		play_all(condition_scenes, rounds);
	else if (strcmp(mode, "futex") == 0)
		play_all(futex_scenes, rounds);
	else if (strcmp(mode, "free") == 0)
		all_free(rounds);
	else if (strcmp(mode, "early") == 0)
		printf("%d\n", early_result);
	else
		die("no such mode");
	return 0;
}
