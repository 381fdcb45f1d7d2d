/* SPDX-License-Identifier: Apache-2.0 */
/* What a benchmark leaves for us to read: the count of its work, and its last words. */
#ifndef FG_BENCH_LEAVINGS_H
#define FG_BENCH_LEAVINGS_H

#include <stddef.h>

#include "gate/base/strbuf.h"

struct error;

#define MAX_ITERATIONS 1e15

/*
 * The number in the file that a benchmark wrote: one positive finite decimal number, at most
 * MAX_ITERATIONS, and white space. ERR_BENCHMARK with what is wrong otherwise.
 */
int iterations_read(const char *path, double *iterations, struct error *err);

/*
 * Appends "; its last lines:" and the end of what a benchmark or a build wrote: at most 20 lines
 * and 2 KiB, inert (see text_defuse()), and no more than fits into an error message with what
 * message holds already. Nothing if the file is empty or cannot be read.
 */
void output_tail(struct strbuf *message, const char *path);
/* The same of what it wrote to stdout and then to stderr, which says more of a failure. */
void outputs_tail(struct strbuf *message, const char *output_path, const char *error_path);

#endif
