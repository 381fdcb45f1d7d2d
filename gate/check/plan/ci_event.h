/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what started this run on GitHub,
 * as far as it decides about commits. */
#ifndef FG_CHECK_CI_EVENT_H
#define FG_CHECK_CI_EVENT_H

#include <stdint.h>

#include "gate/base/arena.h"

struct error;

enum ci_event_kind {
	CI_EVENT_OTHER, /* no event, or one that says nothing of the commits here */
	CI_EVENT_QUEUE, /* merge_group */
	CI_EVENT_PUSH,
};

struct ci_event {
	enum ci_event_kind kind;
	const char *name; /* GITHUB_EVENT_NAME, "" without one; hostile */
	/* Queue: the branch it merges into. Push: the repository's default branch. "" unknown. */
	const char *base_branch;
	/* Queue: the commit that this entry was put on, which may hold entries before it. Push:
	 * where the branch was before, which may be anywhere; "" it is new. */
	const char *base_commit;
	const char *pushed_branch; /* push: the branch; "" a tag. "" in other runs */
};

/*
 * Reads GITHUB_EVENT_NAME and GITHUB_EVENT_PATH. Without them, or for other events, the fields are
 * "". ERR_CORRUPT for a merge_group event that does not say what it must, and for a push that says
 * something else there; what a push leaves out is "". Strings are arena-owned.
 */
int ci_event_read(struct arena *arena, struct ci_event *event, struct error *err);

/* Which attempt of the same run this is (GITHUB_RUN_ATTEMPT), from 1; 1 where nobody says. */
uint32_t ci_run_attempt(void);

#endif
