/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate completion`: what a shell completes flamegate's command lines by. */
#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/config/config.h"
#include "gate/cli/commands.h"
#include "gate/cli/completion/completion.h"

/* One on each line: config.h knows no name that a shell would read otherwise. */
static int list_benchmarks(struct strbuf *out, struct error *err)
{
	struct config config;
	int rc = config_read_file(&config, CONFIG_FILE_NAME, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < config.benchmark_count; i++)
		strbuf_addf(out, "%s\n", config.benchmarks[i].name);
	config_release(&config);
	return ERR_OK;
}

static int write_for(const char *shell, struct strbuf *out, struct error *err)
{
	static const struct {
		const char *name;
		void (*write)(struct strbuf *out);
	} shells[] = {
		{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

	if (strcmp(shell, "benchmarks") == 0)
		return list_benchmarks(out, err);
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].write(out);
			return ERR_OK;
		}
	return error_set(err, ERR_USAGE,
		"there is a completion for bash, zsh and fish, not for '%s'", shell);
}

static int run(void *settings, const char *const *operands, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	int status = -1;

	(void)settings;
	if (!operands[0] || operands[1])
		error_set(err, ERR_USAGE, "completion for which shell? bash, zsh or fish");
	else if (!write_for(operands[0], &out, err))
		status = 0;
	if (!status && out.length)
		fputs(out.data, stdout);
	if (!status && fflush(stdout)) {
		error_set(err, ERR_IO, "cannot write to stdout");
		status = -1;
	}
	strbuf_release(&out);
	return status;
}

const struct command command_completion = {
	.name = "completion",
	.summary = "a shell's completion of these commands",
	.operands = "SHELL",
	.text = "Prints the script by which bash, zsh or fish complete flamegate's commands and options.\n"
		"`make install` and the release put it where they look. `flamegate completion\n"
		"benchmarks` lists the names in ./" CONFIG_FILE_NAME
		", which these scripts ask for.",
	.settings_size = 1,
	.run = run,
};
