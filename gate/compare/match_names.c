/* SPDX-License-Identifier: Apache-2.0 */
/* What the versions' objects say against a match:
 * they may have functions that no sample fell in. */
#include "gate/compare/match_internal.h"

#include <string.h>

void candidate_note_names(struct candidate *item)
{
	function_name_digits(item->name, item->entry);
	function_place_digits(item->entry, item->file, item->place);
}

bool candidate_is_replaced(const struct candidates *all, uint32_t id, int version)
{
	return all->names && function_names_lack(&all->names[1 - version], all->items[id].entry);
}

/* By its name where the two differ, else by its file; NULL: nothing tells it from the other. */
static const char *entry_beside(const struct candidate *item, const struct candidate *other)
{
	if (strcmp(item->entry, other->entry) != 0)
		return item->entry;
	return item->file[0] && strcmp(item->place, other->place) != 0 ? item->place : NULL;
}

bool candidates_may_join(const struct candidates *all, uint32_t base, uint32_t head)
{
	const char *old, *new;

	if (all->items[base].is_common || all->items[head].is_common)
		return false;
	if (!all->names)
		return true;
	old = entry_beside(&all->items[base], &all->items[head]);
	new = entry_beside(&all->items[head], &all->items[base]);
	return !(old && function_names_have(&all->names[COMPARE_HEAD], old)) &&
	       !(new &&function_names_have(&all->names[COMPARE_BASE], new));
}
