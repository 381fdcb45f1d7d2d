/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles from servers and running programs, by URL:
 *
 *   pyroscope[s]://HOST[:PORT]?query={service_name="x"}&type=ID&from=now-1h&until=now
 *   parca[s]://HOST[:PORT]?query=TYPE{job="x"}&from=...&until=...   merged over the range
 *   http[s]://HOST[:PORT]/debug/pprof/{profile,heap,allocs,goroutine,mutex,block,...}[?seconds=N]
 *
 * from and until: "now", "now-90m" (s, m, h, d), RFC 3339, or seconds since 1970; default the last
 * hour. type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds" (default), or what the server offers.
 */
#ifndef FG_BASELINE_SOURCE_H
#define FG_BASELINE_SOURCE_H

#include <stdbool.h>

#include "baseline/store.h"
#include "gate/profile/profile.h"

struct source_options {
	const char *credentials; /* prefix of the variables; NULL: the default */
	int64_t now_ns;          /* since 1970; 0: the clock */
	void (*progress)(void *data, const char *line);
	void *progress_data;
};

/* True for a URL of one of the kinds above (any "scheme://"): compare then reads it, not a file. */
bool source_is_url(const char *text);

/*
 * The profile, and in notes (may be NULL) what a reader must know: time range, losses of the
 * server, delta, merged pieces. profile_free() it. An empty answer is ERR_NOT_FOUND that says what
 * to look at (selector, type, range, the server's own names for them).
 */
int source_read(const char *url, const struct source_options *options, struct profile **out,
	struct store_lines *notes, struct error *err);

#endif
