/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what started this run on GitHub, as far as it decides about commits.
 */
#ifndef FG_CHECK_CI_EVENT_H
#define FG_CHECK_CI_EVENT_H

#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"

struct ci_event {
	/* A merge queue's run (merge_group): the branch it merges into, and the commit that this
	 * entry was put on, which may hold entries before it. "" in other runs. */
	const char *base_branch, *base_commit;
};

/*
 * Reads GITHUB_EVENT_NAME and GITHUB_EVENT_PATH. Without them, or for other events, the fields are
 * "". ERR_CORRUPT for a merge_group event that does not say what it must. Strings are arena-owned.
 */
int ci_event_read(struct arena *arena, struct ci_event *event, struct error *err);

/* Which attempt of the same run this is (GITHUB_RUN_ATTEMPT), from 1; 1 where nobody says. */
uint32_t ci_run_attempt(void);

#endif
