/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/sentence_spans.h"

#include "report/words/words.h"

void sentence_init(struct sentence *sentence)
{
	arena_init(&sentence->arena);
	sentence->count = 0;
}

void sentence_release(struct sentence *sentence)
{
	arena_release(&sentence->arena);
	sentence->count = 0;
}

static void add_span(struct sentence *sentence, enum span_kind kind, const char *text)
{
	if (*text && sentence->count < SENTENCE_MAX_SPANS)
		sentence->spans[sentence->count++] = (struct span){kind, text};
}

void sentence_add_text(struct sentence *sentence, const char *text)
{
	add_span(sentence, SPAN_TEXT, text);
}

void sentence_add_name(struct sentence *sentence, const char *name)
{
	add_span(sentence, SPAN_NAME, *name ? name : "(no name)");
}

void sentence_add_detail(struct sentence *sentence, const char *detail)
{
	add_span(sentence, SPAN_DETAIL, detail);
}

void sentence_add_figure(struct sentence *sentence, struct strbuf *figure)
{
	sentence_add_text(sentence, arena_strdup(&sentence->arena, figure->data));
	strbuf_release(figure);
}

void sentence_add_place(
	struct sentence *sentence, const char *before, const char *file, int64_t line)
{
	struct strbuf place = STRBUF_INIT;

	place_add(&place, file, line);
	if (place.length) {
		sentence_add_text(sentence, before);
		sentence_add_name(sentence, arena_strdup(&sentence->arena, place.data));
	}
	strbuf_release(&place);
}
