/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/cli/doctor/doctor_self_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/scratch.h"
#include "gate/cli/doctor/doctor.h"
#include "gate/cli/output.h"
#include "gate/net/json.h"

#define DEFAULT_SLOWDOWN "2%"
#define LEAST_SLOWDOWN 0.001
#define MOST_SLOWDOWN 1.0

static const char *const outcome_names[] = {
	[SELF_TEST_RIGHT] = "right",
	[SELF_TEST_UNMEASURED] = "unmeasured",
	[SELF_TEST_FALSE_ALARM] = "false_alarm",
	[SELF_TEST_NO_PLACE] = "no_place",
	[SELF_TEST_UNDETECTABLE] = "undetectable",
	[SELF_TEST_FIXED_TIME] = "fixed_time",
	[SELF_TEST_MISSED] = "missed",
	[SELF_TEST_WRONG_CULPRIT] = "wrong_culprit",
};

static const char *const status_names[] = {[RESULT_PASS] = "pass",
	[RESULT_WARN] = "warn",
	[RESULT_FAIL] = "fail",
	[RESULT_ERROR] = "error",
	[RESULT_NEUTRAL] = "neutral"};
/* Of the gate that must pass, and of the one that must fail. */
static const char *const null_words[] = {[RESULT_PASS] = "pass",
	[RESULT_WARN] = "pass, with a warning",
	[RESULT_FAIL] = "FALSE ALARM",
	[RESULT_ERROR] = "not measured",
	[RESULT_NEUTRAL] = "not measured"};
static const char *const planted_words[] = {[RESULT_PASS] = "NOT FOUND",
	[RESULT_WARN] = "NOT FOUND",
	[RESULT_FAIL] = "found",
	[RESULT_ERROR] = "not measured",
	[RESULT_NEUTRAL] = "not measured"};

int doctor_self_test_slowdown(const char *text, double *slowdown, struct error *err)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%") != 0) ||
		!(percent / 100 >= LEAST_SLOWDOWN && percent / 100 <= MOST_SLOWDOWN))
		return error_set(err, ERR_USAGE,
			"--slowdown wants a part of the benchmark's CPU time "
			"from 0.1%% to 100%%, not '%s'",
			text);
	*slowdown = percent / 100;
	return ERR_OK;
}

/* ---- for people ---------------------------------------------------------------------------- */

static void add_pairs(struct strbuf *line, const struct self_test_gate *gate)
{
	strbuf_addf(line, "%zu", gate->stage1_pairs);
	if (gate->stage2_pairs)
		strbuf_addf(line, " + %zu", gate->stage2_pairs);
	strbuf_addstr(line, " pairs");
}

static void say_null(const struct self_test *test, struct strbuf *out)
{
	const struct self_test_gate *gate = &test->null;
	struct strbuf line = STRBUF_INIT;

	if (!gate->was_run)
		return;
	strbuf_addstr(&line, null_words[gate->status]);
	if (gate->status != RESULT_ERROR) {
		strbuf_addf(&line, ": total %+.2f %% (%+.2f to %+.2f %%), ", 100 * gate->change,
			100 * gate->low, 100 * gate->high);
		add_pairs(&line, gate);
	}
	doctor_say(out, "A/A", "%s", line.data);
	strbuf_release(&line);
}

static void say_work(const struct self_test *test, struct strbuf *out)
{
	if (test->has_work)
		doctor_say(out, "work",
			"%s: of %.3f s planted all over, %.0f %% show (%.3f s "
			"before, %.3f s with it)",
			test->outcome == SELF_TEST_FIXED_TIME ? "NOT FIXED" : "fixed",
			test->work_planted, 100 * test->work_follows, test->work_before,
			test->work_after);
}

static void say_picked(const struct self_test *test, struct strbuf *out)
{
	if (test->picked)
		doctor_say(out, "picked",
			"%s: %zu. of %zu functions by self cost, %.2f %% of the CPU time, in which "
			"+%.2f %% can be found; seed %llu",
			test->picked, test->picked_rank, test->picked_of, 100 * test->picked_share,
			100 * test->picked_detectable, (unsigned long long)test->seed);
}

static void add_blamed(const struct self_test *test, struct strbuf *line)
{
	if (test->blamed[0])
		strbuf_addf(line, ", blamed %s, %+.2f %% (%+.2f to %+.2f %%)", test->blamed,
			100 * test->blamed_change, 100 * test->blamed_low, 100 * test->blamed_high);
}

static void say_planted(const struct self_test *test, struct strbuf *out)
{
	const struct self_test_gate *gate = &test->planted;
	struct strbuf line = STRBUF_INIT;

	if (!gate->was_run)
		return;
	strbuf_addf(&line, "+%.3g %% in %s (burnt: +%.2f %%): %s", 100 * test->slowdown,
		test->picked, 100 * test->burnt, planted_words[gate->status]);
	add_blamed(test, &line);
	strbuf_addstr(&line, ", ");
	add_pairs(&line, gate);
	doctor_say(out, "planted", "%s", line.data);
	strbuf_release(&line);
}

