/* SPDX-License-Identifier: Apache-2.0 */
/* What grew in a benchmark, and is not to blame. */
#ifndef FG_REPORT_RULED_OUT_H
#define FG_REPORT_RULED_OUT_H

#include "report/findings/sentence.h"

struct result_benchmark;

/*
 * "cost that moved to `f`; `g`, `h`, `i` and 2 more: the code that grew is the same in both
 * versions; `j`: grew, but the total contradicts". Nothing if nothing is known to be ruled out.
 */
void sentence_of_ruled_out(struct sentence *sentence, const struct result_benchmark *benchmark);

#endif
