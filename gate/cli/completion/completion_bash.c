/* SPDX-License-Identifier: Apache-2.0 */
/* bash: cases made of the tables, and the same functions around them whatever they hold. */
#include "gate/cli/completion/completion.h"

#include "gate/check/version.h"
#include "gate/cli/commands.h"

static void add_commands(struct strbuf *out)
{
	strbuf_addstr(out,
		"_flamegate_commands() { # [WORD]: verbs that go with it, or first words\n"
		"\tcase ${1-} in\n\t'') words=(help) ;;&\n");
	for (size_t i = 0; i < command_count; i++) {
		size_t length;
		const char *verb = completion_verb(commands[i], &length);

		if (!completion_is_known(i))
			strbuf_addf(
				out, "\t'') words+=(%.*s) ;;&\n", (int)length, commands[i]->name);
		if (verb)
			strbuf_addf(out, "\t%.*s) words+=(%s) ;;&\n", (int)length,
				commands[i]->name, verb);
	}
	strbuf_addstr(out, "\tesac\n}\n");
}

static void add_options(struct strbuf *out)
{
	strbuf_addstr(out, "_flamegate_options() { # COMMAND\n\tcase $1 in\n");
	for (size_t i = 0; i < command_count; i++) {
		strbuf_addf(out, "\t'%s') words=(--help", commands[i]->name);
		for (size_t j = 0; j < commands[i]->option_count; j++)
			strbuf_addf(out, " --%s", commands[i]->options[j].name);
		strbuf_addstr(out, ") ;;\n");
	}
	strbuf_addstr(out, "\tesac\n}\n");
}

static void add_source(struct strbuf *out, enum completion_source source, const char *const *words)
{
	static const char *const names[] = {"nothing", "words", "folder", "file", "revision",
		"benchmark", "command", "words bash zsh fish"};

	strbuf_addf(out, "source=(%s", names[source]);
	for (; words && *words; words++)
		strbuf_addf(out, " %s", *words);
	strbuf_addstr(out, ") ;;\n");
}

static void add_arguments(struct strbuf *out)
{
	strbuf_addstr(out,
		"_flamegate_argument() { # COMMAND OPTION: what it takes, in $source; false if nothing\n"
		"\tcase \"$1 $2\" in\n");
	for (size_t i = 0; i < command_count; i++)
		for (size_t j = 0; j < commands[i]->option_count; j++) {
			const struct option_spec *spec = &commands[i]->options[j];

			if (!spec->argument)
				continue;
			strbuf_addf(out, "\t'%s --%s'", commands[i]->name, spec->name);
			if (spec->letter)
				strbuf_addf(out, " | '%s -%c'", commands[i]->name, spec->letter);
			strbuf_addstr(out, ") ");
			add_source(out, completion_of_option(spec), spec->words);
		}
	strbuf_addstr(out, "\t*) return 1 ;;\n\tesac\n}\n");
}

static void add_operands(struct strbuf *out)
{
	strbuf_addstr(out, "_flamegate_operands() { # COMMAND\n\tcase $1 in\n");
	for (size_t i = 0; i < command_count; i++) {
		strbuf_addf(out, "\t'%s') ", commands[i]->name);
		add_source(out, completion_of_operands(commands[i]), NULL);
	}
	strbuf_addstr(out, "\tesac\n}\n");
}

/* Branches and benchmarks can have any name: printf's %q makes one word of it. */
static const char functions[] =
	"_flamegate_add() { # WORD...: which begin with what was typed\n"
	"\tlocal word\n"
	"\tfor word; do\n"
	"\t\t[[ $word == \"$cur\"* ]] || continue\n"
	"\t\tprintf -v word %q \"$word\"\n"
	"\t\tCOMPREPLY+=(\"$word\")\n"
	"\tdone\n"
	"}\n"
	"_flamegate_offer() { # SOURCE [WORD...]\n"
	"\tlocal lines=()\n"
	"\tcase $1 in\n"
	"\twords) _flamegate_add \"${@:2}\" ;;\n"
	"\tfolder) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
	"\tfile) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
	"\tcommand) mapfile -t COMPREPLY < <(compgen -c -- \"$cur\"; compgen -f -- \"$cur\") ;;\n"
	"\trevision)\n"
	"\t\tmapfile -t lines < <(git for-each-ref --format='%(refname:short)' 2>/dev/null)\n"
	"\t\t_flamegate_add HEAD \"${lines[@]}\" ;;\n"
	"\tbenchmark)\n"
	"\t\tmapfile -t lines < <(flamegate completion benchmarks 2>/dev/null)\n"
	"\t\t_flamegate_add \"${lines[@]}\" ;;\n"
	"\tesac\n"
	"}\n"
	"_flamegate_at_operand() { # COMMAND FIRST: whether the word is one, from the FIRST on\n"
	"\tlocal i source\n"
	"\tfor ((i = $2; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t--) return 0 ;;\n"
	"\t\t-*)\n"
	"\t\t\tif [[ ${COMP_WORDS[i + 1]-} == '=' ]]; then\n"
	"\t\t\t\t((i += 2))\n"
	"\t\t\telif _flamegate_argument \"$1\" \"${COMP_WORDS[i]}\"; then\n"
	"\t\t\t\t((i += 1))\n"
	"\t\t\tfi ;;\n"
	"\t\t*) return 0 ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\treturn 1\n"
	"}\n"
	"_flamegate() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tlocal command=${COMP_WORDS[1]} first=2 words=() source=()\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\t_flamegate_commands\n"
	"\t\t_flamegate_add \"${words[@]}\" --help --version\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_flamegate_commands \"$command\"\n"
	"\tif ((${#words[@]})); then\n"
	"\t\t((COMP_CWORD > 2)) || { _flamegate_add \"${words[@]}\"; return; }\n"
	"\t\tcommand+=\" ${COMP_WORDS[2]}\" first=3\n"
	"\tfi\n"
	"\tif [[ $cur == '=' ]]; then cur=; elif [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
	"\tif [[ $command == run ]] && _flamegate_at_operand run $first; then\n"
	"\t\t_flamegate_offer command\n"
	"\telif _flamegate_argument \"$command\" \"$previous\"; then\n"
	"\t\t_flamegate_offer \"${source[@]}\"\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\twords=()\n"
	"\t\t_flamegate_options \"$command\"\n"
	"\t\t_flamegate_add \"${words[@]}\"\n"
	"\telse\n"
	"\t\t_flamegate_operands \"$command\"\n"
	"\t\t_flamegate_offer \"${source[@]}\"\n"
	"\tfi\n"
	"}\n"
	"complete -F _flamegate flamegate\n";

void completion_bash(struct strbuf *out)
{
	strbuf_addstr(out, "# bash completion of flamegate " FLAMEGATE_VERSION
			   ", as `flamegate completion bash` prints it.\n"
			   "# shellcheck shell=bash disable=SC2034,SC2207\n");
	add_commands(out);
	add_options(out);
	add_arguments(out);
	add_operands(out);
	strbuf_addstr(out, functions);
}
