/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/choose.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/base/error.h"
#include "gate/base/map.h"

#define ENVIRONMENTS_NAMED 8
#define MOST_TRIED 8 /* entries that cannot be read: each may cost seconds */
#define LOOK_SECONDS                                                                               \
	30 /* a hostile store must not hold up a check: past it the nearest ones were all */

/* An entry of another environment: taken if there is none of ours. */
struct candidate {
	size_t distance;
	const char *environment;
};

struct chooser {
	struct arena arena;
	struct store *store;
	const char *const *ancestors;
	size_t count;
	struct baseline_key key; /* what is wanted; its commit changes */
	struct candidate *others;
	size_t other_count, other_capacity;
	struct map environments; /* seen with any benchmark */
	struct strbuf environment_list;
	size_t recorded; /* commits that have any entry */
	size_t unreadable;
};

static void name_environment(struct chooser *chooser, const char *environment)
{
	bool added;

	if (chooser->environments.count >= ENVIRONMENTS_NAMED)
		return;
	map_intern(&chooser->environments, environment, strlen(environment), 0, &added);
	if (added)
		strbuf_addf(&chooser->environment_list, "%s%s",
			chooser->environment_list.length ? ", " : "", environment);
}

static void add_other(struct chooser *chooser, size_t distance, const char *environment)
{
	chooser->others = grow_array(chooser->others, &chooser->other_capacity,
		chooser->other_count + 1, sizeof(*chooser->others));
	chooser->others[chooser->other_count++] =
		(struct candidate){distance, arena_strdup(&chooser->arena, environment)};
}

/* Is the wanted one among the commit's entries? Notes what else there is. */
static bool look_at_entries(
	struct chooser *chooser, size_t distance, const struct baseline_list *list)
{
	bool found = false;

	for (size_t i = 0; i < list->count; i++) {
		const struct baseline_key *key = &list->entries[i].key;

		name_environment(chooser, key->environment);
		if (strcmp(key->benchmark, chooser->key.benchmark) != 0 ||
			strcmp(key->profile_type, chooser->key.profile_type) != 0)
			continue;
		if (strcmp(key->environment, chooser->key.environment) == 0)
			found = true;
		else
			add_other(chooser, distance, key->environment);
	}
	return found;
}

/* ERR_NOT_FOUND where the entry turns out not to be one; the store has warned of it then. */
static int take(struct chooser *chooser, size_t distance, const char *environment,
	struct baseline_choice *out, struct error *err)
{
	struct baseline_choice choice = {.distance = distance,
		.same_environment = strcmp(environment, chooser->key.environment) == 0};
	struct baseline_key key = chooser->key;
	int rc;

	if (chooser->unreadable >= MOST_TRIED)
		return ERR_NOT_FOUND;
	key.commit = chooser->ancestors[distance];
	key.environment = environment;
	rc = store_get(chooser->store, &key, &choice.recording, &choice.detail, err);
	chooser->unreadable += rc != ERR_OK;
	if (rc)
		return rc;
	memcpy(choice.commit, key.commit, strlen(key.commit) + 1);
	*out = choice;
	return ERR_OK;
}

static int look_at_commit(
	struct chooser *chooser, size_t distance, struct baseline_choice *out, struct error *err)
{
	struct baseline_list list;
	bool is_there;
	int rc = store_list(chooser->store, chooser->ancestors[distance], false, &list, err);

	if (rc)
		return rc;
	is_there = look_at_entries(chooser, distance, &list);
	baseline_list_release(&list);
	chooser->recorded++;
	return is_there ? take(chooser, distance, chooser->key.environment, out, err)
			: ERR_NOT_FOUND;
}

static time_t monotonic_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static int choose_same(
	struct chooser *chooser, const bool *found, struct baseline_choice *out, struct error *err)
{
	time_t end = monotonic_seconds() + LOOK_SECONDS;
	int rc = ERR_NOT_FOUND;

	for (size_t i = 0; i < chooser->count && rc == ERR_NOT_FOUND; i++)
		if (found[i] && (!chooser->recorded || monotonic_seconds() < end))
			rc = look_at_commit(chooser, i, out, err);
	return rc;
}

static int choose_other(struct chooser *chooser, struct baseline_choice *out, struct error *err)
{
	int rc = ERR_NOT_FOUND;

	for (size_t i = 0; i < chooser->other_count && rc == ERR_NOT_FOUND; i++)
		rc = take(chooser, chooser->others[i].distance, chooser->others[i].environment, out,
			err);
	return rc;
}

static int say_none(const struct chooser *chooser, struct error *err)
{
	const struct baseline_key *key = &chooser->key;

	if (!chooser->recorded)
		return error_set(err, ERR_NOT_FOUND,
			"%s has no baseline of the base or its %zu nearest ancestors",
			store_name(chooser->store), chooser->count ? chooser->count - 1 : 0);
	return error_set(err, ERR_NOT_FOUND,
		"%s has no %s baseline of %s: of the base and its %zu nearest ancestors %zu have "
		"others (environments %s; this one is %s)",
		store_name(chooser->store), key->profile_type, key->benchmark, chooser->count - 1,
		chooser->recorded, chooser->environment_list.data, key->environment);
}

static int choose(struct chooser *chooser, struct baseline_choice *out, struct error *err)
{
	bool *found = xcalloc(chooser->count, sizeof(*found));
	int rc = store_find(chooser->store, chooser->ancestors, chooser->count, found, err);

	if (!rc)
		rc = choose_same(chooser, found, out, err);
	if (rc == ERR_NOT_FOUND)
		rc = choose_other(chooser, out, err);
	if (rc == ERR_NOT_FOUND)
		rc = say_none(chooser, err);
	free(found);
	return rc;
}

int baseline_choose(struct store *store, const char *const *ancestors, size_t count,
	const char *benchmark, const char *profile_type, const char *environment,
	struct baseline_choice *out, struct error *err)
{
	struct chooser chooser = {.arena = ARENA_INIT,
		.store = store,
		.ancestors = ancestors,
		.count = count < BASELINE_REACH ? count : BASELINE_REACH,
		.key = {NULL, benchmark, profile_type, environment},
		.environment_list = STRBUF_INIT};
	int rc;

	map_init(&chooser.environments);
	rc = choose(&chooser, out, err);
	map_release(&chooser.environments);
	strbuf_release(&chooser.environment_list);
	free(chooser.others);
	arena_release(&chooser.arena);
	return rc;
}
