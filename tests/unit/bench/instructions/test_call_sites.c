/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls whom how often, in programs under callgrind. */
#include "gate/bench/instructions/call_sites.h"

#include "gate/base/error.h"
#include "gate/profile/callgrind/callgrind.h"
#include "tests/unit/bench/instructions_scene.h"

#define HEAD                                                                                       \
	"#include <pthread.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"  \
	"static volatile unsigned long sink;\n"                                                    \
	"#define KEPT __attribute__((noinline, noclone))\n"                                        \
	"#define SPREAD static inline __attribute__((always_inline))\n"                            \
	"KEPT void work(int n) { while (n--) sink++; }\n"

static bool has_valgrind(void)
{
	enum instructions_engine engine;

	return instructions_choose("callgrind", true, &engine, NULL) == ERR_OK;
}

static void count_run(struct scene *scene, const char *const *argv, struct call_sites *sites)
{
	struct run_options options = options_for(scene, argv);
	struct instructions_run run;

	assert_ok(scene, instructions_run(&options, INSTRUCTIONS_CALLGRIND, &run, &scene->err));
	call_sites_add(sites, &run);
	instructions_run_release(&run);
}

/* The calls of one run of the program that this source makes. */
static struct profile *calls_in(struct scene *scene, const char *source, const char *flags)
{
	const char *argv[] = {"./program", NULL}, *prefixes[] = {scene->dir, NULL};
	struct strbuf command = STRBUF_INIT;
	struct profile *profile;
	struct call_sites sites;

	if (!has_valgrind())
		skip();
	put_file(scene, "main.c", source);
	strbuf_addf(&command, "mkdir -p scratch && cc -g -pthread %s -o program main.c", flags);
	sh(scene, command.data);
	strbuf_release(&command);
	call_sites_init(&sites);
	count_run(scene, argv, &sites);
	assert_int_equal(sites.runs, 1);
	assert_false(sites.lost);
	assert_ok(scene, call_sites_profile(&sites, prefixes, &profile, &scene->err));
	call_sites_release(&sites);
	return profile;
}

static const char *name_at(const struct profile *profile, uint32_t location, bool innermost)
{
	const struct profile_location *where = &profile->locations[location];
	uint32_t line = innermost ? 0 : where->line_count - 1;

	return profile->functions[where->lines[line].function].name;
}

/* One of the sums over all calls. caller NULL: all callers. */
static int64_t sum_of(
	const struct profile *profile, const char *caller, const char *callee, int value)
{
	int64_t sum = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		assert_int_equal(sample->depth, 2);
		if (strcmp(name_at(profile, sample->locations[0], false), callee) == 0 &&
			(!caller ||
				strcmp(name_at(profile, sample->locations[1], true), caller) == 0))
			sum += sample->values[value];
	}
	return sum;
}

static int64_t calls_of(const struct profile *profile, const char *caller, const char *callee)
{
	return sum_of(profile, caller, callee, 0);
}

static int64_t instructions_of(
	const struct profile *profile, const char *caller, const char *callee)
{
	return sum_of(profile, caller, callee, 1);
}

static void test_calls_are_counted_by_caller(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "KEPT void one(void) { for (int i = 0; i < 30; i++) work(2); }\n"
		     "KEPT void two(void) { for (int i = 0; i < 7; i++) { work(1); work(2); } }\n"
		     "int main(void) { one(); two(); one(); return 0; }\n",
		"-O1");

	assert_int_equal(calls_of(profile, "one", "work"), 60);
	assert_int_equal(calls_of(profile, "two", "work"), 14);
	assert_int_equal(calls_of(profile, NULL, "work"), 74);
	assert_int_equal(calls_of(profile, "main", "one"), 2);
	assert_int_equal(calls_of(profile, "one", "main"), 0);
	profile_free(profile);
}

/* Of what is called with all that it calls: as many calls of more work have more. */
static void test_instructions_of_calls_are_those_of_all_below(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "KEPT void below(int n) { work(n); sink++; }\n"
		     "KEPT void few(void) { for (int i = 0; i < 10; i++) below(100); }\n"
		     "KEPT void many(void) { for (int i = 0; i < 10; i++) below(300); }\n"
		     "int main(void) { few(); many(); return 0; }\n",
		"-O1");
	int64_t few = instructions_of(profile, "few", "below");
	int64_t many = instructions_of(profile, "many", "below");
	int64_t work = instructions_of(profile, "below", "work");

	assert_int_equal(calls_of(profile, "few", "below"), calls_of(profile, "many", "below"));
	assert_true(few > 10 * 100 && 10 * many > 28 * few && 10 * many < 32 * few);
	assert_true(10 * work > 9 * (few + many) && work < few + many);
	assert_true(instructions_of(profile, "main", "few") > few);
	profile_free(profile);
}

static void test_a_caller_that_was_inlined_is_named(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "SPREAD void inner(int n) { for (int i = 0; i < n; i++) work(3); }\n"
		     "KEPT void outer(void) { inner(5); work(1); inner(6); }\n"
		     "int main(void) { outer(); return 0; }\n",
		"-O2");

	assert_int_equal(calls_of(profile, "inner", "work"), 11);
	assert_int_equal(calls_of(profile, "outer", "work"), 1);
	assert_int_equal(calls_of(profile, NULL, "inner"), 0);
	profile_free(profile);
}

