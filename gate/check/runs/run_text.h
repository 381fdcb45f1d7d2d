/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what a profiled run has found, in lines for people. */
#ifndef FG_CHECK_RUN_TEXT_H
#define FG_CHECK_RUN_TEXT_H

#include <stdint.h>

#include "gate/base/strbuf.h"
#include "gate/bench/run/run.h"

/* How much was counted, how well, and what went other than planned; each line ends with '\n'. */
void run_text(struct strbuf *lines, const struct run *run);

/* "perf" or "posix", "" without a process. */
const char *run_mechanism(const struct capture_set *captures);

/* What the sampler's counters say, summed over the processes that count. */
void run_counters(const struct capture_set *captures, uint64_t counters[CAPTURE_COUNTERS]);
/* The sum of those that stand for something missing, and one line for each that is not 0. */
uint64_t run_losses(const uint64_t counters[CAPTURE_COUNTERS]);
void run_losses_text(struct strbuf *lines, const uint64_t counters[CAPTURE_COUNTERS]);

#endif
