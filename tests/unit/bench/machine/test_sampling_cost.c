/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/machine/sampling_cost.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

static uint32_t rate_at(double signal_ns)
{
	const struct sampling_cost cost = {"posix", signal_ns, 300};

	return sampling_rate_auto(&cost);
}

static void test_a_cheap_timer_keeps_the_default_rate(void **state)
{
	(void)state;
	assert_int_equal(rate_at(0), 997);
	assert_int_equal(rate_at(1700), 997);
	assert_int_equal(rate_at(10000), 997);
	assert_int_equal(rate_at(10030.09), 997);
}

static void test_a_dear_timer_takes_one_percent_at_a_prime_rate(void **state)
{
	static const struct {
		double ns;
		uint32_t rate;
	} cases[] = {
		{10040, 991}, {10100, 983}, {12000, 829}, {20000, 499}, {40000, 241}, {90000, 109}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rate_at(cases[i].ns), cases[i].rate);
}

static void test_the_rate_never_falls_below_97(void **state)
{
	(void)state;
	assert_int_equal(rate_at(110000), 97);
	assert_int_equal(rate_at(1e9), 97);
}

static void check_plausible(const char *mechanism)
{
	struct sampling_cost cost = {0};
	struct error err;

	assert_int_equal(sampling_cost_measure(mechanism, &cost, &err), ERR_OK);
	assert_string_equal(cost.mechanism, mechanism);
	assert_true(cost.gaps >= 200 && cost.gaps <= 300);
	/* No system takes and returns from a signal in 100 ns; a millisecond is the period. */
	assert_true(cost.signal_ns > 100 && cost.signal_ns < 1e6);
}

static void test_posix_timers_cost_something_plausible(void **state)
{
	(void)state;
	check_plausible("posix");
}

static void test_perf_costs_something_plausible_where_it_opens(void **state)
{
	struct sampling_cost cost;
	struct error err;

	(void)state;
	if (sampling_cost_measure("perf", &cost, &err) == ERR_IO)
		skip();
	check_plausible("perf");
}

static void test_auto_takes_the_first_that_works(void **state)
{
	struct sampling_cost first = {0}, cost = {0};
	struct error err;
	const char *expected = sampling_cost_measure("perf", &first, &err) ? "posix" : "perf";

	(void)state;
	assert_int_equal(sampling_cost_measure("auto", &cost, &err), ERR_OK);
	assert_string_equal(cost.mechanism, expected);
}

static void test_an_unknown_mechanism_leaves_the_result_untouched(void **state)
{
	struct sampling_cost cost = {"mine", 5, 7};
	struct error err;

	(void)state;
	assert_int_equal(sampling_cost_measure("sundial", &cost, &err), ERR_USAGE);
	assert_non_null(strstr(err.message, "sundial"));
	assert_string_equal(cost.mechanism, "mine");
}

static void test_no_child_and_no_signal_are_left_behind(void **state)
{
	struct sampling_cost cost;
	struct error err;

	(void)state;
	assert_int_equal(sampling_cost_measure("posix", &cost, &err), ERR_OK);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_cheap_timer_keeps_the_default_rate),
		cmocka_unit_test(test_a_dear_timer_takes_one_percent_at_a_prime_rate),
		cmocka_unit_test(test_the_rate_never_falls_below_97),
		cmocka_unit_test(test_posix_timers_cost_something_plausible),
		cmocka_unit_test(test_perf_costs_something_plausible_where_it_opens),
		cmocka_unit_test(test_auto_takes_the_first_that_works),
		cmocka_unit_test(test_an_unknown_mechanism_leaves_the_result_untouched),
		cmocka_unit_test(test_no_child_and_no_signal_are_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
