/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every kind of store needs: the lines that it has to say, lists of baselines and their order,
 * progress.
 */
#include "baseline/store_internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/instant.h"
#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/base/text.h"

void store_lines_add(struct store_lines *lines, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	if (!lines)
		return;
	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	lines->items =
		grow_array(lines->items, &lines->capacity, lines->count + 1, sizeof(*lines->items));
	lines->items[lines->count++] = arena_strndup(&lines->arena, text.data, text.length);
	strbuf_release(&text);
}

void store_lines_release(struct store_lines *lines)
{
	free(lines->items);
	arena_release(&lines->arena);
	*lines = (struct store_lines){.arena = ARENA_INIT};
}

bool store_is_commit_id(const char *text)
{
	return object_id_is_valid(text, strlen(text));
}

/* ---- lists ---------------------------------------------------------------------------------- */

static struct baseline_key copy_key(struct arena *arena, const struct baseline_key *key)
{
	return (struct baseline_key){
		.commit = arena_strdup(arena, key->commit),
		.benchmark = arena_strdup(arena, key->benchmark),
		.profile_type = arena_strdup(arena, key->profile_type),
		.environment = arena_strdup(arena, key->environment),
	};
}

/* The list has no capacity: it is full whenever its count is a power of two. */
static void make_room(struct baseline_list *list)
{
	size_t capacity = list->count ? list->count * 2 : 16;
	struct baseline_entry *entries;

	if (list->count && (list->count < 16 || (list->count & (list->count - 1))))
		return;
	entries = arena_array(&list->arena, capacity, sizeof(*entries));
	if (list->count)
		memcpy(entries, list->entries, list->count * sizeof(*entries));
	list->entries = entries;
}

void baseline_list_add(struct baseline_list *list, const struct baseline_entry *entry)
{
	struct baseline_entry *copy;

	make_room(list);
	copy = &list->entries[list->count++];
	*copy = *entry;
	copy->key = copy_key(&list->arena, &entry->key);
}

void baseline_list_release(struct baseline_list *list)
{
	arena_release(&list->arena);
	*list = (struct baseline_list){.arena = ARENA_INIT};
}

/* An entry with its commit's newest time, which entries alone do not show. */
struct sort_item {
	int64_t newest;
	struct baseline_entry entry;
};

static int compare_items(const void *left, const void *right)
{
	const struct sort_item *a = left, *b = right;
	const struct baseline_key *x = &a->entry.key, *y = &b->entry.key;
	int order = (a->newest < b->newest) - (a->newest > b->newest);

	if (!order)
		order = strcmp(x->commit, y->commit);
	if (!order)
		order = strcmp(x->benchmark, y->benchmark);
	if (!order)
		order = strcmp(x->profile_type, y->profile_type);
	if (!order)
		order = strcmp(x->environment, y->environment);
	if (!order)
		order = (a->entry.time_ns < b->entry.time_ns) -
			(a->entry.time_ns > b->entry.time_ns);
	return order;
}

static void find_newest(const struct baseline_list *list, struct sort_item *items)
{
	int64_t *newest = xcalloc(list->count, sizeof(*newest));
	struct map commits;

	map_init(&commits);
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < list->count; i++) {
			const char *commit = list->entries[i].key.commit;
			uint32_t id = map_intern(
				&commits, commit, strlen(commit), (uint32_t)commits.count, NULL);

			if (newest[id] < instant_rank(list->entries[i].time_ns))
				newest[id] = instant_rank(list->entries[i].time_ns);
			items[i] = (struct sort_item){newest[id], list->entries[i]};
		}
	map_release(&commits);
	free(newest);
}

void baseline_list_sort(struct baseline_list *list)
{
	struct sort_item *items;

	if (list->count < 2)
		return;
	items = xcalloc(list->count, sizeof(*items));
	find_newest(list, items);
	qsort(items, list->count, sizeof(*items), compare_items);
	for (size_t i = 0; i < list->count; i++)
		list->entries[i] = items[i].entry;
	free(items);
}

void store_progress(const struct store *store, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT, line = STRBUF_INIT;
	va_list args;

	if (!store->options.progress)
		return;
	va_start(args, format);
	strbuf_vaddf(&text, format, args);
	va_end(args);
	text_defuse(&line, text.data, text.length);
	store->options.progress(store->options.progress_data, line.data);
	strbuf_release(&text);
	strbuf_release(&line);
}
