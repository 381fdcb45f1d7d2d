/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of a run's counts: a script stands in valgrind's place and writes them. */
#include <sys/personality.h>
#include <sys/stat.h>

#include "gate/base/error.h"
#include "tests/unit/bench/instructions_scene.h"

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
	assert_int_equal(run.processes[0].pid, 12);
	assert_int_equal(run.processes[0].instructions, 15);
	assert_int_equal(run.processes[1].instructions, 5);
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

static void test_what_is_left_out_is_named_by_its_work_not_its_ids(void **state)
{
	static const char *const ids[] = {"11 12 13 14", "14 13 12 11", "13 11 14 12"};
	struct scene *scene = *state;

	for (size_t i = 0; i < 3; i++) {
		struct strbuf script = STRBUF_INIT, text = STRBUF_INIT;
		struct instructions_run run;

		strbuf_addf(&script,
			"part() { printf \"cmd: $1\\nevents: Ir\\nfn=f\\n1 $2\\ntotals: $2\\n\"; "
			"}\nset -- %s\npart make 5 >$folder/counts.$1; part sh 7 "
			">$folder/counts.$2\n"
			"part env 5 >$folder/counts.$3; part ./x 1 >$folder/counts.$4",
			ids[i]);
		assert_ok(scene, run_fake(scene, script.data, &run));
		instructions_left_out(&run, &text);
		assert_string_equal(
			text.data, "not counted: sh (7 instructions), env (5), make (5)");
		instructions_run_release(&run);
		strbuf_release(&text);
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

/* ---- without any ----------------------------------------------------------------------------- */

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
	assert_int_equal(profile_sample_number(&profile->samples[0], "round", -1), 4);
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

#define fake_test(name) cmocka_unit_test_setup_teardown(name, begin_fake, end_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		fake_test(test_a_missing_valgrind_is_to_be_installed),
		fake_test(test_engines_are_chosen_by_name_and_need),
		fake_test(test_addresses_are_fixed_but_ours),
		fake_test(test_valgrind_gets_all_its_options),
		fake_test(test_damaged_counts_are_no_measurement),
		fake_test(test_other_files_are_not_counts),
		fake_test(test_parts_are_read_in_their_order),
		fake_test(test_order_does_not_depend_on_process_ids),
		fake_test(test_what_is_left_out_is_named_by_its_work_not_its_ids),
		fake_test(test_valgrinds_own_words_are_shown),
		fake_test(test_the_time_limit_is_longer_than_without_valgrind),
		cmocka_unit_test(test_ranges_say_whether_runs_agree),
		scene_test(test_the_hardwares_total_is_one_frame),
	};

	process_init();
	personality_at_start = personality(0xffffffff);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
