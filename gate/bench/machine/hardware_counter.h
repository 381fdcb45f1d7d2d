/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter of the kernel's (perf_event_open(2)) over all programs that we start while it is open:
 * user space only, from each child's exec on, descendants included. Our own work never counts.
 */
#ifndef FG_BENCH_HARDWARE_COUNTER_H
#define FG_BENCH_HARDWARE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct error;

struct hardware_event {
	uint32_t type; /* PERF_TYPE_... */
	uint64_t config;
};

/* Instructions executed. Tests count something that every machine has. */
extern const struct hardware_event hardware_instructions;

struct hardware_counter {
	int fd; /* -1: not open */
};

/*
 * ERR_MEASURE with the likely reason: no such counter (most virtual machines), or not allowed.
 * Children must be started by the thread that opened it.
 */
int hardware_counter_open(
	const struct hardware_event *event, struct hardware_counter *counter, struct error *err);
/* Once the children have ended. ERR_MEASURE if the kernel had to share the counter out, so that
 * the count is an estimate. */
int hardware_counter_read(
	const struct hardware_counter *counter, uint64_t *count, struct error *err);
void hardware_counter_close(struct hardware_counter *counter);

#endif
