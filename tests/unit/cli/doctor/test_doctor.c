/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor shows of a report, for people and as JSON, and how problems add up. */
#include "gate/cli/doctor/doctor.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "gate/net/json.h"

struct scene {
	struct doctor_report report;
	struct strbuf text;
};

static struct doctor_benchmark benchmarks[] = {
	{"parse", "/repo/bench", ""},
	{"render", "", ""},
	{"static", "/repo/static", "it is statically linked"},
};
static struct doctor_store stores[] = {
	{"git notes of origin", true, true, ""},
	{"http://127.0.0.1:1", true, false, "connection refused"},
	{"dir", false, false, ""},
};

static void fill_machine(struct doctor_report *report)
{
	report->fingerprint = (struct fingerprint){.cpu_model = "Test CPU",
		.cpus_online = 8,
		.cpus_allowed = 4,
		.kernel = "Linux 6.1",
		.libc = "glibc 2.36",
		.os = "Debian",
		.governor = "",
		.turbo = "off",
		.virtualization = "",
		.perf_event_paranoid = "2"};
	report->environment = "0123456789abcdef";
	report->facts = (struct machine_facts){.load = -1,
		.steal = 0.012,
		.memory_bytes = UINT64_MAX,
		.scratch = "/tmp",
		.scratch_bytes = (uint64_t)3 << 20,
		.cache = "/cache",
		.cache_bytes = (uint64_t)5 << 20,
		.git = "git version 2.39.5",
		.governor = "",
		.turbo_switch = ""};
	report->library = "/lib/libflamegate.so";
	report->instructions = "callgrind";
}

static void fill_measured(struct doctor_report *report)
{
	report->has_sampling = report->has_cost = report->has_noise = report->has_calibration =
		true;
	report->perf = (struct probe_sampling){.refusal = EACCES};
	report->posix = (struct probe_sampling){.works = true,
		.rate_hz = 250,
		.complete = 0.991,
		.coverage = 0.98,
		.own_cost = 0.0021};
	report->has_clock_cost = true;
	report->clock_cost = (struct sampling_cost){"posix", 20000, 400};
	report->cost = (struct noise_cost){0.021, 0.012, 0.03, true};
	report->noise = (struct noise){0.1, 0.071, 0.47, 0.061};
	report->noise_runs = 40;
	report->policy = config_policy_default();
	report->detectable[0] = 0.066;
	report->detectable[1] = 0.068;
	for (int kind = 1; kind < CALIBRATION_COUNT; kind++)
		report->calibration.ns[kind] = 2.5 * kind;
}

static void fill_project(struct doctor_report *report)
{
	report->project = (struct doctor_project){.there = true,
		.config = "/repo/.flamegate.yml",
		.readable = true,
		.benchmarks = benchmarks,
		.benchmark_count = 3,
		.stores = stores,
		.store_count = 3,
		.variables = {{"X_TOKEN", true}, {"X_USER", false}, {"X_PASSWORD", false},
			{"X_ORG_ID", false}}};
	report->advice[0] = (struct machine_advice){"the governor is slow", "sudo cpupower"};
	report->advice[1] = (struct machine_advice){"there is one CPU", ""};
	report->advice_count = 2;
}

static int begin(void **state)
{
	struct scene *scene = test_calloc(1, sizeof(*scene));

	strbuf_init(&scene->text);
	fill_machine(&scene->report);
	*state = scene;
	return 0;
}

static int end(void **state)
{
	struct scene *scene = *state;

	arena_release(&scene->report.arena);
	strbuf_release(&scene->text);
	test_free(scene);
	return 0;
}

static void assert_shows(struct scene *scene, const char *line)
{
	if (!strstr(scene->text.data, line))
		fail_msg("no '%s' in:\n%s", line, scene->text.data);
}

static void show(struct scene *scene)
{
	strbuf_reset(&scene->text);
	doctor_text(&scene->report, &scene->text);
}

/* ---- for people --------------------------------------------------------------------------- */

