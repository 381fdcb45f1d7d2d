/* SPDX-License-Identifier: Apache-2.0 */
/* The list of benchmarks: the kinds of values that only they have, and what must fit together. */
#ifndef FG_BENCH_CONFIG_BENCHMARKS_H
#define FG_BENCH_CONFIG_BENCHMARKS_H

#include "gate/bench/config/config_schema.h"

extern const struct config_type config_type_benchmarks; /* struct config */

#endif
