/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of a machine, and the advice that follows from it. */
#include "gate/bench/machine/machine.h"

#include <errno.h>
#include <math.h>

#include "gate/base/error.h"
#include "gate/bench/machine/burner.h"
#include "tests/unit/bench/scene.h"

#define CPU "sys/devices/system/cpu/"
#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static void write_below(const struct scene *scene, const char *name, const char *text)
{
	char *path = file_join(scene->dir, name), *folder = strdup(path);
	char *slash = strrchr(folder, '/');

	*slash = '\0';
	assert_int_equal(file_mkdirs(folder, NULL), ERR_OK);
	assert_int_equal(file_write(path, text, strlen(text), NULL), ERR_OK);
	free(folder);
	free(path);
}

static struct machine_facts read_scene(const struct scene *scene, struct arena *arena)
{
	struct machine_facts facts;

	machine_read(scene->dir, &facts, arena);
	return facts;
}

/* ---- facts -------------------------------------------------------------------------------- */

static void test_facts_are_read_from_the_kernel_s_files(void **state)
{
	const struct scene *scene = *state;
	struct arena arena = ARENA_INIT;
	struct machine_facts facts;

	write_below(scene, "proc/sys/kernel/perf_event_paranoid", "-1\n");
	write_below(scene, "proc/loadavg", "1.50 0.70 0.30 2/345 6789\n");
	write_below(scene, CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
	write_below(scene, CPU "smt/active", "1\n");
	write_below(scene, "sys/fs/cgroup/cpu.max", "150000 100000\n");
	facts = read_scene(scene, &arena);
	assert_int_equal(facts.perf_event_paranoid, -1);
	assert_true(fabs(facts.load - 1.5) < 1e-9);
	assert_string_equal(facts.governor, "powersave");
	assert_true(facts.smt);
	assert_true(fabs(facts.quota_cpus - 1.5) < 1e-9);
	assert_int_equal(facts.privileged, geteuid() == 0);
	assert_true(facts.cpus_allowed > 0);
	assert_true(facts.scratch_bytes > 0 && facts.scratch_bytes < UINT64_MAX);
	assert_true(facts.steal < 0 && facts.noise < 0);
	assert_false(facts.perf_tried);
	arena_release(&arena);
}

static void test_what_cannot_be_read_is_unknown(void **state)
{
	const struct scene *scene = *state;
	struct arena arena = ARENA_INIT;
	struct machine_facts facts = read_scene(scene, &arena);

	assert_int_equal(facts.perf_event_paranoid, MACHINE_UNKNOWN);
	assert_true(facts.load < 0);
	assert_string_equal(facts.governor, "");
	assert_string_equal(facts.turbo_switch, "");
	assert_false(facts.smt);
	assert_true(facts.quota_cpus >= 0 && facts.quota_cpus <= 0);
	write_below(scene, "proc/sys/kernel/perf_event_paranoid", "many\n");
	write_below(scene, "proc/loadavg", "\n");
	write_below(scene, "sys/fs/cgroup/cpu.max", "max 100000\n");
	facts = read_scene(scene, &arena);
	assert_int_equal(facts.perf_event_paranoid, MACHINE_UNKNOWN);
	assert_true(facts.load < 0);
	assert_true(facts.quota_cpus >= 0 && facts.quota_cpus <= 0);
	arena_release(&arena);
}

static void test_turbo_s_switch_is_one_that_is_on(void **state)
{
	const struct scene *scene = *state;
	struct arena arena = ARENA_INIT;

	write_below(scene, CPU "intel_pstate/no_turbo", "0\n");
	assert_string_equal(
		read_scene(scene, &arena).turbo_switch, "/" CPU "intel_pstate/no_turbo");
	write_below(scene, CPU "intel_pstate/no_turbo", "1\n");
	assert_string_equal(read_scene(scene, &arena).turbo_switch, "");
	write_below(scene, CPU "cpufreq/boost", "0\n");
	assert_string_equal(read_scene(scene, &arena).turbo_switch, "");
	write_below(scene, CPU "cpufreq/boost", "1\n");
	assert_string_equal(read_scene(scene, &arena).turbo_switch, "/" CPU "cpufreq/boost");
	arena_release(&arena);
}

static void test_space_of_a_folder_that_is_not_there_yet_is_that_of_the_one_above(void **state)
{
	const struct scene *scene = *state;
	struct arena arena = ARENA_INIT;
	struct machine_facts facts;

	setenv("FLAMEGATE_CACHE", at(scene, "not/yet/there"), 1);
	setenv("TMPDIR", scene->dir, 1);
	facts = read_scene(scene, &arena);
	assert_string_equal(facts.cache, at(scene, "not/yet/there"));
	assert_true(facts.cache_bytes > 0 && facts.cache_bytes < UINT64_MAX);
	assert_string_equal(facts.scratch, scene->dir);
	setenv("FLAMEGATE_CACHE", "relative", 1);
	facts = read_scene(scene, &arena);
	assert_string_equal(facts.cache, "");
	assert_true(facts.cache_bytes == UINT64_MAX);
	unsetenv("FLAMEGATE_CACHE");
	unsetenv("TMPDIR");
	arena_release(&arena);
}

static void test_git_s_version_is_two_numbers(void **state)
{
	static const struct {
		const char *text;
		int32_t major, minor;
	} table[] = {
		{"git version 2.39.5", 2, 39},
		{"git version 2.50.1 (Apple Git-155)", 2, 50},
		{"git version 3.0", 3, 0},
		{"git version two", MACHINE_UNKNOWN, MACHINE_UNKNOWN},
		{"hub 2.39", MACHINE_UNKNOWN, MACHINE_UNKNOWN},
		{"git version -2.3", MACHINE_UNKNOWN, MACHINE_UNKNOWN},
		{"", MACHINE_UNKNOWN, MACHINE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		int32_t major = 7, minor = 7;

		machine_git_version(table[i].text, &major, &minor);
		assert_int_equal(major, table[i].major);
		assert_int_equal(minor, table[i].minor);
	}
}

static void test_steal_is_a_part_of_the_time_asked_for(void **state)
{
	const struct scene *scene = *state;
	struct machine_cpu_times before, after;

	write_below(scene, "proc/stat", "cpu  100 10 40 9000 50 5 5 20 0 0\ncpu0 1 2 3 4\n");
	assert_true(machine_cpu_times(scene->dir, &before));
	assert_true(fabs(before.busy - 160) < 1e-9);
	assert_true(fabs(before.stolen - 20) < 1e-9);
	write_below(scene, "proc/stat", "cpu  160 10 60 9900 90 5 5 40 0 0\n");
	assert_true(machine_cpu_times(scene->dir, &after));
	assert_true(fabs(machine_steal(&before, &after) - 0.2) < 1e-9);
	assert_true(machine_steal(&before, &before) < 0);
	assert_true(machine_steal(&after, &before) < 0);
}

static void test_a_damaged_stat_gives_no_times(void **state)
{
	static const char *const damaged[] = {"", "cpu  1 2 3\n", "cpu0 1 2 3 4 5 6 7 8\n",
		"cpu  1 2 3 4 5 6 7\n", "cpu  1 2 3 4 5 6 x 8\n"};
	const struct scene *scene = *state;
	struct machine_cpu_times times = {7, 7};

	assert_false(machine_cpu_times(scene->dir, &times));
	for (size_t i = 0; i < COUNT(damaged); i++) {
		write_below(scene, "proc/stat", damaged[i]);
		assert_false(machine_cpu_times(scene->dir, &times));
	}
	assert_true(fabs(times.busy - 7) < 1e-9);
}

/* ---- advice ------------------------------------------------------------------------------- */

/* A machine that leaves nothing to be said. */
static struct machine_facts ideal(void)
{
	return (struct machine_facts){.perf_event_paranoid = 1,
		.governor = "performance",
		.turbo_switch = "",
		.cpus_allowed = 4,
		.load = 1.9,
		.steal = 0.02,
		.memory_bytes = (uint64_t)512 << 20,
		.scratch = "/tmp",
		.scratch_bytes = (uint64_t)1 << 30,
		.cache = "/cache",
		.cache_bytes = (uint64_t)2 << 30,
		.git_major = 2,
		.git_minor = 31,
		.git = "git version 2.31.0",
		.perf_tried = true,
		.perf_works = true,
		.noise = 0.05};
}

/* The one piece of advice holds both texts; NULL: there is none at all. */
static void assert_advice(const struct machine_facts *facts, const char *what, const char *command)
{
	struct machine_advice advice[MACHINE_ADVICE_MAX];
	struct arena arena = ARENA_INIT;
	size_t count = machine_advise(facts, &arena, advice);

	assert_int_equal(count, what ? 1 : 0);
	if (what) {
		if (!strstr(advice[0].what, what))
			fail_msg("no '%s' in: %s", what, advice[0].what);
		assert_string_equal(advice[0].command, command);
	}
	arena_release(&arena);
}

static void test_an_ideal_machine_gets_no_advice(void **state)
{
	struct machine_facts facts = ideal();

	(void)state;
	assert_advice(&facts, NULL, NULL);
	facts.steal = facts.load = facts.noise = -1;
	facts.cpus_allowed = 0;
	facts.perf_tried = facts.perf_works = false;
	facts.perf_event_paranoid = MACHINE_UNKNOWN;
	facts.memory_bytes = facts.scratch_bytes = facts.cache_bytes = UINT64_MAX;
	facts.governor = "";
	facts.git = "git of my own";
	facts.git_major = facts.git_minor = MACHINE_UNKNOWN;
	assert_advice(&facts, NULL, NULL);
}

static void test_git_must_be_there_and_new_enough(void **state)
{
	struct machine_facts facts = ideal();

	(void)state;
	facts.git_minor = 30;
	assert_advice(&facts, "git 2.30 is older than 2.31", "sudo apt-get install git");
	facts.git_major = 1;
	facts.git_minor = 99;
	assert_advice(&facts, "git 1.99 is older", "sudo apt-get install git");
	facts.git_major = 3;
	facts.git_minor = 0;
	assert_advice(&facts, NULL, NULL);
	facts.git = "";
	assert_advice(&facts, "git is missing", "sudo apt-get install git");
}

static void test_perf_is_refused_by_the_kernel_or_by_a_container(void **state)
{
	const char *container = "docker run --security-opt seccomp=unconfined ...";
	struct machine_facts facts = ideal();

	(void)state;
	facts.perf_works = false;
	facts.perf_refusal = EACCES;
	facts.perf_event_paranoid = 2;
	assert_advice(
		&facts, "perf_event_paranoid is 2", "sudo sysctl kernel.perf_event_paranoid=1");
	facts.privileged = true;
	assert_advice(&facts, "Permission denied", container);
	facts.privileged = false;
	facts.perf_event_paranoid = 1;
	facts.perf_refusal = 0;
	assert_advice(&facts, "no reason given", container);
}

static void test_others_on_the_same_cpus_are_named(void **state)
{
	struct machine_facts facts = ideal();

	(void)state;
	facts.steal = 0.034;
	assert_advice(&facts, "gave 3.4 % of the CPU time", "");
	facts = ideal();
	facts.load = 2.1;
	assert_advice(&facts, "load 2.1 on 4 CPUs", "top");
	facts = ideal();
	facts.cpus_allowed = 1;
	facts.load = 0;
	assert_advice(&facts, "one CPU for everything", "");
	facts = ideal();
	facts.quota_cpus = 1.5;
	assert_advice(&facts, "1.50 of 4 CPUs", "");
	facts.quota_cpus = 4;
	assert_advice(&facts, NULL, NULL);
}

static void test_the_clock_s_speed_has_three_reasons(void **state)
{
	struct machine_facts facts = ideal();

	(void)state;
	facts.governor = "schedutil";
	assert_advice(
		&facts, "the governor is schedutil", "sudo cpupower frequency-set -g performance");
	facts = ideal();
	facts.turbo_switch = "/" CPU "intel_pstate/no_turbo";
	assert_advice(&facts, "turbo is on", "echo 1 | sudo tee /" CPU "intel_pstate/no_turbo");
	facts.turbo_switch = "/" CPU "cpufreq/boost";
	assert_advice(&facts, "turbo is on", "echo 0 | sudo tee /" CPU "cpufreq/boost");
	facts = ideal();
	facts.smt = true;
	assert_advice(&facts, "two threads share", "echo off | sudo tee /" CPU "smt/control");
}

static void test_memory_and_space_run_out(void **state)
{
	struct machine_facts facts = ideal();

	(void)state;
	facts.memory_bytes = (uint64_t)100 << 20;
	assert_advice(&facts, "only 100 MiB of memory", "");
	facts = ideal();
	facts.scratch_bytes = (uint64_t)200 << 20;
	assert_advice(&facts, "only 200 MiB are free in /tmp", "export TMPDIR=...");
	facts = ideal();
	facts.cache_bytes = (uint64_t)1 << 30;
	assert_advice(&facts, "only 1024 MiB are free for /cache", "export FLAMEGATE_CACHE=...");
}

static void test_noise_is_drift_or_jitter(void **state)
{
	struct machine_facts facts = ideal();

	(void)state;
	facts.noise = 0.071;
	facts.autocorrelation = 0.8;
	assert_advice(&facts, "differ by 7.1 %, most of it slow drift", "");
	facts.autocorrelation = 0.1;
	assert_advice(&facts, "from one to the next", "");
}

static void test_everything_at_once_fits_and_the_gravest_is_first(void **state)
{
	struct machine_facts facts = {.governor = "powersave",
		.turbo_switch = "/boost",
		.smt = true,
		.cpus_allowed = 1,
		.quota_cpus = 0.5,
		.load = 9,
		.steal = 0.5,
		.scratch = "/tmp",
		.cache = "/cache",
		.git = "",
		.perf_tried = true,
		.perf_event_paranoid = 4,
		.noise = 0.2};
	struct machine_advice advice[MACHINE_ADVICE_MAX];
	struct arena arena = ARENA_INIT;

	(void)state;
	assert_int_equal(machine_advise(&facts, &arena, advice), 13);
	assert_non_null(strstr(advice[0].what, "git is missing"));
	assert_non_null(strstr(advice[1].what, "perf_event_paranoid is 4"));
	arena_release(&arena);
}

/* ---- the burner --------------------------------------------------------------------------- */

static void test_equal_rounds_are_equal_work(void **state)
{
	(void)state;
	assert_true(burner_run(3) == burner_run(3));
	assert_true(burner_run(3) != burner_run(4));
	assert_true(burner_run(150) == burner_run(150));
}

static void test_rounds_are_at_least_one_and_not_without_end(void **state)
{
	uint64_t rounds;

	(void)state;
	assert_int_equal(burner_rounds(1), 1);
	assert_int_equal(burner_rounds(UINT64_MAX / 1000), BURNER_MAX_ROUNDS);
	rounds = burner_rounds(1000000000);
	assert_true(rounds > 1 && rounds < BURNER_MAX_ROUNDS);
}

#define SCENE(test) cmocka_unit_test_setup_teardown(test, scene_begin, scene_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(test_facts_are_read_from_the_kernel_s_files),
		SCENE(test_what_cannot_be_read_is_unknown),
		SCENE(test_turbo_s_switch_is_one_that_is_on),
		SCENE(test_space_of_a_folder_that_is_not_there_yet_is_that_of_the_one_above),
		cmocka_unit_test(test_git_s_version_is_two_numbers),
		SCENE(test_steal_is_a_part_of_the_time_asked_for),
		SCENE(test_a_damaged_stat_gives_no_times),
		cmocka_unit_test(test_an_ideal_machine_gets_no_advice),
		cmocka_unit_test(test_git_must_be_there_and_new_enough),
		cmocka_unit_test(test_perf_is_refused_by_the_kernel_or_by_a_container),
		cmocka_unit_test(test_others_on_the_same_cpus_are_named),
		cmocka_unit_test(test_the_clock_s_speed_has_three_reasons),
		cmocka_unit_test(test_memory_and_space_run_out),
		cmocka_unit_test(test_noise_is_drift_or_jitter),
		cmocka_unit_test(test_everything_at_once_fits_and_the_gravest_is_first),
		cmocka_unit_test(test_equal_rounds_are_equal_work),
		cmocka_unit_test(test_rounds_are_at_least_one_and_not_without_end),
	};

	process_init();
	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
