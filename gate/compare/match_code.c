/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two functions are one where their machine code is the same: under one name in another file, or
 * under another name.
 */
#include "gate/compare/match_internal.h"

#include <string.h>

/* Below it two functions may well do the same without being one: a getter, a constant. */
#define LEAST_BYTES 32

static const char *code_of(const struct candidates *all, uint32_t id, int version)
{
	const struct candidate *item = &all->items[id];
	const char *hash = item->hash[version];

	return hash && hash[0] && item->bytes[version] >= LEAST_BYTES ? hash : NULL;
}

static const char *name_and_code(const struct candidates *all, uint32_t id, int version)
{
	const struct candidate *item = &all->items[id];
	const char *hash = item->hash[version];

	if (!hash || !hash[0])
		return NULL;
	return arena_printf(all->arena, "%s %s", hash, item->name);
}

/* First static functions of one name, of which several have moved. */
void match_code(struct candidates *all)
{
	candidates_join_unique(all, name_and_code, MATCHED_MOVED,
		"the same name and machine code in another file", 1);
	candidates_join_unique(all, code_of, MATCHED_RENAMED, "the same machine code", 1);
}
