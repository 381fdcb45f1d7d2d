/* SPDX-License-Identifier: Apache-2.0 */
/* For zsh: a function for each command, which gives _arguments its options and operands. */
#include <stdio.h>
#include <string.h>

#include "gate/cli/commands.h"
#include "gate/cli/completion/completion.h"

extern const unsigned char completion_flamegate_zsh[];
extern const size_t completion_flamegate_zsh_len;

/* Inside of single quotes; in a description brackets would end it. */
static void add_quoted(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\'')
			strbuf_addstr(out, "'\\''");
		else if (*text == '[' || *text == ']')
			strbuf_addch(out, *text == '[' ? '(' : ')');
		else if (*text == '\\')
			strbuf_addstr(out, "\\\\");
		else
			strbuf_addch(out, *text);
}

/* The last part of a spec: how to complete. A space calls a function without _arguments' own. */
static void add_action(struct strbuf *out, const char *kind, const struct argument *argument)
{
	if (strcmp(kind, "file") == 0)
		strbuf_addstr(out, "_files");
	else if (strcmp(kind, "folder") == 0)
		strbuf_addstr(out, "_files -/");
	else if (strcmp(kind, "revisions") == 0 || strcmp(kind, "benchmarks") == 0)
		strbuf_addf(out, " _flamegate_ask %s", kind);
	else if (strcmp(kind, "words") == 0) {
		strbuf_addch(out, '(');
		for (size_t i = 0; argument->choice(i); i++)
			strbuf_addf(out, "%s%s", i ? " " : "", argument->choice(i));
		strbuf_addch(out, ')');
	} else {
		strbuf_addch(out, ' ');
	}
}

/* '(-b --base)'{-b+,--base=}'[help]:REVISION: _flamegate_ask revisions' */
static void add_option(struct strbuf *out, const struct option_spec *spec)
{
	const char *rest = spec->argument ? "+" : "", *equals = spec->argument ? "=" : "";
	struct strbuf help = STRBUF_INIT;

	strbuf_addstr(out, " \\\n\t\t'");
	if (spec->kind == OPTION_STRINGS)
		strbuf_addch(out, '*');
	else if (spec->letter)
		strbuf_addf(out, "(-%c --%s)", spec->letter, spec->name);
	if (spec->letter)
		strbuf_addf(out, "'{-%c%s,--%s%s}'[", spec->letter, rest, spec->name, equals);
	else
		strbuf_addf(out, "--%s%s[", spec->name, equals);
	options_describe(spec, &help);
	add_quoted(out, help.data);
	strbuf_addch(out, ']');
	if (spec->argument) {
		strbuf_addf(out, ":%s:", spec->argument->name);
		add_action(out, completion_kind(spec), spec->argument);
	}
	strbuf_addch(out, '\'');
	strbuf_release(&help);
}

static void add_operands(struct strbuf *out, const struct command *command)
{
	for (size_t i = 0; command->operand && i < command->operand_count; i++) {
		strbuf_addf(out, " \\\n\t\t'%zu:%s:", i + 1, command->operand->name);
		add_action(out, completion_operand_kind(command), command->operand);
		strbuf_addch(out, '\'');
	}
	if (command->stop_at_operand)
		strbuf_addstr(out, " \\\n\t\t'(-)1: :_command_names -e' '*:: :_normal'");
}

static void add_command(struct strbuf *out, const struct command *command)
{
	const struct option_spec *spec;

	strbuf_addf(out, "\n\t(%s%s%s)\n\t_arguments -s -S%s",
		strchr(command->name, ' ') ? "'" : "", command->name,
		strchr(command->name, ' ') ? "'" : "", command->stop_at_operand ? " -A '-*'" : "");
	for (size_t i = 0; (spec = completion_option(command, i)); i++)
		add_option(out, spec);
	add_operands(out, command);
	strbuf_addstr(out, "\n\t;;");
}

/* 'name:summary' of the commands, or of a group's verbs: what _describe takes. */
static void add_names(struct strbuf *out, const char *group)
{
	size_t skip = strlen(group);

	for (size_t i = 0; i < command_count; i++) {
		const char *name = commands[i]->name;
		bool first = completion_begins_group(i);

		if (strncmp(name, group, skip) != 0 || (!skip && strchr(name, ' ') && !first))
			continue;
		name += skip;
		strbuf_addf(out, "\n\t\t'%.*s:", (int)strcspn(name, " "), name);
		add_quoted(out, first && !skip ? "stored recordings: push, pull, list ..."
					       : commands[i]->summary);
		strbuf_addch(out, '\'');
	}
}

/* _flamegate_names [GROUP]: sets names; fails where no commands begin with it. */
static void add_groups(struct strbuf *out)
{
	strbuf_addstr(out, "\n_flamegate_names() {\n\tcase ${1-} in\n\t('') names=(");
	add_names(out, "");
	strbuf_addstr(out, ") ;;");
	for (size_t i = 0; i < command_count; i++)
		if (completion_begins_group(i)) {
			int length = (int)strcspn(commands[i]->name, " ");
			struct strbuf group = STRBUF_INIT;

			strbuf_addf(&group, "%.*s ", length, commands[i]->name);
			strbuf_addf(out, "\n\t(%.*s) names=(", length, commands[i]->name);
			add_names(out, group.data);
			strbuf_addstr(out, ") ;;");
			strbuf_release(&group);
		}
	strbuf_addstr(out, "\n\t(*) return 1 ;;\n\tesac\n}\n");
}

void completion_zsh(struct strbuf *out)
{
	strbuf_add(out, completion_flamegate_zsh, completion_flamegate_zsh_len);
	add_groups(out);
	strbuf_addstr(out, "\n_flamegate_command() {\n\tcase $1 in");
	for (size_t i = 0; i < command_count; i++)
		add_command(out, commands[i]);
	strbuf_addstr(out, "\n\tesac\n}\n\n"
			   "# Loaded by its name from fpath, or read as a script.\n"
			   "if [[ $funcstack[1] == _flamegate ]]; then\n\t_flamegate \"$@\"\n"
			   "else\n\tcompdef _flamegate flamegate\nfi\n");
}