void doctor_self_test_text(const struct self_test *test, struct strbuf *out)
{
	doctor_say(out, "self-test", "%s, +%.3g %%, %.0f s", test->benchmark, 100 * test->slowdown,
		test->wall_seconds);
	say_null(test, out);
	say_work(test, out);
	say_picked(test, out);
	say_planted(test, out);
	if (test->outcome == SELF_TEST_RIGHT) {
		strbuf_addstr(out, "The gate works here: no change passes, the planted slowdown "
				   "fails and is named.\n");
		return;
	}
	doctor_say(out, "problem", "%s", test->detail);
	strbuf_addstr(out, "The gate does not prove itself on this benchmark and machine.\n");
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_gate(struct json_writer *json, const char *key, const struct self_test_gate *gate)
{
	json_write_key(json, key);
	if (!gate->was_run) {
		json_write_null(json);
		return;
	}
	json_object_begin(json);
	json_member_string(json, "status", status_names[gate->status]);
	json_member_uint64(json, "stage1_pairs", gate->stage1_pairs);
	json_member_uint64(json, "stage2_pairs", gate->stage2_pairs);
	json_member_double(json, "change", gate->change);
	json_member_double(json, "low", gate->low);
	json_member_double(json, "high", gate->high);
	json_member_double(json, "detectable_total", gate->detectable_total);
	json_object_end(json);
}

static void write_work(struct json_writer *json, const struct self_test *test)
{
	json_write_key(json, "work");
	if (!test->has_work) {
		json_write_null(json);
		return;
	}
	json_object_begin(json);
	json_member_double(json, "planted_seconds", test->work_planted);
	json_member_double(json, "before_seconds", test->work_before);
	json_member_double(json, "after_seconds", test->work_after);
	json_member_double(json, "follows", test->work_follows);
	json_member_bool(json, "counted", test->work_is_counted);
	json_object_end(json);
}

static void write_picked(struct json_writer *json, const struct self_test *test)
{
	json_write_key(json, "picked");
	if (!test->picked) {
		json_write_null(json);
		return;
	}
	json_object_begin(json);
	json_member_string(json, "function", test->picked);
	json_member_string(json, "file", test->picked_file);
	json_member_uint64(json, "rank", test->picked_rank);
	json_member_uint64(json, "functions", test->picked_of);
	json_member_double(json, "share", test->picked_share);
	json_member_double(json, "detectable", test->picked_detectable);
	json_member_double(json, "part", test->picked_part);
	json_object_end(json);
}

static void write_blamed(struct json_writer *json, const struct self_test *test)
{
	json_write_key(json, "blamed");
	if (!test->blamed[0]) {
		json_write_null(json);
		return;
	}
	json_object_begin(json);
	json_member_string(json, "function", test->blamed);
	json_member_double(json, "change", test->blamed_change);
	json_member_double(json, "low", test->blamed_low);
	json_member_double(json, "high", test->blamed_high);
	json_object_end(json);
}

void doctor_self_test_json(const struct self_test *test, struct strbuf *out)
{
	struct json_writer json;
	char seed[24];

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)test->seed);
	json_writer_init(&json, out, 2);
	json_object_begin(&json);
	json_member_string(&json, "benchmark", test->benchmark);
	json_member_string(&json, "outcome", outcome_names[test->outcome]);
	json_member_string(&json, "detail", test->detail);
	json_member_double(&json, "slowdown", test->slowdown);
	json_member_string(&json, "seed", seed);
	write_gate(&json, "null", &test->null);
	write_work(&json, test);
	write_picked(&json, test);
	write_gate(&json, "planted", &test->planted);
	json_member_double(&json, "burnt", test->burnt);
	write_blamed(&json, test);
	json_member_double(&json, "wall_seconds", test->wall_seconds);
	json_object_end(&json);
	strbuf_addch(out, '\n');
}

/* ---- the command --------------------------------------------------------------------------- */

/* Without a name the configuration's first one. *name lives as long as the report. */
static int choose_benchmark(const struct doctor_self_test_settings *settings,
	struct doctor_report *report, const char **name, struct error *err)
{
	const struct doctor_options options = {
		.directory = settings->directory, .offline = true, .progress = output_progress};

	*name = settings->benchmark;
	if (*name)
		return ERR_OK;
	doctor_look_at_project(&options, report);
	if (report->project.readable && report->project.benchmark_count) {
		*name = report->project.benchmarks[0].name;
		return ERR_OK;
	}
	if (report->problem_count)
		return error_set(err, report->problem_code, "%s", report->problems[0]);
	return error_set(err, ERR_CONFIG,
		"a self-test needs a benchmark of yours: there is no " CONFIG_FILE_NAME
		" here (flamegate init writes one)");
}

static int run(const struct doctor_self_test_settings *settings, const char *output,
	const char *benchmark, struct error *err)
{
	struct self_test_options options = {.directory = settings->directory,
		.benchmark = benchmark,
		.output = output,
		.mechanism = settings->mechanism,
		.seed = settings->seed,
		.progress = output_progress};
	struct strbuf text = STRBUF_INIT;
	struct self_test test;
	int rc = doctor_self_test_slowdown(
		settings->slowdown ? settings->slowdown : DEFAULT_SLOWDOWN, &options.slowdown, err);

	if (rc)
		return -1;
	rc = self_test_run(&options, &test, err);
	if (!rc) {
		(settings->json ? doctor_self_test_json : doctor_self_test_text)(&test, &text);
		fputs(text.data, stdout);
	}
	rc = rc ? -1 : test.outcome == SELF_TEST_RIGHT ? 0 : error_exit_status(ERR_MEASURE);
	strbuf_release(&text);
	self_test_release(&test);
	return rc;
}

int doctor_self_test(const struct doctor_self_test_settings *settings, struct error *err)
{
	struct doctor_report report = {.arena = ARENA_INIT};
	const char *benchmark;
	struct scratch scratch = {0};
	int status = -1;

	if (!choose_benchmark(settings, &report, &benchmark, err) &&
		(settings->output || !scratch_make(&scratch, err)))
		status = run(settings, settings->output ? settings->output : scratch.path,
			benchmark, err);
	scratch_remove(&scratch);
	arena_release(&report.arena);
	return status;
}
