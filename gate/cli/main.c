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

static void print_overview(FILE *stream)
{
	fputs("usage: flamegate COMMAND [OPTION...]\n\n"
	      "Keeps performance regressions out of a main branch: measures head against its "
	      "base,\n"
	      "decides per function, and says which one got slower and why.\n\n",
		stream);
	for (size_t i = 0; i < command_count; i++)
		fprintf(stream, "  %-17s%s\n", commands[i]->name, commands[i]->summary);
	fputs("\nflamegate COMMAND --help tells more; flamegate --version tells which one this "
	      "is.\n"
	      "Exit status: 0 pass, 1 regression, 2 usage or configuration, 3 could not measure.\n",
		stream);
}

/* Commands of two words ("baseline push") take the second from argv too: *words tells how many. */
static const struct command *find_command(int argc, char **argv, int *words)
{
	for (size_t i = 0; i < command_count; i++) {
		const char *name = commands[i]->name, *second = strchr(name, ' ');
		size_t length = second ? (size_t)(second - name) : strlen(name);

		if (strlen(argv[1]) != length || strncmp(argv[1], name, length) != 0)
			continue;
		*words = second ? 2 : 1;
		if (!second || (argc > 2 && strcmp(argv[2], second + 1) == 0))
			return commands[i];
	}
	return NULL;
}

/* The first word of a command of two, without the second. */
static int print_verbs(const char *word)
{
	size_t length = strlen(word);
	bool any = false;

	for (size_t i = 0; i < command_count; i++) {
		if (strncmp(commands[i]->name, word, length) != 0 ||
			commands[i]->name[length] != ' ')
			continue;
		if (!any)
			fprintf(stderr, "usage: flamegate %s VERB [OPTION...]\n\n", word);
		any = true;
		fprintf(stderr, "  %-17s%s\n", commands[i]->name, commands[i]->summary);
	}
	if (!any)
		fprintf(stderr, "flamegate: unknown command '%s'; see flamegate --help\n", word);
	return 2;
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
	int words;

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
	command = find_command(argc, argv, &words);
	if (!command)
		return print_verbs(argv[1]);
	return run_command(command, argc - words, argv + words);
}
