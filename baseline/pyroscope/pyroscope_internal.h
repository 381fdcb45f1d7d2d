/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to baseline/pyroscope*.c: what we ask of a Pyroscope server, by Connect over HTTP/1.1.
 *
 * Its limits and silences shape what is here. A push that was stored and is repeated counts twice,
 * so only a 429, after which nothing is stored, is tried again. What was just pushed is found for
 * certain only by selectors with an exact service_name. No query may be longer than 24 hours.
 */
#ifndef FG_BASELINE_PYROSCOPE_INTERNAL_H
#define FG_BASELINE_PYROSCOPE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "baseline/server/labels.h"
#include "gate/net/http.h"
#include "gate/net/json.h"
#include "gate/net/url.h"
#include "gate/profile/profile.h"

#define PYROSCOPE_MAX_BYTES ((size_t)1900000) /* of a profile: its burst limit is 2 MB */
#define PYROSCOPE_MAX_SAMPLES 16000
#define PYROSCOPE_MAX_DEPTH 1000
#define PYROSCOPE_BYTES_PER_SECOND 4000000
#define PYROSCOPE_PATIENCE_NS UINT64_C(500000000)
#define PYROSCOPE_MAX_RANGE_NS INT64_C(86400000000000)

struct pyroscope {
	const char *origin; /* http://host:port */
	const char *base;   /* origin and path prefix, without a "/" at its end */
	struct http_credentials credentials;
	uint64_t timeout_ns;  /* of a request; 0: the default */
	uint64_t patience_ns; /* before a refused push is tried again; doubles each time */
};

/* From pyroscope[s]://HOST[:PORT][/PREFIX]; strings are arena-owned.
 * ERR_USAGE for what is wrong. */
int pyroscope_init(struct pyroscope *server, const struct url *url,
	const struct http_credentials *credentials, struct arena *arena, struct error *err);

struct pyroscope_range {
	int64_t from_ns, until_ns;
};
/*
 * A range in pieces that the server takes, the newest first: *left is what is still to be asked
 * for, and false means that nothing is.
 */
bool pyroscope_next_range(struct pyroscope_range *left, struct pyroscope_range *piece);

/* ---- asking: repeated on passing faults; the range is at most PYROSCOPE_MAX_RANGE_NS ---- */

/* {"labelsSet": [{"labels": [{"name", "value"}]}]}: series that match, told apart by these labels.
 * json_free() it. */
int pyroscope_series(const struct pyroscope *server, const char *selector, const char *const *names,
	size_t name_count, struct pyroscope_range range, struct json **out, struct error *err);
/* {"names": [...]} of a label; selector NULL: of all series. */
int pyroscope_label_values(const struct pyroscope *server, const char *name, const char *selector,
	struct pyroscope_range range, struct json **out, struct error *err);
/* The sum of what matches, of one value type. *out is NULL if there is nothing: the server says so
 * by no profile or by an empty one. */
int pyroscope_profile(const struct pyroscope *server, const char *type, const char *selector,
	struct pyroscope_range range, struct profile **out, struct error *err);

/* A type id taken apart: name:type:unit:period_type:period_unit. ERR_CORRUPT for another text. */
int pyroscope_type_parse(
	const char *id, struct arena *arena, struct profile_value_type *type, struct error *err);

/* ---- telling ---- */

/*
 * Stores one profile (gzip pprof of so many uncompressed bytes), and waits until the server will
 * take the next. *attempts is raised to the attempts it took.
 */
int pyroscope_push(const struct pyroscope *server, const struct label *labels, size_t count,
	const struct strbuf *pprof, size_t bytes, unsigned *attempts, struct error *err);

#endif
