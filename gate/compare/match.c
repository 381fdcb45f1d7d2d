/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/match_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/profile/code/function_names.h"

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
	return arena_strndup(arena, name, function_stem_length(name));
}

static const char *display_name(struct arena *arena, const struct profile_function *function)
{
	if (function->name[0] == '[')
		return without_address(arena, function->name);
	return arena_strndup(arena, function->name, function_stem_length(function->name));
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
	const struct profile_function *function, int version)
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
		if (all->names)
			candidate_note_names(&all->items[id]);
	}
	item = &all->items[id];
	item->present[version] = true;
	if (!item->line[version] ||
		(function->start_line && function->start_line < item->line[version]))
		item->line[version] = function->start_line;
	return id;
}

static void note_code(
	struct candidate *item, int version, const struct code_of_version *code, size_t i)
{
	const char *hash = code->hash[i];

	if (!hash || !hash[0])
		return;
	item->bytes[version] = code->bytes ? code->bytes[i] : 0;
	if (!item->hash[version])
		item->hash[version] = hash;
	else if (strcmp(item->hash[version], hash) != 0)
		item->hash[version] = "";
}

static void collect(struct candidates *all, const struct profile *profile, int version,
	const struct code_of_version *code)
{
	all->profile[version] = profile;
	all->of[version] = xcalloc(profile->function_count, sizeof(*all->of[version]));
	for (size_t i = 0; i < profile->function_count; i++) {
		uint32_t id = candidate_for(all, all->arena, &profile->functions[i], version);

		all->of[version][i] = id;
		if (code)
			note_code(&all->items[id], version, &code[version], i);
	}
}

bool candidate_is_left(const struct candidates *all, uint32_t id, int version)
{
	const struct candidate *item = &all->items[id];

	return item->joined == id && item->present[version] && !item->present[1 - version];
}

void candidates_join(struct candidates *all, uint32_t base, uint32_t head, enum match_kind kind,
	const char *reason, double similarity)
{
	struct candidate *from = &all->items[base], *to = &all->items[head];

	if (!candidates_may_join(all, base, head))
		return;
	from->joined = head;
	to->present[COMPARE_BASE] = true;
	to->line[COMPARE_BASE] = from->line[COMPARE_BASE];
	to->kind = kind;
	to->from = base;
	to->reason = reason;
	to->similarity = similarity;
}

/* Per key: the only candidate that is on one side alone, or AMBIGUOUS. */
#define AMBIGUOUS (MAP_NONE - 1)

static void count_leftover(struct map *keys, const char *key, uint32_t id)
{
	bool added;

	map_intern(keys, key, strlen(key), id, &added);
	if (!added)
		map_put_str(keys, key, AMBIGUOUS);
}

void candidates_join_unique(struct candidates *all, candidate_key *key, enum match_kind kind,
	const char *reason, double similarity)
{
	struct map left[COMPARE_VERSIONS];

	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		map_init(&left[version]);
		for (uint32_t i = 0; i < all->count; i++) {
			const char *text =
				candidate_is_left(all, i, version) ? key(all, i, version) : NULL;

			if (text)
				count_leftover(&left[version], text, i);
		}
	}
	for (uint32_t i = 0; i < all->count; i++) {
		const char *text =
			candidate_is_left(all, i, COMPARE_BASE) ? key(all, i, COMPARE_BASE) : NULL;
		uint32_t to = text ? map_get_str(&left[COMPARE_HEAD], text) : MAP_NONE;

		if (text && map_get_str(&left[COMPARE_BASE], text) == i && to < AMBIGUOUS)
			candidates_join(all, i, to, kind, reason, similarity);
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

static struct matched_function finished(const struct candidates *all, const struct candidate *item)
{
	bool joined = item->kind != MATCHED_SAME;
	const struct candidate *from = joined ? &all->items[item->from] : item;
	struct matched_function out = {.name = item->display,
		.key = {from->name, item->name},
		.base_name = from->display,
		.file = {from->file, item->file},
		.line = {item->line[COMPARE_BASE], item->line[COMPARE_HEAD]},
		.kind = item->kind,
		.reason = joined ? item->reason : "",
		.similarity = joined ? item->similarity : 1};

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
		matches->functions[i] = finished(all, order[i]);
	}
	free(order);
}

static void number_functions(struct function_matches *matches, const struct candidates *all,
	const struct profile *profile, int version)
{
	matches->of[version] = arena_array(
		&matches->arena, profile->function_count, sizeof(*matches->of[version]));
	for (size_t i = 0; i < profile->function_count; i++)
		matches->of[version][i] =
			all->items[all->items[all->of[version][i]].joined].position;
}

/* ---- the system's files, which both versions run
 * --------------------------------------------------------------------
 */

static bool runs(const struct profile *profile, const struct profile_mapping *wanted)
{
	for (size_t i = 0; i < profile->mapping_count; i++)
		if (strcmp(profile->mappings[i].build_id, wanted->build_id) == 0 &&
			strcmp(profile->mappings[i].file, wanted->file) == 0)
			return true;
	return false;
}

static bool *mappings_in_both(const struct profile *profile, const struct profile *other)
{
	bool *both = xcalloc(profile->mapping_count, sizeof(*both));

	for (size_t i = 0; i < profile->mapping_count; i++)
		both[i] = profile->mappings[i].file[0] == '/' && /* none that was built */
			  profile->mappings[i].build_id[0] && runs(other, &profile->mappings[i]);
	return both;
}

static void note_common(struct candidates *all, int version)
{
	const struct profile *profile = all->profile[version];
	bool *both = mappings_in_both(profile, all->profile[1 - version]);

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		if (location->mapping == PROFILE_NO_MAPPING || !both[location->mapping])
			continue;
		for (uint32_t k = 0; k < location->line_count; k++)
			all->items[all->of[version][location->lines[k].function]].is_common = true;
	}
	free(both);
}

void function_matches_build(struct function_matches *matches, const struct profile *base,
	const struct profile *head, const struct code_of_version *code,
	const struct function_names *names)
{
	struct candidates all = {.arena = &matches->arena, .names = names};

	memset(matches, 0, sizeof(*matches));
	arena_init(&matches->arena);
	map_init(&all.index);
	collect(&all, base, COMPARE_BASE, code);
	collect(&all, head, COMPARE_HEAD, code);
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		note_common(&all, version);
	match_moved(&all);
	match_code(&all);
	match_instances(&all);
	match_renamed(&all);
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
