/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate run -- COMMAND`: its options, and a report also of a command that failed. */
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/cli/commands.h"
#include "gate/cli/output.h"

#define DEFAULT_OUTPUT "flamegate-run"
#define MAX_RATE_HZ 4000

struct run_command_settings {
	const char *output, *mechanism, *profile, *process;
	uint64_t rate, heap_period;
	bool start_paused;
};

static const char *kind_choice(size_t index)
{
	return profile_kinds[index].name;
}
static const struct argument argument_kind = {"KIND", ARGUMENT_CHOICE, kind_choice};
static const struct argument argument_hertz = {"HZ", ARGUMENT_TEXT, NULL};
static const struct argument argument_bytes = {"BYTES", ARGUMENT_TEXT, NULL};
static const struct argument argument_process = {"NAME", ARGUMENT_TEXT, NULL};

static const struct option_spec run_options_table[] = {
	{"output", 'o', OPTION_STRING, &argument_folder,
		"folder for the profile and its report (default: " DEFAULT_OUTPUT ")",
		offsetof(struct run_command_settings, output)},
	{"profile", 'p', OPTION_STRING, &argument_kind, "what to count: {} (default: cpu)",
		offsetof(struct run_command_settings, profile)},
	{"rate", 'r', OPTION_NUMBER, &argument_hertz,
		"samples per CPU second (default: 997, at most 4000)",
		offsetof(struct run_command_settings, rate)},
	{"mechanism", 0, OPTION_STRING, &argument_mechanism, "sampling clock: {} (default: auto)",
		offsetof(struct run_command_settings, mechanism)},
	{"heap-period", 0, OPTION_NUMBER, &argument_bytes,
		"count one allocation of so many bytes on average (default: 0, all of them)",
		offsetof(struct run_command_settings, heap_period)},
	{"start-paused", 0, OPTION_FLAG, NULL,
		"count nothing before the program's first region (flamegate.h)",
		offsetof(struct run_command_settings, start_paused)},
	{"process", 0, OPTION_STRING, &argument_process,
		"count this program alone; all: every process (default: "
		"all but shells and build tools)",
		offsetof(struct run_command_settings, process)},
};

/* The profile is written also when the program failed: that is when it is wanted most. */
static int run(void *data, const char *const *operands, struct error *err)
{
	const struct run_command_settings *command = data;
	struct run_settings settings = {
		.argv = operands,
		.kind = command->profile ? profile_kind_find(command->profile) : profile_kinds,
		.output = command->output ? command->output : DEFAULT_OUTPUT,
		.rate_hz = (uint32_t)command->rate,
		.heap_period_bytes = command->heap_period,
		.start_paused = command->start_paused,
		.mechanism = command->mechanism,
		.progress = output_progress,
	};
	const char *processes[2] = {NULL, NULL};
	struct result *result = NULL;
	const char *page_url = NULL;
	struct error write_error = {0};
	int rc, status = -1;

	if (!operands[0]) {
		error_set(err, ERR_USAGE, "run what? flamegate run -- COMMAND [ARGUMENT...]");
		return -1;
	}
	if (command->heap_period > UINT32_MAX) {
		error_set(err, ERR_USAGE, "--heap-period is at most %u", UINT32_MAX);
		return -1;
	}
	if (command->rate > MAX_RATE_HZ) {
		error_set(err, ERR_USAGE, "--rate is at most %d", MAX_RATE_HZ);
		return -1;
	}
	if (command->process) {
		if (strcmp(command->process, "all") != 0)
			processes[0] = command->process;
		settings.processes = processes;
	}
	if (output_page_url(NULL, &page_url, err) || output_forget(settings.output, err))
		return -1;
	rc = profile_run(&settings, &result, err);
	if (!result)
		return -1;
	if (output_result(result, settings.output, NULL, page_url, &write_error)) {
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
	.text = "Runs the command with your terminal under the sampler and writes a pprof file "
		"(any "
		"pprof\n"
		"tool opens it: cpu.pb.gz, alloc_bytes.pb.gz and so on) "
		"and a report. Nothing to configure.",
	.options = run_options_table,
	.option_count = sizeof(run_options_table) / sizeof(run_options_table[0]),
	.settings_size = sizeof(struct run_command_settings),
	.stop_at_operand = true,
	.run = run,
};
