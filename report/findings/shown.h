/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a benchmark's trees a reader sees first: its own (CPU time, as a rule), or where what is
 * counted decided (memory, locks, instructions) the tree of that. The page, the picture and the
 * lists of functions choose alike; report.json has all trees.
 */
#ifndef FG_REPORT_SHOWN_H
#define FG_REPORT_SHOWN_H

#include "gate/base/strbuf.h"
#include "gate/check/result.h"

/* One of benchmark->profiles; NULL: its own tree. */
const struct result_profile *shown_profile(const struct result_benchmark *benchmark);
/*
 * The benchmark as if what is shown were its own: without culprits, shifts and significance if that
 * is another tree, as they are not of it. Borrows from the benchmark.
 */
struct result_benchmark shown_benchmark(const struct result_benchmark *benchmark);
/* A title of what is shown, with what that counts if it is another tree than its own: "...: memory
 * at its peak". */
void shown_title(struct strbuf *out, const struct result_benchmark *benchmark, const char *title);

#endif
