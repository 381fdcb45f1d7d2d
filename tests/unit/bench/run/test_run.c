/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/run.h"

#include <libgen.h>
#include <limits.h>
#include <signal.h>

#include "gate/base/error.h"
#include "tests/unit/bench/scene.h"

#define SPIN                                                                                       \
	"#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n"       \
	"#include <signal.h>\n#include <unistd.h>\n"                                               \
	"static double cpu(void) { struct timespec t;\n"                                           \
	"	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return (double)t.tv_sec + 1e-9 * "           \
	"(double)t.tv_nsec; }\n"                                                                   \
	"static void *spin(void *until) { volatile unsigned n = 0;\n"                              \
	"	while (cpu() < *(double *)until) n++; return NULL; }\n"

/* One program for all: spin SECONDS of CPU time, then do what the second word says. */
#define PROGRAM                                                                                    \
	SPIN "int main(int argc, char **argv) { double until = atof(argv[1]); pthread_t t[3];\n"   \
	     "	char what = argc > 2 ? *argv[2] : 0; spin(&until);\n"                               \
	     "	if (what == 'k') kill(getpid(), SIGKILL);\n"                                        \
	     "	if (what == 's') kill(getpid(), SIGSYS);\n"                                         \
	     "	if (what == 't') { for (int i = 0; i < 3; i++) pthread_create(t + i, NULL, spin, "  \
	     "&until);\n"                                                                          \
	     "		for (int i = 0; i < 3; i++) pthread_join(t[i], NULL); }\n"                         \
	     "	if (what == 'f') { puts(\"::error::it failed\"); fflush(stdout); return 3; }\n"     \
	     "	return 0; }\n"

static int begin(void **state)
{
	char exe[PATH_MAX], library[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(length > 0);
	exe[length] = '\0';
	snprintf(library, sizeof(library), "%s/../../../../libflamegate.so", dirname(exe));
	setenv("FLAMEGATE_LIBRARY", library, 1);
	scene_begin(state);
	put_file(*state, "main.c", PROGRAM);
	sh(*state, "cc -O1 -o spin main.c -lpthread && mkdir scratch work");
	return 0;
}

static struct run_options options_for(const struct scene *scene, const char *const *argv)
{
	static const char *env[] = {"PATH=/usr/bin:/bin", "KEPT=yes", NULL};
	static char directory[PATH_MAX], scratch[PATH_MAX];

	snprintf(directory, sizeof(directory), "%s/work", scene->dir);
	snprintf(scratch, sizeof(scratch), "%s/scratch", scene->dir);
	return (struct run_options){
		.argv = argv, .env = env, .directory = directory, .scratch = scratch};
}

static void test_a_run_is_profiled_and_leaves_nothing(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"../spin", "0.3", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_int_equal(run.captures.process_count, 1);
	assert_int_equal(run.captures.damaged, 0);
	assert_true(run.iterations == 1);
	assert_true(run.cpu_seconds >= 0.3);
	assert_true(run.sampled_seconds > 0.1);
	assert_true(run.sum_squares_s2 > 0);
	assert_int_equal(run.max_threads, 1);
	run_release(&run);
	sh(scene, "test -z \"$(ls -A scratch)\"");
}

static void test_a_shells_children_and_threads_are_profiled(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "../spin 0.2 t; ../spin 0.1; true", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_true(run.captures.process_count >= 2);
	assert_true(run.max_threads >= 2);
	run_release(&run);
}

/*
 * What a busy machine adds nobody knows, but it belongs to one of them; and samples are of what
 * counts alone.
 */
static void assert_adds_up(const struct run *run)
{
	double all = (double)run->process.cpu_ns / 1e9;
	double sum = run->cpu_seconds + run->left_out_seconds + run->paused_seconds;

	assert_true(sum > all - 1e-6 && sum < all + 1e-6);
	assert_true(run->sampled_seconds > 0.1);
	assert_true(run->sampled_seconds < run->cpu_seconds + 0.1);
}

static void test_what_does_not_count_is_taken_off_and_said(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "../make 0.4; ../spin 0.3; true", NULL};
	const char *all[] = {NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	sh(scene, "cp spin make");
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_true(run.left_out_seconds > 0.35);
	assert_true(run.cpu_seconds >= 0.3);
	assert_adds_up(&run);
	assert_true(run.paused_seconds == 0);
	assert_contains(run.left_out, "make (1 process");
	run_release(&run);
	options.processes = all;
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_true(run.left_out_seconds == 0);
	assert_true(run.cpu_seconds >= 0.7);
	assert_null(run.left_out);
	run_release(&run);
}

static void test_what_the_program_pauses_is_taken_off_and_told(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"../pausing", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	put_file(scene, "pausing.c",
		SPIN "#include <dlfcn.h>\n"
		     "int main(void) { double one = 0.3, more;\n"
		     "	void *pause = dlsym(NULL, \"flamegate_pause\");\n"
		     "	spin(&one); ((void (*)(void))pause)();\n"
		     "	more = cpu() + 0.4; spin(&more); return 0; }\n");
	sh(scene, "cc -O1 -o pausing pausing.c -lpthread -ldl");
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_true(run.paused_seconds > 0.35);
	assert_true(run.cpu_seconds > 0.25);
	assert_adds_up(&run);
	assert_true(run.left_out_seconds == 0);
	run_release(&run);
}

static void test_environment_is_exact_and_the_sampler_comes_first(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "env >env; ../spin 0.1", NULL};
	const char *env[] = {
		"PATH=/usr/bin:/bin", "LD_PRELOAD=libm.so.6", "FLAMEGATE_RATE=1", "KEPT=yes", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	setenv("GITHUB_TOKEN", "planted", 1);
	options.env = env;
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	run_release(&run);
	sh(scene, "grep -q '^LD_PRELOAD=/.*/libflamegate.so:libm.so.6$' work/env;"
		  "grep -qx FLAMEGATE_RATE=997 work/env; grep -qx KEPT=yes work/env;"
		  "grep -q '^FLAMEGATE_CAPTURE_DIR=/.*/scratch/run-' work/env;"
		  "! grep -q planted work/env");
}

/* What takes the allocator's names stands in the way of each allocation:
 * of a heap profile alone. */
static void test_the_heap_has_a_library_of_its_own(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "env >env; ../spin 0.01", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	options.kind = profile_kind_find("heap");
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	run_release(&run);
	sh(scene, "grep -q '^LD_PRELOAD=/.*/libflamegate-heap.so$' work/env");
	options.kind = profile_kind_find("lock");
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	run_release(&run);
	sh(scene, "grep -q '^LD_PRELOAD=/.*/libflamegate.so$' work/env");
}

/* In an ordinary run nobody can slow anything down: not who calls us, not the program itself. */
static void test_only_flamegate_can_plant_a_slowdown(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"../spin", "0.3", NULL};
	const char *own[] = {"env", "FLAMEGATE_SLOWDOWN=900000", "../spin", "0.3", NULL};
	const char *env[] = {"PATH=/usr/bin:/bin", "FLAMEGATE_SLOWDOWN=900000", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	options.env = env;
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_true(run.planted_seconds == 0);
	run_release(&run);
	options.argv = own;
	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_MEASURE,
		"something in the benchmark sets FLAMEGATE_SLOWDOWN");
	run_release(&run);
	options.argv = argv;
	options.slowdown = "500000";
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_true(run.planted_seconds > 0.05 && run.planted_seconds < run.cpu_seconds);
	run_release(&run);
}

