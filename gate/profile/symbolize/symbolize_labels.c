/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/symbolize/symbolize_labels.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "gate/profile/symbolize/symbolize_internal.h"

#define REGION_KEY "region"
#define CLASH_PREFIX "label."

/* Innermost first. A context that is deeper than any can be loses its outer ends. */
struct chain {
	const struct capture_context *links[SYMBOL_MAX_LABELS];
	uint32_t count;
};

static void find_chain(const struct capture_process *process, uint32_t context, struct chain *chain)
{
	chain->count = 0;
	while (context != 0 && context <= process->context_count &&
		chain->count < SYMBOL_MAX_LABELS) {
		const struct capture_context *link = &process->contexts[context - 1];
		chain->links[chain->count++] = link;
		context = link->parent;
	}
}

static bool is_region(const struct capture_context *link)
{
	return strcmp(link->key, REGION_KEY) == 0;
}

/* The regions' names, outermost first, joined by '/'; NULL: there is none. */
static const char *region_path(struct arena *arena, const struct chain *chain)
{
	struct strbuf path = STRBUF_INIT;
	const char *copy = NULL;
	for (uint32_t i = chain->count; i-- > 0;)
		if (is_region(chain->links[i])) {
			if (copy != NULL)
				strbuf_addch(&path, '/');
			strbuf_addstr(&path, chain->links[i]->value);
			copy = "";
		}
	if (copy != NULL)
		copy = arena_strdup(arena, path.data);
	strbuf_release(&path);
	return copy;
}

/* Keys that mean something to us. */
static const char *safe_key(struct arena *arena, const char *key)
{
	static const char *const taken[] = {PROFILE_LABEL_ROUND, "epoch", "state", "wait"};
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (strcmp(key, taken[i]) == 0)
			return arena_printf(arena, CLASH_PREFIX "%s", key);
	return key;
}

static bool is_overridden(const struct chain *chain, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (strcmp(chain->links[i]->key, chain->links[at]->key) == 0)
			return true;
	return false;
}

static int compare_labels(const void *left, const void *right)
{
	const struct profile_label *a = left, *b = right;
	return strcmp(a->key, b->key);
}

/* An empty value hides what an outer region has set. */
static uint32_t make_labels(
	struct arena *arena, const struct chain *chain, struct profile_label *labels)
{
	const char *path = region_path(arena, chain);
	uint32_t count = 0, first = path != NULL;
	if (path != NULL)
		labels[count++] =
			(struct profile_label){.key = REGION_KEY, .string = path, .unit = ""};
	for (uint32_t i = 0; i < chain->count; i++)
		if (!is_region(chain->links[i]) && !is_overridden(chain, i) &&
			chain->links[i]->value[0] != '\0')
			labels[count++] =
				(struct profile_label){.key = safe_key(arena, chain->links[i]->key),
					.string = chain->links[i]->value,
					.unit = ""};
	qsort(labels + first, count - first, sizeof(*labels), compare_labels);
	return count;
}

void label_sets_init(struct label_sets *sets)
{
	memset(sets, 0, sizeof(*sets));
	map_init(&sets->index);
	label_sets_add(sets, NULL, 0);
}

void label_sets_release(struct label_sets *sets)
{
	free(sets->sets);
	map_release(&sets->index);
	arena_release(&sets->arena);
}

static uint32_t intern(struct label_sets *sets, const struct profile_label *labels, uint32_t count)
{
	struct strbuf key = STRBUF_INIT;
	bool added;
	for (uint32_t i = 0; i < count; i++) {
		symbol_put_string(&key, labels[i].key);
		symbol_put_string(&key, labels[i].string);
	}
	uint32_t id = map_intern(&sets->index, key.data, key.length, (uint32_t)sets->count, &added);
	strbuf_release(&key);
	if (!added)
		return id;
	struct profile_label *kept = arena_array(&sets->arena, count, sizeof(*kept));
	if (count > 0)
		memcpy(kept, labels, count * sizeof(*kept));
	sets->sets = grow_array(sets->sets, &sets->capacity, sets->count + 1, sizeof(*sets->sets));
	sets->sets[sets->count++] = (struct label_set){kept, count};
	return id;
}

uint32_t label_sets_add(
	struct label_sets *sets, const struct capture_process *process, uint32_t context)
{
	struct profile_label labels[SYMBOL_MAX_LABELS];
	struct chain chain = {.count = 0};
	if (context != 0)
		find_chain(process, context, &chain);
	return intern(sets, labels, make_labels(&sets->arena, &chain, labels));
}

const struct label_set *label_sets_get(const struct label_sets *sets, uint32_t set)
{
	return &sets->sets[set];
}
