/* SPDX-License-Identifier: Apache-2.0 */
/* The heap over time of both versions, or of head alone, from the recordings that counted it. */
#include "gate/check/findings/fill.h"

#include "gate/check/result.h"

_Static_assert(RESULT_MAX_MOMENTS == MEMORY_LINE_MOST, "all moments of a line are shown");

static struct result_memory_line line_of(const struct recording *recording, struct arena *arena)
{
	struct memory_line line = memory_line_median(recording->memory, recording->memory_count);
	struct result_moment *moments = arena_array(arena, line.count, sizeof(*moments));

	for (size_t i = 0; i < line.count; i++)
		moments[i] = (struct result_moment){
			.seconds = line.moments[i].seconds,
			.iterations = line.moments[i].iterations,
			.inuse = line.moments[i].inuse_bytes,
			.most = line.moments[i].most_bytes,
		};
	return (struct result_memory_line){.moments = moments,
		.moment_count = line.count,
		.runs = line.runs,
		.processes = line.processes};
}

/* True: there is one. base NULL: none to compare with. */
static bool fill_from(const struct recording *base, const struct recording *head,
	struct arena *arena, struct result_benchmark *out)
{
	if (!head->memory_count)
		return false;
	if (base)
		out->memory[VERSION_BASE] = line_of(base, arena);
	out->memory[VERSION_HEAD] = line_of(head, arena);
	return true;
}

void fill_memory(const struct measured_benchmark *measured, struct result *result,
	struct result_benchmark *out)
{
	const struct recording *recordings = measured->recordings;

	for (size_t i = 0; i < measured->reference_count; i++) {
		const struct measured_reference *reference = &measured->references[i];

		if (reference->counted &&
			fill_from(reference->has_baseline ? &reference->baseline : NULL,
				&reference->head, &result->arena, out))
			return;
	}
	if (measured->recorded)
		fill_from(
			&recordings[VERSION_BASE], &recordings[VERSION_HEAD], &result->arena, out);
	else if (measured->head_only)
		fill_from(NULL, &recordings[VERSION_HEAD], &result->arena, out);
}
