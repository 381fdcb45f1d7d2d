/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/check/runs/coverage.h"

/* Of one process. */
static struct run make_run(double cpu, double sampled, uint64_t samples)
{
	static struct capture_process process;
	struct run run = {.cpu_seconds = cpu, .sampled_seconds = sampled};

	process = (struct capture_process){.samples = samples};
	run.captures.processes = &process;
	run.captures.process_count = 1;
	run.captures.samples = samples;
	return run;
}

static void refuses(struct run run, const char *part, const char *not_said)
{
	struct strbuf warning = STRBUF_INIT;
	struct error err = {0};

	assert_int_equal(coverage_check(&run, &err), ERR_MEASURE);
	assert_non_null(strstr(err.message, part));
	assert_null(strstr(err.message, not_said));
	/* One run alone has to last a while to be refused; a shorter one is warned of. */
	assert_int_equal(coverage_check_once(&run, &warning, &err),
		run.cpu_seconds < 0.1 ? ERR_OK : ERR_MEASURE);
	assert_int_equal(warning.length > 0, run.cpu_seconds < 0.1);
	strbuf_release(&warning);
}

static void test_what_is_hidden_is_said_to_be(void **state)
{
	(void)state;
	refuses(make_run(0.5, 0.1, 100), "clears LD_PRELOAD", "too short");
	refuses(make_run(0.03, 0.001, 1), "clears LD_PRELOAD", "too short");
}

/* Like `sleep 0.1`: what is missing is spent before the sampler is there. */
static void test_a_run_of_few_milliseconds_is_too_short_to_sample(void **state)
{
	(void)state;
	refuses(make_run(0.005, 0.0005, 1),
		"a run takes only 5 ms of CPU time, too short to be sampled (samples account for "
		"only 10 % of it): do more work per run",
		"LD_PRELOAD");
}

static void cannot_be_sampled(struct run run, const char *part, const char *other_part)
{
	struct strbuf warning = STRBUF_INIT;
	struct error err = {0};

	assert_int_equal(coverage_check(&run, &err), ERR_MEASURE);
	assert_int_equal(coverage_check_once(&run, &warning, &err), ERR_MEASURE);
	assert_non_null(strstr(err.message, part));
	assert_non_null(strstr(err.message, other_part));
	strbuf_release(&warning);
}

static void test_without_a_clock_both_refusals_are_named(void **state)
{
	struct run run = make_run(0.005, 0, 0);

	(void)state;
	run.captures.processes[0].perf_errno = EACCES;
	run.captures.processes[0].timer_errno = EPERM;
	cannot_be_sampled(
		run, "perf_event_open: Permission denied", "timer_create: Operation not permitted");
	cannot_be_sampled(run, "kernel.perf_event_paranoid=1", "allows timer_create");
	run.captures.processes[0].perf_errno = 0;
	cannot_be_sampled(run, "perf events were not asked for", "timer_create: ");
}

static void test_processes_of_a_debugger_are_named_as_such(void **state)
{
	struct run run = make_run(0.005, 0, 0);

	(void)state;
	run.captures.processes[0].counters[CAPTURE_COUNTER_TRACED] = 1;
	cannot_be_sampled(run, "debugger or tracer", "without it");
}

static void test_a_run_without_samples_says_so(void **state)
{
	struct run run = make_run(0.005, 0, 0);
	struct error err = {0};

	(void)state;
	assert_int_equal(coverage_check(&run, &err), ERR_MEASURE);
	assert_non_null(strstr(err.message, "not one sample was taken"));
	assert_non_null(strstr(err.message, "a run takes only 5 ms of CPU time"));
}

static void test_what_is_covered_is_fine(void **state)
{
	struct run runs[] = {make_run(0.5, 0.45, 450), make_run(0.005, 0.003, 3)};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct error err = {0};

		assert_int_equal(coverage_check(&runs[i], &err), ERR_OK);
	}
}

/* Of a run that is not tried again: a third of half a second may be chance, of two seconds not. */
static void test_one_run_alone_has_to_miss_more(void **state)
{
	struct run shorter = make_run(0.5, 0.3, 300), longer = make_run(2, 1.2, 1200),
		   good = make_run(2, 1.9, 1900);
	struct strbuf warning = STRBUF_INIT;
	struct error err = {0};

	(void)state;
	assert_int_equal(coverage_check_once(&good, &warning, &err), ERR_OK);
	assert_int_equal(warning.length, 0);
	assert_int_equal(coverage_check_once(&longer, &warning, &err), ERR_MEASURE);
	assert_int_equal(warning.length, 0);
	assert_int_equal(coverage_check_once(&shorter, &warning, &err), ERR_OK);
	assert_string_equal(
		warning.data, "samples account for only 60 % of the 0.500 s of CPU time");
	strbuf_release(&warning);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_hidden_is_said_to_be),
		cmocka_unit_test(test_a_run_of_few_milliseconds_is_too_short_to_sample),
		cmocka_unit_test(test_a_run_without_samples_says_so),
		cmocka_unit_test(test_without_a_clock_both_refusals_are_named),
		cmocka_unit_test(test_processes_of_a_debugger_are_named_as_such),
		cmocka_unit_test(test_what_is_covered_is_fine),
		cmocka_unit_test(test_one_run_alone_has_to_miss_more),
	};

	return cmocka_run_group_tests_name("check/coverage", tests, NULL, NULL);
}
