/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run can measure: each kind is one run of the benchmark under the sampler (or another
 * engine), one profile, and that profile's value types. Names follow pprof's where it has them.
 */
#ifndef FG_PROFILE_PROFILE_KIND_H
#define FG_PROFILE_PROFILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/profile/profile.h"

struct profile_kind {
	const char *name;    /* "cpu", "wall", "heap", "lock", "instructions" */
	const char *meaning; /* for people, e.g. "allocations and the heap" */
	/* what the sampler is asked for (FLAMEGATE_PROFILE); NULL: another engine measures it */
	const char *sampler;
	uint32_t captures; /* mask of enum capture_kind that go into the profile */
	const struct profile_value_type *types;
	size_t type_count, default_type;
	/*
	 * Types that a deterministic program gives the same totals of in every run: what can be
	 * decided exactly. Names of types[], NULL-terminated; empty for sampled kinds.
	 */
	const char *const *exact_types;
};

/*
 *   cpu           samples/count cpu/nanoseconds cpu_squares/microseconds_squared   (profile.h)
 *   wall          samples/count wall/nanoseconds      label "state": "on-cpu", "off-cpu"
 *   heap          alloc_objects/count alloc_bytes/bytes inuse_objects/count inuse_bytes/bytes
 *                 peak_objects/count peak_bytes/bytes mmap_objects/count mmap_bytes/bytes
 *   lock          contentions/count delay/nanoseconds label "wait": "mutex", "rwlock",
 *                 "condition", "futex"
 *   instructions  instructions/count
 * The first is "cpu"; the list ends with a NULL name.
 */
extern const struct profile_kind profile_kinds[];
/* NULL: there is none of this name. */
const struct profile_kind *profile_kind_find(const char *name);
/* The kind that has this value type; NULL: none. */
const struct profile_kind *profile_kind_of_type(const char *type);

#endif
