/* SPDX-License-Identifier: Apache-2.0 */
/* Private to baseline/: what a kind of store implements. Contracts are those of store.h. */
#ifndef FG_BASELINE_STORE_INTERNAL_H
#define FG_BASELINE_STORE_INTERNAL_H

#include "baseline/store.h"
#include "gate/net/url.h"

struct store_kind {
	const char *const *schemes; /* NULL-terminated: {"pyroscope", "pyroscopes", NULL} */
	const char *const *losses;  /* NULL-terminated */
	/* Fills store->data and store->name; on failure it leaves nothing that close() would free.
	 * url is parsed for schemes with "://"; for "notes:" and "dir:" rest is what follows the
	 * colon
	 * ("" for none) and url is NULL. */
	int (*open)(
		struct store *store, const struct url *url, const char *rest, struct error *err);
	void (*close)(struct store *store);
	int (*put)(struct store *, const struct recording *const *, size_t, unsigned *,
		struct error *);
	int (*list)(struct store *, const char *, bool, struct baseline_list *, struct error *);
	int (*find)(struct store *, const char *const *, size_t, bool *, struct error *);
	int (*get)(struct store *, const struct baseline_key *, struct recording *,
		enum baseline_detail *, struct error *);
	/* NULL: the store's own retention decides. */
	int (*prune)(struct store *, size_t, bool, struct store_prune_result *, struct error *);
	/* NULL: store.c lists all and gets each. */
	int (*verify)(struct store *, struct store_verify_result *, struct error *);
};

struct store {
	const struct store_kind *kind;
	struct store_options options;
	struct arena arena; /* lives as long as the store */
	const char *name;
	struct store_lines warnings;
	void *data; /* the kind's own */
};

extern const struct store_kind store_notes, store_directory, store_pyroscope, store_parca;

/* 40 or 64 lower-case hex digits: safe in a path, a ref and a query. */
bool store_is_commit_id(const char *text);
/* Copies the entry and its strings into the list. */
void baseline_list_add(struct baseline_list *list, const struct baseline_entry *entry);
/* Into the order of store.h; store_list() does it for every kind. */
void baseline_list_sort(struct baseline_list *list);

/* Defused progress line, if anybody listens. */
void store_progress(const struct store *store, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
