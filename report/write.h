/* SPDX-License-Identifier: Apache-2.0 */
/* A report's files. */
#ifndef FG_REPORT_WRITE_H
#define FG_REPORT_WRITE_H

#include "report/view/view.h"

struct error;

/*
 * Writes report.json, report.md, report.html and the formats named in also (NULL-terminated, or
 * NULL; formats without a file are left out) into dir, which is made if need be. All are
 * rendered before any is written, and each file is replaced as a whole or not at all. report.json
 * comes last: where it is new, the others are. Where the view was read from a report.json, the new
 * one has its bytes.
 */
int report_write_view(const struct report_view *view, const char *dir, const char *const *also,
	struct error *err);

#endif
