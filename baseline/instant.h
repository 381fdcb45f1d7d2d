/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time as users write them and as servers want them, in nanoseconds since 1970. */
#ifndef FG_BASELINE_INSTANT_H
#define FG_BASELINE_INSTANT_H

#include <stdint.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"

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

#endif
