/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time as users write them and as servers want them, in nanoseconds since 1970. */
#ifndef FG_BASELINE_INSTANT_H
#define FG_BASELINE_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/base/strbuf.h"

struct error;

#define INSTANT_SECOND_NS INT64_C(1000000000)

/*
 * "now", "now-90m" (s, m, h, d), RFC 3339 ("2026-01-31T12:00:00.5+01:00"), or seconds since 1970.
 * ERR_USAGE for anything else, and for what lies before 1970 or after 2262.
 */
int instant_parse(const char *text, int64_t now_ns, int64_t *out, struct error *err);
/* Appends "2026-01-31T11:00:00.500Z": to the millisecond below. */
void instant_add(struct strbuf *out, int64_t ns);
/* The clock. */
int64_t instant_now(void);
/* More than a day ahead of the clock, which is more than clocks differ. */
bool instant_is_future(int64_t ns);
/*
 * Of two records the newer counts, and one from the future would count for ever: this is its time,
 * or 0 if it is one, so that any other goes before it. It is not thrown away for that: it may be
 * our clock that is wrong.
 */
int64_t instant_rank(int64_t ns);

#endif
