/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry of the configuration made into the benchmarks that its program lists. Their names are
 * ENTRY/NAME: bytes that a benchmark's name may not have become '_', names that would then be the
 * same or too long end in a part of their hash.
 */
#ifndef FG_BENCH_HARNESS_EXPAND_H
#define FG_BENCH_HARNESS_EXPAND_H

#include "gate/bench/harness/harness.h"

/* One that some version's program lists. */
struct harness_item {
	const char *listed; /* as the program prints it; hostile, but without control characters */
	const char *name;   /* ENTRY/..., unique among all names of the configuration */
	bool in[2];         /* which of the two lists has it */
};
struct harness_items {
	struct harness_item *items; /* in the second list's order, then what only the first has */
	size_t count, left_out;     /* by the entry's globs */
	unsigned question;          /* both versions understand its way to select */
};

/*
 * Both lists (NULL: there is none) united, through the entry's globs. The arena's, but for listed
 * names, which are the lists'.
 */
void harness_unite(struct arena *arena, const struct config *config,
	const struct config_benchmark *entry, const struct harness_names *first,
	const struct harness_names *second, struct harness_items *out);

/*
 * The benchmark that runs this item alone, with so many iterations (0: as many as its harness
 * likes, in less time by its own flags where that is not said). slug is the caller's to set. The arena's. False: see harness_command().
 */
bool harness_make(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *entry, const struct harness_item *item, unsigned question,
	uint64_t count, struct config_benchmark *out);

/* The glob is matched against what the program lists and against what is made of it, without the
 * entry's name. */
bool harness_glob_fits(
	const char *const *globs, const char *entry, const struct harness_item *item);

#endif
