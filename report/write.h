/* SPDX-License-Identifier: Apache-2.0 */
/* A report's files. */
#ifndef FG_REPORT_WRITE_H
#define FG_REPORT_WRITE_H

#include "gate/base/error.h"
#include "gate/check/result.h"
#include "report/view.h"

/*
 * Writes report.json, report.md and report.html into dir, which is made if need be. Each file is
 * replaced as a whole or not at all. report.json comes last: where it is new, the others are.
 */
int report_write_all(const struct result *result, const char *dir, struct error *err);
/* The same from a view; report.json has the bytes that the view was read from. */
int report_write_view(const struct report_view *view, const char *dir, struct error *err);

#endif
