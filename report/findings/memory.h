/* SPDX-License-Identifier: Apache-2.0 */
/* The heap over time in words; report/viewer/views/memory.js draws it. */
#ifndef FG_REPORT_MEMORY_H
#define FG_REPORT_MEMORY_H

#include <stdbool.h>

#include "gate/base/strbuf.h"

struct result_benchmark;

/* Has head's heap been looked at over time? */
bool has_memory(const struct result_benchmark *benchmark);
/*
 * "Memory peaks at 12.3 MiB after 40 % of the run's CPU time (base: 11.9 MiB after 41 %) and ends
 * with 2.10 MiB in use (base: 2.10 MiB)." All of it is ours. Nothing without has_memory().
 */
void memory_add(struct strbuf *out, const struct result_benchmark *benchmark);

#endif
