/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FG_TESTS_BENCH_TABLE_H
#define FG_TESTS_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Markdown on stdout: each situation beside what is expected of it. False: parts are missing. */
bool table_print(const char *folder, size_t divisor);

#endif
