/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A first look at uncompressed pprof bytes, before anything is allocated for them: is it pprof at
 * all, and do its counts keep the limits? Used by the decoder only.
 */
#ifndef FG_PROFILE_PPROF_SCAN_H
#define FG_PROFILE_PPROF_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/profile/pprof.h"

struct error;

/*
 * ERR_CORRUPT for empty input, for pprof's older text and binary formats (with the way to convert
 * them) and where the top level's framing is broken; ERR_LIMIT for too many messages of a kind.
 */
int pprof_scan(
	const void *data, size_t length, const struct pprof_limits *limits, struct error *err);

/* One of the formats that pprof had before; pprof_scan() refuses them and says so. */
bool pprof_is_legacy(const void *start, size_t length);

#endif
