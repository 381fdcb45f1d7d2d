/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under valgrind, or under a script in its place. */
#include "gate/bench/instructions_internal.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <sys/personality.h>
#include <sys/stat.h>

#include "gate/profile/callgrind.h"
#include "tests/unit/bench/scene.h"

/* burn COUNT [fork|kill|status|abort]: work() loops COUNT times. */
#define PROGRAM                                                                                    \
	"#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"      \
	"#include <sys/wait.h>\n#include <unistd.h>\n"                                             \
	"static volatile unsigned long sink;\n"                                                    \
	"__attribute__((noinline)) void work(long n) { while (n--) sink++; }\n"                    \
	"__attribute__((noinline)) void child_work(long n) { while (n--) sink++; }\n"              \
	"int main(int argc, char **argv) { char what = argc > 2 ? *argv[2] : 0;\n"                 \
	"	long n = atol(argv[1]); int p; work(n);\n"                                               \
	"	if (what == 'f') { if (!fork()) { child_work(1000); _exit(0); } wait(NULL); }\n"         \
	"	if (what == 'k') { p = fork(); if (!p) pause(); kill(p, SIGKILL); wait(NULL); }\n"       \
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

static struct run_options options_for(const struct scene *scene, const char *const *argv)
{
	static const char *env[] = {"PATH=/usr/bin:/bin", NULL};

	return (struct run_options){
		.argv = argv, .env = env, .directory = scene->dir, .scratch = at(scene, "scratch")};
}

static int64_t self_of(const struct profile *profile, const char *name)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		const struct profile_location *leaf = &profile->locations[sample->locations[0]];

		if (strcmp(profile->functions[leaf->lines[0].function].name, name) == 0)
			sum += sample->values[0];
	}
	return sum;
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

/* The process with this command; ids are in no order that could be known. */
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
	struct instructions_run run;

	if (!has_valgrind())
		skip();
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	assert_int_equal(run.process_count, 3);
	assert_true(run.processes[0].excluded);
	assert_false(run.processes[1].excluded);
	assert_string_equal(run.processes[1].program, at(scene, "burn"));
	assert_string_equal(run.processes[1].command, "./burn 1000");
	assert_int_equal(
		run.instructions, run.processes[1].instructions + run.processes[2].instructions);
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
	static const struct hardware_event clock = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
	struct scene *scene = *state;
	const char *argv[] = {"sh", "-c", "./burn 20000000; echo 5 >count", NULL};
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;
	struct hardware_counter counter;

	if (hardware_counter_open(&clock, &counter, NULL))
		skip();
	hardware_counter_close(&counter);
	options.iterations_path = at(scene, "count");
	assert_ok(scene, instructions_run_event(&options, &clock, &run, &scene->err));
	assert_int_equal(run.engine, INSTRUCTIONS_HARDWARE);
	/* Nanoseconds; rusage counts from the fork on, and the counter from the exec. */
	assert_true((double)run.instructions <= 1.05 * (double)run.process.cpu_ns + 1e6);
	assert_true((double)run.instructions >= 0.5 * (double)run.process.cpu_ns);
	assert_true(run.iterations == 5);
	assert_string_equal(run.program, "sh");
	assert_null(run.counts);
	instructions_run_release(&run);
	argv[2] = "exit 4";
	assert_fails(scene, instructions_run_event(&options, &clock, &run, &scene->err),
		ERR_BENCHMARK, "exited with status 4");
	instructions_run_release(&run);
}

/* ---- a script in valgrind's place --------------------------------------------------------------
 */

/* It gets the options in $*, and may write to "$folder". */
static int begin_fake(void **state)
{
	struct strbuf path = STRBUF_INIT;

	scene_begin(state);
	sh(*state, "mkdir bin scratch");
	strbuf_addf(&path, "%s/bin:/usr/bin:/bin", ((struct scene *)*state)->dir);
	setenv("PATH", path.data, 1);
	strbuf_release(&path);
	return 0;
}

static int end_fake(void **state)
{
	setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
	return scene_end(state);
}

