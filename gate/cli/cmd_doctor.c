/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/burner.h"
#include "gate/cli/commands.h"
#include "gate/cli/doctor.h"
#include "gate/cli/output.h"

#include <stdio.h>

struct doctor_settings {
	const char *directory;
	bool quick, offline, json;
	uint64_t burn;
};

static const struct option_spec doctor_options_table[] = {
	{"quick", 'q', OPTION_FLAG, NULL, "do not measure cost, noise and calibration (15 s)",
		offsetof(struct doctor_settings, quick)},
	{"offline", 0, OPTION_FLAG, NULL, "do not contact the baseline stores",
		offsetof(struct doctor_settings, offline)},
	{"json", 0, OPTION_FLAG, NULL, "as JSON, one object",
		offsetof(struct doctor_settings, json)},
	{"directory", 'C', OPTION_STRING, "DIR", "the repository (default: here)",
		offsetof(struct doctor_settings, directory)},
	{"burn", 0, OPTION_NUMBER, "N",
		"only do N rounds of fixed work: the program that doctor measures",
		offsetof(struct doctor_settings, burn)},
};

static int check_operands(
	const struct doctor_settings *settings, const char *const *operands, struct error *err)
{
	if (operands[0])
		return error_set(err, ERR_USAGE,
			"doctor takes no operands ('%s'); did you mean -C %s?", operands[0],
			operands[0]);
	if (settings->burn > BURNER_MAX_ROUNDS)
		return error_set(err, ERR_USAGE, "--burn is at most %d", BURNER_MAX_ROUNDS);
	return ERR_OK;
}

static int examine(const struct doctor_settings *settings, struct error *err)
{
	const struct doctor_options options = {.directory = settings->directory,
		.quick = settings->quick,
		.offline = settings->offline,
		.progress = output_progress};
	struct doctor_report report = {.arena = ARENA_INIT};
	struct strbuf text = STRBUF_INIT;
	int status = -1;

	doctor_look_at_project(&options, &report);
	if (doctor_measure(&options, &report, err) == ERR_OK) {
		(settings->json ? doctor_json : doctor_text)(&report, &text);
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
		"measured.",
	.options = doctor_options_table,
	.option_count = sizeof(doctor_options_table) / sizeof(doctor_options_table[0]),
	.settings_size = sizeof(struct doctor_settings),
	.run = run,
};
