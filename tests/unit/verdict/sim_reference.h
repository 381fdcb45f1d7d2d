/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stored baseline and a later head, from one simulated gate: base is the base version of its
 * first pairs, head the head version of its last, with idle pairs between them in which drift and
 * memory forget. Head's machine is faster or slower, and may cost each function differently.
 */
#ifndef FG_TESTS_VERDICT_SIM_REFERENCE_H
#define FG_TESTS_VERDICT_SIM_REFERENCE_H

#include "gate/verdict/screen/screen.h"
#include "tests/unit/verdict/sim.h"

struct sim_reference_config {
	struct sim_config sim; /* stage1 and stage2 are set here */
	size_t runs[2];
	double speed_low, speed_high; /* head's machine: cost factor of every function */
	double kind; /* another kind of machine: SD of each function's own cost factor */
};

/* 16 runs each, 0.8 to 1.25 times as slow. */
struct sim_reference_config sim_reference_default(const struct sim_noise *noise);

/* Memory in arena. sim gets what was planted; its own input is not for use. */
void sim_reference(const struct sim_reference_config *config, uint64_t seed, struct arena *arena,
	struct sim *sim, struct screen_input *input);

#endif