static void test_a_jump_in_place_of_a_call_is_one(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "KEPT void last(int n) { sink++; work(n); }\n"
		     "int main(void) { for (int i = 0; i < 9; i++) last(i); return 0; }\n",
		"-O2");

	assert_int_equal(calls_of(profile, "last", "work"), 9);
	assert_int_equal(calls_of(profile, "main", "last"), 9);
	profile_free(profile);
}

static void test_recursion_counts_each_level(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "KEPT void down(int n) { if (n) down(n - 1); work(1); sink++; }\n"
		     "int main(void) { down(10); down(5); return 0; }\n",
		"-O1");

	assert_int_equal(calls_of(profile, "main", "down"), 2);
	assert_int_equal(calls_of(profile, "down", "down"), 15);
	assert_int_equal(calls_of(profile, "down", "work"), 17);
	profile_free(profile);
}

static void test_threads_and_children_count(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD
		"static void *other(void *p) { for (int i = 0; i < 20; i++) work(1); return p; }\n"
		"int main(void) { pthread_t t; work(1); pthread_create(&t, 0, other, 0);\n"
		"	pthread_join(t, 0);\n"
		"	if (!fork()) { for (int i = 0; i < 300; i++) work(1); _exit(0); }\n"
		"	wait(0); work(1); return 0; }\n",
		"-O1");

	assert_int_equal(calls_of(profile, "other", "work"), 20);
	assert_int_equal(calls_of(profile, "main", "work"), 302);
	profile_free(profile);
}

/* Here every second call goes through the part that the compiler takes to be unlikely. */
static void test_a_functions_unlikely_part_is_not_called(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "__attribute__((cold)) KEPT void rare(int n) { sink += n; }\n"
		     "KEPT void often(int n) { sink++; if (n & 1) rare(n); sink += 2; }\n"
		     "int main(void) { for (int i = 0; i < 40; i++) often(i); return 0; }\n",
		"-O2");

	sh(*state, "nm program | grep -q ' often.cold$'");
	assert_int_equal(calls_of(profile, NULL, "often"), 40);
	assert_int_equal(calls_of(profile, "often", "rare"), 20);
	profile_free(profile);
}

/* The compiler keeps but the check in the caller: calls of the rest are none of the whole. */
static void test_a_functions_part_is_not_the_function(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD
		"static void maybe(int n) { if (n % 4) return; for (int i = 0; i < n; i++) "
		"work(i);\n"
		"	work(1); work(2); work(3); work(4); work(5); work(6); }\n"
		"KEPT void one(int n) { maybe(n); sink++; }\n"
		"KEPT void two(int n) { maybe(n + 1); sink++; }\n"
		"int main(void) { for (int i = 0; i < 40; i++) { one(i); two(i); } return 0; }\n",
		"-O2");

	sh(*state, "nm program | grep -q ' maybe.part.0$'");
	assert_int_equal(calls_of(profile, NULL, "maybe"), 0);
	assert_int_equal(calls_of(profile, NULL, "one"), 40);
	assert_true(calls_of(profile, "maybe", "work") > 0);
	profile_free(profile);
}

static void test_a_clone_counts_as_its_function(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "static __attribute__((noinline)) void step(int n, int k) {\n"
		     "	for (int i = 0; i < n; i++) work(k); sink++; }\n"
		     "int main(void) { for (int i = 0; i < 8; i++) step(i, 3); return 0; }\n",
		"-O2");

	sh(*state, "nm program | grep -q ' step.constprop.0$'");
	assert_int_equal(calls_of(profile, "main", "step"), 8);
	profile_free(profile);
}

static void test_what_has_no_symbols_is_named_by_its_place(void **state)
{
	struct profile *profile = calls_in(*state,
		HEAD "int main(void) { for (int i = 0; i < 123; i++) work(1); return 0; }\n",
		"-O1 -s");
	int64_t found = 0;

	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];

		if (strncmp(name_at(profile, sample->locations[0], false), "[program+0x", 11) ==
				0 &&
			sample->values[0] >= 122)
			found += sample->values[0];
	}
	assert_true(found >= 122 && found <= 123);
	profile_free(profile);
}

static void test_files_are_named_as_in_the_cpu_profile(void **state)
{
	struct profile *profile =
		calls_in(*state, HEAD "int main(void) { work(1); return 0; }\n", "-O1");
	bool found = false;

	for (size_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, "work") == 0) {
			assert_string_equal(profile->functions[i].file, "main.c");
			found = true;
		}
	assert_true(found);
	profile_free(profile);
}

/* ---- sites without valgrind ---- */

static struct instructions_run run_of(const char *text)
{
	struct instructions_run run = {.engine = INSTRUCTIONS_CALLGRIND, .iterations = 4};
	struct error err;

	run.counts = callgrind_new(NULL);
	callgrind_keep_calls(run.counts);
	if (callgrind_add(run.counts, text, strlen(text), "test", &err))
		fail_msg("%s", err.message);
	return run;
}

