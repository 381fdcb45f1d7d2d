/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A debugger or tracer (gdb, strace) is told of each signal before the process is, and gdb stops
 * the process at those that it does not know: at each sample. A process that is traced when it
 * starts is left alone. One that is attached to later goes on being sampled: asking before each
 * sample would cost more than the sample.
 */
#ifndef FG_SAMPLER_TRACED_H
#define FG_SAMPLER_TRACED_H

#include <stdbool.h>

/* init. False where /proc does not say. */
bool fg_is_traced(void);

#endif
