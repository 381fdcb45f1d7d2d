/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A noisy neighbour: keeps one CPU and its caches busy for some seconds, then sleeps for some, in
 * turn, until it is killed or its parent ends.
 *
 *   burner SEED
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define BYTES ((size_t)16 << 20) /* more than a core's caches hold */
#define LONGEST_MS 4000

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void burn(volatile unsigned char *memory, double seconds, uint64_t *random)
{
	double end = now() + seconds;

	while (now() < end)
		for (int i = 0; i < 10000; i++)
			memory[next_random(random) % BYTES]++;
}

int main(int argc, char **argv)
{
	uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	unsigned char *memory = malloc(BYTES);

	if (!memory || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return 1;
	for (;;) {
		burn(memory, (double)(1000 + next_random(&random) % LONGEST_MS) / 1e3, &random);
		usleep((useconds_t)(1000 + next_random(&random) % LONGEST_MS) * 1000);
	}
}
