/* SPDX-License-Identifier: Apache-2.0 */
/* Labels that the report has no room for are left out, the least useful first, and it says so. */
#include "report/json/prune.h"

#include <string.h>

#include "gate/check/result.h"

/* The first ones are what people filter by; what comes behind has what room they leave. */
static const struct result_label *fitting(const struct result_label *labels, size_t *count,
	size_t *room, size_t *dropped, struct arena *arena)
{
	struct result_label *kept = arena_array(arena, *count, sizeof(*kept));
	size_t n = 0;

	for (size_t i = 0; i < *count; i++) {
		if (labels[i].cost_count > *room) {
			++*dropped;
			continue;
		}
		*room -= labels[i].cost_count;
		kept[n++] = labels[i];
	}
	*count = n;
	return kept;
}

void prune_labels(struct result_benchmark *out, size_t max_costs, struct arena *arena)
{
	struct result_profile *profiles = arena_array(arena, out->profile_count, sizeof(*profiles));
	size_t room = max_costs, dropped = 0;

	out->labels = fitting(out->labels, &out->label_count, &room, &dropped, arena);
	if (out->profile_count)
		memcpy(profiles, out->profiles, out->profile_count * sizeof(*profiles));
	for (size_t i = 0; i < out->profile_count; i++)
		profiles[i].labels = fitting(
			profiles[i].labels, &profiles[i].label_count, &room, &dropped, arena);
	out->profiles = profiles;
	if (dropped)
		prune_say(out, arena,
			arena_printf(arena,
				"%zu labels to filter by: the report has no room for them",
				dropped));
}
