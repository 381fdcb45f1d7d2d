/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate check`: its options, those that a replay refuses, and the reports that are written. */
#include "gate/base/error.h"
#include "gate/check/check.h"
#include "gate/check/output_folder.h"
#include "gate/cli/commands.h"
#include "gate/cli/output.h"
#include "gate/cli/progress.h"
#include "report/formats.h"

#define DEFAULT_OUTPUT "flamegate-report"

struct check_settings {
	const char *directory, *base, *head, *store, *output, *replay, *mechanism, *report_url;
	struct string_list only, also;
	bool no_baseline, measure_identical, strict;
	uint64_t seed, attempt;
};

/* Formats with a file that is not written anyway. */
static const char *also_choice(size_t index)
{
	for (const struct report_format *format = report_formats; format->name; format++)
		if (format->file && !format->always && !index--)
			return format->name;
	return NULL;
}
static const struct argument argument_also = {"FORMAT", ARGUMENT_CHOICE, also_choice};

static const struct option_spec check_options_table[] = {
	{"base", 'b', OPTION_STRING, &argument_revision,
		"a branch: compare head with its merge base (default: the target branch); "
		"a tag or commit: with that one",
		offsetof(struct check_settings, base)},
	{"head", 0, OPTION_STRING, &argument_revision,
		"the commit to check (default: the working tree; in CI, HEAD)",
		offsetof(struct check_settings, head)},
	{"store", 0, OPTION_STRING, &argument_url,
		"where stored baselines are (default: baseline.store of the configuration)",
		offsetof(struct check_settings, store)},
	{"no-baseline", 0, OPTION_FLAG, NULL, "look at no stored baseline",
		offsetof(struct check_settings, no_baseline)},
	{"benchmark", 'B', OPTION_STRINGS, &argument_benchmark,
		"check only this one, or what fits a glob; may be repeated",
		offsetof(struct check_settings, only)},
	{"output", 'o', OPTION_STRING, &argument_folder,
		"folder for reports and recordings (default: " DEFAULT_OUTPUT ")",
		offsetof(struct check_settings, output)},
	{"also", 0, OPTION_STRINGS, &argument_also,
		"write this into the folder too: {}; may be repeated",
		offsetof(struct check_settings, also)},
	{"report-url", 0, OPTION_STRING, &argument_url,
		"where report.html will be found: Markdown and annotations link into it (default: "
		"FLAMEGATE_REPORT_URL)",
		offsetof(struct check_settings, report_url)},
	{"replay", 0, OPTION_STRING, &argument_folder,
		"decide on the recordings in DIR; measure nothing, build nothing",
		offsetof(struct check_settings, replay)},
	{"measure-identical", 0, OPTION_FLAG, NULL,
		"measure also when both versions execute the same files",
		offsetof(struct check_settings, measure_identical)},
	{"strict", 0, OPTION_FLAG, NULL,
		"judge functions whose machine code is unchanged like all others (for experiments)",
		offsetof(struct check_settings, strict)},
	{"mechanism", 0, OPTION_STRING, &argument_mechanism, "sampling clock: {} (default: auto)",
		offsetof(struct check_settings, mechanism)},
	{"seed", 0, OPTION_NUMBER, &argument_number,
		"order of the runs (default: from the clock; recorded)",
		offsetof(struct check_settings, seed)},
	{"attempt", 0, OPTION_NUMBER, &argument_number,
		"this is the Nth attempt at the same change (default: in CI, GITHUB_RUN_ATTEMPT)",
		offsetof(struct check_settings, attempt)},
	{"directory", 'C', OPTION_STRING, &argument_folder, "the repository (default: here)",
		offsetof(struct check_settings, directory)},
};

/* A replay has measured already: what would change the measurement says nothing to it. */
static int check_settings(const struct check_settings *settings, struct error *err)
{
	if (settings->replay &&
		(settings->base || settings->head || settings->only.count ||
			settings->measure_identical || settings->mechanism || settings->seed ||
			settings->attempt || settings->directory || settings->store ||
			settings->no_baseline))
		return error_set(err, ERR_USAGE,
			"--replay decides on what was measured: it goes with --output, --also, "
			"--report-url and --strict alone");
	if (settings->attempt > UINT32_MAX)
		return error_set(
			err, ERR_USAGE, "--attempt is the number of attempts at this change");
	return ERR_OK;
}

/* A replay has no recordings to write, and leaves the folder to us. */
static int prepare_output(
	const struct check_settings *settings, const char *output, struct error *err)
{
	int rc = settings->replay ? output_folder_prepare(output, err) : ERR_OK;

	return rc ? rc : output_forget(output, err);
}

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct check_settings *settings = data;
	const char *output = settings->output ? settings->output : DEFAULT_OUTPUT;
	struct progress progress;
	struct check_options options = {
		.directory = settings->directory,
		.base = settings->base,
		.head = settings->head,
		.store = settings->store,
		.no_store = settings->no_baseline,
		.output = output,
		.replay = settings->replay,
		.only = settings->only.items,
		.measure_identical = settings->measure_identical,
		.strict = settings->strict,
		.ci = output_in_ci(),
		.seed = settings->seed,
		.attempt = (uint32_t)settings->attempt,
		.mechanism = settings->mechanism,
		.progress = progress_say,
		.progress_data = &progress,
	};
	struct result *result = NULL;
	const char *page_url = NULL;
	int rc, status;

	if (operands[0]) {
		error_set(err, ERR_USAGE, "check takes no operands ('%s'); did you mean --base %s?",
			operands[0], operands[0]);
		return -1;
	}
	if (check_settings(settings, err) ||
		output_page_url(settings->report_url, &page_url, err) ||
		prepare_output(settings, output, err))
		return -1;
	progress_init(&progress, stderr);
	if (progress.on)
		options.steps = progress_step;
	rc = check_run(&options, &result, err);
	progress_end(&progress);
	if (rc) {
		output_disown(output);
		return -1;
	}
	status = output_verdict(result, output, settings->also.items, page_url);
	result_free(result);
	return status;
}

const struct command command_check = {
	.name = "check",
	.summary = "compare head with its base; exit 1 on a regression",
	.operands = "",
	.text = "Builds head and its base, runs every benchmark of .flamegate.yml under the "
		"sampler in\n"
		"random-order pairs, decides per function, and writes reports.",
	.options = check_options_table,
	.option_count = sizeof(check_options_table) / sizeof(check_options_table[0]),
	.settings_size = sizeof(struct check_settings),
	.run = run,
};
