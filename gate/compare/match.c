/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/match.h"

#include <stdlib.h>
#include <string.h>

/* One (name, file) of one or both sides, before names that moved are joined. */
struct candidate {
	const char *name, *display, *file;
	int64_t line[COMPARE_ARMS];
	bool present[COMPARE_ARMS];
	const char *moved_to; /* head's file, once joined */
	uint32_t joined;      /* base candidate: the head candidate it became; or itself */
	uint32_t position;    /* in the sorted result */
};

struct candidates {
	struct candidate *items;
	size_t count, capacity;
	struct map index; /* "name\0file" */
	uint32_t *of[COMPARE_ARMS];
};

static const char *const clone_suffixes[] = {
	".part.", ".constprop.", ".isra.", ".cold", ".lto_priv.", ".llvm."};

static size_t length_without_clones(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(clone_suffixes) / sizeof(clone_suffixes[0]); i++) {
		const char *found = strstr(name, clone_suffixes[i]);

		if (found && found != name && (size_t)(found - name) < length)
			length = (size_t)(found - name);
	}
	return length;
}

/* "[libfoo.so+0x1234]" is one place in a stripped object: addresses do not match across builds. */
static const char *without_address(struct arena *arena, const char *name)
{
	const char *plus = name[0] == '[' ? strstr(name, "+0x") : NULL;

	if (!plus)
		return name;
	return arena_printf(arena, "%.*s]", (int)(plus - name), name);
}

const char *function_key_name(struct arena *arena, const struct profile_function *function)
{
	const char *name = function->system_name[0] ? function->system_name : function->name;

	if (name[0] == '[')
		return without_address(arena, name);
	return arena_strndup(arena, name, length_without_clones(name));
}

static const char *display_name(struct arena *arena, const struct profile_function *function)
{
	if (function->name[0] == '[')
		return without_address(arena, function->name);
	return arena_strndup(arena, function->name, length_without_clones(function->name));
}

static const char *pair_key(struct arena *arena, const char *name, const char *file, size_t *length)
{
	size_t name_length = strlen(name), file_length = strlen(file);
	char *key = arena_alloc(arena, name_length + file_length + 1);

	memcpy(key, name, name_length + 1);
	memcpy(key + name_length + 1, file, file_length);
	*length = name_length + file_length + 1;
	return key;
}

static uint32_t candidate_for(struct candidates *all, struct arena *arena,
	const struct profile_function *function, int arm)
{
	const char *name = function_key_name(arena, function);
	const char *file = arena_strdup(arena, function->file);
	size_t length;
	const char *key = pair_key(arena, name, file, &length);
	bool added;
	uint32_t id = map_intern(&all->index, key, length, (uint32_t)all->count, &added);
	struct candidate *item;

	if (added) {
		all->items =
			grow_array(all->items, &all->capacity, all->count + 1, sizeof(*all->items));
		all->items[all->count++] = (struct candidate){.name = name,
			.display = display_name(arena, function),
			.file = file,
			.joined = id};
	}
	item = &all->items[id];
	item->present[arm] = true;
	if (!item->line[arm] || (function->start_line && function->start_line < item->line[arm]))
		item->line[arm] = function->start_line;
	return id;
}

static void collect(
	struct candidates *all, struct arena *arena, const struct profile *profile, int arm)
{
	all->of[arm] = xcalloc(profile->function_count, sizeof(*all->of[arm]));
	for (size_t i = 0; i < profile->function_count; i++)
		all->of[arm][i] = candidate_for(all, arena, &profile->functions[i], arm);
}

/* Per name: the only candidate that is on one side alone, or AMBIGUOUS. */
#define AMBIGUOUS (MAP_NONE - 1)

static void count_leftover(struct map *names, const struct candidate *item, uint32_t id)
{
	bool added;

	map_intern(names, item->name, strlen(item->name), id, &added);
	if (!added)
		map_put_str(names, item->name, AMBIGUOUS);
}

