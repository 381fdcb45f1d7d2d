/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the command line: scripts by which shells complete it, made of the option tables. */
#ifndef FG_CLI_COMPLETION_H
#define FG_CLI_COMPLETION_H

#include "gate/base/strbuf.h"
#include "gate/cli/options.h"

enum completion_source {
	COMPLETE_NOTHING,
	COMPLETE_WORDS, /* those of the option's table */
	COMPLETE_FOLDER,
	COMPLETE_FILE,
	COMPLETE_REVISION,
	COMPLETE_BENCHMARK, /* of .flamegate.yml */
	COMPLETE_COMMAND,   /* a program and its arguments */
	COMPLETE_SHELL,     /* bash, zsh or fish */
};

/* What can stand for an option's argument, and for a command's operands. */
enum completion_source completion_of_option(const struct option_spec *spec);
enum completion_source completion_of_operands(const struct command *command);

/* The word that a command begins with; its verb, or NULL. The first is *length bytes long. */
const char *completion_verb(const struct command *command, size_t *length);
/* Whether an earlier command begins with the same word. */
bool completion_is_known(size_t command);

/* Append a whole script. */
void completion_bash(struct strbuf *out);
void completion_zsh(struct strbuf *out);
void completion_fish(struct strbuf *out);

#endif
