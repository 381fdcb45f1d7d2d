/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns of a profile a captured sample adds to. */
#ifndef FG_PROFILE_SYMBOLIZE_VALUES_H
#define FG_PROFILE_SYMBOLIZE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/profile/capture/capture_read.h"
#include "gate/profile/profile_kind.h"

struct error;

#define SYMBOL_MAX_VALUES 8 /* as many as the heap has */

struct symbol_values {
	int64_t columns[SYMBOL_MAX_VALUES]; /* as the kind's types */
	double squares_ns2;                 /* of CPU samples: becomes their third column */
};

/* flow: what happened, in the sample's epoch; level: what is there at an end or a peak. */
void symbol_values_of(const struct capture_sample *sample, struct symbol_values *flow,
	struct symbol_values *level);
bool symbol_values_are_zero(const struct symbol_values *values);
/* Stops at the largest number: a capture's sums are whatever the measured code made of them. */
void symbol_values_add(struct symbol_values *sum, const struct symbol_values *values);
/* values: kind->type_count of them. */
void symbol_values_write(
	const struct symbol_values *sum, const struct profile_kind *kind, int64_t *values);

/*
 * In a profile of several captured kinds the label that tells them apart: its value ("off-cpu",
 * "mutex") and key ("state", "wait"). NULL: there is none.
 */
const char *symbol_values_state(const struct profile_kind *kind, enum capture_kind captured);
const char *symbol_values_state_key(const struct profile_kind *kind);

/* Gives a fresh profile the kind's types; ERR_USAGE where it has others. */
int symbol_values_prepare(
	struct profile *profile, const struct profile_kind *kind, struct error *err);
/* How much lies between two samples of this process: one, where each event is counted. */
void symbol_values_set_period(struct profile *profile, const struct profile_kind *kind,
	const struct capture_process *process);

#endif
