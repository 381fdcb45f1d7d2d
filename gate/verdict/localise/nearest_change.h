/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the diff lies nearest to a function on its stacks. A function that got slower is often
 * not the one that was edited: its caller passes it more data, or what it calls was changed.
 */
#ifndef FG_VERDICT_LINK_H
#define FG_VERDICT_LINK_H

#include "gate/verdict/localise/tree.h"

struct links {
	const struct tree *tree;
	const struct verdict_input *input;
	/* [node]: the nearest touched node above or below, without itself; VERDICT_NONE none. */
	uint32_t *above, *below;
	uint32_t *up, *down; /* [node]: how many calls away those are */
};

void links_init(struct links *links, const struct verdict_input *input, const struct tree *tree,
	struct arena *arena);

/*
 * The function itself if the diff touches it; else the nearest touched function on the stacks that
 * hold it: fewest calls away over all contexts, a caller before a callee that is as near, and of
 * equals the one in the context that grew most. Functions between count only by their distance.
 */
struct verdict_link links_nearest(const struct links *links, uint32_t function);

#endif
