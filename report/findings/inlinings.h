/* SPDX-License-Identifier: Apache-2.0 */
/* What was split, merged, inlined or outlined (struct result_inlining), in words. */
#ifndef FG_REPORT_INLININGS_H
#define FG_REPORT_INLININGS_H

#include "report/findings/sentence.h"

#define INLININGS_LISTED 6 /* groups: the heaviest stand first */

/* Inlinings with one host, one kind and one reason, which are one line. */
struct inlining_groups {
	const struct result_inlining *first[INLININGS_LISTED];
	size_t count;
	size_t more; /* inlinings in no listed group */
};

void inlining_groups_find(struct inlining_groups *groups, const struct result_benchmark *benchmark);
/* "`a`, `b` and 2 more count with `host`: split off in head (the reason)", of all in the group of
 * `first`. */
void sentence_of_inlinings(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_inlining *first);
/* What counts with a culprit: "`f` (inlined in head only), `g` (...) and 2 more";
 * empty: nothing. */
void sentence_of_parts(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit);

#endif
