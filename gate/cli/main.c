/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/arena.h"
#include "gate/base/process.h"
#include "gate/base/text.h"
#include "gate/check/version.h"
#include "gate/cli/commands.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command *const commands[] = {
	&command_check, &command_run, &command_compare, &command_report, &command_doctor};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_overview(FILE *stream)
{
	fputs("usage: flamegate COMMAND [OPTION...]\n\n"
	      "Keeps performance regressions out of a main branch: measures head against its "
	      "base,\n"
	      "decides per function, and says which one got slower and why.\n\n",
		stream);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(stream, "  %-10s%s\n", commands[i]->name, commands[i]->summary);
	fputs("\nflamegate COMMAND --help tells more; flamegate --version tells which one this "
	      "is.\n"
	      "Exit status: 0 pass, 1 regression, 2 usage or configuration, 3 could not measure.\n",
		stream);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

/* Messages can carry names and output of the measured code: no terminal control gets through. */
static int print_error(const char *command, const struct error *err)
{
	struct strbuf text = STRBUF_INIT;

	text_defuse(&text, err->message, strlen(err->message));
	fprintf(stderr, "flamegate %s: %s\n", command, text.data);
	strbuf_release(&text);
	return error_exit_status(err->code);
}

static int print_help(const struct command *command)
{
	struct strbuf text = STRBUF_INIT;

	options_help(command, &text);
	fputs(text.data, stdout);
	strbuf_release(&text);
	return 0;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	void *settings = xcalloc(1, command->settings_size);
	int operand_index, status;
	bool help;

	if (options_parse(command, argc, argv, settings, &operand_index, &help, &err))
		status = print_error(command->name, &err);
	else if (help)
		status = print_help(command);
	else
		status = command->run(settings, (const char *const *)argv + operand_index, &err);
	if (status < 0)
		status = print_error(command->name, &err);
	options_release(command, settings);
	free(settings);
	return status;
}

int main(int argc, char **argv)
{
	const struct command *command;

	setlocale(LC_ALL, "C");
	process_init();
	if (argc < 2) {
		print_overview(stderr);
		return 2;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
		strcmp(argv[1], "help") == 0) {
		print_overview(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("flamegate " FLAMEGATE_VERSION);
		return 0;
	}
	command = find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "flamegate: unknown command '%s'; see flamegate --help\n", argv[1]);
		return 2;
	}
	return run_command(command, argc - 1, argv + 1);
}
