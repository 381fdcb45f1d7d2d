/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an interruption costs the program that is interrupted: a loop that does nothing but read the
 * clock sees each as a gap. The same useful time in each run, so what is torn out of it can be
 * compared between profilers.
 *
 *   gaps WHO FRAMES SECONDS
 *
 * WHO says whose signals are told apart from other gaps: none; timer-perf, timer-posix,
 * timer-clock: an empty handler of this program's own at 997 Hz (task-clock events; the thread's
 * CPU clock; the monotonic clock). Where the library is preloaded its samples are told apart as
 * well, by its capture: both kinds then come a thousand times a second into one loop, so what the
 * machine does meanwhile it does to both, and their difference is what our handler costs.
 * Prints "name value" lines. The gaps are those of 0.3 to 200 us: longer ones are other programs'
 * turns; one that holds signals of both kinds counts for neither, and a mean leaves out the longest
 * hundredth.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gate/sampler/capture/capture.h"
#include "tests/bench/sampler/deep.h"

enum { HZ = 997, SHORTEST_NS = 300, LONGEST_NS = 200000, MAX_GAPS = 1 << 20, BATCH = 4096 };

static uint64_t useful_ns, wanted_ns;
static volatile uint64_t empty_signals, no_samples;
static uint64_t torn_ns;
static size_t gap_count;

/* A change of the count marks the gap in which it happened as this kind's. */
struct kind {
	const char *name;
	const volatile uint64_t *count;
	uint64_t seen;
	size_t number;
	uint32_t gaps[MAX_GAPS];
};
static struct kind empty = {.name = "signal", .count = &empty_signals};
static struct kind sample = {.name = "sample", .count = &no_samples};

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	empty_signals++;
}

static void start_handler(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigfillset(&action.sa_mask);
	sigaction(SIGRTMIN + 3, &action, NULL);
}

static bool start_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000000 / HZ,
		.disabled = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
	};
	struct f_owner_ex owner = {F_OWNER_TID, gettid()};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 && fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0 &&
	       fcntl(fd, F_SETSIG, SIGRTMIN + 3) == 0 && fcntl(fd, F_SETOWN_EX, &owner) == 0 &&
	       ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0;
}

static bool start_timer(clockid_t clock)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3};
	const struct itimerspec each = {{0, 1000000000 / HZ}, {0, 1000000000 / HZ}};
	timer_t timer;

	event._sigev_un._tid = gettid();
	return timer_create(clock, &event, &timer) == 0 &&
	       timer_settime(timer, 0, &each, NULL) == 0;
}

/* The sampler's count of samples in this process's capture, which is there after the first one. */
static bool watch_capture(void)
{
	const char *folder = getenv("FLAMEGATE_CAPTURE_DIR");
	char pattern[4200];
	glob_t found;
	int fd = -1;
	void *map = MAP_FAILED;

	if (!folder)
		return true;
	snprintf(pattern, sizeof(pattern), "%s/%d-*.fgcap", folder, (int)getpid());
	for (uint64_t end = clock_ns(CLOCK_MONOTONIC) + 3000000000u;
		fd < 0 && clock_ns(CLOCK_MONOTONIC) < end;)
		if (glob(pattern, 0, NULL, &found) == 0) {
			fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
			globfree(&found);
		}
	if (fd >= 0)
		map = mmap(NULL, sizeof(struct fg_capture_header), PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return false;
	sample.count = &((struct fg_capture_header *)map)->delivered;
	return true;
}

static bool start(const char *who)
{
	start_handler();
	if (strcmp(who, "timer-perf") == 0)
		return start_event();
	if (strcmp(who, "timer-posix") == 0)
		return start_timer(CLOCK_THREAD_CPUTIME_ID);
	if (strcmp(who, "timer-clock") == 0)
		return start_timer(CLOCK_MONOTONIC);
	return strcmp(who, "none") == 0;
}

static bool changed(struct kind *kind)
{
	uint64_t before = kind->seen;

	kind->seen = *kind->count;
	return kind->seen != before;
}

static void keep(struct kind *kind, uint64_t gap)
{
	if (kind->number < MAX_GAPS)
		kind->gaps[kind->number++] = (uint32_t)gap;
}

static void note_gap(uint64_t gap)
{
	bool is_empty = changed(&empty), is_sample = changed(&sample);

	if (gap >= LONGEST_NS)
		return;
	gap_count++;
	torn_ns += gap;
	if (is_empty && !is_sample)
		keep(&empty, gap);
	if (is_sample && !is_empty)
		keep(&sample, gap);
}

static void spin(void)
{
	uint64_t before = clock_ns(CLOCK_MONOTONIC);

	changed(&empty), changed(&sample);
	while (useful_ns < wanted_ns)
		for (int i = 0; i < BATCH; i++) {
			uint64_t now = clock_ns(CLOCK_MONOTONIC), step = now - before;

			before = now;
			if (step < SHORTEST_NS) {
				useful_ns += step;
				continue;
			}
			note_gap(step);
			before = clock_ns(CLOCK_MONOTONIC);
		}
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void print_kind(struct kind *kind)
{
	size_t n = kind->number;
	double sum = 0;

	qsort(kind->gaps, n, sizeof(kind->gaps[0]), by_value);
	for (size_t i = 0; i < n - n / 100; i++)
		sum += kind->gaps[i];
	printf("%ss_per_s %.1f\n", kind->name, (double)n / ((double)useful_ns / 1e9));
	printf("%s_ns %u\n", kind->name, n ? kind->gaps[n / 2] : 0);
	printf("%s_low_ns %u\n", kind->name, n ? kind->gaps[n / 10] : 0);
	printf("%s_mean_ns %.0f\n", kind->name, n ? sum / (double)(n - n / 100) : 0);
}

static void print_results(void)
{
	double seconds = (double)useful_ns / 1e9;

	print_kind(&empty);
	print_kind(&sample);
	printf("gaps_per_s %.1f\n", (double)gap_count / seconds);
	printf("torn_us_per_s %.1f\n", (double)torn_ns / 1e3 / seconds);
	printf("useful_s %.3f\n", seconds);
	printf("cpu_s %.6f\n", (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: gaps WHO FRAMES SECONDS\n");
		return 2;
	}
	if (!start(argv[1]) || !watch_capture()) {
		fprintf(stderr, "gaps: %s: cannot start (%s)\n", argv[1], strerror(errno));
		return 3;
	}
	wanted_ns = (uint64_t)(atof(argv[3]) * 1e9);
	deep(atol(argv[2]), spin);
	print_results();
	return 0;
}
