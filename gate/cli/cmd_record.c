/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `flamegate record`: its options, and an exit status by which benchmarks that were measured can
 * still be pushed where others failed.
 */
#include "gate/base/error.h"
#include "gate/check/check.h"
#include "gate/check/result.h"
#include "gate/cli/commands.h"
#include "gate/cli/output.h"
#include "gate/cli/progress.h"

#define DEFAULT_OUTPUT "flamegate-record"
#define MAX_ROUNDS 1000

struct record_settings {
	const char *directory, *commit, *output, *mechanism;
	struct string_list only;
	uint64_t rounds;
};

static const struct option_spec record_options_table[] = {
	{"commit", 0, OPTION_STRING, &argument_revision, "the commit to record (default: HEAD)",
		offsetof(struct record_settings, commit)},
	{"benchmark", 'B', OPTION_STRINGS, &argument_benchmark,
		"record only this one, or what fits a glob; may be repeated",
		offsetof(struct record_settings, only)},
	{"output", 'o', OPTION_STRING, &argument_folder,
		"folder for recordings and report (default: " DEFAULT_OUTPUT ")",
		offsetof(struct record_settings, output)},
	{"rounds", 0, OPTION_NUMBER, &argument_number,
		"runs of each benchmark (default: policy.pairs' min)",
		offsetof(struct record_settings, rounds)},
	{"mechanism", 0, OPTION_STRING, &argument_mechanism, "sampling clock: {} (default: auto)",
		offsetof(struct record_settings, mechanism)},
	{"directory", 'C', OPTION_STRING, &argument_folder, "the repository (default: here)",
		offsetof(struct record_settings, directory)},
};

/*
 * One benchmark that could not be measured is no reason to throw the others away: they can be
 * pushed, and it is the push that fails for what it lacks.
 */
static int status_of(const struct result *result, int status)
{
	struct strbuf line = STRBUF_INIT;
	size_t failed = 0;

	for (size_t i = 0; i < result->benchmark_count; i++)
		failed += result->benchmarks[i].outcome == OUTCOME_ERROR;
	if (!failed || failed == result->benchmark_count)
		return status;
	strbuf_addf(&line,
		"%zu of %zu benchmarks could not be recorded; `flamegate baseline push` keeps the "
		"others, and then exits with 3",
		failed, result->benchmark_count);
	output_progress(NULL, line.data);
	strbuf_release(&line);
	return 0;
}

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct record_settings *settings = data;
	struct progress progress;
	struct record_options options = {
		.directory = settings->directory,
		.commit = settings->commit,
		.output = settings->output ? settings->output : DEFAULT_OUTPUT,
		.only = settings->only.items,
		.rounds = (uint32_t)settings->rounds,
		.ci = output_in_ci(),
		.mechanism = settings->mechanism,
		.progress = progress_say,
		.progress_data = &progress,
	};
	struct result *result = NULL;
	const char *page_url = NULL;
	int rc, status;

	if (operands[0]) {
		error_set(err, ERR_USAGE, "record takes no operands ('%s')", operands[0]);
		return -1;
	}
	if (settings->rounds > MAX_ROUNDS) {
		error_set(err, ERR_USAGE, "--rounds is at most %d", MAX_ROUNDS);
		return -1;
	}
	if (output_page_url(NULL, &page_url, err) || output_forget(options.output, err))
		return -1;
	progress_init(&progress, stderr);
	if (progress.on)
		options.steps = progress_step;
	rc = record_run(&options, &result, err);
	progress_end(&progress);
	if (rc) {
		output_disown(options.output);
		return -1;
	}
	status = status_of(result, output_verdict(result, options.output, NULL, page_url));
	result_free(result);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "measure a commit, to be kept as a baseline",
	.operands = "",
	.text = "Builds the commit and runs each benchmark several times under the sampler, in "
		"turns. "
		"The\nrecordings, with this machine's fingerprint and calibration, are what\n"
		"`flamegate baseline push` puts into the store.",
	.options = record_options_table,
	.option_count = sizeof(record_options_table) / sizeof(record_options_table[0]),
	.settings_size = sizeof(struct record_settings),
	.run = run,
};
