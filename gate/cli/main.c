/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which command the words name, and how its error becomes a message and an exit status. Help is
 * here too.
 */
#include "gate/base/arena.h"
#include "gate/base/conceal.h"
#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "gate/base/text.h"
#include "gate/check/version.h"
#include "gate/cli/commands.h"
#include "gate/cli/version/build_info.h"

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

/* The words of a command's name: two in "baseline push", which argv gives apart. */
static int word_count(const struct command *command)
{
	return strchr(command->name, ' ') ? 2 : 1;
}

/* A command by its words, of which the list has at least one; NULL if there is no such command. */
static const struct command *find_command(const char *const *words)
{
	for (size_t i = 0; i < command_count; i++) {
		const char *name = commands[i]->name, *second = strchr(name, ' ');
		size_t length = strcspn(name, " ");

		if (strlen(words[0]) != length || strncmp(words[0], name, length) != 0)
			continue;
		if (!second || (words[1] && strcmp(words[1], second + 1) == 0))
			return commands[i];
	}
	return NULL;
}

static bool has_verbs(const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i < command_count; i++)
		if (strncmp(commands[i]->name, word, length) == 0 &&
			commands[i]->name[length] == ' ')
			return true;
	return false;
}

/* The commands that begin with this word. */
static void print_verbs(FILE *stream, const char *word)
{
	size_t length = strlen(word);

	fprintf(stream, "usage: flamegate %s VERB [OPTION...]\n\n", word);
	for (size_t i = 0; i < command_count; i++)
		if (strncmp(commands[i]->name, word, length) == 0 &&
			commands[i]->name[length] == ' ')
			fprintf(stream, "  %-17s%s\n", commands[i]->name, commands[i]->summary);
	fprintf(stream, "\nflamegate %s VERB --help tells more.\n", word);
}

static bool asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

/* The words name no command: what there is instead goes to stderr. */
static int refuse(const char *const *words)
{
	struct strbuf word = STRBUF_INIT;
	bool of_verbs = has_verbs(words[0]);
	const char *unknown = of_verbs ? words[1] : words[0];

	if (unknown) {
		text_defuse(&word, unknown, strlen(unknown));
		fprintf(stderr, "flamegate%s%s: unknown command '%s'%s\n", of_verbs ? " " : "",
			of_verbs ? words[0] : "", word.data,
			of_verbs ? "" : "; see flamegate --help");
	}
	if (of_verbs)
		print_verbs(stderr, words[0]);
	strbuf_release(&word);
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

/* "flamegate help", "flamegate help baseline", "flamegate help baseline push" */
static int show_help(const char *const *words)
{
	const struct command *command;

	while (words[0] && asks_for_help(words[0]))
		words++;
	command = words[0] ? find_command(words) : NULL;
	if (command && !words[word_count(command)])
		return print_help(command);
	if (!words[0])
		print_overview(stdout);
	else if (has_verbs(words[0]) && !words[1])
		print_verbs(stdout, words[0]);
	else
		return refuse(command ? words + word_count(command) : words);
	return 0;
}

int main(int argc, char **argv)
{
	const char *const *words = (const char *const *)argv + 1;
	const struct command *command;

	setlocale(LC_ALL, "C");
	process_init();
	conceal_environment();
	if (argc < 2) {
		print_overview(stderr);
		return 2;
	}
	if (asks_for_help(words[0]))
		return show_help(words + 1);
	if (strcmp(words[0], "--version") == 0) {
		printf("flamegate %s (%s)\n", FLAMEGATE_VERSION, build_info);
		return 0;
	}
	command = find_command(words);
	if (command)
		return run_command(command, argc - word_count(command), argv + word_count(command));
	if (has_verbs(words[0]) && words[1] && asks_for_help(words[1])) {
		argv[2] = argv[1]; /* "baseline help push" is "help baseline push" */
		return show_help(words + 1);
	}
	return refuse(words);
}
