/* SPDX-License-Identifier: Apache-2.0 */
/* What Go's runtime does by itself, and what it does for the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/profile/frames/go_frames.h"
#include "tests/unit/compare/support.h"

/* stack: "main;parse", the root first. */
static const char *name_of(const char *stack)
{
	struct profile *profile = profile_new();
	const int64_t value = 1;
	const struct profile_sample *sample;
	const char *name;

	profile_add_type(profile, "cpu", "nanoseconds");
	support_sample(profile, stack, "x.go", &value, 0);
	sample = &profile->samples[0];
	name = go_frames_name(profile, sample->locations, sample->depth);
	profile_free(profile);
	return name;
}

static void test_the_collectors_stacks_are_one_frame(void **state)
{
	(void)state;
	assert_string_equal(
		name_of("runtime.goexit;runtime.gcBgMarkWorker;runtime.systemstack;"
			"runtime.gcBgMarkWorker.func2;runtime.gcDrain;runtime.scanobject"),
		GO_COLLECTOR_NAME);
	assert_string_equal(
		name_of("runtime.goexit;runtime.bgsweep;runtime.sweepone"), GO_COLLECTOR_NAME);
	assert_string_equal(name_of("runtime.systemstack;runtime.gcDrain|runtime.greyobject"),
		GO_COLLECTOR_NAME);
}

static void test_the_schedulers_threads_are_one_frame(void **state)
{
	(void)state;
	assert_string_equal(name_of("clone3;start_thread;runtime.mstart;runtime.mstart1;"
				    "runtime.schedule;runtime.findRunnable;runtime.futex"),
		GO_SCHEDULER_NAME);
	assert_string_equal(
		name_of("runtime.mcall;runtime.park_m;runtime.schedule"), GO_SCHEDULER_NAME);
}

static void test_what_it_does_for_the_program_stays(void **state)
{
	(void)state;
	assert_null(name_of("runtime.goexit;testing.(*B).launch;example.com/a.fib;runtime.mallocgc;"
			    "runtime.gcAssistAlloc;runtime.systemstack;runtime.gcDrainN"));
	assert_null(name_of("runtime.goexit;runtime.main;main.main;runtime.schedule"));
	assert_null(name_of("runtime.goexit;runtime.main;runtime.doInit"));
	assert_null(name_of("runtime.memmove"));
}

static void test_other_programs_have_none(void **state)
{
	(void)state;
	assert_null(name_of("clone3;start_thread;worker"));
	assert_null(name_of("clone3;start_thread"));
	assert_null(name_of("_start;main;runtime::schedule"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_collectors_stacks_are_one_frame),
		cmocka_unit_test(test_the_schedulers_threads_are_one_frame),
		cmocka_unit_test(test_what_it_does_for_the_program_stays),
		cmocka_unit_test(test_other_programs_have_none),
	};

	return cmocka_run_group_tests_name("profile/go_frames", tests, NULL, NULL);
}
