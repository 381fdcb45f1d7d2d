/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work that a calibration times. Stored calibrations compare only as long as the work stays the
 * same: a kernel that changes is a new kind. Each returns something of everything it did, so that a
 * compiler cannot leave anything out, and going on from where it stopped does the same as one long
 * call.
 */
#ifndef FG_BENCH_CALIBRATION_KERNELS_H
#define FG_BENCH_CALIBRATION_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "gate/bench/machine/calibration.h"

/* Dependent multiplications and shifts. */
uint64_t calibration_alu(uint64_t value, size_t steps);
/* Reads, changes and writes every word. The sum of the words before. */
uint64_t calibration_stream(uint64_t *words, size_t count, uint64_t add);

/* A cache line that knows which one comes next. */
struct calibration_line {
	uint32_t next;
	uint32_t unused[15];
};
/* One cycle through all lines in an order that no prefetcher foresees; always the same one. */
void calibration_chain(struct calibration_line *lines, uint32_t count);
/* The line that comes `steps` after. */
uint32_t calibration_chase(const struct calibration_line *lines, uint32_t from, size_t steps);

/* Branches that go either way at random. */
struct calibration_branches {
	uint64_t random, taken, passed;
};
void calibration_branch(struct calibration_branches *branches, size_t steps);

#define CALIBRATION_TABLE_SIZE 32768 /* a power of two */
/* Counts the keys number first to first + keys - 1 in the table; the sum of their hashes. */
uint64_t calibration_hash(uint32_t *table, uint64_t first, size_t keys);

/* As calibration_measure(); kinds that need more memory than there is room for are 0. */
int calibration_measure_within(
	uint64_t budget_ns, uint64_t room_bytes, struct calibration *out, struct error *err);

#endif
