/* SPDX-License-Identifier: Apache-2.0 */
/* Private to baseline/pyroscope*.c: what the store's files share. */
#ifndef FG_BASELINE_PYROSCOPE_STORE_H
#define FG_BASELINE_PYROSCOPE_STORE_H

#include "baseline/pyroscope/pyroscope_internal.h"
#include "baseline/server/pieces.h"
#include "baseline/store_internal.h"

struct pyroscope_store {
	struct pyroscope server;
	const char *service; /* the series' service_name */
	int64_t lookback_ns;
};

/* The start of a selector, with its exact service_name: "{service_name=\"...\"". */
void pyroscope_store_selector(const struct pyroscope_store *store, struct strbuf *selector);
/* Adds the pieces of the series that match, over all the time that the server looks back. */
int pyroscope_store_gather(const struct pyroscope_store *store, const char *selector,
	bool with_meta, struct piece_list *pieces, struct error *err);

/* store_kind's put and get. */
int pyroscope_store_put(struct store *store, const struct recording *const *recordings,
	size_t count, unsigned *attempts, struct error *err);
int pyroscope_store_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err);

#endif