static void test_the_machine_is_shown_in_two_columns(void **state)
{
	struct scene *scene = *state;

	show(scene);
	assert_shows(scene, "cpu           Test CPU\n");
	assert_shows(scene, "cpus          8 online, 4 for us\n");
	assert_shows(scene, "governor      not readable\n");
	assert_shows(scene, "virtual       no\n");
	assert_shows(scene, "memory        unknown for us\n");
	assert_shows(scene, "scratch       3 MiB free in /tmp\n");
	assert_shows(scene, "cache         5 MiB free for /cache\n");
	assert_shows(scene, "steal         1.2 % of");
	assert_shows(scene, "git           git version 2.39.5\n");
	assert_shows(scene, "library       /lib/libflamegate.so\n");
	assert_shows(scene, "instructions  callgrind\n");
	assert_shows(scene, "\nThis machine can measure.\n");
	assert_null(strstr(scene->text.data, "noise"));
	assert_null(strstr(scene->text.data, "config"));
	assert_null(strstr(scene->text.data, "posix"));
}

static void test_measurements_are_shown_with_their_units(void **state)
{
	struct scene *scene = *state;

	fill_measured(&scene->report);
	show(scene);
	assert_shows(scene, "perf          refused: Permission denied\n");
	assert_shows(scene, "posix         250 samples per CPU second, 99.1 % complete stacks, "
			    "98.0 % of the CPU time seen, own work 0.21 %\n");
	assert_shows(scene, "cost          sampling adds 2.1 % of CPU time (95 % interval: 1.2 to "
			    "3.0)\n");
	assert_shows(scene, "rate          auto is 499 Hz: the clock (posix) and its signal take "
			    "20.0 us a sample, 1.0 % of the CPU time\n");
	assert_shows(scene, "noise         40 equal runs of 0.10 s: 7.1 % from run to run, "
			    "correlation of neighbours 0.47, 6.1 % within a pair\n");
	assert_shows(scene, "finds         16 pairs find a whole benchmark that is 6.6 % slower\n");
	assert_shows(scene, "16 pairs, confirmed by 24, find a whole benchmark that is 6.8 %");
	assert_shows(scene, "calibration   alu no room, stream 2.5 ns, chase 5 ns");
}

static void test_what_perf_adds_to_a_switch_is_said_where_it_is_known(void **state)
{
	struct scene *scene = *state;

	fill_measured(&scene->report);
	show(scene);
	assert_null(strstr(scene->text.data, "switches"));
	scene->report.switching_ns = 10840;
	show(scene);
	assert_shows(scene, "switches      perf adds 10.8 us to each context switch of what it "
			    "samples: 1.1 % of the CPU time at 1,000 a CPU second\n");
}

static void test_what_noise_hides_is_said_so(void **state)
{
	struct scene *scene = *state;

	fill_measured(&scene->report);
	scene->report.cost = (struct noise_cost){0.01, -0.02, 0.04, false};
	scene->report.detectable[1] = INFINITY;
	show(scene);
	assert_shows(scene, "cost          not measurable");
	assert_shows(scene, "-2.0 to 4.0 %");
	assert_shows(scene, "confirmed by 24, find no slower benchmark");
}

static void test_the_project_is_shown_without_values_of_variables(void **state)
{
	struct scene *scene = *state;

	fill_project(&scene->report);
	show(scene);
	assert_shows(scene, "config        /repo/.flamegate.yml\n");
	assert_shows(scene, "benchmark     parse: /repo/bench can be profiled\n");
	assert_shows(scene, "benchmark     render: known when it is built and run\n");
	assert_shows(scene, "benchmark     static: cannot be profiled");
	assert_shows(scene, "store         git notes of origin: answers, has a baseline of HEAD\n");
	assert_shows(scene, "store         http://127.0.0.1:1: connection refused\n");
	assert_shows(scene, "store         dir: not asked\n");
	stores[1].problem = "http://127.0.0.1:1: refused";
	show(scene);
	stores[1].problem = "connection refused";
	assert_shows(scene, "store         http://127.0.0.1:1: refused\n");
	assert_shows(scene, "credentials   X_TOKEN set, X_USER not set, X_PASSWORD not set");
	assert_shows(scene, "advice        the governor is slow\n                sudo cpupower\n");
	assert_shows(scene, "advice        there is one CPU\nThis machine can measure.\n");
}

