/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: how many pairs a benchmark gets, once its noise is known. */
#ifndef FG_CHECK_MEASURE_PLAN_H
#define FG_CHECK_MEASURE_PLAN_H

#include "gate/check/measurements/measurements.h"

/*
 * After the pairs of policy.pairs' min: the recordings' policy gets the pairs that
 * policy.detect needs, as far as the budget reaches; never fewer than policy.pairs.
 * pilot_seconds: what those pairs took. Notes what was planned. Measurements that do not add up
 * change nothing: deciding on them says so.
 */
void plan_pairs(struct measurements *measurements, struct measured_benchmark *measured,
	size_t benchmarks_in_gate, double pilot_seconds, double budget_seconds);

/*
 * Of the benchmark's pairs, before they are run: "" if the budget reaches for both stages, else
 * what they are expected to take, in the measurements' arena. Those of the first stage are run all
 * the same, those of the second if something is to be confirmed.
 */
const char *plan_budget(struct measurements *measurements, const size_t pairs[2],
	double pair_seconds, double budget_seconds);

#endif
