/* SPDX-License-Identifier: Apache-2.0 */
#include "report/folds.h"

#include <string.h>

#include "report/sentence_spans.h"

#define LISTED_PARTS 3

/* The reason at length is in report.json. */
static const char *word_fold(enum result_fold_kind kind)
{
	static const char *const words[] = {"inlined in head only", "inlined in base only",
		"split off in head", "merged into it in head"};

	return (size_t)kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "?";
}

void sentence_of_fold(struct sentence *sentence, const struct result_fold *fold)
{
	sentence_add_name(sentence, fold->part);
	sentence_add_text(sentence, " counts with ");
	sentence_add_name(sentence, fold->host);
	sentence_add_text(sentence, ": ");
	sentence_add_text(sentence, word_fold(fold->kind));
}

static bool is_hosted(const struct result_fold *fold, const struct result_function *function)
{
	return strcmp(fold->host, function->name) == 0 &&
	       strcmp(fold->host_file, function->file) == 0;
}

static void add_part(struct sentence *sentence, const struct result_fold *fold, bool first)
{
	sentence_add_text(sentence, first ? "" : ", ");
	sentence_add_name(sentence, fold->part);
	sentence_add_text(sentence, " (");
	sentence_add_text(sentence, word_fold(fold->kind));
	sentence_add_text(sentence, ")");
}

void sentence_of_parts(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	const struct result_function *function = &benchmark->functions[culprit->function];
	struct strbuf more = STRBUF_INIT;
	size_t count = 0;

	for (size_t i = 0; i < benchmark->fold_count; i++) {
		if (!is_hosted(&benchmark->folds[i], function))
			continue;
		if (count++ < LISTED_PARTS)
			add_part(sentence, &benchmark->folds[i], count == 1);
	}
	if (count <= LISTED_PARTS)
		return;
	strbuf_addf(&more, " and %zu more", count - LISTED_PARTS);
	sentence_add_figure(sentence, &more);
}