static void test_an_unreadable_configuration_is_pointed_at(void **state)
{
	struct scene *scene = *state;

	fill_project(&scene->report);
	scene->report.project.readable = false;
	show(scene);
	assert_shows(scene, "config        /repo/.flamegate.yml: see below\n");
	assert_null(strstr(scene->text.data, "credentials"));
}

static void test_hostile_texts_stay_on_their_line_and_drive_nothing(void **state)
{
	struct scene *scene = *state;

	fill_project(&scene->report);
	stores[1].problem = "no\n::error::owned\033[31m";
	show(scene);
	stores[1].problem = "connection refused";
	assert_null(strchr(scene->text.data, '\033'));
	assert_null(strstr(scene->text.data, "\n::"));
	assert_shows(scene, "http://127.0.0.1:1: no ");
}

/* ---- problems ----------------------------------------------------------------------------- */

static void test_the_gravest_problem_decides_and_all_are_shown(void **state)
{
	struct scene *scene = *state;
	struct error err = {0};

	error_set(&err, ERR_CONFIG, "wrong key");
	doctor_problem(&scene->report, &err);
	assert_int_equal(err.code, 0);
	assert_string_equal(err.message, "");
	assert_int_equal(error_exit_status(scene->report.problem_code), 2);
	error_set(&err, ERR_TOOL, "git is missing");
	doctor_problem(&scene->report, &err);
	assert_int_equal(error_exit_status(scene->report.problem_code), 3);
	error_set(&err, ERR_CONFIG, "another");
	doctor_problem(&scene->report, &err);
	assert_int_equal(scene->report.problem_code, ERR_TOOL);
	show(scene);
	assert_shows(scene, "problem       wrong key\nproblem       git is missing\n");
	assert_shows(scene, "\nMeasuring here needs these problems solved first.\n");
}

