/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that use flamegate.h, one per mode; each burns a fixed amount of CPU time in known
 * regions. Prints "fine" and exits with 0 when all it checked itself is as it should be.
 * usage: region_target MODE [MS]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gate/sampler/flamegate.h"
#include "gate/sampler/raw.h"

static volatile uint64_t sink;

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void burn(double ms)
{
	double end = cpu_ms() + ms;

	while (cpu_ms() < end)
		for (int i = 0; i < 20000; i++)
			sink += (uint64_t)i * (uint64_t)i;
}

/* outer alone 1, outer/inner 3, labelled 2, nothing 4. */
static int regions(double ms)
{
	burn(ms);
	flamegate_region_begin("outer");
	burn(ms);
	flamegate_region_begin("inner");
	burn(3 * ms);
	flamegate_region_end();
	flamegate_label("codec", "zstd");
	burn(2 * ms);
	flamegate_region_end();
	burn(3 * ms);
	return 0;
}

/* Each step in a region or label of its own name, so that the chain shows what holds then. */
static int labels(double ms)
{
	(void)ms;
	flamegate_label("a", "1");
	flamegate_label("b", "1");
	flamegate_label("a", "2"); /* changed below b */
	flamegate_region_begin("see-a2-b1");
	flamegate_label("a", "3");
	flamegate_label_clear("b");
	flamegate_region_begin("see-a3-hidden-b");
	flamegate_label_clear("b"); /* it is hidden already */
	flamegate_region_begin("the-same");
	flamegate_region_end();
	flamegate_region_end();
	flamegate_label("b", "");
	flamegate_label("a", "");
	flamegate_region_begin("see-hidden-a");
	flamegate_region_end();
	flamegate_region_end();
	flamegate_region_begin("see-a2-b1-again");
	flamegate_region_end();
	flamegate_label("a", NULL);
	flamegate_label_clear("never-set");
	flamegate_region_begin("see-b1");
	flamegate_region_end();
	flamegate_label("region", "refused");
	flamegate_label(NULL, "refused");
	flamegate_label("", "refused");
	flamegate_label("b", "1");
	flamegate_region_begin("see-b1");
	return 0;
}

static int paused(double ms)
{
	burn(ms);
	flamegate_pause();
	flamegate_pause();
	burn(3 * ms);
	flamegate_resume(); /* once is enough */
	burn(ms);
	return 0;
}

static int unmarked(double ms)
{
	flamegate_label("phase", "set-up");
	burn(ms);
	return 0;
}

/* With the start paused: the first mark counts. */
static int set_up(double ms)
{
	flamegate_label("phase", "set-up"); /* no start */
	burn(3 * ms);
	flamegate_region_begin("work");
	burn(ms);
	flamegate_region_end();
	burn(ms);
	return 0;
}

/* The same, by an iteration. */
static int set_up_iterations(double ms)
{
	burn(3 * ms);
	flamegate_iteration(1);
	burn(2 * ms);
	return 0;
}

static int pause_is_kept_by_a_region(double ms)
{
	flamegate_pause();
	flamegate_region_begin("work");
	flamegate_iteration(1);
	burn(ms);
	flamegate_region_end();
	return 0;
}

/* 1,000 iterations: epochs 1 to 64 of one, 64 of two, 64 of four, 64 of eight, 40 / 16 of 16. */
static int iterations(double ms)
{
	for (int i = 0; i < 1000; i++) {
		flamegate_iteration(1);
		burn(ms / 1000);
	}
	return 0;
}

static int large_steps(double ms)
{
	(void)ms;
	for (int i = 0; i < 100000; i++)
		flamegate_iteration(4000000000U);
	return 0;
}

static void *iterate(void *ms)
{
	for (int i = 0; i < 5000; i++)
		flamegate_iteration(1);
	burn(*(double *)ms);
	return NULL;
}

static pthread_barrier_t all_there;

static void *mark_quickly(void *unused)
{
	char name[16];

	(void)unused;
	pthread_barrier_wait(&all_there);
	flamegate_region_begin("work");
	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		flamegate_label("item", name);
	}
	flamegate_region_end();
	return NULL;
}

static int run_threads(void *(*function)(void *), double ms)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, function, &ms))
			return 1;
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int iterating_threads(double ms)
{
	return run_threads(iterate, ms);
}

/* The same 2,001 contexts in eight threads at once: none twice. */
static int marking_threads(double ms)
{
	return pthread_barrier_init(&all_there, NULL, 8) || run_threads(mark_quickly, ms);
}

static void *burn_thread(void *ms)
{
	burn(*(double *)ms);
	return NULL;
}

/* Begins and never ends. */
static void *begin_thread(void *ms)
{
	flamegate_region_begin("left-open");
	return burn_thread(ms);
}

static int run_one(void *(*function)(void *), double ms)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, function, &ms) || pthread_join(thread, NULL);
}

/* Regions are the thread's own, whatever the one before it in its slot has left. */
static int threads(double ms)
{
	int failed;

	flamegate_region_begin("main");
	failed = run_one(begin_thread, ms) || run_one(burn_thread, ms);
	flamegate_region_end();
	return failed;
}

