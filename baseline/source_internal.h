/* SPDX-License-Identifier: Apache-2.0 */
/* Private to baseline/: the kinds of sources, one file each. */
#ifndef FG_BASELINE_SOURCE_INTERNAL_H
#define FG_BASELINE_SOURCE_INTERNAL_H

#include "baseline/source.h"
#include "gate/net/http.h"
#include "gate/net/url.h"

struct source_request {
	const struct url *url;
	struct http_credentials credentials;
	int64_t from_ns, until_ns; /* for servers */
	const struct source_options *options;
};

typedef int source_reader(const struct source_request *request, struct profile **out,
	struct store_lines *notes, struct error *err);
source_reader source_pyroscope, source_parca, source_http_pprof;

#endif
