/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the preload adds to a program that does nothing: runs it with and without, in turn, and
 * prints the medians of CPU and wall time. `startup ROUNDS LIBRARY FOLDER PROGRAM`; the sampler's
 * other settings come from the environment.
 */
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/bench/sampler/deep.h"

enum { MAX_ROUNDS = 2000 };
extern char **environ;

struct times {
	double cpu_us[MAX_ROUNDS], wall_us[MAX_ROUNDS];
};
static struct times plain, loaded;

static double us_of(struct timeval time)
{
	return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

static bool run_once(char *program, struct times *times, long round)
{
	char *argv[] = {program, NULL};
	struct rusage usage;
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	pid_t pid;
	int status;

	if (posix_spawn(&pid, program, NULL, NULL, argv, environ) != 0 ||
		wait4(pid, &status, 0, &usage) != pid || status != 0)
		return false;
	times->wall_us[round] = (double)(clock_ns(CLOCK_MONOTONIC) - start) / 1e3;
	times->cpu_us[round] = us_of(usage.ru_utime) + us_of(usage.ru_stime);
	return true;
}

static bool run_both(char *program, const char *library, const char *folder, long round)
{
	bool fine = run_once(program, &plain, round);

	setenv("LD_PRELOAD", library, 1);
	setenv("FLAMEGATE_CAPTURE_DIR", folder, 1);
	fine = run_once(program, &loaded, round) && fine;
	unsetenv("LD_PRELOAD");
	unsetenv("FLAMEGATE_CAPTURE_DIR");
	return fine;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, long count)
{
	qsort(values, (size_t)count, sizeof(*values), by_value);
	return values[count / 2];
}

int main(int argc, char **argv)
{
	long rounds = argc == 5 ? atol(argv[1]) : 0;

	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: startup ROUNDS LIBRARY FOLDER PROGRAM\n");
		return 2;
	}
	for (long i = 0; i < rounds; i++)
		if (!run_both(argv[4], argv[2], argv[3], i)) {
			fprintf(stderr, "startup: %s does not run\n", argv[4]);
			return 3;
		}
	printf("plain_cpu_us %.0f\nplain_wall_us %.0f\n", median(plain.cpu_us, rounds),
		median(plain.wall_us, rounds));
	printf("loaded_cpu_us %.0f\nloaded_wall_us %.0f\n", median(loaded.cpu_us, rounds),
		median(loaded.wall_us, rounds));
	return 0;
}
