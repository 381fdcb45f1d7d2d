/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Benchmark harnesses that run for a fixed time, and how each is told to do fixed work. Recognised
 * by what one run shows: what is loaded, what stands in the program's file, what it opened, and
 * words of its command.
 */
#ifndef FG_BENCH_HARNESS_FLAGS_H
#define FG_BENCH_HARNESS_FLAGS_H

#include <stddef.h>

#include "gate/bench/elf/identical.h"
#include "gate/bench/harness/harness.h"
#include "gate/profile/capture/capture_read.h"

struct harness_traces {
	const char *command;                /* for people; hostile */
	const struct capture_set *captures; /* of one run; NULL: none */
	const struct opened_files *opened;  /* by it; NULL: unknown */
};

/* NULL: none that is known. Reads the programs' files, bounded. */
const struct harness_flag *harness_flag_find(const struct harness_traces *traces);

/* By what stands in a program's file alone. */
const struct harness_flag *harness_flag_in_program(const char *bytes, size_t length);

#endif
