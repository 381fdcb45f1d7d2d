/* SPDX-License-Identifier: Apache-2.0 */
/* How the git program is started: git_program.c starts it. Not for others. */
#ifndef FG_VCS_GIT_INTERNAL_H
#define FG_VCS_GIT_INTERNAL_H

#include "gate/base/arena.h"
#include "gate/vcs/repo_internal.h"

/* ---- git_environment.c ---- */
/*
 * Ours but for what points to another repository, with git's settings for a program that calls it,
 * and last the command's own. With is_plain only what it lets through of ours, and what
 * GIT_CONFIG_* has of settings that hold no secret. NULL-terminated; from the arena, or our own
 * strings.
 */
const char *const *git_environment(
	const char *const *own, repo_is_plain *is_plain, struct arena *arena);

/* ---- git_mistrust.c ---- */
/* Since repo_expect_code(); NULL: before it. */
repo_is_plain *git_plain_variables(void);
/*
 * Whether a command gets all of our variables. *changed: if not, because the project's code has
 * changed this file or folder; NULL: for another reason. Alive until the next call.
 */
bool git_may_tell(const struct git_command *command, const char **changed);
/* After such a command: what it has changed is not the project's doing. A submodule becomes known
 * in the settings. */
void git_has_run(void);

#endif
