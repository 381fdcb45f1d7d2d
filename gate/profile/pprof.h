/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof codec: google/pprof profile.proto (proto/profile.proto) through protobuf-c, gzip by zlib.
 * The writer's bytes depend on the profile alone. The reader takes gzip or raw, ids in any order
 * (dense ids by id - 1, else a map), both packed and unpacked fields, and refuses by message what
 * breaks the format: value counts, missing locations or functions, ids of 0 or twice, string_table[0].
 */
#ifndef FG_PROFILE_PPROF_H
#define FG_PROFILE_PPROF_H

#include <stddef.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "gate/profile/profile.h"

struct pprof_limits {
	size_t max_bytes;      /* uncompressed */
	size_t max_samples, max_locations, max_functions, max_depth, max_name_bytes, max_labels;
};
extern const struct pprof_limits pprof_default_limits;

/* Appends gzip pprof bytes to out. */
int pprof_encode(const struct profile *profile, struct strbuf *out, struct error *err);
/* *out is new (profile_free() it) and untouched on failure. */
int pprof_decode(const void *data, size_t length, const struct pprof_limits *limits,
	struct profile **out, struct error *err);
int pprof_read_file(const char *path, const struct pprof_limits *limits, struct profile **out,
	struct error *err);
int pprof_write_file(const struct profile *profile, const char *path, struct error *err);

#endif
