/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completions for shells. A script is a text of its own (flamegate.bash, .zsh, .fish) and what is
 * generated from the option tables: commands, options, what their arguments are. It runs nothing
 * but `flamegate completion --list`.
 */
#ifndef FG_CLI_COMPLETION_H
#define FG_CLI_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/base/strbuf.h"

struct command;
struct error;
struct option_spec;

struct completion_shell {
	const char *name; /* "bash" */
	void (*write)(struct strbuf *out);
};
/* Ends with a NULL name. */
extern const struct completion_shell completion_shells[];

void completion_bash(struct strbuf *out);
void completion_zsh(struct strbuf *out);
void completion_fish(struct strbuf *out);

/* What completion_list() knows: "benchmarks", "revisions"; NULL behind the last. */
const char *completion_list_kind(size_t index);
/*
 * Appends the names of a kind, one a line: those alone that a shell takes as one plain word,
 * whatever a configuration or a repository holds. words: the command line so far (NULL-terminated),
 * whose --directory counts. Reads files and, for revisions, asks git; runs nothing of the project.
 * ERR_USAGE for another kind, or where there is no repository or no configuration.
 */
int completion_list(
	const char *kind, const char *const *words, struct strbuf *out, struct error *err);

/* For the scripts' writers: the i-th option of a command, --help behind the others; NULL at the end. */
const struct option_spec *completion_option(const struct command *command, size_t index);
/*
 * The kind as the scripts' own texts have it: "" for a flag, else "text", "file", "folder",
 * "revisions", "benchmarks", "words".
 */
const char *completion_kind(const struct option_spec *spec);
/* The same of a command's operands; "command" where they are a command line of its own. */
const char *completion_operand_kind(const struct command *command);
/* Whether this command is the first of those that begin with the same word: "baseline push". */
bool completion_begins_group(size_t index);

#endif