static void put_valgrind(const struct scene *scene, const char *script)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text,
		"#!/bin/sh\nfolder=\nfor word; do case $word in --log-file=*) "
		"folder=${word#--log-file=}; folder=${folder%%/*} ;; esac; done\n%s\n",
		script);
	put_file(scene, "bin/valgrind", text.data);
	assert_int_equal(chmod(at(scene, "bin/valgrind"), 0755), 0);
	strbuf_release(&text);
}

static int run_fake(struct scene *scene, const char *script, struct instructions_run *run)
{
	static const char *const argv[] = {"./absent", NULL};
	struct run_options options = options_for(scene, argv);

	put_valgrind(scene, script);
	return instructions_run(&options, INSTRUCTIONS_CALLGRIND, run, &scene->err);
}

static void test_a_missing_valgrind_is_to_be_installed(void **state)
{
	struct scene *scene = *state;
	enum instructions_engine engine = INSTRUCTIONS_HARDWARE;

	setenv("PATH", "/nowhere", 1);
	assert_fails(scene, instructions_choose("cachegrind", true, &engine, &scene->err), ERR_TOOL,
		"apt-get install valgrind");
	assert_int_equal(engine, INSTRUCTIONS_HARDWARE);
}

static void test_engines_are_chosen_by_name_and_need(void **state)
{
	struct scene *scene = *state;
	enum instructions_engine engine = INSTRUCTIONS_HARDWARE;
	struct hardware_counter counter;

	put_valgrind(scene, "exit 0");
	assert_ok(scene, instructions_choose("auto", true, &engine, &scene->err));
	assert_int_equal(engine, INSTRUCTIONS_CALLGRIND);
	assert_ok(scene, instructions_choose("cachegrind", true, &engine, &scene->err));
	assert_int_equal(engine, INSTRUCTIONS_CACHEGRIND);
	assert_string_equal(instructions_engine_name(engine), "cachegrind");
	assert_fails(scene, instructions_choose("perf-like", true, &engine, &scene->err), ERR_USAGE,
		"'perf-like' counts no instructions");
	assert_ok(scene, instructions_choose(NULL, false, &engine, &scene->err));
	if (hardware_counter_open(&hardware_instructions, &counter, NULL) == ERR_OK) {
		hardware_counter_close(&counter);
		assert_int_equal(engine, INSTRUCTIONS_HARDWARE);
	} else {
		assert_int_equal(engine, INSTRUCTIONS_CALLGRIND);
		assert_fails(scene, instructions_choose("hardware", false, &engine, &scene->err),
			ERR_MEASURE, "counter");
	}
}

static bool may_fix_addresses(void)
{
	int before = personality(0xffffffff);
	bool may = personality((unsigned long)before | ADDR_NO_RANDOMIZE) >= 0 &&
		   (personality(0xffffffff) & ADDR_NO_RANDOMIZE);

	personality((unsigned long)before);
	return may;
}

static int personality_at_start;

static void test_addresses_are_fixed_but_ours(void **state)
{
	struct scene *scene = *state;
	struct instructions_run run;

	run_fake(scene, "read p </proc/self/personality; echo \"$p\" >p", &run);
	/* Other tests have run before. */
	assert_int_equal(personality(0xffffffff), personality_at_start);
	assert_int_equal(run.randomized, !may_fix_addresses());
	/* Of eight digits: 00040000. */
	if (!run.randomized)
		sh(scene, "grep -q '^...[4-7c-f]' p");
	instructions_run_release(&run);
}

static void test_valgrind_gets_all_its_options(void **state)
{
	struct scene *scene = *state;
	struct instructions_run run;

	run_fake(scene, "echo \"$*\" >options", &run);
	sh(scene, "grep -q -e '--tool=callgrind .*--command-line-only=yes' options;"
		  "grep -q -e '--vgdb=no' options; grep -q -e '--trace-children=yes' options;"
		  "grep -q -e '--dump-before=_Fork' options;"
		  "grep -q -e '-out-file=/.*/counts.%p ./absent$' options");
	instructions_run_release(&run);
}

