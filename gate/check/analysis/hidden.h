/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: CPU time that a version keeps out of its own measurement, paused by
 * flamegate.h or in processes that do not count. Left-out set-up is fine while both versions leave
 * out the same; a change that moves its cost there would look like one that has none.
 */
#ifndef FG_CHECK_HIDDEN_H
#define FG_CHECK_HIDDEN_H

#include <stdbool.h>

struct arena;
struct recording;

/* Parts of a recording's whole CPU time (counted and not); 0 without any. */
double paused_share(const struct recording *recording);
double left_out_share(const struct recording *recording);

/*
 * "" unless head leaves out more CPU time a unit of work than base does, by over 5 % of all that
 * base uses; otherwise a sentence that says so.
 */
const char *hidden_growth(
	const struct recording *base, const struct recording *head, struct arena *arena);

/* No round of it was paused or has lost anything: what stores keep of a baseline is enough. */
bool counts_everything(const struct recording *recording);

#endif
