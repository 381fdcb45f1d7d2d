/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/switching_cost.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

static void test_the_share_is_that_of_all_switches(void **state)
{
	(void)state;
	assert_float_equal((float)switching_share(10000, 10000, 1000000000), 0.1f, 1e-6f);
	assert_float_equal((float)switching_share(2500, 4000, 2000000000), 0.005f, 1e-6f);
	assert_float_equal((float)switching_share(0, 4000, 2000000000), 0, 0);
}

static void test_no_cpu_time_has_no_share(void **state)
{
	(void)state;
	assert_float_equal((float)switching_share(10000, 5, 0), 0, 0);
}

/* How much it is is the machine's affair: nothing on one whose timers are cheap. */
static void test_a_switch_costs_something_plausible_where_perf_opens(void **state)
{
	struct error err;
	double ns = -1;

	(void)state;
	if (switching_cost_measure(&ns, &err) == ERR_IO)
		skip();
	assert_true(ns >= 0 && ns < 1e6);
}

static void measure_beside(void (*on_child)(int))
{
	struct error err;
	double ns;

	signal(SIGCHLD, on_child);
	(void)switching_cost_measure(&ns, &err);
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_no_child_is_left_behind(void **state)
{
	(void)state;
	measure_beside(SIG_DFL);
	measure_beside(SIG_IGN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_share_is_that_of_all_switches),
		cmocka_unit_test(test_no_cpu_time_has_no_share),
		cmocka_unit_test(test_a_switch_costs_something_plausible_where_perf_opens),
		cmocka_unit_test(test_no_child_is_left_behind),
	};

	return cmocka_run_group_tests_name("bench/switching_cost", tests, NULL, NULL);
}
