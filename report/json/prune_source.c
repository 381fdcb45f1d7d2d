/* SPDX-License-Identifier: Apache-2.0 */
/* As much of the culprits' source stays as the report has room for, the worst culprit's first. */
#include "report/json/prune.h"

#include <string.h>

#include "gate/base/text.h"
#include "gate/check/result.h"

/* As a reader will have it. */
static const char *fit_line(const char *text, struct arena *arena)
{
	return text_fit(arena, text, strlen(text), RESULT_SOURCE_LINE_BYTES);
}

static const struct result_source *fit_source(
	const struct result_source *in, struct arena *arena, size_t *bytes)
{
	struct result_source *out = arena_alloc(arena, sizeof(*out));
	size_t count = in->line_count < RESULT_SOURCE_LINES ? in->line_count : RESULT_SOURCE_LINES;
	struct result_line *lines = arena_array(arena, count, sizeof(*lines));

	*bytes = 0;
	for (size_t i = 0; i < count; i++) {
		lines[i] = in->lines[i];
		lines[i].text = fit_line(lines[i].text ? lines[i].text : "", arena);
		*bytes += strlen(lines[i].text);
	}
	*out = *in;
	out->lines = lines;
	out->line_count = count;
	return out;
}

static bool has_sources(const struct result_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->culprit_count; i++)
		if (benchmark->culprits[i].source)
			return true;
	return false;
}

void prune_sources(struct result_benchmark *out, size_t max_bytes, struct arena *arena)
{
	struct result_culprit *culprits;
	size_t used = 0;

	if (!has_sources(out))
		return;
	culprits = arena_array(arena, out->culprit_count, sizeof(*culprits));
	memcpy(culprits, out->culprits, out->culprit_count * sizeof(*culprits));
	for (size_t i = 0; i < out->culprit_count; i++) {
		const struct result_source *source = culprits[i].source;
		size_t bytes = 0;

		culprits[i].source = NULL;
		if (source && i < RESULT_SOURCE_CULPRITS)
			source = fit_source(source, arena, &bytes);
		if (!source || i >= RESULT_SOURCE_CULPRITS || used + bytes > max_bytes)
			continue;
		culprits[i].source = source;
		used += bytes;
	}
	out->culprits = culprits;
}
