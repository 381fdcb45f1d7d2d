/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under valgrind, and one under a counter of the kernel's. */
#include <linux/perf_event.h>

#include "gate/base/error.h"
#include "gate/profile/callgrind/callgrind.h"
#include "tests/unit/bench/instructions_scene.h"

/* burn COUNT [fork|kill|status|abort|pages]: work() loops COUNT times; pages: and 10000 are
 * touched. */
#define PROGRAM                                                                                    \
	"#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"      \
	"#include <sys/mman.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"                      \
	"static volatile unsigned long sink;\n"                                                    \
	"__attribute__((noinline)) void work(long n) { while (n--) sink++; }\n"                    \
	"__attribute__((noinline)) void child_work(long n) { while (n--) sink++; }\n"              \
	"int main(int argc, char **argv) { char what = argc > 2 ? *argv[2] : 0;\n"                 \
	"	long n = atol(argv[1]); int p, q[2]; work(n);\n"                                         \
	"	if (what == 'f') { if (!fork()) { child_work(1000); _exit(0); } wait(NULL); }\n"         \
	"	if (what == 'k' && !pipe(q)) { p = fork();\n"                                            \
	"		if (!p) { write(q[1], argv[0], 1); pause(); }\n"                                        \
	"		read(q[0], argv[0], 1); kill(p, SIGKILL); wait(NULL); }\n"                              \
	"	if (what == 'p') { volatile char *m = mmap(0, 40960000, PROT_READ | PROT_WRITE,\n"       \
	"			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n"                                                \
	"		madvise((void *)m, 40960000, MADV_NOHUGEPAGE);\n"                                       \
	"		for (n = 0; n < 10000; n++) m[n * 4096] = 1; }\n"                                       \
	"	if (what == 's') { puts(\"::error::last words\"); return 3; }\n"                         \
	"	if (what == 'a') raise(SIGABRT);\n"                                                      \
	"	puts(\"fine\"); return 0; }\n"

static bool has_valgrind(void)
{
	enum instructions_engine engine;

	return instructions_choose("callgrind", true, &engine, NULL) == ERR_OK;
}

static int begin(void **state)
{
	scene_begin(state);
	put_file(*state, "main.c", PROGRAM);
	sh(*state, "cc -g -O1 -Wl,--build-id=0x1234abcd -o burn main.c && mkdir scratch");
	return 0;
}

static uint64_t count(struct scene *scene, const char *const *argv, enum instructions_engine engine,
	struct profile *profile)
{
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;
	uint64_t instructions;

	assert_ok(scene, instructions_run(&options, engine, &run, &scene->err));
	assert_ok(scene, instructions_profile(&run, 0, NULL, profile, &scene->err));
	instructions = run.instructions;
	instructions_run_release(&run);
	return instructions;
}

static void repeat(struct scene *scene, enum instructions_engine engine)
{
	const char *argv[] = {"./burn", "20000", NULL};
	struct instructions_range range = {0};

	for (int i = 0; i < 3; i++) {
		struct profile *profile = profile_new();

		instructions_range_add(&range, count(scene, argv, engine, profile));
		assert_in_range(self_of(profile, "work"), 40000, 120100);
		profile_free(profile);
	}
	assert_int_equal(range.runs, 3);
	assert_int_equal(range.least, range.most);
}

static void test_three_runs_under_callgrind_are_identical(void **state)
{
	if (!has_valgrind())
		skip();
	repeat(*state, INSTRUCTIONS_CALLGRIND);
}

static void test_three_runs_under_cachegrind_are_identical(void **state)
{
	if (!has_valgrind())
		skip();
	repeat(*state, INSTRUCTIONS_CACHEGRIND);
}

static void test_one_percent_more_is_seen_in_its_function_alone(void **state)
{
	const char *base[] = {"./burn", "50000", NULL}, *head[] = {"./burn", "50500", NULL};
	struct profile *left = profile_new(), *right = profile_new();
	int64_t before, after;
	uint64_t total;

	if (!has_valgrind())
		skip();
	total = count(*state, head, INSTRUCTIONS_CALLGRIND, right) -
		count(*state, base, INSTRUCTIONS_CALLGRIND, left);
	before = self_of(left, "work");
	after = self_of(right, "work");
	assert_in_range((after - before) * 10000 / before, 99, 101);
	assert_int_equal((int64_t)total, after - before);
	assert_int_equal(self_of(left, "main"), self_of(right, "main"));
	profile_free(left);
	profile_free(right);
}