static void test_too_many_problems_are_dropped(void **state)
{
	struct scene *scene = *state;
	struct error err = {0};

	for (int i = 0; i < DOCTOR_MAX_PROBLEMS + 3; i++) {
		error_set(&err, ERR_BENCHMARK, "problem %d", i);
		doctor_problem(&scene->report, &err);
	}
	assert_int_equal(scene->report.problem_count, DOCTOR_MAX_PROBLEMS);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static struct json *parse(struct scene *scene)
{
	struct json *json = NULL;
	struct error err = {0};

	strbuf_reset(&scene->text);
	doctor_json(&scene->report, &scene->text);
	if (json_parse(scene->text.data, scene->text.length, "doctor", NULL, &json, &err))
		fail_msg("%s", err.message);
	return json;
}

static double number(const struct json *object, const char *key)
{
	double value = NAN;

	assert_int_equal(json_get_number(object, key, &value, NULL), ERR_OK);
	return value;
}

static void assert_number(const struct json *object, const char *key, double expected)
{
	assert_true(fabs(number(object, key) - expected) < 1e-12);
}

static void assert_flag(const struct json *object, const char *key, bool expected)
{
	bool value = !expected;

	assert_int_equal(json_get_bool(object, key, &value, NULL), ERR_OK);
	assert_int_equal(value, expected);
}

static void assert_string(const struct json *object, const char *key, const char *expected)
{
	const char *value = NULL;

	assert_int_equal(json_get_string(object, key, &value, NULL), ERR_OK);
	assert_string_equal(value, expected);
}

static void assert_null_member(const struct json *object, const char *key)
{
	assert_non_null(json_get(object, key));
	assert_int_equal(json_type(json_get(object, key)), JSON_NULL);
}

static void test_json_has_null_for_what_was_not_measured(void **state)
{
	static const char *const parts[] = {
		"sampling", "cost", "noise", "calibration_ns", "project"};
	struct json *json = parse(*state);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		assert_null_member(json, parts[i]);
	assert_null_member(json_get(json, "machine"), "load");
	assert_null_member(json_get(json, "machine"), "memory_bytes");
	assert_number(json_get(json, "machine"), "steal", 0.012);
	assert_number(json_get(json, "machine"), "scratch_bytes", 3 << 20);
	assert_number(json_get(json, "machine"), "cpus_allowed", 4);
	assert_string(json_get(json, "machine"), "cpu", "Test CPU");
	assert_flag(json, "can_measure", true);
	assert_int_equal(json_length(json_get(json, "problems")), 0);
	json_free(json);
}

static void test_json_has_what_was_measured(void **state)
{
	struct scene *scene = *state;
	const struct json *sampling, *noise;
	struct json *json;

	fill_measured(&scene->report);
	scene->report.detectable[1] = INFINITY;
	json = parse(scene);
	sampling = json_get(json, "sampling");
	assert_flag(json_get(sampling, "perf"), "works", false);
	assert_null(json_get(json_get(sampling, "perf"), "coverage"));
	assert_flag(json_get(sampling, "posix"), "works", true);
	assert_number(json_get(sampling, "posix"), "samples_per_cpu_second", 250);
	assert_number(json_get(sampling, "posix"), "complete", 0.991);
	assert_number(json_get(sampling, "posix"), "coverage", 0.98);
	assert_flag(json_get(json, "cost"), "measurable", true);
	assert_number(json_get(json, "cost"), "extra", 0.021);
	assert_number(json_get(json, "cost"), "low", 0.012);
	assert_number(json_get(json, "cost"), "high", 0.03);
	noise = json_get(json, "noise");
	assert_number(noise, "runs", 40);
	assert_number(noise, "cpu_seconds", 0.1);
	assert_number(noise, "cv", 0.071);
	assert_number(noise, "autocorrelation", 0.47);
	assert_number(noise, "pair_deviation", 0.061);
	assert_number(noise, "stage1_pairs", 16);
	assert_number(noise, "stage2_pairs", 24);
	assert_number(noise, "detectable_stage1", 0.066);
	assert_null_member(noise, "detectable");
	assert_int_equal(json_length(json_get(json, "calibration_ns")), CALIBRATION_COUNT);
	assert_number(json_get(json, "calibration_ns"), "chase", 5);
	json_free(json);
}

static void test_json_has_project_advice_and_problems(void **state)
{
	struct scene *scene = *state;
	struct error err = {0};
	const struct json *project;
	struct json *json;

	fill_project(&scene->report);
	error_set(&err, ERR_BENCHMARK, "benchmark static: it is statically linked");
	doctor_problem(&scene->report, &err);
	json = parse(scene);
	assert_flag(json, "can_measure", false);
	project = json_get(json, "project");
	assert_string(project, "config", "/repo/.flamegate.yml");
	assert_int_equal(json_length(json_get(project, "benchmarks")), 3);
	assert_string(json_at(json_get(project, "benchmarks"), 0), "program", "/repo/bench");
	assert_string(
		json_at(json_get(project, "benchmarks"), 2), "problem", "it is statically linked");
	assert_int_equal(json_length(json_get(project, "stores")), 3);
	assert_flag(json_at(json_get(project, "stores"), 0), "has_head", true);
	assert_flag(json_at(json_get(project, "stores"), 2), "asked", false);
	assert_string(json_at(json_get(project, "stores"), 1), "problem", "connection refused");
	assert_flag(json_get(project, "credentials"), "X_TOKEN", true);
	assert_flag(json_get(project, "credentials"), "X_USER", false);
	assert_int_equal(json_length(json_get(json, "advice")), 2);
	assert_string(json_at(json_get(json, "advice"), 0), "command", "sudo cpupower");
	assert_int_equal(json_length(json_get(json, "problems")), 1);
	json_free(json);
}

#define SCENE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(test_the_machine_is_shown_in_two_columns),
		SCENE(test_measurements_are_shown_with_their_units),
		SCENE(test_what_perf_adds_to_a_switch_is_said_where_it_is_known),
		SCENE(test_what_noise_hides_is_said_so),
		SCENE(test_the_project_is_shown_without_values_of_variables),
		SCENE(test_an_unreadable_configuration_is_pointed_at),
		SCENE(test_hostile_texts_stay_on_their_line_and_drive_nothing),
		SCENE(test_the_gravest_problem_decides_and_all_are_shown),
		SCENE(test_too_many_problems_are_dropped),
		SCENE(test_json_has_null_for_what_was_not_measured),
		SCENE(test_json_has_what_was_measured),
		SCENE(test_json_has_project_advice_and_problems),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
