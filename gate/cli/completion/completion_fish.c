/* SPDX-License-Identifier: Apache-2.0 */
/* fish: one `complete` for each option of each command. */
#include "gate/cli/completion/completion.h"

#include <string.h>

#include "gate/check/version.h"
#include "gate/cli/commands.h"

/* Between single quotes fish knows \' and \\ alone. */
static void add_quoted(struct strbuf *out, const char *text)
{
	strbuf_addstr(out, "'");
	for (; *text; text++)
		strbuf_addf(out, "%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
	strbuf_addstr(out, "'");
}

static void add_condition(struct strbuf *out, const struct command *command)
{
	strbuf_addf(out, "complete -c flamegate -n '__flamegate_at %s'", command->name);
}

static void add_source(struct strbuf *out, enum completion_source source, const char *const *words)
{
	static const char *const sources[] = {" -x", "", " -x -a '(__fish_complete_directories)'",
		" -r -F", " -x -a '(__flamegate_revisions)'",
		" -x -a '(flamegate completion benchmarks 2>/dev/null)'",
		" -x -a '(__fish_complete_command)'", " -x -a 'bash zsh fish'"};

	strbuf_addstr(out, sources[source]);
	if (source != COMPLETE_WORDS)
		return;
	for (const char *const *word = words; *word; word++)
		strbuf_addf(out, "%s%s", word == words ? " -x -a '" : " ", *word);
	strbuf_addstr(out, "'");
}

static void add_option(
	struct strbuf *out, const struct command *command, const struct option_spec *spec)
{
	add_condition(out, command);
	strbuf_addf(out, " -l %s", spec->name);
	if (spec->letter)
		strbuf_addf(out, " -s %c", spec->letter);
	if (spec->argument)
		add_source(out, completion_of_option(spec), spec->words);
	strbuf_addstr(out, " -d ");
	add_quoted(out, spec->help);
	strbuf_addstr(out, "\n");
}

static void add_command(struct strbuf *out, const struct command *command)
{
	enum completion_source source = completion_of_operands(command);

	add_condition(out, command);
	strbuf_addstr(out, " -l help -s h -d 'this text'\n");
	for (size_t i = 0; i < command->option_count; i++)
		add_option(out, command, &command->options[i]);
	if (source == COMPLETE_NOTHING)
		return;
	add_condition(out, command);
	add_source(out, source, NULL);
	strbuf_addstr(out, "\n");
}

static void add_words(struct strbuf *out)
{
	for (size_t i = 0; i < command_count; i++) {
		size_t length;
		const char *verb = completion_verb(commands[i], &length);

		if (!completion_is_known(i)) {
			strbuf_addf(out, "complete -c flamegate -n __flamegate_begins -a %.*s -d ",
				(int)length, commands[i]->name);
			add_quoted(out, verb ? "more commands" : commands[i]->summary);
			strbuf_addstr(out, "\n");
		}
		if (!verb)
			continue;
		strbuf_addf(out, "complete -c flamegate -n '__flamegate_is %.*s' -a %s -d ",
			(int)length, commands[i]->name, verb);
		add_quoted(out, commands[i]->summary);
		strbuf_addstr(out, "\n");
	}
}

void completion_fish(struct strbuf *out)
{
	strbuf_addstr(out,
		"# fish completion of flamegate " FLAMEGATE_VERSION
		", as `flamegate completion fish` prints it.\n"
		"function __flamegate_at # WORD...: the line's words begin with these\n"
		"\tset -l words (commandline -opc)\n"
		"\tset -e words[1]\n"
		"\tfor i in (seq (count $argv))\n"
		"\t\ttest \"$words[$i]\" = \"$argv[$i]\"; or return 1\n"
		"\tend\n"
		"end\n"
		"function __flamegate_is # WORD...: the line's words are these\n"
		"\ttest (count (commandline -opc)) -eq (math 1 + (count $argv)); and __flamegate_at $argv\n"
		"end\n"
		"function __flamegate_begins\n"
		"\ttest (count (commandline -opc)) -eq 1\n"
		"end\n"
		"function __flamegate_revisions\n"
		"\techo HEAD\n"
		"\tgit for-each-ref --format='%(refname:short)' 2>/dev/null\n"
		"end\n"
		"complete -c flamegate -f\n"
		"complete -c flamegate -n __flamegate_begins -l help -s h -d 'the commands'\n"
		"complete -c flamegate -n __flamegate_begins -l version -d 'which one this is'\n"
		"complete -c flamegate -n __flamegate_begins -a help -d 'print the help of a command'\n");
	add_words(out);
	for (size_t i = 0; i < command_count; i++)
		add_command(out, commands[i]);
}
