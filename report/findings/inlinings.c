/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/inlinings.h"

#include <string.h>

#include "gate/check/result.h"
#include "report/findings/sentence_spans.h"

#define LISTED_PARTS 3

static const char *word_inlining(enum result_inlining_kind kind)
{
	static const char *const words[] = {"inlined in head only", "inlined in base only",
		"split off in head", "merged into it in head"};

	return (size_t)kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "?";
}

static bool is_like(const struct result_inlining *one, const struct result_inlining *other)
{
	return one->kind == other->kind && strcmp(one->host, other->host) == 0 &&
	       strcmp(one->host_file, other->host_file) == 0 &&
	       strcmp(one->reason, other->reason) == 0;
}

static bool is_grouped(const struct inlining_groups *groups, const struct result_inlining *inlining)
{
	for (size_t i = 0; i < groups->count; i++)
		if (is_like(groups->first[i], inlining))
			return true;
	return false;
}

void inlining_groups_find(struct inlining_groups *groups, const struct result_benchmark *benchmark)
{
	*groups = (struct inlining_groups){.count = 0};
	for (size_t i = 0; i < benchmark->inlining_count; i++) {
		const struct result_inlining *inlining = &benchmark->inlinings[i];

		if (is_grouped(groups, inlining))
			continue;
		if (groups->count < INLININGS_LISTED)
			groups->first[groups->count++] = inlining;
		else
			groups->more++;
	}
}

static size_t count_like(
	const struct result_benchmark *benchmark, const struct result_inlining *first)
{
	size_t count = 0;

	for (size_t i = 0; i < benchmark->inlining_count; i++)
		count += is_like(&benchmark->inlinings[i], first);
	return count;
}

/* "`a`", "`a` and `b`", "`a`, `b`, `c` and 2 more" */
static void add_parts(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_inlining *first, size_t count)
{
	size_t listed = count <= LISTED_PARTS ? count : LISTED_PARTS, added = 0;
	struct strbuf more = STRBUF_INIT;

	for (size_t i = 0; i < benchmark->inlining_count && added < listed; i++) {
		if (!is_like(&benchmark->inlinings[i], first))
			continue;
		if (added)
			sentence_add_text(sentence, added + 1 == count ? " and " : ", ");
		sentence_add_name(sentence, benchmark->inlinings[i].part);
		added++;
	}
	if (listed == count)
		return;
	strbuf_addf(&more, " and %zu more", count - listed);
	sentence_add_figure(sentence, &more);
}

void sentence_of_inlinings(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_inlining *first)
{
	size_t count = count_like(benchmark, first);

	add_parts(sentence, benchmark, first, count);
	sentence_add_text(sentence, count == 1 ? " counts with " : " count with ");
	sentence_add_name(sentence, first->host);
	sentence_add_text(sentence, ": ");
	sentence_add_text(sentence, word_inlining(first->kind));
	if (!*first->reason || strcmp(first->reason, word_inlining(first->kind)) == 0)
		return;
	sentence_add_text(sentence, " (");
	sentence_add_detail(sentence, first->reason);
	sentence_add_text(sentence, ")");
}

static bool is_hosted(
	const struct result_inlining *inlining, const struct result_function *function)
{
	return strcmp(inlining->host, function->name) == 0 &&
	       strcmp(inlining->host_file, function->file) == 0;
}

static void add_part(struct sentence *sentence, const struct result_inlining *inlining, bool first)
{
	sentence_add_text(sentence, first ? "" : ", ");
	sentence_add_name(sentence, inlining->part);
	sentence_add_text(sentence, " (");
	sentence_add_text(sentence, word_inlining(inlining->kind));
	sentence_add_text(sentence, ")");
}

void sentence_of_parts(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_culprit *culprit)
{
	const struct result_function *function = &benchmark->functions[culprit->function];
	struct strbuf more = STRBUF_INIT;
	size_t count = 0;

	for (size_t i = 0; i < benchmark->inlining_count; i++) {
		if (!is_hosted(&benchmark->inlinings[i], function))
			continue;
		if (count++ < LISTED_PARTS)
			add_part(sentence, &benchmark->inlinings[i], count == 1);
	}
	if (count <= LISTED_PARTS)
		return;
	strbuf_addf(&more, " and %zu more", count - LISTED_PARTS);
	sentence_add_figure(sentence, &more);
}
