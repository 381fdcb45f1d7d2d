/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A planted slowdown: `flamegate doctor --self-test` makes a copy of a benchmark slower by a known
 * amount and looks whether the gate finds it. For each sample whose leaf lies in the wanted code
 * the handler burns a part of the sample's weight in CPU time, which then belongs to that sample:
 * as if that code had been so much slower. Without FLAMEGATE_SLOWDOWN (environment.h) nothing here
 * is ever called.
 */
#ifndef FG_SAMPLER_SLOWDOWN_H
#define FG_SAMPLER_SLOWDOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/sampler/environment.h"

struct fg_slowdown_range {
	uint64_t first, last; /* link-time addresses, both inside */
};

struct fg_slowdown {
	uint32_t ppm;     /* of a sample's weight that is burnt; 0: none */
	bool is_anywhere; /* in all code; the rest is empty then */
	uint32_t range_count;
	struct fg_slowdown_range ranges[FG_SLOWDOWN_MAX_RANGES];
	char module[FG_SLOWDOWN_MAX_MODULE]; /* build id in hex, or "/" and the end of a path */
};

/* any. NULL is none. False, and out is none: not what environment.h says. */
bool fg_slowdown_parse(const char *text, struct fg_slowdown *out);
/* any. Is this the wanted module? build_id as in the object, path not NUL-terminated. */
bool fg_slowdown_is_module(const struct fg_slowdown *slowdown, const unsigned char *build_id,
	size_t build_id_bytes, const char *path, size_t path_bytes);
/* any. Has the wanted module this address in the wanted code? */
bool fg_slowdown_has(const struct fg_slowdown *slowdown, uint64_t address);
/* any. CPU-ns to burn for a sample of this weight in the wanted code. */
uint64_t fg_slowdown_owed(const struct fg_slowdown *slowdown, uint64_t weight_ns);

/* init. What this image is to do; false: nothing. */
bool fg_slowdown_read(const char *text);
/* any, under the module table's lock. A module has got this index in this image. */
void fg_slowdown_meet(uint32_t index, const unsigned char *build_id, size_t build_id_bytes,
	const char *path, size_t path_bytes);
/* thread, in a forked child: indices begin anew. */
void fg_slowdown_forked(void);
/*
 * handler. Burns what a sample of this weight at this pc calls for, at most 100 ms at once, with
 * what earlier ones left or burnt too much; returns how much, in CPU-ns.
 */
uint64_t fg_slowdown_burn(uint64_t pc, uint64_t weight_ns);

#endif
