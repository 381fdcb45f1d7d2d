/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as large as one wants, from a seed: what `make bench-report` renders. */
#ifndef FG_BENCH_REPORT_SYNTHETIC_H
#define FG_BENCH_REPORT_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct result;
struct result_benchmark;

/*
 * One failed benchmark of `nodes` call-tree nodes over a fiftieth as many functions with names as
 * C++ has them. Every `notable`-th leaf is confirmed to be slower, and the first three of those are
 * culprits. Release it with synthetic_free().
 */
struct result *synthetic_result(size_t nodes, size_t notable, uint64_t seed);
void synthetic_free(struct result *result);

/* How many nodes say something by their colour. */
size_t synthetic_notable(const struct result_benchmark *benchmark);

/* The same tree for others: folded stacks with a sample a microsecond (version 0: base), and
 * d3-flame-graph's JSON, with the change of each node as its delta. */
void synthetic_write_folded(const struct result_benchmark *benchmark, int version, FILE *out);
void synthetic_write_d3(const struct result_benchmark *benchmark, FILE *out);

#endif
