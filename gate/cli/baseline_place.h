/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of `flamegate baseline` share: repository,
 * configuration and the store they mean. */
#ifndef FG_CLI_BASELINE_PLACE_H
#define FG_CLI_BASELINE_PLACE_H

#include "baseline/store.h"
#include "gate/bench/config/config.h"

struct baseline_place {
	struct repo *repo; /* NULL outside of one: stores that need none work all the same */
	struct config config;
	bool has_config;
	struct store *store;
};

/*
 * The store by URL, or the configuration's; without either, notes. A configuration that cannot be
 * read is an error only where it would decide (url NULL). In a pull request's run the checked-out
 * configuration names neither store nor credentials: it may be the pull request's own. Close also
 * after an error.
 */
int baseline_place_open(
	struct baseline_place *place, const char *directory, const char *url, struct error *err);
/* Another store of the same place. */
int baseline_place_store(
	const struct baseline_place *place, const char *url, struct store **out, struct error *err);
/* Prints the store's warnings. */
void baseline_place_close(struct baseline_place *place);

/* Full id of a revision of the repository; a full id is taken as it is,
 * also one that is not here. */
int baseline_place_commit(const struct baseline_place *place, const char *revision,
	char id[OBJECT_ID_SIZE], struct error *err);

/* Which of a commit's baselines a verb is about; NULL: any. */
struct baseline_filter {
	const char *benchmark, *type, *environment;
};

typedef int baseline_visit(
	void *data, struct store *store, const struct baseline_entry *entry, struct error *err);
/* Visits a commit's baselines that the filter lets through (revision NULL: HEAD). ERR_NOT_FOUND if
 * there are none. */
int baseline_each(const struct baseline_place *place, const char *revision,
	const struct baseline_filter *filter, baseline_visit *visit, void *data, struct error *err);

/* A pull request's run has nothing to say about the default branch: ERR_USAGE in one. what:
 * "pushed". */
int baseline_refuse_pull_request(const char *what, struct error *err);

/* "2026-11-21 15:04 UTC"; "" for 0. Static buffer. */
const char *baseline_time_text(int64_t time_ns);
const char *baseline_detail_text(enum baseline_detail detail);
/* Text from a store for a terminal, defused; print it with puts or %s. Owned by out. */
const char *baseline_plain(struct strbuf *out, const char *text);

#endif
