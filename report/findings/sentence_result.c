/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headline: the worst benchmark's sentence, how many more share its status, and how many are
 * new. Of a record it says what was recorded.
 */
#include <stddef.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "report/findings/sentence_spans.h"
#include "report/words/figure.h"
#include "report/words/words.h"

/* What a detail's later lines were to say stands with the benchmark:
 * no colon leads to them here. */
static void forget_later_lines(struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->count; i++) {
		struct span *span = &sentence->spans[i];
		size_t length = strcspn(span->text, "\r\n");

		if (span->kind != SPAN_DETAIL || !span->text[length])
			continue;
		if (length && span->text[length - 1] == ':')
			for (length--; length && span->text[length] != ';';)
				length--;
		if (length)
			span->text = arena_strndup(&sentence->arena, span->text, length);
	}
}

static void add_others(
	struct sentence *sentence, const struct result *result, enum result_status status)
{
	static const char *const what[] = {" more passed", " more with a warning",
		" more regressed", " more not measured", " more new"};
	struct strbuf figure = STRBUF_INIT;
	size_t same = count_status(result, status);

	if (same < 2)
		return;
	forget_later_lines(sentence);
	strbuf_addf(&figure, "; %zu%s", same - 1, what[status]);
	sentence_add_figure(sentence, &figure);
}

/* Beside those that have a verdict. */
static void add_new(struct sentence *sentence, const struct result *result)
{
	struct strbuf figure = STRBUF_INIT;
	size_t count = count_status(result, RESULT_NEUTRAL);

	if (!count)
		return;
	forget_later_lines(sentence);
	strbuf_addf(&figure, "; %zu new, not compared", count);
	sentence_add_figure(sentence, &figure);
}

/* "recorded 3 benchmarks of `1a2b3c`; 1 could not be measured" */
static void say_recorded(struct sentence *sentence, const struct result *result)
{
	struct strbuf figure = STRBUF_INIT, commit = STRBUF_INIT;
	size_t failed = count_status(result, RESULT_ERROR);

	strbuf_addstr(&figure, "recorded ");
	figure_plural(&figure, result->benchmark_count - failed, "benchmark");
	strbuf_addstr(&figure, " of ");
	sentence_add_figure(sentence, &figure);
	commit_add(&commit, &result->head);
	sentence_add_name(sentence, arena_strdup(&sentence->arena, commit.data));
	strbuf_release(&commit);
	if (!failed)
		return;
	strbuf_addf(&figure, "; %zu could not be measured", failed);
	sentence_add_figure(sentence, &figure);
}

void sentence_of_result(struct sentence *sentence, const struct result *result)
{
	size_t index = worst_benchmark(result, 0);
	const struct result_benchmark *worst = &result->benchmarks[index];

	if (index == result->benchmark_count) {
		sentence_add_text(sentence, "no benchmark was run");
		return;
	}
	if (is_recording(result)) {
		say_recorded(sentence, result);
		return;
	}
	if (is_nothing_to_compare(result))
		sentence_add_text(sentence, "Nothing to compare yet. ");
	sentence_of_benchmark(sentence, worst);
	add_others(sentence, result, worst->status);
	if (worst->status != RESULT_NEUTRAL)
		add_new(sentence, result);
}