static void join_moved(struct candidates *all)
{
	struct map left[COMPARE_ARMS];

	map_init(&left[COMPARE_BASE]);
	map_init(&left[COMPARE_HEAD]);
	for (size_t i = 0; i < all->count; i++) {
		struct candidate *item = &all->items[i];

		if (item->present[COMPARE_BASE] != item->present[COMPARE_HEAD])
			count_leftover(
				&left[item->present[COMPARE_HEAD] ? COMPARE_HEAD : COMPARE_BASE],
				item, (uint32_t)i);
	}
	for (size_t i = 0; i < all->count; i++) {
		struct candidate *item = &all->items[i];
		uint32_t from = map_get_str(&left[COMPARE_BASE], item->name);
		uint32_t to = map_get_str(&left[COMPARE_HEAD], item->name);

		if (from != i || to >= AMBIGUOUS)
			continue;
		item->joined = to;
		all->items[to].present[COMPARE_BASE] = true;
		all->items[to].line[COMPARE_BASE] = item->line[COMPARE_BASE];
		all->items[to].moved_to = item->file;
	}
	map_release(&left[COMPARE_BASE]);
	map_release(&left[COMPARE_HEAD]);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = *(const struct candidate *const *)left;
	const struct candidate *b = *(const struct candidate *const *)right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->file, b->file);
}

static struct matched_function finished(const struct candidate *item)
{
	struct matched_function out = {.name = item->display,
		.file = {item->moved_to ? item->moved_to : item->file, item->file},
		.line = {item->line[COMPARE_BASE], item->line[COMPARE_HEAD]},
		.kind = item->moved_to ? MATCHED_MOVED : MATCHED_SAME};

	if (!item->present[COMPARE_BASE]) {
		out.kind = MATCHED_NEW;
		out.file[COMPARE_BASE] = "";
	} else if (!item->present[COMPARE_HEAD]) {
		out.kind = MATCHED_VANISHED;
		out.file[COMPARE_HEAD] = "";
	}
	return out;
}

static void sort_into(struct function_matches *matches, struct candidates *all)
{
	struct candidate **order = xcalloc(all->count, sizeof(struct candidate *));

	matches->count = 0;
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].joined == i)
			order[matches->count++] = &all->items[i];
	qsort(order, matches->count, sizeof(struct candidate *), compare_candidates);
	matches->functions =
		arena_array(&matches->arena, matches->count, sizeof(*matches->functions));
	for (size_t i = 0; i < matches->count; i++) {
		order[i]->position = (uint32_t)i;
		matches->functions[i] = finished(order[i]);
	}
	free(order);
}

static void number_functions(struct function_matches *matches, const struct candidates *all,
	const struct profile *profile, int arm)
{
	matches->of[arm] =
		arena_array(&matches->arena, profile->function_count, sizeof(*matches->of[arm]));
	for (size_t i = 0; i < profile->function_count; i++)
		matches->of[arm][i] = all->items[all->items[all->of[arm][i]].joined].position;
}

void function_matches_build(
	struct function_matches *matches, const struct profile *base, const struct profile *head)
{
	struct candidates all = {0};

	memset(matches, 0, sizeof(*matches));
	arena_init(&matches->arena);
	map_init(&all.index);
	collect(&all, &matches->arena, base, COMPARE_BASE);
	collect(&all, &matches->arena, head, COMPARE_HEAD);
	join_moved(&all);
	sort_into(matches, &all);
	number_functions(matches, &all, base, COMPARE_BASE);
	number_functions(matches, &all, head, COMPARE_HEAD);
	map_release(&all.index);
	free(all.items);
	free(all.of[COMPARE_BASE]);
	free(all.of[COMPARE_HEAD]);
}

void function_matches_release(struct function_matches *matches)
{
	arena_release(&matches->arena);
	memset(matches, 0, sizeof(*matches));
}