static void test_damaged_counts_are_no_measurement(void **state)
{
	struct scene *scene = *state;
	struct instructions_run run;

	assert_fails(scene,
		run_fake(scene, "printf 'events: Ir\\nfn=f\\n1 5\\n' >$folder/counts.1", &run),
		ERR_MEASURE, "counts.1:3: it ends without totals");
	instructions_run_release(&run);
	assert_fails(scene, run_fake(scene, ":", &run), ERR_MEASURE, "valgrind counted nothing");
	instructions_run_release(&run);
	assert_fails(scene, run_fake(scene, ": >$folder/counts.7", &run), ERR_MEASURE,
		"counted nothing");
	instructions_run_release(&run);
	assert_fails(scene, run_fake(scene, "ln -s /etc/passwd $folder/counts.7", &run),
		ERR_MEASURE, "valgrind's counts cannot be used");
	instructions_run_release(&run);
}

static void test_other_files_are_not_counts(void **state)
{
	struct scene *scene = *state;
	struct instructions_run run;

	assert_ok(scene, run_fake(scene,
				 "text='cmd: ./a\\nevents: Ir\\nfn=f\\n1 5\\ntotals: 5\\n'\n"
				 "printf \"$text\" >$folder/counts.12\n"
				 "printf \"$text\" >$folder/counts.12.2\n"
				 "printf \"$text\" >$folder/counts.12.1\n"
				 "printf \"$text\" >$folder/counts.9\n"
				 ": >$folder/counts.13; : >$folder/counts.14\n"
				 "for pid in 9 12 13 14 15; do : >$folder/log.$pid; done\n"
				 "for name in counts. counts.x counts.1x counts.1.x "
				 "counts.1. core.1 "
				 "counts.1234567890123456789; do echo >$folder/$name; done",
				 &run));
	assert_int_equal(run.process_count, 2);
	assert_int_equal(run.processes[0].pid, 9);
	assert_int_equal(run.processes[0].instructions, 5);
	assert_int_equal(run.processes[1].instructions, 15);
	assert_int_equal(run.instructions, 20);
	assert_int_equal(run.lost, 3);
	instructions_run_release(&run);
}

static void test_parts_are_read_in_their_order(void **state)
{
	static const char *const order[] = {"d", "a", "b", "c"};
	struct scene *scene = *state;
	struct profile *profile = profile_new();
	struct instructions_run run;

	assert_ok(scene,
		run_fake(scene,
			"part() { printf \"cmd: $1\\nevents: Ir\\nfn=$2\\n1 5\\ntotals: 5\\n\"; }\n"
			"part ./y d >$folder/counts.12; part ./x c >$folder/counts.12.10\n"
			"part ./x b >$folder/counts.12.9; part ./x a >$folder/counts.12.1",
			&run));
	/* The process became another by exec. */
	assert_int_equal(run.process_count, 2);
	assert_string_equal(run.processes[0].command, "./x");
	assert_int_equal(run.processes[0].instructions, 15);
	assert_string_equal(run.processes[1].command, "./y");
	assert_ok(scene, instructions_profile(&run, 0, NULL, profile, &scene->err));
	assert_int_equal(profile->function_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(profile->functions[3 - i].name, order[i]);
	assert_string_equal(profile->mappings[0].file, "./x");
	profile_free(profile);
	instructions_run_release(&run);
}

static void test_order_does_not_depend_on_process_ids(void **state)
{
	static const char *const scripts[] = {"first=12 second=13", "first=13 second=12"};
	struct scene *scene = *state;

	for (size_t i = 0; i < 2; i++) {
		struct profile *profile = profile_new();
		struct strbuf script = STRBUF_INIT;
		struct instructions_run run;

		strbuf_addf(&script,
			"part() { printf \"cmd: $1\\nevents: Ir\\nfn=$1\\n1 $2\\ntotals: $2\\n\"; "
			"}\n"
			"%s\npart ./x 9 >$folder/counts.$first; part ./y 5 "
			">$folder/counts.$second\n"
			": >$folder/counts.1; part ./z 5 >$folder/counts.14",
			scripts[i]);
		assert_ok(scene, run_fake(scene, script.data, &run));
		assert_ok(scene, instructions_profile(&run, 0, NULL, profile, &scene->err));
		assert_string_equal(profile->mappings[0].file, "./x");
		assert_string_equal(profile->functions[0].name, "./x");
		assert_string_equal(profile->functions[1].name, "./z");
		assert_string_equal(profile->functions[2].name, "./y");
		profile_free(profile);
		instructions_run_release(&run);
		strbuf_release(&script);
	}
}

static void test_valgrinds_own_words_are_shown(void **state)
{
	struct scene *scene = *state;
	struct instructions_run run;

	assert_fails(scene,
		run_fake(scene, "echo 'Fatal error at startup' >$folder/log.5; exit 1", &run),
		ERR_BENCHMARK, "Fatal error at startup");
	instructions_run_release(&run);
}

static void test_the_time_limit_is_longer_than_without_valgrind(void **state)
{
	static const char *const argv[] = {"./absent", NULL};
	struct scene *scene = *state;
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;

	put_valgrind(scene, "sleep 0.1; printf 'events: Ir\\nfn=f\\n1 5\\ntotals: 5\\n' "
			    ">$folder/counts.1");
	options.timeout_ns = 50000000;
	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	instructions_run_release(&run);
	options.timeout_ns = 1000;
	assert_fails(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err),
		ERR_BENCHMARK, "ran into its time limit");
	instructions_run_release(&run);
}

