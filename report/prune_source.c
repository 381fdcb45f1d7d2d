/* SPDX-License-Identifier: Apache-2.0 */
#include "report/prune.h"

#include <string.h>

#include "gate/base/text.h"

/* As a reader will have it: valid UTF-8, and no longer than is accepted. */
static const char *fit_text(const char *text, struct arena *arena)
{
	const size_t most = RESULT_SOURCE_LINE_BYTES;
	size_t length = strlen(text);
	struct strbuf clean = STRBUF_INIT;
	const char *fit;

	text_add_utf8(&clean, text, length < 2 * most ? length : 2 * most);
	fit = arena_strndup(arena, clean.data, text_cut(clean.data, clean.length, most));
	strbuf_release(&clean);
	return fit;
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
		lines[i].text = fit_text(lines[i].text ? lines[i].text : "", arena);
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
