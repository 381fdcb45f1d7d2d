/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What earlier checks found out about a benchmark's work, kept beside the build in the cache: by
 * the build's key and all that a benchmark's run depends on. Refusals are not kept: they cost no
 * pairs, and whoever has mended something outside of the repository is looked at anew. That a
 * benchmark runs for a fixed time is, where its clock was replayed.
 */
#ifndef FG_CHECK_WORK_KNOWN_H
#define FG_CHECK_WORK_KNOWN_H

#include <stdbool.h>

#include "gate/bench/build/build.h"
#include "gate/bench/config/config.h"
#include "gate/bench/harness/harness.h"
#include "gate/check/runs/work_judge.h"

struct work_known {
	enum work_verdict verdict; /* never WORK_ASK_AGAIN */
	struct work_round round;   /* the last one; all 0 where there was none */
	char printed[65];          /* printed.h: what all its runs printed; "" they disagreed */
	const struct harness_flag *harness; /* that was recognised in it; NULL: none */
};

/* What the build's own key does not hold. mechanism: the sampler's; NULL: auto. */
void work_known_key(const struct config_benchmark *config, const char *mechanism, char key[65]);
/* False: nothing is known, or it cannot be read. */
bool work_known_find(const struct build *build, const char *key, struct work_known *out);
/* As good as the file system can: no error. */
void work_known_keep(const struct build *build, const char *key, const struct work_known *known);

#endif
