/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what earlier commits did to a number that is counted exactly. */
#ifndef FG_CHECK_MEASURE_HISTORY_H
#define FG_CHECK_MEASURE_HISTORY_H

#include "baseline/store.h"
#include "gate/check/measurements/measurements.h"

#define HISTORY_ENTRIES 21 /* stored baselines that are read of a type, nearest first */
#define HISTORY_REACH 200  /* first-parent ancestors that are looked at */
#define HISTORY_SECONDS 10 /* for all types and benchmarks: the pairs are what counts */

/* The store and the base's first parents, nearest first; looked up once. */
struct history {
	struct store *store;
	const char *const *ancestors;
	size_t count;
	bool *found;          /* [count], which have any entry; NULL: not yet asked */
	double spent_seconds; /* past HISTORY_SECONDS nothing more is read */
};

void history_release(struct history *history);

/*
 * Fills reference->history: |change| of the total (per unit of work where the metric grows with it)
 * from each stored baseline of this benchmark and type to the next nearer one, as far as one
 * toolchain built both. What cannot be read is left out: less history is a stricter threshold.
 */
void history_read(struct history *history, const char *benchmark, struct arena *arena,
	struct measured_reference *reference);

#endif