static void test_what_it_prints_is_apart_from_its_errors(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "echo result; echo told >&2; ../spin 0.05", NULL};
	struct run_options options = options_for(scene, argv);
	struct strbuf text = STRBUF_INIT;
	struct run run;

	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_ok(scene, file_read(run.output_path, 1 << 16, &text, &scene->err));
	assert_string_equal(text.data, "result\n");
	strbuf_reset(&text);
	assert_ok(scene, file_read(run.error_path, 1 << 16, &text, &scene->err));
	assert_contains(text.data, "told\n");
	strbuf_release(&text);
	run_release(&run);
}

static void test_failure_shows_status_and_inert_output(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"../spin", "0.05", "fail", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK,
		"the benchmark exited with status 3 after");
	assert_contains(scene->err.message, "error::it failed");
	assert_lacks(scene->err.message, "\n::");
	run_release(&run);
}

static void test_killed_benchmark_keeps_its_profile_so_far(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"../spin", "0.3", "kill", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK,
		"was killed by SIGKILL (9) after");
	assert_contains(scene->err.message, "out of memory?");
	assert_int_equal(run.captures.process_count, 1);
	assert_int_equal(run.captures.damaged, 0);
	assert_true(run.sampled_seconds > 0.1);
	run_release(&run);
}

/* A filter that is set by a bare system call is not seen: the sampler goes on,
 * and is forbidden to. */
static void test_a_filters_kill_names_the_filter(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"../spin", "0.1", "sys", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK,
		"was killed by SIGSYS (31) after");
	assert_contains(scene->err.message, "a seccomp filter of the program");
	assert_contains(scene->err.message, "mechanism");
	run_release(&run);
}

static void test_a_sanitizers_build_behind_a_script_is_named(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "exec ../sanitized", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	sh(scene, "cc -fsanitize=address -o sanitized main.c -lpthread");
	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK,
		"a program that is built with -fsanitize=address");
	assert_contains(scene->err.message, "its last lines:");
	run_release(&run);
}

