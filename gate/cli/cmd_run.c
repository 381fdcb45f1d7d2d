/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/check.h"
#include "gate/cli/commands.h"
#include "gate/cli/output.h"

#define DEFAULT_OUTPUT "flamegate-run"
#define MAX_RATE_HZ 4000

struct run_command_settings {
	const char *output, *mechanism;
	uint64_t rate;
};

static const struct option_spec run_options_table[] = {
	{"output", 'o', OPTION_STRING, "DIR",
		"folder for the profile and its report (default: " DEFAULT_OUTPUT ")",
		offsetof(struct run_command_settings, output)},
	{"rate", 'r', OPTION_NUMBER, "HZ", "samples per CPU second (default: 997, at most 4000)",
		offsetof(struct run_command_settings, rate)},
	{"mechanism", 0, OPTION_STRING, "NAME",
		"sampling clock: auto, perf or posix (default: auto)",
		offsetof(struct run_command_settings, mechanism)},
};

/* The profile is written also when the program failed: that is when it is wanted most. */
static int run(void *data, const char *const *operands, struct error *err)
{
	const struct run_command_settings *command = data;
	struct run_settings settings = {
		.argv = operands,
		.output = command->output ? command->output : DEFAULT_OUTPUT,
		.rate_hz = (uint32_t)command->rate,
		.mechanism = command->mechanism,
		.progress = output_progress,
	};
	struct result *result = NULL;
	struct error write_error = {0};
	int rc, status = -1;

	if (!operands[0]) {
		error_set(err, ERR_USAGE, "run what? flamegate run -- COMMAND [ARGUMENT...]");
		return -1;
	}
	if (command->rate > MAX_RATE_HZ) {
		error_set(err, ERR_USAGE, "--rate is at most %d", MAX_RATE_HZ);
		return -1;
	}
	if (output_check_mechanism(command->mechanism, err))
		return -1;
	rc = profile_run(&settings, &result, err);
	if (!result)
		return -1;
	if (output_result(result, settings.output, &write_error)) {
		if (!rc)
			*err = write_error;
	} else if (!rc) {
		status = result->exit_status;
	}
	result_free(result);
	return status;
}

const struct command command_run = {
	.name = "run",
	.summary = "one profiled run: a pprof file and a flame graph",
	.operands = "-- COMMAND [ARGUMENT...]",
	.text = "Runs the command with your terminal under the sampler and writes cpu.pb.gz (any "
		"pprof\n"
		"tool opens it) and a report. Nothing to configure.",
	.options = run_options_table,
	.option_count = sizeof(run_options_table) / sizeof(run_options_table[0]),
	.settings_size = sizeof(struct run_command_settings),
	.stop_at_operand = true,
	.run = run,
};
