/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `flamegate doctor`: its options, the examination, and the way to the self-test. With --burn it is
 * the program that the examination measures.
 */
#include "gate/base/error.h"
#include "gate/bench/machine/burner.h"
#include "gate/cli/commands.h"
#include "gate/cli/doctor/doctor.h"
#include "gate/cli/doctor/doctor_self_test.h"
#include "gate/cli/output.h"

#include <stdio.h>

struct doctor_settings {
	struct doctor_self_test_settings self_test; /* with what doctor itself needs of it */
	bool quick, offline, is_self_test;
	uint64_t burn;
};

#define SELF_TEST(member) offsetof(struct doctor_settings, self_test.member)

static const struct argument argument_percent = {"PERCENT", ARGUMENT_TEXT, NULL};

static const struct option_spec doctor_options_table[] = {
	{"quick", 'q', OPTION_FLAG, NULL, "do not measure cost, noise and calibration (15 s)",
		offsetof(struct doctor_settings, quick)},
	{"offline", 0, OPTION_FLAG, NULL, "do not contact the baseline stores",
		offsetof(struct doctor_settings, offline)},
	{"self-test", 0, OPTION_FLAG, NULL,
		"plant a slowdown in a benchmark of yours: is it found and named?",
		offsetof(struct doctor_settings, is_self_test)},
	{"benchmark", 'B', OPTION_STRING, &argument_benchmark,
		"self-test: which one (default: the first)", SELF_TEST(benchmark)},
	{"slowdown", 0, OPTION_STRING, &argument_percent,
		"self-test: how much of its CPU time is planted (default: 2%)",
		SELF_TEST(slowdown)},
	{"output", 'o', OPTION_STRING, &argument_folder,
		"self-test: folder for its recordings (default: they are not kept)",
		SELF_TEST(output)},
	{"mechanism", 0, OPTION_STRING, &argument_mechanism,
		"self-test: sampling clock: {} (default: auto)", SELF_TEST(mechanism)},
	{"seed", 0, OPTION_NUMBER, &argument_number,
		"self-test: what is picked, order of the runs (default: from the clock)",
		SELF_TEST(seed)},
	{"json", 0, OPTION_FLAG, NULL, "as JSON, one object", SELF_TEST(json)},
	{"directory", 'C', OPTION_STRING, &argument_folder, "the repository (default: here)",
		SELF_TEST(directory)},
	{"burn", 0, OPTION_NUMBER, &argument_number,
		"only do N rounds of fixed work: the program that doctor measures",
		offsetof(struct doctor_settings, burn)},
};

static bool has_self_test_option(const struct doctor_self_test_settings *settings)
{
	return settings->benchmark || settings->slowdown || settings->output ||
	       settings->mechanism || settings->seed;
}

static int check_operands(
	const struct doctor_settings *settings, const char *const *operands, struct error *err)
{
	if (operands[0])
		return error_set(err, ERR_USAGE,
			"doctor takes no operands ('%s'); did you mean -C %s?", operands[0],
			operands[0]);
	if (!settings->is_self_test && has_self_test_option(&settings->self_test))
		return error_set(err, ERR_USAGE,
			"--benchmark, --slowdown, --output, --mechanism and --seed go with "
			"--self-test alone");
	if (settings->burn > BURNER_MAX_ROUNDS)
		return error_set(err, ERR_USAGE, "--burn is at most %d", BURNER_MAX_ROUNDS);
	return ERR_OK;
}

static int examine(const struct doctor_settings *settings, struct error *err)
{
	const struct doctor_options options = {.directory = settings->self_test.directory,
		.quick = settings->quick,
		.offline = settings->offline,
		.progress = output_progress};
	struct doctor_report report = {.arena = ARENA_INIT};
	struct strbuf text = STRBUF_INIT;
	int status = -1;

	doctor_look_at_project(&options, &report);
	if (doctor_measure(&options, &report, err) == ERR_OK) {
		(settings->self_test.json ? doctor_json : doctor_text)(&report, &text);
		fputs(text.data, stdout);
		status = report.problem_code ? error_exit_status(report.problem_code) : 0;
	}
	strbuf_release(&text);
	arena_release(&report.arena);
	return status;
}

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct doctor_settings *settings = data;

	if (check_operands(settings, operands, err))
		return -1;
	if (settings->burn) {
		printf("%llu\n", (unsigned long long)burner_run(settings->burn));
		return 0;
	}
	if (settings->is_self_test)
		return doctor_self_test(&settings->self_test, err);
	return examine(settings, err);
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "what this machine can measure, and what to change",
	.operands = "",
	.text = "Shows the environment, profiles a program of its own by each sampling clock, and "
		"says what\n"
		"that costs, how much equal runs differ and what can be found then. Looks at the\n"
		"repository's configuration and stores. Exit status 3 where nothing can be "
		"measured.\n"
		"With --self-test instead: measures a benchmark of yours against itself, which "
		"must "
		"pass,\n"
		"and against a copy with a planted slowdown, which must fail and name the function.",
	.options = doctor_options_table,
	.option_count = sizeof(doctor_options_table) / sizeof(doctor_options_table[0]),
	.settings_size = sizeof(struct doctor_settings),
	.run = run,
};
