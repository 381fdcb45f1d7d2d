/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: what a Flamegate-Accept trailer says. */
#ifndef FG_CHECK_ACCEPT_TEXT_H
#define FG_CHECK_ACCEPT_TEXT_H

#include "gate/base/arena.h"
#include "gate/bench/config.h"
#include "gate/check/session.h"

/*
 * "<benchmark>[/<function>] <reason>". A benchmark's name may hold slashes: the longest that fits
 * counts. A function's name ends at white space outside its brackets, or stands in double quotes.
 * Fills benchmark, function ("" none), reason and problem ("" it counts); strings are arena-owned.
 */
void accept_read(const char *value, const struct config *config, struct arena *arena,
	struct session_acceptance *out);

#endif
