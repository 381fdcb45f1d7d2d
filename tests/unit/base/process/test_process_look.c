/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/process/process_look.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static void use_cpu(clockid_t clock, uint64_t ns)
{
	struct timespec now = {0};

	while ((uint64_t)now.tv_sec * 1000 * MS + (uint64_t)now.tv_nsec < ns)
		clock_gettime(clock, &now);
}

static void tell(const int to[2])
{
	if (write(to[1], "", 1) != 1)
		_exit(1);
}

static void hear(const int from[2])
{
	char byte;

	if (read(from[0], &byte, 1) != 1)
		_exit(1);
}

/* A child that ends with its parent, however that ends. */
static pid_t fork_bound(void)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
		_exit(1);
	return pid;
}

/* A child with a child: the inner one uses 300 ms and waits, the outer has reaped one of 200 ms. */
static pid_t family(const int ready[2])
{
	pid_t outer = fork_bound();

	if (outer)
		return outer;
	if (fork_bound() == 0) {
		use_cpu(CLOCK_PROCESS_CPUTIME_ID, 200 * MS);
		_exit(0);
	}
	wait(NULL);
	if (fork_bound() == 0) {
		use_cpu(CLOCK_PROCESS_CPUTIME_ID, 300 * MS);
		tell(ready);
	}
	for (;;)
		pause();
}

/* Also after a failed assertion, which leaves the test in its middle. */
static int end_family(void **state)
{
	pid_t *outer = *state;

	if (*outer > 0) {
		kill(*outer, SIGKILL);
		waitpid(*outer, NULL, 0);
	}
	*outer = 0;
	return 0;
}

static int no_family(void **state)
{
	static pid_t outer;

	*state = &outer;
	return 0;
}

static char state_of(pid_t pid)
{
	char path[64], state = 'X';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return state;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	fclose(file);
	return state;
}

/* Who has told us something may not have come to rest yet: until then its clock goes on. */
static void await_rest(const struct process_look *look)
{
	const struct timespec pause = {0, 10 * MS};

	for (size_t i = 0; i < look->count; i++)
		for (int round = 0; round < 3000 && state_of(look->views[i].pid) != 'S'; round++)
			nanosleep(&pause, NULL);
}

static void test_a_tree_is_seen_with_its_clocks_and_its_dead(void **state)
{
	struct process_look look = {0};
	const struct process_view *inner;
	int ready[2];
	uint64_t clocks;
	pid_t *outer = *state;

	assert_int_equal(pipe(ready), 0);
	*outer = family(ready);
	hear(ready);
	process_look(&look, getpid());
	await_rest(&look);
	process_look(&look, getpid());
	assert_int_equal(look.count, 2);
	assert_int_equal(look.views[0].pid, *outer);
	inner = &look.views[1];
	assert_true(inner->cpu_ns >= 300 * MS);
	assert_int_equal(inner->threads, 1);
	assert_ptr_equal(process_look_find(&look, inner->pid), inner);
	assert_null(process_look_find(&look, getpid()));
	assert_true(look.reaped_ns >= 180 * MS);
	clocks = process_look_clocks(&look);
	assert_true(clocks >= 300 * MS);
	/* Nobody runs: the clocks stand. */
	assert_true(process_look_clocks(&look) == clocks);
	process_look_release(&look);
}

static void test_nothing_below_is_an_empty_look(void **state)
{
	struct process_look look = {0};

	(void)state;
	process_look(&look, 0x3fffffff);
	assert_int_equal(look.count, 0);
	assert_true(look.reaped_ns == 0);
	assert_true(process_look_clocks(&look) == 0);
	process_look_release(&look);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_below_is_an_empty_look),
		cmocka_unit_test_setup_teardown(
			test_a_tree_is_seen_with_its_clocks_and_its_dead, no_family, end_family),
	};

	return cmocka_run_group_tests_name("base/process_look", tests, NULL, NULL);
}
