/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table for bash: "COMMAND|NAMES|KIND|CHOICES" for an option, with "operand COUNT" as names for
 * the operands. And what all three shells' writers ask of the option tables.
 */
#include <string.h>

#include "gate/cli/commands.h"
#include "gate/cli/completion/completion.h"

extern const unsigned char completion_flamegate_bash[];
extern const size_t completion_flamegate_bash_len;

const struct option_spec *completion_option(const struct command *command, size_t index)
{
	if (index < command->option_count)
		return &command->options[index];
	return index == command->option_count ? &option_help : NULL;
}

static const char *kind_of(const struct argument *argument)
{
	switch (argument->kind) {
	case ARGUMENT_FILE:
		return "file";
	case ARGUMENT_FOLDER:
		return "folder";
	case ARGUMENT_REVISION:
		return "revisions";
	case ARGUMENT_BENCHMARK:
		return "benchmarks";
	case ARGUMENT_CHOICE:
	case ARGUMENT_SUGGESTION:
		return "words";
	case ARGUMENT_TEXT:
		break;
	}
	return "text";
}

const char *completion_kind(const struct option_spec *spec)
{
	return spec->argument ? kind_of(spec->argument) : "";
}

const char *completion_operand_kind(const struct command *command)
{
	if (command->stop_at_operand)
		return "command";
	return command->operand ? kind_of(command->operand) : "none";
}

bool completion_begins_group(size_t index)
{
	const char *name = commands[index]->name, *space = strchr(name, ' ');

	return space && (!index || strncmp(commands[index - 1]->name, name,
					   (size_t)(space + 1 - name)) != 0);
}

static void add_choices(struct strbuf *out, const struct argument *argument)
{
	for (size_t i = 0; argument && argument->choice && argument->choice(i); i++)
		strbuf_addf(out, "%s%s", i ? " " : "", argument->choice(i));
}

static void add_option(
	struct strbuf *out, const struct command *command, const struct option_spec *spec)
{
	strbuf_addf(out, "%s|--%s", command->name, spec->name);
	if (spec->letter)
		strbuf_addf(out, " -%c", spec->letter);
	strbuf_addf(out, "|%s|", completion_kind(spec));
	add_choices(out, spec->argument);
	strbuf_addch(out, '\n');
}

void completion_bash(struct strbuf *out)
{
	const struct option_spec *spec;

	strbuf_add(out, completion_flamegate_bash, completion_flamegate_bash_len);
	strbuf_addstr(out, "\n_flamegate_table='\n");
	for (size_t i = 0; i < command_count; i++) {
		for (size_t k = 0; (spec = completion_option(commands[i], k)); k++)
			add_option(out, commands[i], spec);
		strbuf_addf(out, "%s|operand %zu|%s|", commands[i]->name,
			commands[i]->operand_count, completion_operand_kind(commands[i]));
		add_choices(out, commands[i]->operand);
		strbuf_addch(out, '\n');
	}
	strbuf_addstr(out, "'\n");
}
