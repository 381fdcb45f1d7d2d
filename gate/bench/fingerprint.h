/* SPDX-License-Identifier: Apache-2.0 */
/* The environment a recording was made in: what must fit before two recordings may be compared. */
#ifndef FG_BENCH_FINGERPRINT_H
#define FG_BENCH_FINGERPRINT_H

#include "gate/base/arena.h"

struct fingerprint {
	const char *cpu_model; /* "" where not readable, as all of these */
	const char *cpu_flags_hash;
	unsigned cpus_online, cpus_allowed;
	const char *kernel, *machine, *libc, *os;
	const char *governor, *turbo, *virtualization;
	const char *perf_event_paranoid;
	unsigned long long memory_bytes;
};

void fingerprint_read(struct fingerprint *fingerprint, struct arena *arena);
/* 16 hex digits over the fields that decide whether CPU times are comparable; arena-owned. */
const char *fingerprint_id(const struct fingerprint *fingerprint, struct arena *arena);

#endif
