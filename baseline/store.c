/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/store_internal.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/instant.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->kind->close)
		store->kind->close(store);
	store_lines_release(&store->warnings);
	arena_release(&store->arena);
	free(store);
}

const char *store_name(const struct store *store)
{
	return store->name;
}

const struct store_lines *store_warnings(const struct store *store)
{
	return &store->warnings;
}

const char *const *store_losses(const struct store *store)
{
	return store->kind->losses;
}

/* Nothing gets in that would not be believed when it comes out. */
static int check_recording(const struct recording *recording, struct error *err)
{
	int rc;

	if (!recording->benchmark || !*recording->benchmark)
		return error_set(err, ERR_USAGE, "a recording without a benchmark's name");
	if (!recording->commit || !store_is_commit_id(recording->commit))
		return error_set(err, ERR_USAGE,
			"benchmark %s: only recordings of a commit can be "
			"stored, and this one names none",
			recording->benchmark);
	if (!recording_type_is_valid(recording->profile_type))
		return error_set(err, ERR_USAGE, "benchmark %s: \"%s\" is no profile type",
			recording->benchmark, recording->profile_type);
	if (recording->time_ns < 0)
		return error_set(err, ERR_USAGE, "benchmark %s: it was measured before 1970",
			recording->benchmark);
	if (instant_is_future(recording->time_ns))
		return error_set(err, ERR_USAGE,
			"benchmark %s: it was measured in the future; is this machine's clock "
			"right, and was that machine's?",
			recording->benchmark);
	rc = recording_check(recording, err);
	if (rc)
		error_prefix(err, "benchmark %s", recording->benchmark);
	return rc;
}

int store_put(struct store *store, const struct recording *const *recordings, size_t count,
	unsigned *attempts, struct error *err)
{
	unsigned tried = 1;
	int rc = ERR_OK;

	for (size_t i = 0; i < count && !rc; i++)
		rc = check_recording(recordings[i], err);
	if (!rc && count)
		rc = store->kind->put(store, recordings, count, &tried, err);
	if (!rc && attempts)
		*attempts = tried;
	return rc;
}

static int check_commit(const char *commit, struct error *err)
{
	if (store_is_commit_id(commit))
		return ERR_OK;
	return error_set(err, ERR_USAGE, "\"%s\" is no full commit id", commit);
}

int store_list(struct store *store, const char *commit, bool full, struct baseline_list *out,
	struct error *err)
{
	struct baseline_list list = {.arena = ARENA_INIT};
	int rc = commit ? check_commit(commit, err) : ERR_OK;

	if (!rc)
		rc = store->kind->list(store, commit, full, &list, err);
	if (rc) {
		baseline_list_release(&list);
		return rc;
	}
	baseline_list_sort(&list);
	*out = list;
	return ERR_OK;
}

int store_find(struct store *store, const char *const *commits, size_t count, bool *found,
	struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < count && !rc; i++)
		rc = check_commit(commits[i], err);
	if (rc || !count)
		return rc;
	return store->kind->find(store, commits, count, found, err);
}

int store_get(struct store *store, const struct baseline_key *key, struct recording *out,
	enum baseline_detail *detail, struct error *err)
{
	int rc = check_commit(key->commit, err);

	return rc ? rc : store->kind->get(store, key, out, detail, err);
}

int store_prune(struct store *store, size_t keep, bool only_if_needed,
	struct store_prune_result *result, struct error *err)
{
	struct store_prune_result pruned = {0};
	int rc;

	if (store->kind->prune)
		rc = store->kind->prune(store, keep, only_if_needed, &pruned, err);
	else if (only_if_needed)
		rc = ERR_OK;
	else
		rc = error_set(
			err, ERR_USAGE, "%s prunes by its own retention settings", store->name);
	if (!rc)
		*result = pruned;
	return rc;
}

static bool can_be_read(
	struct store *store, const struct baseline_entry *entry, struct error *err, int *rc)
{
	struct recording recording;
	enum baseline_detail detail;

	*rc = store_get(store, &entry->key, &recording, &detail, err);
	if (*rc)
		return false;
	recording_release(&recording);
	return true;
}

/* What is wrong with one entry goes on with the next; that nothing can be read does not. */
static bool is_entry_error(int rc)
{
	return rc == ERR_CORRUPT || rc == ERR_LIMIT || rc == ERR_MEASURE || rc == ERR_NOT_FOUND;
}

static int get_each(struct store *store, const struct baseline_list *list,
	struct store_verify_result *result, struct error *err)
{
	struct error one;
	int rc;

	for (size_t i = 0; i < list->count; i++) {
		const struct baseline_key *key = &list->entries[i].key;
		size_t before = store->warnings.count;

		if (can_be_read(store, &list->entries[i], &one, &rc)) {
			/* An older one was taken in place of those. */
			result->bad += store->warnings.count - before;
			result->entries += store->warnings.count - before;
			continue;
		}
		if (!is_entry_error(rc))
			return error_set(err, rc, "%s", one.message);
		result->bad++;
		store_lines_add(&store->warnings, "%.12s %s (%s): %s", key->commit, key->benchmark,
			key->profile_type, one.message);
	}
	return ERR_OK;
}

/* What a list leaves out it warns of: bad entries too. */
static int verify_by_reading(
	struct store *store, struct store_verify_result *result, struct error *err)
{
	size_t before = store->warnings.count;
	struct baseline_list list;
	int rc = store_list(store, NULL, true, &list, err);

	if (rc)
		return rc;
	result->bad = store->warnings.count - before;
	result->entries = list.count + result->bad;
	rc = get_each(store, &list, result, err);
	baseline_list_release(&list);
	return rc;
}

int store_verify(struct store *store, struct store_verify_result *result, struct error *err)
{
	struct store_verify_result verified = {0};
	int rc = store->kind->verify ? store->kind->verify(store, &verified, err)
				     : verify_by_reading(store, &verified, err);

	if (!rc)
		*result = verified;
	return rc;
}
