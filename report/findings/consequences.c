/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/consequences.h"

#include "report/findings/sentence_spans.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define LISTED 4
#define ALREADY_SAID 1.02

static void add_one(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_consequence *consequence, bool first)
{
	struct strbuf figure = STRBUF_INIT;

	sentence_add_text(sentence, first ? "" : ", ");
	sentence_add_name(sentence, function_name(benchmark, consequence->function));
	strbuf_addstr(&figure, " (");
	figure_signed_percent(&figure, consequence->change);
	strbuf_addch(&figure, ')');
	sentence_add_figure(sentence, &figure);
}

/* A function may be called more often, and take longer itself. */
static bool is_said(const struct result_benchmark *benchmark, size_t index)
{
	const struct result_consequence *all = benchmark->consequences;

	for (size_t i = 0; i < index; i++)
		if (all[i].cause == all[index].cause && all[i].function == all[index].function)
			return true;
	return false;
}

/* What a call is said to have grown by is with all below it. */
static bool is_more(const struct result_culprit *culprit)
{
	return culprit->together > ALREADY_SAID * culprit->change;
}

const char *with_consequences(const struct result_culprit *culprit)
{
	if (is_more(culprit))
		return ", with what grew with it";
	return culprit->together * ALREADY_SAID < culprit->change
		       ? ", without the other culprits in it"
		       : "";
}

static void add_sum(struct sentence *sentence, const struct result_culprit *culprit, size_t more)
{
	struct strbuf figure = STRBUF_INIT;

	if (more)
		strbuf_addf(&figure, " and %zu more", more);
	if (is_more(culprit)) {
		strbuf_addstr(&figure, "; ");
		figure_signed_percent(&figure, culprit->together);
		strbuf_addstr(&figure, " of the total with all of them");
	}
	sentence_add_figure(sentence, &figure);
}

void sentence_of_consequences(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	size_t cause = (size_t)(culprit - benchmark->culprits), count = 0;

	for (size_t i = 0; i < benchmark->consequence_count; i++) {
		const struct result_consequence *one = &benchmark->consequences[i];

		if (one->cause != cause || one->function == culprit->function ||
			is_said(benchmark, i))
			continue;
		if (count++ < LISTED)
			add_one(sentence, benchmark, one, count == 1);
	}
	if (count)
		add_sum(sentence, culprit, count > LISTED ? count - LISTED : 0);
}
