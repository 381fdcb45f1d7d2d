/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: after the pairs of a benchmark that show a regression, or an increase
 * that is excused as unchanged code, how often its culprits or what is excused are called in both
 * versions.
 */
#ifndef FG_CHECK_MEASURE_CALLS_H
#define FG_CHECK_MEASURE_CALLS_H

#include "gate/bench/instructions/call_sites.h"
#include "gate/check/runs/measure_side.h"

/* Expected of all runs under valgrind together, by a slowdown of CALLS_SLOWDOWN; where they would
 * take longer they are not begun. */
#define CALLS_MOST_SECONDS 300
#define CALLS_SLOWDOWN 50

/* ERR_MEASURE: so much CPU time in all runs together, at full speed, is too much under valgrind. */
int calls_fit_valgrind(double cpu_seconds, struct error *err);

/*
 * Into both recordings' calls, where the verdict on them is a regression that has culprits, or has
 * excused unchanged code; nothing else is touched. What the counts say may change the verdict
 * (calls_settle.h), wherever the recordings are decided on. sites: what runs under valgrind have
 * counted already; runs that are missing are made. Where valgrind cannot count them breakpoints do
 * (calls_trap.h), and where neither can the recordings say why. Only ERR_INTERRUPTED is an error.
 */
int calls_measure(struct side sides[VERSION_COUNT], struct call_sites sites[VERSION_COUNT],
	struct measured_benchmark *out, size_t benchmarks_in_gate, struct error *err);

#endif
