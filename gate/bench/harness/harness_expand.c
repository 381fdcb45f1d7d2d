/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/harness/harness_expand.h"

#include <fnmatch.h>
#include <string.h>

#include "gate/base/file.h"
#include "gate/bench/harness/harness_command.h"

#define NAME_BYTES                                                                                 \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"                           \
	"._+/-"
#define HASH_DIGITS 8

/* ---- names --------------------------------------------------------------------------------- */

static char *plain_name(struct arena *arena, const char *entry, const char *listed)
{
	char *name = arena_printf(arena, "%s/%s", entry, listed);

	for (char *at = name + strlen(entry) + 1; *at; at++)
		if (!strchr(NAME_BYTES, *at))
			*at = '_';
	return name;
}

/* By what the program calls it, so that it stays the same whatever else is listed. */
static const char *hashed_name(struct arena *arena, const char *plain, const char *listed)
{
	size_t most = CONFIG_MAX_NAME_BYTES - HASH_DIGITS - 1, length = strlen(plain);
	char hex[65];

	sha256_hex(listed, strlen(listed), hex);
	return arena_printf(
		arena, "%.*s-%.*s", (int)(length < most ? length : most), plain, HASH_DIGITS, hex);
}

static void count_name(struct map *names, const char *name)
{
	uint32_t count = map_get_str(names, name);

	map_put_str(names, name, count == MAP_NONE ? 1 : count + 1);
}

/* The numbers of those that would get the same plain name, and all names of the file. */
static void count_names(
	const struct config *config, const struct harness_items *items, struct map *names)
{
	for (size_t i = 0; i < config->benchmark_count; i++)
		count_name(names, config->benchmarks[i].name);
	for (size_t i = 0; i < items->count; i++)
		count_name(names, items->items[i].name);
}

static void make_unique(
	struct arena *arena, const struct config *config, const struct harness_items *items)
{
	struct map names;

	map_init(&names);
	count_names(config, items, &names);
	for (size_t i = 0; i < items->count; i++) {
		struct harness_item *item = &items->items[i];

		if (strlen(item->name) > CONFIG_MAX_NAME_BYTES ||
			map_get_str(&names, item->name) > 1)
			item->name = hashed_name(arena, item->name, item->listed);
	}
	map_release(&names);
}

/* ---- uniting ------------------------------------------------------------------------------- */

bool harness_glob_fits(const char *const *globs, const char *entry, const struct harness_item *item)
{
	size_t length = strlen(entry);
	bool is_made = strncmp(item->name, entry, length) == 0 && item->name[length] == '/';

	for (; *globs; globs++)
		if (fnmatch(*globs, item->listed, 0) == 0 ||
			(is_made && fnmatch(*globs, item->name + length + 1, 0) == 0))
			return true;
	return false;
}

static bool is_wanted(const struct config_benchmark *entry, const struct harness_item *item)
{
	return (!entry->include[0] || harness_glob_fits(entry->include, entry->name, item)) &&
	       !harness_glob_fits(entry->exclude, entry->name, item);
}

/* The names of one list that are not there yet. */
static void add_list(struct arena *arena, const struct config_benchmark *entry,
	const struct harness_names *const lists[2], int which, struct harness_items *out)
{
	const struct harness_names *list = lists[which], *other = lists[!which];

	for (size_t i = 0; list && i < list->count; i++) {
		const char *listed = list->items[i];
		bool in_other = other && map_get_str(&other->known, listed) != MAP_NONE;
		struct harness_item item = {
			.listed = listed,
			.name = plain_name(arena, entry->name, listed),
			.in = {which == 0 || in_other, which == 1 || in_other},
		};

		if (which == 0 && in_other)
			continue;
		if (is_wanted(entry, &item))
			out->items[out->count++] = item;
		else
			out->left_out++;
	}
}

void harness_unite(struct arena *arena, const struct config *config,
	const struct config_benchmark *entry, const struct harness_names *first,
	const struct harness_names *second, struct harness_items *out)
{
	const struct harness_names *const lists[2] = {first, second};
	size_t most = (first ? first->count : 0) + (second ? second->count : 0);

	*out = (struct harness_items){.items = arena_array(arena, most + 1, sizeof(*out->items))};
	for (int i = 0; i < 2; i++)
		if (lists[i] && lists[i]->question > out->question)
			out->question = lists[i]->question;
	add_list(arena, entry, lists, 1, out);
	add_list(arena, entry, lists, 0, out);
	make_unique(arena, config, out);
}

/* ---- one of them --------------------------------------------------------------------------- */

static const char *shown(struct arena *arena, const struct config_benchmark *entry,
	const struct harness_arguments *arguments)
{
	struct strbuf text = STRBUF_INIT;
	const char *out;

	strbuf_addstr(&text, entry->command_text);
	for (size_t i = 0; i < arguments->count; i++)
		config_add_argument(&text, arguments->items[i]);
	out = arena_strndup(arena, text.data, text.length);
	strbuf_release(&text);
	return out;
}

bool harness_make(struct arena *arena, const struct harness *harness,
	const struct config_benchmark *entry, const struct harness_item *item, unsigned question,
	uint64_t count, struct config_benchmark *out)
{
	struct harness_arguments arguments = {.arena = arena};
	struct strbuf filter = STRBUF_INIT;
	struct config_benchmark made = *entry;
	const char *const *select;

	select = harness_selector(harness, question, item->listed, &filter);
	if (count)
		harness_arguments_add(&arguments, harness->count,
			arena_printf(arena, "%llu", (unsigned long long)count));
	else if (harness_may_be_brief(arena, harness, entry))
		harness_arguments_add(&arguments, harness_brief(harness, question), "");
	harness_arguments_add(&arguments, select, arena_strdup(arena, filter.data));
	strbuf_release(&filter);
	made.name = item->name;
	made.entry = entry->name;
	made.harness = harness->id;
	made.argv = harness_command(arena, entry, arguments.items);
	made.command_text = shown(arena, entry, &arguments);
	if (!made.argv)
		return false;
	*out = made;
	return true;
}
