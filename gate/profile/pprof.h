/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof codec: google/pprof profile.proto (proto/profile.proto) through protobuf-c, gzip by zlib.
 * The writer's bytes depend on the profile alone. The reader takes gzip or raw, ids in any order
 * (dense ids by id - 1, else a map), both packed and unpacked fields, and refuses by message what
 * breaks the format: value counts, missing locations or functions, ids of 0 or twice,
 * string_table[0].
 *
 * Kept: everything that struct profile holds. Not kept: columns, doc_url, drop_frames, keep_frames.
 * Strings pass through as bytes up to a NUL, also where they are not UTF-8: who sends a profile to
 * a server that insists on UTF-8 replaces those first.
 *
 * Changed while reading, so that the rest of the program has fewer cases:
 * - equal mappings, functions and locations under several ids become one;
 * - an unknown mapping id means no mapping, as in pprof itself;
 * - a location without lines gets one: "[module+0xoffset]" with the module's base name, "[unknown]"
 *   without a mapping, as the symbolizer names them;
 * - default_type is the last type where the file names none that exists.
 * Encoding what was read, and reading and encoding it again, gives the same bytes.
 */
#ifndef FG_PROFILE_PPROF_H
#define FG_PROFILE_PPROF_H

#include <stddef.h>

#include "gate/base/strbuf.h"
#include "gate/profile/profile.h"

struct error;

struct pprof_limits {
	size_t max_bytes; /* uncompressed; compressed input is bounded by it too */
	size_t max_samples, max_locations, max_functions;
	size_t max_depth;      /* locations a sample, and lines a location */
	size_t max_name_bytes; /* one string */
	size_t max_labels;     /* a sample */
};
extern const struct pprof_limits pprof_default_limits;

/* Appends gzip pprof bytes to out; out is as before on failure. */
int pprof_encode(const struct profile *profile, struct strbuf *out, struct error *err);
/*
 * *out is new (profile_free() it) and untouched on failure. limits may be NULL: the defaults.
 * ERR_CORRUPT for what is not valid pprof, ERR_LIMIT past a limit.
 */
int pprof_decode(const void *data, size_t length, const struct pprof_limits *limits,
	struct profile **out, struct error *err);
int pprof_read_file(const char *path, const struct pprof_limits *limits, struct profile **out,
	struct error *err);
int pprof_write_file(const struct profile *profile, const char *path, struct error *err);

#endif
