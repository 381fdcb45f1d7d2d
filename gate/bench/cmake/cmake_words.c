/* SPDX-License-Identifier: Apache-2.0 */
/* Variables, words and paths of CMake files. */
#include "gate/bench/cmake/cmake_internal.h"

#include <string.h>

#include "gate/base/strbuf.h"

size_t cmake_room(const struct cmake_run *run)
{
	size_t used = run->arena->used_bytes;

	return used < run->most_bytes ? run->most_bytes - used : 0;
}

/* ---- variables ------------------------------------------------------------------------------ */

struct cmake_variable *cmake_find(const struct cmake_run *run, const char *name)
{
	uint32_t at = map_get_str(&run->names, name);

	return at == MAP_NONE ? NULL : &run->variables[at];
}

struct cmake_variable *cmake_make(struct cmake_run *run, const char *name)
{
	struct cmake_variable *found = cmake_find(run, name);

	if (found)
		return found;
	if (run->variable_count == CMAKE_MAX_VARIABLES) {
		run->sites->cut = true;
		return &run->none;
	}
	run->variables = grow_array(run->variables, &run->variable_capacity,
		run->variable_count + 1, sizeof(*run->variables));
	map_put_str(&run->names, name, (uint32_t)run->variable_count);
	found = &run->variables[run->variable_count++];
	*found = (struct cmake_variable){.name = arena_strdup(run->arena, name)};
	return found;
}

static const struct cmake_need *copy_needs(struct cmake_run *run)
{
	size_t size = run->need_count * sizeof(*run->needs);
	struct cmake_need *copy;

	if (size > cmake_room(run))
		return NULL;
	copy = arena_alloc(run->arena, size);
	memcpy(copy, run->needs, size);
	return copy;
}

void cmake_set(struct cmake_run *run, const char *name, const char *text)
{
	struct cmake_variable *variable = cmake_make(run, name);
	const char *before = variable->need_count ? variable->other : variable->text;

	/* What the cache has stays what it is for conditions; nobody sets it twice in earnest. */
	if (variable->option)
		return;
	variable->text = text;
	variable->maybe = run->maybe > 0;
	variable->needs = NULL;
	variable->need_count = 0;
	if (!run->need_count)
		return;
	variable->other = before;
	variable->needs = copy_needs(run);
	variable->need_count = variable->needs ? run->need_count : 0;
	variable->maybe |= !variable->needs;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Up to the brace that closes; NULL if none does. */
static const char *reference_end(const char *at)
{
	size_t open = 1;

	for (; *at; at++) {
		open += strncmp(at, "${", 2) == 0;
		if (*at == '}' && !--open)
			return at;
	}
	return NULL;
}

static bool expand_into(struct cmake_run *run, const char *text, struct strbuf *out, size_t depth);

/* "${...}", whose name may have others in it. False: not known. */
static bool expand_reference(
	struct cmake_run *run, const char *begin, const char *end, struct strbuf *out, size_t depth)
{
	const char *inside = arena_strndup(run->arena, begin + 2, (size_t)(end - begin - 2));
	const struct cmake_variable *variable;
	struct strbuf name = STRBUF_INIT;
	bool is_known = expand_into(run, inside, &name, depth + 1);

	variable = is_known ? cmake_find(run, name.data) : NULL;
	is_known = variable && variable->text;
	if (is_known)
		strbuf_addstr(out, variable->text);
	else
		strbuf_add(out, begin, (size_t)(end + 1 - begin));
	strbuf_release(&name);
	return is_known;
}

static bool expand_into(struct cmake_run *run, const char *text, struct strbuf *out, size_t depth)
{
	bool is_known = depth < 8;

	while (*text) {
		size_t length = strcspn(text, "$");
		const char *end = strncmp(text + length, "${", 2) == 0
					  ? reference_end(text + length + 2)
					  : NULL;

		strbuf_add(out, text, length);
		text += length;
		if (out->length > CMAKE_MAX_WORD_BYTES || (*text && (!end || !is_known))) {
			strbuf_addstr(out, text);
			return false;
		}
		if (!*text)
			break;
		is_known &= expand_reference(run, text, end, out, depth);
		text = end + 1;
	}
	return is_known;
}

const char *cmake_expand(struct cmake_run *run, const char *text, bool *known)
{
	struct strbuf out = STRBUF_INIT;
	const char *expanded = text;

	*known = !strchr(text, '$');
	if (*known)
		return text;
	*known = expand_into(run, text, &out, 0);
	if (out.length <= cmake_room(run) && out.length <= CMAKE_MAX_WORD_BYTES)
		expanded = arena_strndup(run->arena, out.data, out.length);
	else
		*known = false;
	strbuf_release(&out);
	return expanded;
}

/* A list's elements, but for those that are empty. */
static void add_elements(struct cmake_run *run, struct cmake_words *words, struct cmake_word list)
{
	for (const char *at = list.text; *at && run->steps_left && cmake_room(run);) {
		size_t length = strcspn(at, ";");
		struct cmake_word word = list;

		word.text = at;
		if (at[length])
			word.text = arena_strndup(run->arena, at, length);
		if (length)
			cmake_add_word(run->arena, words, word);
		run->steps_left--;
		at += length + (at[length] == ';');
	}
}

struct cmake_words cmake_expand_all(
	struct cmake_run *run, const struct cmake_words *words, size_t first)
{
	struct cmake_words out = {0};

	for (size_t i = first; i < words->count && cmake_room(run); i++) {
		struct cmake_word word = words->items[i];

		word.text = cmake_expand(run, word.text, &word.known);
		if (word.quoted || !word.known)
			cmake_add_word(run->arena, &out, word);
		else
			add_elements(run, &out, word);
	}
	return out;
}

/* ---- paths ---------------------------------------------------------------------------------- */

static const char *below(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (strncmp(path, root, length) != 0 || (path[length] && path[length] != '/'))
		return NULL;
	return path + length + strspn(path + length, "/");
}

/* False: above the root. */
static bool add_part(struct strbuf *out, const char *part, size_t length)
{
	const char *slash;

	if (!length || (length == 1 && *part == '.'))
		return true;
	if (length != 2 || strncmp(part, "..", 2) != 0) {
		strbuf_addf(out, "%s%.*s", out->length ? "/" : "", (int)length, part);
		return true;
	}
	if (!out->length)
		return false;
	slash = strrchr(out->data, '/');
	strbuf_truncate(out, slash ? (size_t)(slash - out->data) : 0);
	return true;
}

static bool add_parts(struct strbuf *out, const char *path)
{
	for (size_t length; *path; path += length + (path[length] == '/')) {
		length = strcspn(path, "/");
		if (!add_part(out, path, length))
			return false;
	}
	return true;
}

const char *cmake_path(struct arena *arena, const char *folder, const char *path)
{
	const char *source = below(path, CMAKE_SOURCE_ROOT),
		   *binary = below(path, CMAKE_BINARY_ROOT);
	struct strbuf out = STRBUF_INIT;
	const char *result = NULL;

	if (source || binary) {
		folder = ".";
		path = source ? source : binary;
	}
	if (*path != '/' && strlen(path) <= CMAKE_MAX_WORD_BYTES && add_parts(&out, folder) &&
		add_parts(&out, path))
		result = out.length ? arena_strndup(arena, out.data, out.length) : ".";
	strbuf_release(&out);
	return result;
}
