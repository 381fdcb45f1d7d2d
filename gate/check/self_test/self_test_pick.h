/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a self-test plants its slowdown: a function that is neither among the hottest, which every
 * profiler sees, nor so cold that nothing could be found in it. Pure functions of a recording.
 */
#ifndef FG_CHECK_SELF_TEST_PICK_H
#define FG_CHECK_SELF_TEST_PICK_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/bench/run/slowdown.h"
#include "gate/verdict/verdict.h"

struct recording;

#define SELF_TEST_FIRST_RANK 5 /* by self cost, 1 is the hottest */
#define SELF_TEST_LAST_RANK 20
/*
 * A function gets slower by at most this part of its own cost. What is burnt follows its samples,
 * so its noise is as many times that of a real slowdown.
 */
#define SELF_TEST_MOST_PART 3.0

/*
 * A function whose self cost lies in code of its own. The code is what lies between the addresses
 * that its samples hit, as far as no sample of another function lies there.
 */
struct self_test_place {
	const char *name, *file; /* as in the profile; hostile */
	size_t rank;             /* by self cost */
	double share;            /* of the benchmark's CPU time, of the samples in this code */
	double detectable;       /* increase that the gate finds here, fraction of the total */
	struct slowdown_place code;
};

struct self_test_places {
	struct self_test_place *items; /* by rank, from 1 to SELF_TEST_LAST_RANK */
	size_t count;
	size_t functions; /* of the whole profile */
};

/*
 * All that a slowdown could be planted in. Left out: what has no name, names that occur twice, code
 * that other functions are inlined into all over (less than 9 of 10 samples in few ranges), and
 * what is not from a file. power: as the verdict on this recording has it.
 */
void self_test_places(const struct recording *recording, const struct verdict_power *power,
	struct arena *arena, struct self_test_places *places);

/*
 * One of those in which an increase of `slowdown` (fraction of the total) can be found, by seed
 * alone: from SELF_TEST_FIRST_RANK on if there is one, else among the hottest. NULL: in none; then
 * *nearest is the one in which the smallest increase can be found, NULL if all cost too little.
 */
const struct self_test_place *self_test_pick(const struct self_test_places *places, double slowdown,
	uint64_t seed, const struct self_test_place **nearest);

/*
 * Pairs of runs of both stages together, in power's proportion, in which the increase can be found;
 * 0: in no number up to RECORDING_MAX_ROUNDS.
 */
size_t self_test_pairs_needed(const struct verdict_power *power, double share, double slowdown);

#endif
