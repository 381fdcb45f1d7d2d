/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed time, by CPU clock, by a signal, or by twice as many rounds until a measurement is long enough. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "work.h"

static volatile sig_atomic_t is_over;
static void end(int unused)
{
	(void)unused;
	is_over = 1;
}

/* The last measurement takes from one to two times as long as this. */
static void doubles(double least_seconds)
{
	double took = 0;

	for (unsigned long rounds = 1; took < least_seconds; rounds *= 2) {
		clock_t start = clock();

		for (unsigned long i = 0; i < rounds; i++)
			turn(1000, 1);
		took = (double)(clock() - start) / CLOCKS_PER_SEC;
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "alarm")) {
		signal(SIGALRM, end);
		setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 300000}}, NULL);
		while (!is_over)
			turn(10000, 1);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "doubles")) {
		doubles(strtod(argv[2], NULL));
		return 0;
	}
	while (clock() < CLOCKS_PER_SEC / 8)
		turn(10000, 1);
	return 0;
}
