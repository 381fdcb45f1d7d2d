/* SPDX-License-Identifier: Apache-2.0 */
/* A child that measures something about this machine and sends home what it found. */
#ifndef FG_BENCH_MEASURING_CHILD_H
#define FG_BENCH_MEASURING_CHILD_H

#include <stddef.h>

struct error;

/*
 * Runs measure(data, answer) in a child, with its signals as a program finds them, and copies the
 * size bytes (PIPE_BUF at most) of its answer, which begins all zero. what: "a sample costs". A
 * child that gets no processor for a minute ends by itself, as it does with us. ERR_IO: it did not
 * answer.
 */
int measuring_child_run(void (*measure)(void *data, void *answer), void *data, void *answer,
	size_t size, const char *what, struct error *err);

#endif
