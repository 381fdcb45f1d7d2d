/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `flamegate init --try`: what was found is built at HEAD, in a checkout of its own, asked for its
 * benchmarks, and each is run once. What works is proposed, what does not is left with the reason.
 */
#ifndef FG_CLI_INIT_TRY_H
#define FG_CLI_INIT_TRY_H

#include "gate/bench/detect/detect.h"

struct error;
struct repo;

/*
 * Changes readiness and advice of candidates, which are in order again. Prints what it saw. ERR_IO,
 * ERR_USAGE (no commit) and the like stop it; a candidate that does not build or run does not.
 */
int init_try(struct repo *repo, struct detection *found, struct error *err);

#endif
