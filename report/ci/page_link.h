/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links from other formats into report.html, where its address is known (report_view.page_url). The
 * page keeps what it shows in its address' fragment; viewer/address.js has the grammar. Every byte
 * of a name but A-Za-z0-9-._~ is percent-encoded, so that a link is as harmless in Markdown, in
 * HTML or in a runner's command as the page's own address.
 */
#ifndef FG_REPORT_LINK_H
#define FG_REPORT_LINK_H

#include <stdint.h>

#include "gate/base/strbuf.h"
#include "report/view/view.h"

struct error;

#define LINK_PAGE_BYTES 1000
/* Longer names and paths are linked by their number in report.json. */
#define LINK_PLACE_BYTES 400

/*
 * ERR_USAGE unless it is an http or https URL without credentials and fragment, of characters that
 * mean nothing in Markdown or HTML: what else it needs is percent-encoded already.
 */
int link_check_page(const char *url, struct error *err);

/* Each appends nothing where the page's address is not known.
 * The benchmark is one of the view's. */
void link_to_benchmark(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark);
/* The function in the middle of its callers and callees. */
void link_to_function(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark, uint32_t function);
/* The same in the tree that the page opens with (shown.h): function is one of that. */
void link_to_shown_function(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark, uint32_t function);
/* The call-tree node, selected in the flame graph. */
void link_to_node(struct strbuf *out, const struct report_view *view,
	const struct result_benchmark *benchmark, uint32_t node);

#endif
