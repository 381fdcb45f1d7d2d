/* SPDX-License-Identifier: Apache-2.0 */
/* A fixed time, by CPU clock or by a signal. */
#include <signal.h>
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

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "alarm")) {
		signal(SIGALRM, end);
		setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 300000}}, NULL);
		while (!is_over)
			turn(10000, 1);
		return 0;
	}
	while (clock() < CLOCKS_PER_SEC / 8)
		turn(10000, 1);
	return 0;
}
