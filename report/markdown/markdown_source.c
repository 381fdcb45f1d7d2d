/* SPDX-License-Identifier: Apache-2.0 */
/* The costliest changed lines of the worst culprit that has any. */
#include "report/markdown/markdown_document.h"

#include <inttypes.h>

#include "report/markdown/markdown_text.h"
#include "report/words/figure.h"
#include "report/words/source_text.h"
#include "report/words/words.h"

#define LISTED 5
#define TEXT_COLUMNS 100

static void add_line(struct strbuf *out, const struct result_line *line, const char *unit)
{
	int version = line->kind == SOURCE_ADDED;

	strbuf_addf(out, "%c %" PRId64 "  ", source_mark(line), version ? line->head : line->base);
	figure_cost(out, line->cost[version], unit);
	strbuf_addstr(out, "  ");
	source_text_add(out, line->text, TEXT_COLUMNS);
	strbuf_addch(out, '\n');
}

static void add_title(struct strbuf *out, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	struct strbuf file = STRBUF_INIT;

	source_file_add(&file, culprit->source);
	strbuf_addstr(out, "\nWhat ");
	if (culprit->source->function != culprit->function) {
		markdown_code(out, function_name(benchmark, culprit->function),
			MARKDOWN_NAME_COLUMNS, false);
		strbuf_addstr(out, " costs by way of ");
	}
	strbuf_addstr(out, "the changed lines of ");
	markdown_code(out, function_name(benchmark, culprit->source->function),
		MARKDOWN_NAME_COLUMNS, false);
	strbuf_addstr(out, culprit->source->function != culprit->function
				   ? ", in "
				   : " cost themselves, without what they call, in ");
	markdown_code(out, file.data, MARKDOWN_NAME_COLUMNS, false);
	strbuf_addstr(out, ":\n\n");
	strbuf_release(&file);
}

void markdown_source(struct document *document, const struct result_benchmark *benchmark)
{
	struct strbuf block = STRBUF_INIT, text = STRBUF_INIT;
	size_t order[LISTED], count = 0, i = 0;

	for (; i < benchmark->culprit_count && i < MARKDOWN_LISTED && !count; i++)
		if (benchmark->culprits[i].source)
			count = source_costliest_changes(
				benchmark->culprits[i].source, order, LISTED);
	if (!count)
		return;
	for (size_t k = 0; k < count; k++)
		add_line(&block, &benchmark->culprits[i - 1].source->lines[order[k]],
			benchmark->unit);
	add_title(&text, benchmark, &benchmark->culprits[i - 1]);
	markdown_fence(&text, "diff", &block);
	markdown_section(document, &text);
	strbuf_release(&block);
}
