/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stored baseline stands for a base commit: its own, else the nearest first-parent ancestor's
 * that has one for this benchmark and profile type; never a descendant's. The same environment is
 * wanted; only if no ancestor within reach has it, another environment's is taken, and said.
 */
#ifndef FG_BASELINE_CHOOSE_H
#define FG_BASELINE_CHOOSE_H

#include "baseline/store.h"
#include "gate/bench/recording/recording.h"

#define BASELINE_REACH 500 /* first-parent ancestors looked at, for half a minute at most */

struct baseline_choice {
	struct recording recording; /* recording_release() */
	enum baseline_detail detail;
	char commit[OBJECT_ID_SIZE];
	size_t distance;       /* first-parent steps from the base; 0: the base itself */
	bool same_environment; /* fingerprint_id() is ours */
};

/*
 * ancestors: the base and its first parents, nearest first (repo_first_parents). ERR_NOT_FOUND if
 * there is none, with a message that says how many were looked at and which other environments
 * there were.
 */
int baseline_choose(struct store *store, const char *const *ancestors, size_t count,
	const char *benchmark, const char *profile_type, const char *environment,
	struct baseline_choice *out, struct error *err);

#endif