static void test_time_limit_is_named(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sleep", "60", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	options.timeout_ns = 200000000;
	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK,
		"ran into its time limit");
	run_release(&run);
}

static void test_missing_commands_of_a_shell_are_explained(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "no-such-program", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK,
		"command not found");
	run_release(&run);
}

static void test_a_run_without_captures_is_no_measurement(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./static", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	put_file(scene, "main.c", "int main(void) { return 0; }\n");
	sh(scene, "cc -static -o work/static main.c");
	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_MEASURE,
		"no process of the benchmark wrote a profile");
	run_release(&run);
}

static void test_damaged_captures_are_no_measurement(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {
		"sh", "-c", "../spin 0.05; echo junk >$FLAMEGATE_CAPTURE_DIR/1-1.fgcap", NULL};
	struct run_options options = options_for(scene, argv);
	struct run run;

	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_MEASURE,
		"1 of the benchmark's captures cannot be read");
	run_release(&run);
}

static void test_iterations_are_read_and_old_ones_never(void **state)
{
	struct scene *scene = *state;
	const char *writes[] = {"sh", "-c", "../spin 0.05; echo 250 >count", NULL};
	const char *forgets[] = {"sh", "-c", "../spin 0.05", NULL};
	const char *links[] = {"sh", "-c", "../spin 0.05; echo 9 >n; ln -sf n count", NULL};
	struct run_options options = options_for(scene, writes);
	char path[PATH_MAX];
	struct run run;

	snprintf(path, sizeof(path), "%s/work/count", scene->dir);
	options.iterations_path = path;
	assert_ok(scene, run_execute(&options, &run, &scene->err));
	assert_true(run.iterations == 250);
	run_release(&run);
	options.argv = forgets;
	assert_fails(scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK, "wrote no");
	run_release(&run);
	options.argv = links;
	assert_fails(
		scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK, "regular file");
	run_release(&run);
}

static void test_an_iterations_file_that_cannot_be_removed_stops_the_run(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"../spin", "0.05", NULL};
	struct run_options options = options_for(scene, argv);
	char path[PATH_MAX];
	struct run run;

	snprintf(path, sizeof(path), "%s/work/folder", scene->dir);
	sh(scene, "mkdir work/folder");
	options.iterations_path = path;
	assert_fails(
		scene, run_execute(&options, &run, &scene->err), ERR_BENCHMARK, "cannot remove");
	run_release(&run);
}

static void test_cpus_are_the_last_ones_that_we_may_use(void **state)
{
	cpu_set_t all, chosen;
	int i, last = -1;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &all))
			last = i;
	run_choose_cpus(0, 1, &chosen);
	assert_int_equal(CPU_COUNT(&chosen), 1);
	assert_true(CPU_ISSET((size_t)last, &chosen));
	run_choose_cpus(0, 0, &chosen);
	assert_int_equal(CPU_COUNT(&chosen), 1);
	run_choose_cpus(0, 4, &chosen);
	assert_true(CPU_EQUAL(&chosen, &all));
	run_choose_cpus(100000, 1, &chosen);
	assert_true(CPU_EQUAL(&chosen, &all));
	run_choose_cpus(1, 4, &chosen);
	assert_int_equal(CPU_COUNT(&chosen), 1);
}

#define round_test(name) cmocka_unit_test_setup_teardown(name, begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		round_test(test_a_run_is_profiled_and_leaves_nothing),
		round_test(test_a_shells_children_and_threads_are_profiled),
		round_test(test_what_does_not_count_is_taken_off_and_said),
		round_test(test_what_the_program_pauses_is_taken_off_and_told),
		round_test(test_environment_is_exact_and_the_sampler_comes_first),
		round_test(test_the_heap_has_a_library_of_its_own),
		round_test(test_only_flamegate_can_plant_a_slowdown),
		round_test(test_what_it_prints_is_apart_from_its_errors),
		round_test(test_failure_shows_status_and_inert_output),
		round_test(test_killed_benchmark_keeps_its_profile_so_far),
		round_test(test_a_filters_kill_names_the_filter),
		round_test(test_a_sanitizers_build_behind_a_script_is_named),
		round_test(test_time_limit_is_named),
		round_test(test_missing_commands_of_a_shell_are_explained),
		round_test(test_a_run_without_captures_is_no_measurement),
		round_test(test_damaged_captures_are_no_measurement),
		round_test(test_iterations_are_read_and_old_ones_never),
		round_test(test_an_iterations_file_that_cannot_be_removed_stops_the_run),
		cmocka_unit_test(test_cpus_are_the_last_ones_that_we_may_use),
	};

	process_init();
	return cmocka_run_group_tests_name("round", tests, NULL, NULL);
}
