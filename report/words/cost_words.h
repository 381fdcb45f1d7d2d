/* SPDX-License-Identifier: Apache-2.0 */
/* How a sentence speaks of what a profile counts: time is taken, memory allocated. */
#ifndef FG_REPORT_COST_WORDS_H
#define FG_REPORT_COST_WORDS_H

#include <stdbool.h>

struct result_benchmark;

struct cost_words {
	const char *took, *took_what; /* " took " 1.23 s " of CPU time" */
	const char *takes, *more_of;  /* " takes " 5 % more " CPU time" */
	bool many;                    /* more_of is a plural: " makes " 5 % fewer " allocations" */
};

/* By the benchmark's profile type; of a type that is not known here, by its unit. */
const struct cost_words *cost_words_of(const struct result_benchmark *benchmark);

#endif
