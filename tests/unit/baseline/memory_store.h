/* SPDX-License-Identifier: Apache-2.0 */
/* A store of entries in memory, for what is above the kinds of stores; counts what it is asked. */
#ifndef FG_TESTS_BASELINE_MEMORY_STORE_H
#define FG_TESTS_BASELINE_MEMORY_STORE_H

#include "baseline/store_internal.h"
#include "gate/base/error.h"
#include "tests/unit/baseline/recordings.h"

#define MEMORY_OLDER (-1)

struct memory_entry {
	struct baseline_entry entry;
	int get_fails; /* an error code for get; MEMORY_OLDER: it warns, and takes an older one */
};

struct memory_store {
	const struct memory_entry *entries;
	size_t count;
	int find_fails, list_fails;
	unsigned puts, lists, finds, gets, closes;
};

static inline int memory_fail(int code, struct error *err)
{
	return error_set(err, code, "memory fails with %d", code);
}

static inline void memory_close(struct store *store)
{
	((struct memory_store *)store->data)->closes++;
}

static inline int memory_put(struct store *store, const struct recording *const *recordings,
	size_t count, unsigned *attempts, struct error *err)
{
	(void)recordings;
	(void)count;
	(void)err;
	((struct memory_store *)store->data)->puts++;
	*attempts = 7;
	return ERR_OK;
}

static inline int memory_list(struct store *store, const char *commit, bool full,
	struct baseline_list *list, struct error *err)
{
	struct memory_store *memory = store->data;

	(void)full;
	memory->lists++;
	for (size_t i = 0; i < memory->count; i++)
		if (!commit || strcmp(commit, memory->entries[i].entry.key.commit) == 0)
			baseline_list_add(list, &memory->entries[i].entry);
	return memory->list_fails ? memory_fail(memory->list_fails, err) : ERR_OK;
}

static inline int memory_find(struct store *store, const char *const *commits, size_t count,
	bool *found, struct error *err)
{
	struct memory_store *memory = store->data;

	memory->finds++;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < memory->count; j++)
			found[i] |= strcmp(commits[i], memory->entries[j].entry.key.commit) == 0;
	return memory->find_fails ? memory_fail(memory->find_fails, err) : ERR_OK;
}

static inline bool memory_is(const struct baseline_key *wanted, const struct baseline_key *key)
{
	return strcmp(wanted->commit, key->commit) == 0 &&
	       strcmp(wanted->benchmark, key->benchmark) == 0 &&
	       strcmp(wanted->profile_type, key->profile_type) == 0 &&
	       (!wanted->environment || strcmp(wanted->environment, key->environment) == 0);
}

static inline int memory_get(struct store *store, const struct baseline_key *key,
	struct recording *out, enum baseline_detail *detail, struct error *err)
{
	struct memory_store *memory = store->data;

	memory->gets++;
	for (size_t i = 0; i < memory->count; i++) {
		const struct memory_entry *entry = &memory->entries[i];

		if (!memory_is(key, &entry->entry.key))
			continue;
		if (entry->get_fails == MEMORY_OLDER)
			store_lines_add(&store->warnings, "the newest does not add up");
		else if (entry->get_fails)
			return memory_fail(entry->get_fails, err);
		*detail = entry->entry.detail;
		*out = recordings_make(&(struct recordings_options){
			.seed = 1, .nodes = 4, .commit = entry->entry.key.commit});
		return ERR_OK;
	}
	return memory_fail(ERR_NOT_FOUND, err);
}

static const char *const memory_losses[] = {"everything", NULL};
static const struct store_kind memory_kind = {.losses = memory_losses,
	.close = memory_close,
	.put = memory_put,
	.list = memory_list,
	.find = memory_find,
	.get = memory_get};

/* store_close() it. */
static inline struct store *memory_open(struct memory_store *memory)
{
	struct store *store = xcalloc(1, sizeof(*store));

	store->kind = &memory_kind;
	store->data = memory;
	store->name = "memory";
	return store;
}

#endif