/* ---- without any ------------------------------------------------------------------------------
 */

static void test_ranges_say_whether_runs_agree(void **state)
{
	struct instructions_range range = {0};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	instructions_range_add(&range, 1000);
	instructions_range_text(&range, &text);
	assert_string_equal(text.data, "1000 instructions in one run");
	instructions_range_add(&range, 1000);
	strbuf_reset(&text);
	instructions_range_text(&range, &text);
	assert_string_equal(text.data, "1000 instructions in each of 2 runs");
	instructions_range_add(&range, 980);
	strbuf_reset(&text);
	instructions_range_text(&range, &text);
	assert_string_equal(text.data,
		"980 to 1000 instructions in 3 runs (they differ by 2 %: the "
		"benchmark is not deterministic)");
	assert_int_equal(range.least, 980);
	strbuf_release(&text);
}

static void test_the_hardwares_total_is_one_frame(void **state)
{
	struct scene *scene = *state;
	struct instructions_run run = {.engine = INSTRUCTIONS_HARDWARE,
		.instructions = 77,
		.program = "prog",
		.randomized = true};
	struct profile *profile = profile_new();

	assert_ok(scene, instructions_profile(&run, 4, NULL, profile, &scene->err));
	assert_int_equal(self_of(profile, "[prog]"), 77);
	assert_int_equal(profile_sample_number(&profile->samples[0], "block", -1), 4);
	assert_string_equal(profile->types[0].type, "instructions");
	assert_contains(profile->comments[0], "randomisation");
	assert_ok(scene, instructions_profile(&run, 5, NULL, profile, &scene->err));
	assert_int_equal(profile->comment_count, 1);
	assert_int_equal(self_of(profile, "[prog]"), 154);
	profile_free(profile);
	profile = profile_new();
	profile_add_type(profile, "cpu", "nanoseconds");
	assert_int_equal(instructions_profile(&run, 4, NULL, profile, &scene->err), ERR_USAGE);
	profile_free(profile);
}

#define live_test(name) cmocka_unit_test_setup_teardown(name, begin, scene_end)
#define fake_test(name) cmocka_unit_test_setup_teardown(name, begin_fake, end_fake)

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
		fake_test(test_a_missing_valgrind_is_to_be_installed),
		fake_test(test_engines_are_chosen_by_name_and_need),
		fake_test(test_addresses_are_fixed_but_ours),
		fake_test(test_valgrind_gets_all_its_options),
		fake_test(test_damaged_counts_are_no_measurement),
		fake_test(test_other_files_are_not_counts),
		fake_test(test_parts_are_read_in_their_order),
		fake_test(test_order_does_not_depend_on_process_ids),
		fake_test(test_valgrinds_own_words_are_shown),
		fake_test(test_the_time_limit_is_longer_than_without_valgrind),
		cmocka_unit_test(test_ranges_say_whether_runs_agree),
		scene_test(test_the_hardwares_total_is_one_frame),
	};

	process_init();
	personality_at_start = personality(0xffffffff);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
