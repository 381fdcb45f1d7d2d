/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to baseline/parca*.c: what we ask of a Parca server (v0.28), by JSON under /api, and by
 * gRPC for downloads that its JSON gateway refuses.
 *
 * Parca trusts its clients: some profiles end the whole server, others make it forget for good how
 * to list its types. parca_write() is the only way in, and it sends nothing of that kind.
 */
#ifndef FG_BASELINE_PARCA_INTERNAL_H
#define FG_BASELINE_PARCA_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "baseline/server/pieces.h"
#include "baseline/server/split.h"
#include "baseline/store_internal.h"
#include "gate/net/http.h"
#include "gate/net/json.h"
#include "gate/net/url.h"
#include "gate/profile/profile.h"

struct parca {
	const char *origin; /* http://host:port */
	const char *base;   /* origin and path prefix, without a "/" at its end */
	struct http_credentials credentials;
	uint64_t timeout_ns; /* 0: the default */
};

/* From parca[s]://HOST[:PORT][/PREFIX]; strings are arena-owned. ERR_USAGE for what is wrong. */
int parca_init(struct parca *parca, const struct url *url,
	const struct http_credentials *credentials, struct arena *arena, struct error *err);

/* ---- asking ---- */

struct parca_query {
	const char *selector;
	/* Merged over this range; both equal: exactly the profiles of this millisecond, unmerged
	 * (then samples:count is right, which a merge multiplies by the period). */
	int64_t from_ns, until_ns;
};
/* ERR_NOT_FOUND: the server has nothing that matches. profile_free() it. */
int parca_fetch(const struct parca *parca, const struct parca_query *query, struct profile **out,
	struct error *err);
/* The same by gRPC: the answer's pprof bytes are appended, none if nothing matches. */
int parca_fetch_grpc(const struct parca *parca, const struct parca_query *query,
	struct strbuf *pprof, struct error *err);

/*
 * {"types": [...]} and {"series": [...]}: json_free() them. names: the labels by which series are
 * told apart. No series is not an error.
 */
int parca_types(const struct parca *parca, struct json **out, struct error *err);
int parca_series(const struct parca *parca, const struct parca_query *query,
	const char *const *names, size_t name_count, struct json **out, struct error *err);
/* {"labelValues": [...]} of all time. */
int parca_label_values(
	const struct parca *parca, const char *name, struct json **out, struct error *err);

/* One of the server's types. delta: of profiles that have a duration. */
struct parca_type {
	const char *name, *sample_type, *sample_unit, *period_type, *period_unit;
	bool delta;
};
int parca_type_read(const struct json *node, struct parca_type *type, struct error *err);
/* Appends "name:type:unit:period_type:period_unit[:delta]". */
void parca_type_add(struct strbuf *out, const struct parca_type *type);

/* ---- sending ---- */

/*
 * Stores one profile, pprof bytes of any kind; what is sent is our own encoding of it, whose ids
 * are in order. ERR_CORRUPT, and nothing is sent, for what parca_check() refuses.
 */
int parca_write(const struct parca *parca, const struct label *labels, size_t count,
	const void *pprof, size_t length, struct error *err);
/* [A-Za-z_][A-Za-z0-9_]*: what we send, and so what comes back of it. */
bool parca_is_word(const char *text);
/* What harms a Parca server: see parca_check.c. */
int parca_check(
	const struct label *labels, size_t count, const struct profile *profile, struct error *err);

/* ---- recordings (store->data is the struct parca) ---- */

struct parca_wanted {
	struct baseline_key key; /* NULL: any */
	const char *recording;   /* NULL: any */
	bool with_meta;
};
/* Adds the pieces of recordings that the server has: of all types, or of one. */
int parca_ask(const struct parca *parca, const struct parca_wanted *wanted,
	struct piece_list *pieces, struct error *err);
int parca_ask_type(const struct parca *parca, const struct parca_type *type,
	const struct parca_wanted *wanted, struct piece_list *pieces, struct error *err);
/* Adds the sum of what is wanted, in the type's unit. */
int parca_sum_type(const struct parca *parca, const struct parca_type *type,
	const struct parca_wanted *wanted, int64_t *sum, struct error *err);
/* Each of the server's types that may be a recording's (profile_type NULL: any),
 * until one fails. */
int parca_each_type(const struct parca *parca, const char *profile_type,
	int (*each)(void *data, const struct parca_type *type, struct error *err), void *data,
	struct error *err);

/* As in store.h. */
int parca_put(struct store *store, const struct recording *const *recordings, size_t count,
	unsigned *attempts, struct error *err);
int parca_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err);

#endif