static int wait_for(pid_t pid)
{
	int status;

	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

/* The child's samples are in the region that was open; what it marks itself is its own. */
static int forked(double ms)
{
	pid_t pid;

	flamegate_iteration(100);
	flamegate_region_begin("before");
	pid = fork();
	if (pid == 0) {
		burn(ms);
		flamegate_region_begin("child");
		burn(2 * ms);
		flamegate_iteration(1);
		exit(0);
	}
	flamegate_region_end();
	flamegate_region_begin("parent");
	burn(ms);
	return wait_for(pid);
}

/* Children whose captures begin after all their marks:
 * what they inherit is written all the same. */
static int forked_late(double ms)
{
	pid_t pid;

	flamegate_region_begin("before");
	pid = fork();
	if (pid == 0) {
		burn(ms);
		exit(0);
	}
	if (wait_for(pid))
		return 1;
	pid = fork();
	if (pid == 0) {
		flamegate_iteration(7);
		exit(0);
	}
	return wait_for(pid);
}

/* It has no capture: its parent's is not mapped. */
static int raw_forked(double ms)
{
	pid_t pid;

	flamegate_region_begin("parent");
	pid = (pid_t)FG_RAW6(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
	if (pid == 0) {
		flamegate_region_begin("lost");
		flamegate_label("lost", "lost");
		flamegate_iteration(1000);
		flamegate_region_end();
		_exit(flamegate_is_active() ? 1 : 0);
	}
	burn(ms);
	return wait_for(pid);
}

static int unbalanced(double ms)
{
	for (int i = 0; i < 10; i++)
		flamegate_region_end();
	for (int i = 0; i < 100; i++)
		flamegate_region_begin("deep");
	flamegate_label("too", "deep");
	for (int i = 0; i < 99; i++)
		flamegate_region_end();
	flamegate_region_begin("second");
	burn(ms);
	for (int i = 0; i < 10; i++)
		flamegate_region_end();
	flamegate_region_begin("last");
	burn(ms);
	return 0;
}

/* More than there is room for: the rest counts for the region around it. */
static int many(double ms)
{
	char name[32];

	flamegate_region_begin("all");
	flamegate_label("early", "label");
	flamegate_label_clear("early");
	for (int i = 0; i < 6000; i++) {
		snprintf(name, sizeof(name), "name-%d", i);
		flamegate_region_begin(name);
		flamegate_label("late", "label");
		if (i % 100 == 0)
			burn(ms / 60);
		flamegate_region_end();
	}
	flamegate_region_begin("no-room");
	flamegate_label("early", "label"); /* known, and so is the next: but not in here */
	flamegate_region_begin("name-0");
	burn(ms / 3);
	flamegate_region_end();
	burn(ms / 3);
	flamegate_region_end();
	return 0;
}

/* Fewer, and longer than a small capture. */
static int many_long(double ms)
{
	char name[252];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	flamegate_region_begin("all");
	for (int i = 0; i < 4000; i++) {
		snprintf(name, 6, "%05d", i);
		name[5] = 'x';
		flamegate_region_begin(name);
		flamegate_region_end();
	}
	flamegate_region_begin("one-more");
	burn(ms);
	return 0;
}

static int odd_names(double ms)
{
	char name[1001];
	char umlauts[1001];

	memset(name, 'x', 1000);
	for (int i = 0; i < 1000; i += 2)
		memcpy(umlauts + i, "\xc3\xa4", 2);
	name[1000] = umlauts[1000] = '\0';
	name[0] = '1';
	(void)ms;
	flamegate_region_begin(name);
	umlauts[0] = '_';
	umlauts[1] = '_';
	memmove(umlauts + 1, umlauts + 2, 999); /* the cut falls into a character */
	flamegate_region_begin(umlauts);
	flamegate_label(name, "long-key");
	flamegate_region_begin(NULL);
	flamegate_region_begin("");
	flamegate_region_begin("</script>\033[31m%s");
	return 0;
}

static int keeps_errno(double ms)
{
	char name[16];

	for (int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "%d", i);
		errno = 1234;
		flamegate_region_begin(name);
		flamegate_label("k", name);
		flamegate_iteration(1);
		flamegate_pause();
		flamegate_resume();
		flamegate_region_end();
		if (errno != 1234)
			return 1;
	}
	burn(ms);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(double ms);
} modes[] = {
	{"regions", regions},
	{"labels", labels},
	{"paused", paused},
	{"unmarked", unmarked},
	{"set-up", set_up},
	{"set-up-iterations", set_up_iterations},
	{"paused-region", pause_is_kept_by_a_region},
	{"iterations", iterations},
	{"large-steps", large_steps},
	{"iterating-threads", iterating_threads},
	{"marking-threads", marking_threads},
	{"threads", threads},
	{"fork", forked},
	{"fork-late", forked_late},
	{"rawfork", raw_forked},
	{"unbalanced", unbalanced},
	{"many", many},
	{"many-long", many_long},
	{"odd-names", odd_names},
	{"errno", keeps_errno},
};

int main(int argc, char **argv)
{
	double ms = argc > 2 ? atof(argv[2]) : 20;

	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, argv[1]) == 0) {
			if (modes[i].run(ms))
				return 1;
			puts("fine");
			return 0;
		}
	fprintf(stderr, "usage: region_target MODE [MS]\n");
	return 2;
}
