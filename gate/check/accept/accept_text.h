/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what a Flamegate-Accept trailer says. */
#ifndef FG_CHECK_ACCEPT_TEXT_H
#define FG_CHECK_ACCEPT_TEXT_H

#include "gate/base/arena.h"
#include "gate/bench/config/config.h"
#include "gate/check/measurements/measurements.h"

/*
 * "<benchmark>[/<function>[@<file>]] [file=<file>] [metric=<metric>] <reason>", or all of it by
 * keys: "benchmark=<benchmark> [function=<function>] ... <reason>"; then an unknown key is a
 * problem, else the reason's beginning. A value ends at white space or stands in double quotes; so
 * does a function's name, but that blanks in brackets are part of it. A benchmark's name may hold
 * slashes; where two benchmarks fit, none counts: quotes around the function or keys say which is
 * meant. Fills benchmark, function ("" none; "name@file" with a file), metric ("" none), reason
 * and problem ("" it counts); strings are arena-owned.
 */
void accept_read(const char *value, const struct config *config, struct arena *arena,
	struct measurements_acceptance *out);

#endif
