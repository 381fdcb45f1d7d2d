/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what perf adds to the context switches of a benchmark. Both versions
 * pay it, so it favours none, but a program that does little between two switches computes only a
 * part of the CPU time that is then shown. The other clock is not chosen for that: by the tick such
 * a program has a fourth to an eighth of the samples, and functions are what a check is about.
 */
#ifndef FG_CHECK_MEASURE_SWITCHES_H
#define FG_CHECK_MEASURE_SWITCHES_H

#include "gate/check/runs/measure_side.h"

/* For people, in arena: so many switches in so much CPU time, each ns dearer.
 * NULL: it is little. */
const char *switches_text(uint64_t switches, uint64_t cpu_ns, double ns, struct arena *arena);

/* After the probes: a note in out if one of the count sides pays much. */
void switches_tell(
	struct plan *plan, const struct side *sides, size_t count, struct measured_benchmark *out);

#endif