#define FILE_HEAD                                                                                  \
	"version: 1\npositions: instr line\nevents: Ir\nob=/bin/x\nfl=a.c\nfn=f\n0x10 1 9\n"
#define CALL(name, to, times) "cfn=" name "\ncalls=" times " " to "\n0x20 2 5\n"
#define FILE_END "totals: 9\n"

static void test_two_runs_stand_side_by_side(void **state)
{
	struct instructions_run one =
		run_of(FILE_HEAD CALL("g", "0x40", "3") CALL("g", "0x40", "4") FILE_END);
	struct instructions_run two =
		run_of(FILE_HEAD CALL("h", "0x50", "1") CALL("g", "0x40", "6") FILE_END);
	struct call_sites sites;

	(void)state;
	two.lost = 1;
	call_sites_init(&sites);
	call_sites_add(&sites, &one);
	assert_false(sites.lost);
	call_sites_add(&sites, &two);
	call_sites_add(&sites, &two);
	assert_int_equal(sites.runs, 2);
	assert_true(sites.lost);
	assert_true(sites.iterations[0] == 4);
	assert_int_equal(sites.count, 2);
	assert_int_equal(sites.object_count, 1);
	assert_true(sites.items[0].from == 0x20 && sites.items[0].to == 0x40);
	assert_int_equal(sites.items[0].calls[0], 7);
	assert_int_equal(sites.items[0].calls[1], 6);
	assert_int_equal(sites.items[1].calls[0], 0);
	assert_int_equal(sites.items[1].calls[1], 1);
	call_sites_release(&sites);
	callgrind_free(one.counts);
	callgrind_free(two.counts);
}

static void test_parts_of_a_function_are_no_callees(void **state)
{
	static const char *const jumps[] = {"f.cold", "f.part.0", "f.part.0.cold", "f.cold.3",
		"f() [clone .cold]", "f() [clone .part.0]"};
	static const char *const calls[] = {
		"f.coldest", "part", ".cold", "f.constprop.0", "partial.part1"};
	struct call_sites sites;

	(void)state;
	for (size_t i = 0; i < 11; i++) {
		struct strbuf text = STRBUF_INIT;
		struct instructions_run run;

		strbuf_addf(&text, FILE_HEAD CALL("%s", "0x40", "3") FILE_END,
			i < 6 ? jumps[i] : calls[i - 6]);
		run = run_of(text.data);
		call_sites_init(&sites);
		call_sites_add(&sites, &run);
		assert_int_equal(sites.count, i < 6 ? 0 : 1);
		call_sites_release(&sites);
		callgrind_free(run.counts);
		strbuf_release(&text);
	}
}

static void test_the_way_back_from_a_cold_part_is_no_call(void **state)
{
	static const struct {
		const char *caller, *callee;
		size_t count;
	} cases[] = {{"g.cold", "g", 0}, {"g.cold", "g'2", 0}, {"g.cold.1'2", "g", 0},
		{"g() [clone .cold]", "g()", 0}, {"g.cold", "h", 1}, {"g.cold", "gg", 1},
		{"g.part.0.cold", "g.part.0", 0}, {"g.part.0.cold", "g", 1}};
	struct call_sites sites;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf text = STRBUF_INIT;
		struct instructions_run run;

		strbuf_addf(&text, FILE_HEAD "fn=%s\n" CALL("%s", "0x40", "3") FILE_END,
			cases[i].caller, cases[i].callee);
		run = run_of(text.data);
		call_sites_init(&sites);
		call_sites_add(&sites, &run);
		assert_int_equal(sites.count, cases[i].count);
		call_sites_release(&sites);
		callgrind_free(run.counts);
		strbuf_release(&text);
	}
}

static void test_other_engines_have_no_sites(void **state)
{
	struct instructions_run run = {.engine = INSTRUCTIONS_HARDWARE};
	struct call_sites sites;

	(void)state;
	call_sites_init(&sites);
	call_sites_add(&sites, &run);
	assert_int_equal(sites.runs, 0);
	call_sites_release(&sites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scene_test(test_calls_are_counted_by_caller),
		scene_test(test_instructions_of_calls_are_those_of_all_below),
		scene_test(test_a_caller_that_was_inlined_is_named),
		scene_test(test_a_jump_in_place_of_a_call_is_one),
		scene_test(test_recursion_counts_each_level),
		scene_test(test_threads_and_children_count),
		scene_test(test_a_functions_unlikely_part_is_not_called),
		scene_test(test_a_functions_part_is_not_the_function),
		scene_test(test_a_clone_counts_as_its_function),
		scene_test(test_what_has_no_symbols_is_named_by_its_place),
		scene_test(test_files_are_named_as_in_the_cpu_profile),
		cmocka_unit_test(test_two_runs_stand_side_by_side),
		cmocka_unit_test(test_parts_of_a_function_are_no_callees),
		cmocka_unit_test(test_the_way_back_from_a_cold_part_is_no_call),
		cmocka_unit_test(test_other_engines_have_no_sites),
	};

	process_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