/* The process with this command: ids, which begin again at some number, say nothing of it. */
static const struct instructions_process *process_of(
	const struct instructions_run *run, const char *command)
{
	for (size_t i = 0; i < run->process_count; i++)
		if (strcmp(run->processes[i].command, command) == 0)
			return &run->processes[i];
	fail_msg("no process %s", command);
	return NULL;
}

static void test_shells_are_left_out_and_named(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "./burn 1000; ./burn 2000; :", NULL};
	struct run_options options = options_for(scene, argv);
	struct strbuf text = STRBUF_INIT;
	const struct instructions_process *less, *more;
	struct instructions_run run;

	if (!has_valgrind())
		skip();
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	assert_int_equal(run.process_count, 3);
	assert_true(process_of(&run, "sh -c ./burn 1000; ./burn 2000; :")->excluded);
	less = process_of(&run, "./burn 1000");
	more = process_of(&run, "./burn 2000");
	assert_false(less->excluded || more->excluded);
	assert_string_equal(less->program, at(scene, "burn"));
	assert_int_equal(run.instructions, less->instructions + more->instructions);
	assert_int_equal(run.instructions, callgrind_instructions(run.counts));
	instructions_left_out(&run, &text);
	assert_contains(text.data, "not counted: ");
	assert_contains(text.data, "sh (");
	assert_contains(text.data, " instructions)");
	assert_lacks(text.data, "burn");
	strbuf_release(&text);
	instructions_run_release(&run);
}

static void test_named_processes_alone_count(void **state)
{
	static const char *const only_shell[] = {"sh", "dash", "bash", NULL};
	static const char *const nobody[] = {"absent", NULL};
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "./burn 1000; :", NULL};
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;

	if (!has_valgrind())
		skip();
	options.processes = only_shell;
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	assert_int_equal(run.instructions, process_of(&run, "sh -c ./burn 1000; :")->instructions);
	instructions_run_release(&run);
	options.processes = nobody;
	assert_fails(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err),
		ERR_MEASURE, "absent");
	instructions_run_release(&run);
}

static void test_objects_have_their_build_ids(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./burn", "10", NULL};
	struct profile *profile = profile_new();

	if (!has_valgrind())
		skip();
	count(scene, argv, INSTRUCTIONS_CALLGRIND, profile);
	assert_string_equal(profile->mappings[0].file, at(scene, "burn"));
	assert_string_equal(profile->mappings[0].build_id, "1234abcd");
	profile_free(profile);
}

static void test_a_forked_child_counts_from_its_fork_on(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./burn", "100000", "fork", NULL};
	struct profile *profile = profile_new();

	if (!has_valgrind())
		skip();
	count(scene, argv, INSTRUCTIONS_CALLGRIND, profile);
	assert_in_range(self_of(profile, "work"), 200000, 600100);
	assert_in_range(self_of(profile, "child_work"), 2000, 6100);
	profile_free(profile);
}

static void test_parts_of_a_process_are_one_process(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./burn", "1000", "fork", NULL};
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;
	uint64_t parent, child;

	if (!has_valgrind())
		skip();
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	assert_int_equal(run.process_count, 2);
	parent = run.processes[0].instructions;
	child = run.processes[1].instructions;
	if (parent < child)
		parent = child, child = run.processes[0].instructions;
	/* What the loader did counts once. */
	assert_true(parent > 100000 && child < 50000);
	assert_int_equal(run.lost, 0);
	instructions_run_release(&run);
}

static void test_a_killed_child_is_said_to_be_lost(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./burn", "1000", "kill", NULL};
	struct run_options options = options_for(scene, argv);
	struct profile *profile = profile_new();
	struct instructions_run run;

	if (!has_valgrind())
		skip();
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	assert_int_equal(run.lost, 1);
	assert_ok(scene, instructions_profile(&run, 0, NULL, profile, &scene->err));
	assert_contains(profile->comments[profile->comment_count - 1], "warning: 1 process");
	profile_free(profile);
	instructions_run_release(&run);
}

