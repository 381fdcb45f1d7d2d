/* SPDX-License-Identifier: Apache-2.0 */
/* What a benchmark printed, to be compared between runs and versions. */
#ifndef FG_CHECK_PRINTED_H
#define FG_CHECK_PRINTED_H

#include "gate/bench/build/build.h"
#include "gate/bench/run/run.h"

#define PRINTED_MAX_BYTES ((size_t)32 * 1024 * 1024)

/*
 * SHA-256 over the run's standard output. The build's own folder stands in it as the one where it
 * was built, which is the same for both versions. "": it is larger than PRINTED_MAX_BYTES, or
 * cannot be read; then there is nothing to compare.
 */
void printed_hash(const struct run *run, const struct build *build, char hex[65]);

#endif
