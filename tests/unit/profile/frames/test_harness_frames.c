/* SPDX-License-Identifier: Apache-2.0 */
/* What stands between main() and a benchmark, and what is the benchmark's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gate/profile/frames/harness_frames.h"
#include "tests/unit/compare/support.h"

/* stack: "main;parse", the root first; "a|b": b is inlined in a. */
static struct harness_frames frames_of(const char *stack, uint32_t from)
{
	struct profile *profile = profile_new();
	const int64_t value = 1;
	const struct profile_sample *sample;
	struct harness_frames found;

	profile_add_type(profile, "cpu", "nanoseconds");
	support_sample(profile, stack, "x.cc", &value, 0);
	sample = &profile->samples[0];
	found = harness_frames_find(profile, sample->locations, sample->depth, from);
	profile_free(profile);
	return found;
}

static void assert_folds(const char *stack, const char *name, uint32_t first, uint32_t count)
{
	struct harness_frames found = frames_of(stack, 0);

	if (found.count != count || found.first != first || strcmp(found.name, name) != 0)
		fail_msg("%s: %u from %u", stack, found.count, found.first);
}

static void assert_stays(const char *stack)
{
	if (frames_of(stack, 0).count)
		fail_msg("%s", stack);
}

static void test_each_harness_is_one_frame(void **state)
{
	(void)state;
	assert_folds("main;benchmark::RunSpecifiedBenchmarks();benchmark::internal::(anonymous "
		     "namespace)::RunBenchmarks(std::vector<int> const&);"
		     "benchmark::internal::BenchmarkRunner::DoOneRepetition();BM_Parse(benchmark::"
		     "State&);parse",
		"(google-benchmark)", 2, 3);
	assert_folds("main;Catch::Session::run();void Catch::invoke<int>(int);test;parse",
		"(Catch2)", 2, 2);
	assert_folds("main;ankerl::nanobench::Bench& ankerl::nanobench::Bench::run<f>(f&&);"
		     "ankerl::nanobench::detail::x();parse;hash",
		"(nanobench)", 2, 2);
	assert_folds("main;criterion::Criterion<M>::bench_function;<criterion::measurement::"
		     "WallTime as criterion::measurement::Measurement>::start;parse;x",
		"(criterion)", 2, 2);
	assert_folds(
		"main;divan::main;divan::bench::BenchContext::bench_loop;parse;x", "(divan)", 2, 2);
	assert_folds(
		"runtime.goexit;testing.(*B).launch;testing.(*B).runN;example.com/a.BenchmarkX;"
		"example.com/a.X",
		"(testing)", 2, 2);
}

static void test_what_only_passes_a_call_on_goes_with_it(void **state)
{
	(void)state;
	assert_folds(
		"main;criterion::a;core::ops::function::FnOnce::call_once;criterion::b;parse;x",
		"(criterion)", 2, 3);
	/* but not before or behind it */
	assert_folds("core::ops::function::FnOnce::call_once;criterion::a;criterion::b;core::ops::"
		     "function::FnOnce::call_once;x",
		"(criterion)", 2, 2);
}

static void test_the_programs_own_stays(void **state)
{
	(void)state;
	/* where the sample was taken, and a frame alone */
	assert_stays("main;benchmark::internal::a()");
	assert_stays("main;benchmark::internal::a();benchmark::internal::b()");
	assert_stays("main;benchmark::internal::a();parse");
	assert_stays("main;criterion::a;parse;criterion::b;x");
	/* what is inlined in a harness's function, or the other way round */
	assert_stays("main;divan::a;divan::b|parse;x");
	assert_stays("main;divan::a;parse|divan::b;x");
	/* what only looks like one */
	assert_stays("main;benchmark::a;benchmark::b;x");
	assert_stays("main;my::criterion::a;my::criterion::b;x");
	assert_stays("main;int parse<Catch::X>(int);int parse<Catch::X>(int);x");
	assert_stays("main;example.com/testing.A;example.com/testing.B;x");
}

static void test_the_next_one_is_found(void **state)
{
	const char *stack = "main;Catch::a;Catch::b;main;Catch::c;Catch::d;x";
	struct harness_frames found = frames_of(stack, 0);

	(void)state;
	assert_int_equal(found.first, 1);
	found = frames_of(stack, found.first + found.count);
	assert_int_equal(found.first, 4);
	assert_int_equal(found.count, 2);
	assert_int_equal(frames_of(stack, 6).count, 0);
	/* Two harnesses side by side are two. */
	found = frames_of("main;divan::a;divan::b;criterion::a;criterion::b;x", 0);
	assert_string_equal(found.name, "(criterion)");
	assert_int_equal(found.count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_harness_is_one_frame),
		cmocka_unit_test(test_what_only_passes_a_call_on_goes_with_it),
		cmocka_unit_test(test_the_programs_own_stays),
		cmocka_unit_test(test_the_next_one_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