static void test_output_is_the_benchmarks_alone(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./burn", "10", NULL};
	struct run_options options = options_for(scene, argv);
	struct strbuf text = STRBUF_INIT;
	struct instructions_run run;

	if (!has_valgrind())
		skip();
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	assert_ok(scene, file_read(run.output_path, 1000, &text, &scene->err));
	assert_string_equal(text.data, "fine\n");
	strbuf_release(&text);
	instructions_run_release(&run);
	sh(scene, "test -z \"$(ls -A scratch)\"; test ! -e vgcore*");
}

static void test_failures_are_the_benchmarks_own(void **state)
{
	struct scene *scene = *state;
	const char *status[] = {"./burn", "10", "status", NULL},
		   *killed[] = {"./burn", "10", "abort", NULL};
	struct run_options options = options_for(scene, status);
	struct instructions_run run;

	if (!has_valgrind())
		skip();
	assert_fails(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err),
		ERR_BENCHMARK, "the benchmark exited with status 3 after");
	assert_contains(scene->err.message, "under callgrind");
	assert_contains(scene->err.message, "error::last words");
	assert_lacks(scene->err.message, "\n::");
	instructions_run_release(&run);
	options.argv = killed;
	assert_fails(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err),
		ERR_BENCHMARK, "SIGABRT");
	instructions_run_release(&run);
}

static void test_iterations_are_read_back(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "./burn 10; test -e count || echo 40 >count", NULL};
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;

	if (!has_valgrind())
		skip();
	put_file(scene, "count", "99");
	options.iterations_path = at(scene, "count");
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	assert_true(run.iterations == 40);
	instructions_run_release(&run);
}

static void test_marks_of_the_program_are_refused(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./burn", "10", NULL};
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;

	options.marks = true;
	assert_fails(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err),
		ERR_MEASURE, "flamegate.h");
	instructions_run_release(&run);
}

static void test_an_rc_file_of_the_repository_has_no_say(void **state)
{
	struct scene *scene = *state;
	const char *argv[] = {"./burn", "10000", NULL};
	struct profile *profile = profile_new();

	if (!has_valgrind())
		skip();
	put_file(scene, ".valgrindrc", "--callgrind:collect-atstart=no\n--log-fd=1\n");
	count(scene, argv, INSTRUCTIONS_CALLGRIND, profile);
	assert_true(self_of(profile, "work") >= 20000);
	profile_free(profile);
}

static void test_a_counters_run_is_the_total_of_the_tree(void **state)
{
	static const struct hardware_event faults = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "./burn 10 pages; ./burn 10 pages; echo 5 >count", NULL};
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;
	struct hardware_counter counter;

	if (hardware_counter_open(&faults, &counter, NULL))
		skip();
	hardware_counter_close(&counter);
	options.iterations_path = at(scene, "count");
	assert_ok(scene, instructions_run_event(&options, &faults, &run, &scene->err));
	assert_int_equal(run.engine, INSTRUCTIONS_HARDWARE);
	/* Those of the two, and what programs need to start.
	 * No load of the machine changes them. */
	assert_in_range(run.instructions, 20000, 25000);
	assert_true(run.iterations == 5);
	assert_string_equal(run.program, "sh");
	assert_null(run.counts);
	instructions_run_release(&run);
	argv[2] = "exit 4";
	assert_fails(scene, instructions_run_event(&options, &faults, &run, &scene->err),
		ERR_BENCHMARK, "exited with status 4");
	instructions_run_release(&run);
}

#define live_test(name) cmocka_unit_test_setup_teardown(name, begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		live_test(test_three_runs_under_callgrind_are_identical),
		live_test(test_three_runs_under_cachegrind_are_identical),
		live_test(test_one_percent_more_is_seen_in_its_function_alone),
		live_test(test_shells_are_left_out_and_named),
		live_test(test_named_processes_alone_count),
		live_test(test_objects_have_their_build_ids),
		live_test(test_a_forked_child_counts_from_its_fork_on),
		live_test(test_parts_of_a_process_are_one_process),
		live_test(test_a_killed_child_is_said_to_be_lost),
		live_test(test_output_is_the_benchmarks_alone),
		live_test(test_failures_are_the_benchmarks_own),
		live_test(test_iterations_are_read_back),
		live_test(test_marks_of_the_program_are_refused),
		live_test(test_an_rc_file_of_the_repository_has_no_say),
		live_test(test_a_counters_run_is_the_total_of_the_tree),
	};

	process_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
