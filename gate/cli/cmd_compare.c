/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate compare`: its options, and the reports of what was compared. */
#include "gate/base/error.h"
#include "gate/check/check.h"
#include "gate/check/output_folder.h"
#include "gate/cli/commands.h"
#include "gate/cli/output.h"

#define DEFAULT_OUTPUT "flamegate-compare"

struct compare_settings {
	const char *output, *type, *credentials;
	bool strict;
};

static const struct argument argument_prefix = {"PREFIX", ARGUMENT_TEXT, NULL};

static const struct option_spec compare_options_table[] = {
	{"output", 'o', OPTION_STRING, &argument_folder,
		"folder for the reports (default: " DEFAULT_OUTPUT ")",
		offsetof(struct compare_settings, output)},
	{"type", 't', OPTION_STRING, &argument_type,
		"value type to compare, where a profile has several "
		"(default: cpu, or its own default)",
		offsetof(struct compare_settings, type)},
	{"credentials", 0, OPTION_STRING, &argument_prefix,
		"variables with credentials for servers: PREFIX_TOKEN, or PREFIX_USER and "
		"PREFIX_PASSWORD (default: FLAMEGATE)",
		offsetof(struct compare_settings, credentials)},
	{"strict", 0, OPTION_FLAG, NULL,
		"judge functions whose machine code is unchanged like all others (for experiments)",
		offsetof(struct compare_settings, strict)},
};

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct compare_settings *settings = data;
	struct compare_options options = {.type = settings->type,
		.credentials = settings->credentials,
		.strict = settings->strict,
		.progress = output_progress};
	const char *output = settings->output ? settings->output : DEFAULT_OUTPUT;
	struct result *result = NULL;
	const char *page_url = NULL;
	int status;

	if (!operands[0] || !operands[1] || operands[2]) {
		error_set(err, ERR_USAGE, "compare wants two recordings or profiles: BASE HEAD");
		return -1;
	}
	if (output_page_url(NULL, &page_url, err) || output_folder_prepare(output, err) ||
		output_forget(output, err) ||
		compare_run(&options, operands[0], operands[1], &result, err))
		return -1;
	status = output_verdict(result, output, NULL, page_url);
	result_free(result);
	return status;
}

const struct command command_compare = {
	.name = "compare",
	.summary = "any two recordings, profiles or servers",
	.operands = "BASE HEAD",
	.operand = &argument_path,
	.operand_count = 2,
	.text = "Two recordings (folders with a recording.json) of one benchmark are decided "
		"exactly as\n"
		"check did; two other recordings of one benchmark as a stored baseline is. "
		"Profiles are "
		"pprof\n"
		"files or URLs, shown side by side; without replication nothing is decided:\n\n"
		"  pyroscope://HOST?query={service_name=\"x\"}&from=now-2h&until=now-1h   also "
		"pyroscopes://\n"
		"  parca://HOST?query=TYPE{job=\"x\"}&from=now-1h                         also "
		"parcas://\n"
		"  http://HOST/debug/pprof/profile?seconds=10               "
		"             also https://",
	.options = compare_options_table,
	.option_count = sizeof(compare_options_table) / sizeof(compare_options_table[0]),
	.settings_size = sizeof(struct compare_settings),
	.run = run,
};
