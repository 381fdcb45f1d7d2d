/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: which version of a pair runs first: random, the same from a seed. */
#ifndef FG_CHECK_PAIR_ORDER_H
#define FG_CHECK_PAIR_ORDER_H

#include <stdint.h>

#include "gate/check/check.h"

/* The seed that the options ask for, or one from the clock: short enough to be typed. */
uint64_t pair_seed(const struct check_options *options);
/* Where a benchmark's order begins: each has its own. */
uint64_t pair_random(uint64_t seed, const char *benchmark);
/* The version that runs first in the next pair (measurements.h). */
int pair_first(uint64_t *random);

#endif
