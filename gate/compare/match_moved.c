/* SPDX-License-Identifier: Apache-2.0 */
/* Two functions are one where they alone have the name and only the file is another. */
#include "gate/compare/match_internal.h"

static const char *name_of(const struct candidates *all, uint32_t id, int version)
{
	(void)version;
	return all->items[id].name;
}

/* Static functions of one name in two files are two: then the name alone decides nothing. */
void match_moved(struct candidates *all)
{
	candidates_join_unique(all, name_of, MATCHED_MOVED, "the same name in another file", 1);
}
