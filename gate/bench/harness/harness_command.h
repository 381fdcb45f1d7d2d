/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of harness programs: with arguments added, and what they select already. */
#ifndef FG_BENCH_HARNESS_COMMAND_H
#define FG_BENCH_HARNESS_COMMAND_H

#include "gate/bench/harness/harness.h"

/* Filter languages: the text that selects this name and no other. */
void harness_escape_extended(const char *name, struct strbuf *out); /* POSIX extended, whole */
void harness_escape_regex(const char *name, struct strbuf *out);    /* Rust's, whole */
void harness_escape_go(const char *name, struct strbuf *out);       /* ^a$/^b$ */
void harness_escape_catch2(const char *name, struct strbuf *out);
void harness_escape_nothing(const char *name, struct strbuf *out);

/*
 * The command with arguments behind its own; NULL-terminated, the arena's. One for the shell gets
 * them as "$@", so that no text of a name is the shell's. NULL: the shell would not see them,
 * because the command ends in something else than words.
 */
const char *const *harness_command(struct arena *arena, const struct config_benchmark *benchmark,
	const char *const *arguments);
/* Appended to a list of arguments, with the hole filled. */
struct harness_arguments {
	struct arena *arena;
	const char *items[4 * HARNESS_MAX_ARGUMENTS + 1]; /* NULL-terminated */
	size_t count;
};
void harness_arguments_add(
	struct harness_arguments *arguments, const char *const *pattern, const char *filling);

/* What it selects already, to be shown; NULL: all. Hostile texts. */
const char *harness_selected(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *benchmark);
/* It says itself how many iterations there are. */
bool harness_is_counted(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *benchmark);
/* Its flags for less time may be added: its clock decides, and it says nothing of them itself. */
bool harness_may_be_brief(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *benchmark);

#endif
