/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimum detectable effects: what the gate would find with 80 % power. For functions see
 * verdict_mde(): delta = margin + (t_alpha + t_.8) se with the sampling noise of the increase
 * itself in se, solved for both stages at once, since a regression has to pass both; or what the
 * total's test finds, where that is less: it sees the same increase.
 */
#ifndef FG_VERDICT_MDE_H
#define FG_VERDICT_MDE_H

#include "gate/verdict/verdict.h"

/* A regression flags its function and a few of the calls that lead to it. */
#define TYPICAL_FLAGGED 4

/* Relative increase of the total that the total test alone finds; INFINITY if n pairs cannot. */
double mde_total(const struct verdict_total_power *total);

/*
 * The inflation of the sampling variance that moderate() will use on the average, where the true
 * one is as given: never less than 1, so on the average more than the truth. n >= 2.
 */
double mde_expected_inflation(double kappa, double n, double samples, double truth);

#endif
