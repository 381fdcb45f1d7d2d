/* SPDX-License-Identifier: Apache-2.0 */
/* By what a run shows, which harness is it, and what is said of its iterations? */
#include "gate/bench/harness/harness_flags.h"

#include "tests/unit/bench/scene.h"

static const struct harness_flag *of_command(const char *command)
{
	const struct harness_traces traces = {.command = command};

	return harness_flag_find(&traces);
}

static void says(const struct harness_flag *flag, const char *name, const char *advice)
{
	assert_non_null(flag);
	assert_string_equal(flag->name, name);
	assert_contains(flag->advice, advice);
}

static void test_words_of_the_command_tell(void **state)
{
	(void)state;
	says(of_command("python3 -m pytest -q"), "pytest-benchmark", "benchmark.pedantic(");
	says(of_command("./bench.test -test.bench=. -test.run=NONE"), "go test",
		"-test.benchtime=1000x");
	says(of_command("go test -bench=."), "go test", "-benchtime=1000x");
	says(of_command("java -jar target/jmh.jar"), "JMH", "-bm ss");
	says(of_command("python3 -m pyperf timeit 1"), "pyperf", "--loops=1000");
}

static void test_parts_of_words_do_not(void **state)
{
	(void)state;
	assert_null(of_command("./mypytests"));
	assert_null(of_command("./pytester --bench"));
	assert_null(of_command("./bench"));
}

/* A run of this program with one more library. */
static const struct harness_flag *of_files(const char *executable, const char *library)
{
	struct capture_module module = {.path = library};
	struct capture_process process = {
		.executable = executable, .modules = &module, .module_count = 1};
	const struct capture_set set = {.processes = &process, .process_count = 1};
	const struct harness_traces traces = {.command = "./bench", .captures = &set};

	return harness_flag_find(&traces);
}

static void test_what_stands_in_the_program_tells(void **state)
{
	struct scene *scene = *state;

	put_file(scene, "old",
		"\x7f"
		"ELF ... [--benchmark_min_time=<min_time>]");
	put_file(scene, "new",
		"\x7f"
		"ELF ... [--benchmark_min_time=`<integer>x` OR `<float>s`");
	put_file(scene, "criterion", "... CARGO_CRITERION_PORTCRITERION_HOME");
	put_file(scene, "none", "nothing");
	says(of_files(at(scene, "old"), ""), "google-benchmark", "->Iterations(1000)");
	says(of_files(at(scene, "new"), ""), "google-benchmark",
		"run it with --benchmark_min_time=1000x");
	says(of_files(at(scene, "criterion"), ""), "criterion", "no option");
	assert_null(of_files(at(scene, "none"), at(scene, "nosuch")));
	assert_null(of_files("relative", ""));
}

static void test_a_harness_in_a_library_tells_too(void **state)
{
	struct scene *scene = *state;
	char library[600];

	put_file(scene, "none", "nothing");
	put_file(scene, "libbenchmark.so.1", "benchmark_min_time");
	put_file(scene, "libother.so.1", "benchmark_min_time");
	snprintf(library, sizeof(library), "%s", at(scene, "libbenchmark.so.1"));
	says(of_files(at(scene, "none"), library), "google-benchmark", "1.8");
	snprintf(library, sizeof(library), "%s", at(scene, "libother.so.1"));
	assert_null(of_files(at(scene, "none"), library));
}

static void test_processes_that_do_not_count_tell_nothing(void **state)
{
	struct scene *scene = *state;
	struct capture_process process = {.excluded = true};
	const struct capture_set set = {.processes = &process, .process_count = 1};
	const struct harness_traces traces = {.command = "./bench", .captures = &set};

	put_file(scene, "old", "benchmark_min_time");
	process.executable = at(scene, "old");
	assert_null(harness_flag_find(&traces));
}

static void test_files_that_it_opened_tell(void **state)
{
	char path[] = "node_modules/tinybench/dist/index.js";
	struct opened_file file = {.path = path};
	const struct opened_files opened = {.items = &file, .count = 1};
	const struct harness_traces traces = {.command = "node bench.mjs", .opened = &opened};

	(void)state;
	says(harness_flag_find(&traces), "tinybench", "iterations: 1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_words_of_the_command_tell),
		scene_test(test_parts_of_words_do_not),
		scene_test(test_what_stands_in_the_program_tells),
		scene_test(test_a_harness_in_a_library_tells_too),
		scene_test(test_processes_that_do_not_count_tell_nothing),
		scene_test(test_files_that_it_opened_tell),
	};

	return cmocka_run_group_tests_name("bench/harness_flags", tests, NULL, NULL);
}
