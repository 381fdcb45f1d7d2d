/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view of a result: what report.json says, and nothing else. All renderers take a view, so that
 * `flamegate report --from report.json` prints the bytes that the check printed.
 *
 * report.json may come from elsewhere (an artifact of a pull request's run) and is hostile: its
 * size, its counts, types, ranges, every index and the shape of the tree are checked here, once.
 */
#ifndef FG_REPORT_VIEW_H
#define FG_REPORT_VIEW_H

#include <stddef.h>

#include "gate/check/result.h"

struct error;

#define REPORT_MAX_BYTES (64u * 1024 * 1024)
/* Numbers, strings, ... in the whole report. They are counted before any is read: a short one takes
 * about 110 bytes of memory. Of what report_json.c writes there are fewer. */
#define REPORT_MAX_VALUES 4000000u
#define REPORT_MAX_MEMBERS 128u /* of an object; no key comes twice */
#define REPORT_MAX_BENCHMARKS 10000u
#define REPORT_MAX_NODES 200000u
#define REPORT_MAX_FUNCTIONS 200000u
#define REPORT_MAX_PROFILES 64u /* of other types, of one benchmark */
#define REPORT_MAX_LIST 10000u  /* warnings, culprits, pairs, ... of one benchmark */
#define REPORT_MAX_DEPTH 4096u  /* of the call tree */
/* Bytes of a string that columns name: many functions may share one, and each draws or sorts it. */
#define REPORT_MAX_STRING (64u * 1024)

struct report_view {
	struct result result; /* no pointer is NULL, no index out of range, no number infinite but
				 where result.h says so; unknown intervals are NaN */
	/* Where report.html will be found, for links into it (link.h); NULL: not known. Borrowed,
	 * and set by who renders: report.json does not say it. */
	const char *page_url;
};

/* ERR_LIMIT past the limits above, ERR_CORRUPT otherwise; *out is untouched then. */
int report_view_read(const char *json, size_t length, struct report_view **out, struct error *err);
/* The view of a result at hand: by way of report.json, so that both ways agree. */
int report_view_of(const struct result *result, struct report_view **out, struct error *err);
void report_view_free(struct report_view *view);

#endif
