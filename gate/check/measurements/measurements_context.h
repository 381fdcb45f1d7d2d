/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what measurements know that their recordings do not, carried into them
 * and back, so that two recordings alone give a check's result again (gate/check/compare.c).
 */
#ifndef FG_CHECK_MEASUREMENTS_CONTEXT_H
#define FG_CHECK_MEASUREMENTS_CONTEXT_H

#include "gate/check/measurements/measurements.h"

/* Of what was decided from pairs. The recordings borrow from the measurements. */
void measurements_carry(struct measurements *measurements);
/* Carries, and writes each recording.json of pairs again; their profiles are in folder already. */
int measurements_write_contexts(
	struct measurements *measurements, const char *folder, struct error *err);

/* The way back: the measurements and their benchmark become what they were for these two
 * recordings. */
void measurements_recall(struct measurements *measurements, struct measured_benchmark *benchmark,
	const struct recording *base, const struct recording *head);

/* Date and environment of measurements that begin now. */
void measurements_stamp(struct measurements *measurements);

#endif
