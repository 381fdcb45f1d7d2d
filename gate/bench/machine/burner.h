/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed work of about one CPU millisecond a round, a little of everything that benchmarks do:
 * arithmetic, memory, branches, a hash table. `flamegate doctor` runs it to see what the machine
 * can measure.
 */
#ifndef FG_BENCH_BURNER_H
#define FG_BENCH_BURNER_H

#include <stdint.h>

#define BURNER_MAX_ROUNDS 1000000

/* A number that depends on everything it did, the same for the same rounds. */
uint64_t burner_run(uint64_t rounds);

/* How many rounds take so much CPU time here and now; at least 1. */
uint64_t burner_rounds(uint64_t cpu_ns);

#endif
