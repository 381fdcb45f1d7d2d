/* SPDX-License-Identifier: Apache-2.0 */
/* `flamegate completion`: the scripts, and the names that they ask for while somebody types. */
#include "gate/base/error.h"
#include "gate/cli/commands.h"
#include "gate/cli/completion/completion.h"

#include <stdio.h>
#include <string.h>

struct completion_settings {
	const char *list;
};

const struct completion_shell completion_shells[] = {
	{"bash", completion_bash},
	{"zsh", completion_zsh},
	{"fish", completion_fish},
	{NULL, NULL},
};

static const char *shell_choice(size_t index)
{
	return completion_shells[index].name;
}
static const struct argument argument_shell = {"SHELL", ARGUMENT_CHOICE, shell_choice};
static const struct argument argument_list = {"KIND", ARGUMENT_CHOICE, completion_list_kind};

static const struct option_spec completion_options_table[] = {
	{"list", 0, OPTION_STRING, &argument_list,
		"print names instead, one a line: {}; behind -- the command line so far",
		offsetof(struct completion_settings, list)},
};

static const struct completion_shell *find_shell(const char *name)
{
	const struct completion_shell *shell = completion_shells;

	while (shell->name && strcmp(shell->name, name) != 0)
		shell++;
	return shell->name ? shell : NULL;
}

static int write_script(const char *const *operands, struct strbuf *out, struct error *err)
{
	const struct completion_shell *shell;

	if (!operands[0] || operands[1])
		return error_set(err, ERR_USAGE, "completion needs one shell: bash, zsh or fish");
	shell = find_shell(operands[0]);
	if (!shell)
		return error_set(err, ERR_USAGE,
			"there are completions for bash, zsh and fish, not for '%s'", operands[0]);
	shell->write(out);
	return ERR_OK;
}

static int run(void *data, const char *const *operands, struct error *err)
{
	const struct completion_settings *settings = data;
	struct strbuf text = STRBUF_INIT;
	int rc = settings->list ? completion_list(settings->list, operands, &text, err)
				: write_script(operands, &text, err);

	if (!rc && (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout)))
		rc = error_set(err, ERR_IO, "cannot write to stdout");
	strbuf_release(&text);
	return rc ? -1 : 0;
}

const struct command command_completion = {
	.name = "completion",
	.summary = "print the completions for bash, zsh or fish",
	.operands = "SHELL",
	.operand = &argument_shell,
	.operand_count = 1,
	.text = "Prints a script by which the shell completes commands, options, their values, "
		"benchmarks and\n"
		"revisions. `make install` puts it where the shell looks. Without that:\n\n"
		"  source <(flamegate completion bash)     in ~/.bashrc; zsh: in ~/.zshrc, behind "
		"compinit\n"
		"  flamegate completion fish | source      in ~/.config/fish/config.fish",
	.options = completion_options_table,
	.option_count = sizeof(completion_options_table) / sizeof(completion_options_table[0]),
	.settings_size = sizeof(struct completion_settings),
	.run = run,
};
