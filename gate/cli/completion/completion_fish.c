/* SPDX-License-Identifier: Apache-2.0 */
/* For fish: a `complete` for each command, option and operand. */
#include <stdio.h>
#include <string.h>

#include "gate/cli/commands.h"
#include "gate/cli/completion/completion.h"

extern const unsigned char completion_flamegate_fish[];
extern const size_t completion_flamegate_fish_len;

static void add_quoted(struct strbuf *out, const char *text)
{
	strbuf_addch(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *text);
	}
	strbuf_addch(out, '\'');
}

/* -x: with an argument, which is no file. */
static void add_action(struct strbuf *out, const char *kind, const struct argument *argument)
{
	if (strcmp(kind, "file") == 0)
		strbuf_addstr(out, " -r -F");
	else if (strcmp(kind, "folder") == 0)
		strbuf_addstr(out, " -x -a '(__fish_complete_directories (commandline -ct))'");
	else if (strcmp(kind, "revisions") == 0 || strcmp(kind, "benchmarks") == 0)
		strbuf_addf(out, " -x -a '(__flamegate_ask %s)'", kind);
	else if (strcmp(kind, "words") == 0) {
		strbuf_addstr(out, " -x -a '");
		for (size_t i = 0; argument->choice(i); i++)
			strbuf_addf(out, "%s%s", i ? " " : "", argument->choice(i));
		strbuf_addch(out, '\'');
	} else if (strcmp(kind, "text") == 0) {
		strbuf_addstr(out, " -x");
	}
}

/* The names of the options that take an argument: which words of a line are operands depends on them. */
static void add_takers(struct strbuf *out, const struct command *command)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_spec *spec = &command->options[i];

		if (!spec->argument)
			continue;
		strbuf_addf(out, " --%s", spec->name);
		if (spec->letter)
			strbuf_addf(out, " -%c", spec->letter);
	}
}

static void add_wants(struct strbuf *out, const struct command *command, size_t operands)
{
	strbuf_addf(out, "; and __flamegate_wants %zu %d", operands,
		strchr(command->name, ' ') ? 2 : 1);
	add_takers(out, command);
}

static void add_option(
	struct strbuf *out, const struct command *command, const struct option_spec *spec)
{
	struct strbuf help = STRBUF_INIT;

	strbuf_addf(out, "complete -c flamegate -n '__flamegate_at %s", command->name);
	if (command->stop_at_operand)
		add_wants(out, command, 1);
	strbuf_addf(out, "' -l %s", spec->name);
	if (spec->letter)
		strbuf_addf(out, " -s %c", spec->letter);
	add_action(out, completion_kind(spec), spec->argument);
	options_describe(spec, &help);
	strbuf_addstr(out, " -d ");
	add_quoted(out, help.data);
	strbuf_addch(out, '\n');
	strbuf_release(&help);
}

static void add_operands(struct strbuf *out, const struct command *command)
{
	const char *kind = completion_operand_kind(command);

	if (strcmp(kind, "none") == 0)
		return;
	strbuf_addf(out, "complete -c flamegate -n '__flamegate_at %s", command->name);
	if (command->stop_at_operand) {
		strbuf_addstr(out, "' -x -a '(__fish_complete_subcommand --fcs-skip=2");
		add_takers(out, command);
		strbuf_addstr(out, ")'\n");
		return;
	}
	add_wants(out, command, command->operand_count);
	strbuf_addch(out, '\'');
	add_action(out, kind, command->operand);
	strbuf_addch(out, '\n');
}

static void add_command(struct strbuf *out, const struct command *command)
{
	const char *name = command->name, *space = strchr(name, ' ');
	int group = space ? (int)(space - name) : 0;

	if (group)
		strbuf_addf(out,
			"complete -c flamegate -n '__flamegate_before_verb %.*s' -a %s -d ", group,
			name, space + 1);
	else
		strbuf_addf(
			out, "complete -c flamegate -n __flamegate_before_name -a %s -d ", name);
	add_quoted(out, command->summary);
	strbuf_addch(out, '\n');
}

void completion_fish(struct strbuf *out)
{
	const struct option_spec *spec;

	strbuf_add(out, completion_flamegate_fish, completion_flamegate_fish_len);
	for (size_t i = 0; i < command_count; i++) {
		strbuf_addch(out, '\n');
		if (completion_begins_group(i))
			strbuf_addf(out,
				"complete -c flamegate -n __flamegate_before_name -a %.*s "
				"-d 'stored recordings: push, pull, list ...'\n",
				(int)strcspn(commands[i]->name, " "), commands[i]->name);
		add_command(out, commands[i]);
		for (size_t k = 0; (spec = completion_option(commands[i], k)); k++)
			add_option(out, commands[i], spec);
		add_operands(out, commands[i]);
	}
}
