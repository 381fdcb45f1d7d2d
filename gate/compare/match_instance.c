/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two functions are one where their names differ only in what people do not see, in template
 * arguments or in parameters.
 */
#include "gate/compare/match_internal.h"

#include <string.h>

/* "std::vector<int>::push_back(int const&)" without what is in angles and in parentheses. */
static const char *without_arguments(struct arena *arena, const char *name, bool parameters)
{
	char *out = arena_strdup(arena, name), *to = out;
	int angles = 0, parentheses = 0;

	if (strstr(name, "operator"))
		return NULL; /* its own angles and parentheses */
	for (const char *at = name; *at; at++) {
		angles += *at == '<';
		parentheses += *at == '(';
		if (angles <= 0 && (parentheses <= 0 || !parameters))
			*to++ = *at;
		angles -= *at == '>' && angles > 0 && (at == name || at[-1] != '-');
		parentheses -= *at == ')' && parentheses > 0;
	}
	*to = '\0';
	return angles || parentheses || to == out || out[0] == '[' ? NULL : out;
}

static const char *keyed(const struct candidates *all, uint32_t id, const char *name)
{
	return name ? arena_printf(all->arena, "%s\n%s", name, all->items[id].file) : NULL;
}

/* Rust puts a hash of the crate into every symbol: the name for people is without. */
static const char *shown_name(const struct candidates *all, uint32_t id, int version)
{
	const struct candidate *item = &all->items[id];

	(void)version;
	return strcmp(item->name, item->display) == 0 ? NULL : keyed(all, id, item->display);
}

static const char *template_name(const struct candidates *all, uint32_t id, int version)
{
	const char *name = all->items[id].display;

	(void)version;
	return keyed(
		all, id, strchr(name, '<') ? without_arguments(all->arena, name, false) : NULL);
}

static const char *signed_name(const struct candidates *all, uint32_t id, int version)
{
	const char *name = all->items[id].display;

	(void)version;
	return keyed(all, id, strchr(name, '(') ? without_arguments(all->arena, name, true) : NULL);
}

void match_instances(struct candidates *all)
{
	candidates_join_unique(all, shown_name, MATCHED_INSTANCE,
		"the same name, as people see it, under another symbol", 1);
	candidates_join_unique(
		all, template_name, MATCHED_INSTANCE, "the same template, other arguments", 0.9);
	candidates_join_unique(
		all, signed_name, MATCHED_INSTANCE, "the same name, other parameters", 0.8);
}
