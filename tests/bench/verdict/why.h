/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FG_TESTS_BENCH_WHY_H
#define FG_TESTS_BENCH_WHY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Of the gates of the situation whose name begins so: where the missed ones were lost, who was
 * blamed instead, and what sampling noise alone leaves of the planted function's own test. False:
 * no such situation or noise.
 */
bool why_print(const char *name, const char *noise, size_t gates);

#endif
