/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What became of a check and of each of its benchmarks, and of which commits: what measurements and
 * results (measurements.h, result.h) both say.
 */
#ifndef FG_CHECK_STATUS_H
#define FG_CHECK_STATUS_H

#include <stdbool.h>

enum result_status {
	RESULT_PASS,    /* exit 0 */
	RESULT_WARN,    /* exit 0, something to read */
	RESULT_FAIL,    /* exit 1: a regression */
	RESULT_ERROR,   /* exit 3: could not measure */
	RESULT_NEUTRAL, /* exit 0: it works, and there is nothing to compare it with */
};

/*
 * The larger one makes the whole's status: a found regression outweighs what could not be measured,
 * that outweighs a warning, and one that passed what there was nothing to compare with.
 */
int result_status_weight(enum result_status status);

/* Why a benchmark has the status it has. */
enum result_outcome {
	OUTCOME_MEASURED,    /* decided by the verdict */
	OUTCOME_IDENTICAL,   /* both versions execute the same files: passed unmeasured */
	OUTCOME_NEW,         /* the base's configuration does not have it: head was run once, or
				detail says why not */
	OUTCOME_BASE_FAILED, /* the base does not build or run: policy.on_base_failure */
	OUTCOME_ERROR,       /* could not be measured; see detail */
	OUTCOME_PROFILE,     /* one profile or two without replication: shown, never decided */
	OUTCOME_SCREENED, /* compared with the stored baseline alone (policy.screen: fast, or a base
			     that does not build): see references */
};

struct result_commit {
	const char *id, *subject, *name; /* name: what the user called it, "" if nothing */
	bool dirty; /* head only: it is the working tree, `id` with uncommitted changes */
};

#endif
