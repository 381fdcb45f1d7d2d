/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as one HTML file: needs no network and no server. Its text, culprits and largest
 * changes are in the page itself; the flame graph and the full table come from the embedded
 * report.json by the viewer's script, the only one that the page's content security policy lets
 * run.
 */
#ifndef FG_REPORT_HTML_H
#define FG_REPORT_HTML_H

#include "gate/base/strbuf.h"
#include "report/view/view.h"

struct error;

/* Appends the page. Fails as report_json_write() does; out is as before then. */
int report_html(const struct report_view *view, struct strbuf *out, struct error *err);

#endif
