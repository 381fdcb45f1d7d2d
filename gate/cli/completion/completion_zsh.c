/* SPDX-License-Identifier: Apache-2.0 */
/* zsh: the tables as the specifications of its _arguments. */
#include "gate/cli/completion/completion.h"

#include <string.h>

#include "gate/check/version.h"
#include "gate/cli/commands.h"

static void add_quoted(struct strbuf *out, const char *text)
{
	strbuf_addstr(out, "'");
	for (; *text; text++)
		if (*text == '\'')
			strbuf_addstr(out, "'\\''");
		else
			strbuf_add(out, text, 1);
	strbuf_addstr(out, "'");
}

/* A colon ends a name, a bracket a description. */
static void add_escaped(struct strbuf *out, const char *text)
{
	struct strbuf escaped = STRBUF_INIT;

	for (; *text; text++)
		strbuf_addf(&escaped, "%s%c", strchr(":[]\\", *text) ? "\\" : "", *text);
	strbuf_addstr(out, escaped.length ? escaped.data : "");
	strbuf_release(&escaped);
}

static void add_action(struct strbuf *out, enum completion_source source, const char *const *words)
{
	static const char *const actions[] = {" ", "", "_files -/", "_files",
		"_flamegate_revisions", "_flamegate_benchmarks", "", "(bash zsh fish)"};

	strbuf_addstr(out, actions[source]);
	if (source != COMPLETE_WORDS)
		return;
	for (const char *const *word = words; *word; word++)
		strbuf_addf(out, "%s%s", word == words ? "(" : " ", *word);
	strbuf_addstr(out, ")");
}

/* One of the option's names: "--name=" takes its argument behind the sign or as the next word. */
static void add_name(struct strbuf *out, const struct option_spec *spec, bool is_letter)
{
	struct strbuf text = STRBUF_INIT;

	if (spec->kind == OPTION_STRINGS)
		strbuf_addstr(&text, "*");
	else if (spec->letter)
		strbuf_addf(&text, "(-%c --%s)", spec->letter, spec->name);
	if (is_letter)
		strbuf_addf(&text, "-%c%s", spec->letter, spec->argument ? "+" : "");
	else
		strbuf_addf(&text, "--%s%s", spec->name, spec->argument ? "=" : "");
	strbuf_addstr(&text, "[");
	add_escaped(&text, spec->help);
	strbuf_addstr(&text, "]");
	if (spec->argument) {
		strbuf_addf(&text, ":%s:", spec->argument);
		add_action(&text, completion_of_option(spec), spec->words);
	}
	strbuf_addstr(out, " \\\n\t\t\t");
	add_quoted(out, text.data);
	strbuf_release(&text);
}

static void add_operands(struct strbuf *out, const struct command *command)
{
	enum completion_source source = completion_of_operands(command);

	if (source == COMPLETE_NOTHING)
		return;
	if (source == COMPLETE_COMMAND) {
		strbuf_addstr(
			out, " \\\n\t\t\t'(-):command:_command_names -e' '*::arguments:_normal'");
		return;
	}
	strbuf_addf(out, " \\\n\t\t\t'*:%s:", command->operands);
	add_action(out, source, NULL);
	strbuf_addstr(out, "'");
}

static void add_command(struct strbuf *out, const struct command *command)
{
	strbuf_addf(out, "\t'%s')\n\t\t_arguments -s -S \\\n\t\t\t'(- *)'{-h,--help}'[this text]'",
		command->name);
	for (size_t i = 0; i < command->option_count; i++) {
		add_name(out, &command->options[i], false);
		if (command->options[i].letter)
			add_name(out, &command->options[i], true);
	}
	add_operands(out, command);
	strbuf_addstr(out, " ;;\n");
}

static void add_description(struct strbuf *out, const char *name, size_t length, const char *text)
{
	struct strbuf item = STRBUF_INIT;

	strbuf_addf(&item, "%.*s:", (int)length, name);
	add_escaped(&item, text);
	strbuf_addstr(out, " ");
	add_quoted(out, item.data);
	strbuf_release(&item);
}

static void add_first_words(struct strbuf *out)
{
	strbuf_addstr(out,
		"\tif (( CURRENT == 2 )); then\n\t\tfound=('help:print the help of a command'");
	for (size_t i = 0; i < command_count; i++) {
		size_t length;
		const char *verb = completion_verb(commands[i], &length);

		if (!completion_is_known(i))
			add_description(out, commands[i]->name, length,
				verb ? "more commands" : commands[i]->summary);
	}
	strbuf_addstr(out, ")\n\t\t_describe command found\n\t\tcompadd -- --help --version\n"
			   "\t\treturn\n\tfi\n");
}

/* Of one first word, when its first command is met. */
static void add_verbs(struct strbuf *out, size_t first)
{
	size_t length;

	if (!completion_verb(commands[first], &length) || completion_is_known(first))
		return;
	strbuf_addf(out, "\tif [[ $command == %.*s ]]; then\n\t\tfound=(", (int)length,
		commands[first]->name);
	for (size_t i = first; i < command_count; i++) {
		size_t other;
		const char *verb = completion_verb(commands[i], &other);

		if (verb && other == length &&
			strncmp(commands[i]->name, commands[first]->name, length) == 0)
			add_description(out, verb, strlen(verb), commands[i]->summary);
	}
	strbuf_addstr(out, ")\n\t\t(( CURRENT > 2 )) || { _describe verb found; return }\n"
			   "\t\tshift words\n\t\t(( CURRENT -= 1 ))\n"
			   "\t\tcommand+=\" $words[1]\"\n\tfi\n");
}

void completion_zsh(struct strbuf *out)
{
	strbuf_addstr(out,
		"#compdef flamegate\n"
		"# zsh completion of flamegate " FLAMEGATE_VERSION
		", as `flamegate completion zsh` prints it.\n\n"
		"_flamegate_revisions() {\n"
		"\tlocal -a found\n"
		"\tfound=(HEAD ${(f)\"$(git for-each-ref --format='%(refname:short)' 2>/dev/null)\"})\n"
		"\tcompadd -a found\n"
		"}\n"
		"_flamegate_benchmarks() {\n"
		"\tlocal -a found\n"
		"\tfound=(${(f)\"$(flamegate completion benchmarks 2>/dev/null)\"})\n"
		"\tcompadd -a found\n"
		"}\n"
		"_flamegate() {\n"
		"\tlocal command\n\tlocal -a found\n");
	add_first_words(out);
	strbuf_addstr(out, "\tshift words\n\t(( CURRENT -= 1 ))\n\tcommand=$words[1]\n");
	for (size_t i = 0; i < command_count; i++)
		add_verbs(out, i);
	strbuf_addstr(out, "\tcase $command in\n");
	for (size_t i = 0; i < command_count; i++)
		add_command(out, commands[i]);
	strbuf_addstr(out,
		"\tesac\n}\n\n"
		"if [ \"$funcstack[1]\" = _flamegate ]; then _flamegate \"$@\"; else compdef _flamegate flamegate; fi\n");
}
