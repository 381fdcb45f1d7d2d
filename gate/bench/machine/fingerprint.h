/* SPDX-License-Identifier: Apache-2.0 */
/* The environment a recording was made in: what must fit before two recordings may be compared. */
#ifndef FG_BENCH_FINGERPRINT_H
#define FG_BENCH_FINGERPRINT_H

#include <stdbool.h>

#include "gate/base/arena.h"

struct fingerprint {
	const char *cpu_model; /* "" where not readable, as all of these */
	const char *cpu_flags_hash;
	unsigned cpus_online, cpus_allowed;
	const char *kernel, *machine, *libc, *os;
	const char *governor, *turbo, *virtualization;
	const char *perf_event_paranoid;
	unsigned long long memory_bytes;
	/* What the benchmarks were built with; "" where not known. fingerprint_read() leaves them
	 * "". */
	const char *compiler;   /* e.g. "gcc 12.2.0, rustc 1.70.0": all that the build may have
				   used; "none"; with a "?" where a version is not known */
	const char *build_hash; /* over commands and environment of setup and build, and over the
				   benchmark's settings */
};

void fingerprint_read(struct fingerprint *fingerprint, struct arena *arena);
/* 16 hex digits over the fields that decide whether CPU times are comparable; arena-owned. */
const char *fingerprint_id(const struct fingerprint *fingerprint, struct arena *arena);
/* CPU, kernel and libc in one line for people; arena-owned. */
const char *fingerprint_line(const struct fingerprint *fingerprint, struct arena *arena);

struct config;
/* Fills compiler and build_hash: what this configuration is built with on this machine. */
void fingerprint_read_toolchain(
	struct fingerprint *fingerprint, const struct config *config, struct arena *arena);
struct config_benchmark;
/*
 * build_hash of one benchmark's recordings: the toolchain's, and the settings that decide what a
 * run does and what of it counts. "" if the toolchain's is.
 */
const char *fingerprint_benchmark_hash(
	const char *build_hash, const struct config_benchmark *benchmark, struct arena *arena);
/*
 * Deterministic metrics may be compared exactly: same machine type, libc, compiler and build
 * commands. What is not known ("" or "?") fits nothing. *difference (may be NULL) names the first
 * that does not fit, with both values, "" if it fits; arena-owned.
 */
bool fingerprint_toolchain_fits(const struct fingerprint *a, const struct fingerprint *b,
	struct arena *arena, const char **difference);

#endif
