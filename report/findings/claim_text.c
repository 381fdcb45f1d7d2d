/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/claim_text.h"

#include <math.h>
#include <string.h>

#include "gate/check/result.h"
#include "report/findings/sentence_spans.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define LISTED_OTHERS 3

/*
 * {s} the subject, {o} and {p} the first and the second other function, {os} all of them; {is},
 * {was} and {takes} of one or several of them; {times} head's calls by base's, {each} the same of
 * what one call costs; {amount} what the others take more or less. `alone`: without other
 * functions. Of costs that are no time: the last two.
 */
struct template
{
	const char *text, *alone, *text_of_other, *alone_of_other;
};

static const struct template templates[] = {
	[CLAIM_ITSELF] = {NULL, "{s} itself is slower", NULL, "{s} itself costs more"},
	[CLAIM_OWN_CODE] = {NULL, "{s} takes longer in its own code", NULL,
		"{s} costs more in its own code"},
	[CLAIM_LONGER] = {NULL, "{s} takes longer", NULL, "{s} costs more"},
	[CLAIM_CALLED_MORE] = {"{o} calls {s} {times} as often", "{s} is called {times} as often",
		NULL, NULL},
	[CLAIM_EACH_CALL] = {"each call of {s} by {o} takes {each} as long",
		"each call of {s} takes {each} as long",
		"each call of {s} by {o} costs {each} as much",
		"each call of {s} costs {each} as much"},
	[CLAIM_CALLS_AND_EACH] =
		{"{o} calls {s} {times} as often, and each call takes {each} as long",
			"{s} is called {times} as often, and each call takes {each} as long",
			"{o} calls {s} {times} as often, and each call costs {each} as much",
			"{s} is called {times} as often, and each call costs {each} as much"},
	[CLAIM_MORE_WORK] = {"{s} is called more often or given more work by {o}",
		"{s} is called more often or given more work", NULL, NULL},
	[CLAIM_WITH_CALLEES] = {"{s} and its callees take longer, called from {o}",
		"{s} and its callees take longer", "{s} and its callees cost more, called from {o}",
		"{s} and its callees cost more"},
	[CLAIM_NEW] = {"{s} is new, called by {o}", "{s} is new", NULL, NULL},
	[CLAIM_NOW_CALLED] = {"{s} is now called by {o}", "{s} is now called", NULL, NULL},
	[CLAIM_CALLED_INSTEAD] = {"{o} now calls {s} instead of {p}", "{s} is now called", NULL,
		NULL},
	[CLAIM_IN_HOST] = {"{s} takes longer where it is inlined into {o}, which has changed",
		"{s} takes longer where it is inlined",
		"{s} costs more where it is inlined into {o}, which has changed",
		"{s} costs more where it is inlined"},
	[CLAIM_UNCHANGED_CODE] = {NULL,
		"each call of {s} takes {each} as long, though its code is the same", NULL,
		"each call of {s} costs {each} as much, though its code is the same"},
	[CLAIM_LESS] = {NULL, "{s} takes less time in its own code", NULL,
		"{s} costs less in its own code"},
	[CLAIM_GONE] = {NULL, "{s} is gone", NULL, NULL},
	[CLAIM_SPLIT] = {"{os} {was} split off from {s}: {amount}", "{s} was split", NULL, NULL},
	[CLAIM_MERGED] = {"{os} {is} now part of {s}: {amount}", "{s} has taken in others", NULL,
		NULL},
	[CLAIM_MOVED] = {"{amount} moved from {s} to {os}", "cost moved from {s}", NULL, NULL},
	[CLAIM_SWAPPED] = {"{p} now calls {o} instead of {s}", "{s} is called no more", NULL, NULL},
	[CLAIM_REACHED] = {"{os} {is} now reached through {s}: {amount}",
		"other functions are now reached through {s}", NULL, NULL},
	[CLAIM_OFFSET] = {"{os} {takes} {amount} more, offset by a decrease in {s}",
		"other functions take more, offset by a decrease in {s}", NULL, NULL},
};
#define TEMPLATE_COUNT (sizeof(templates) / sizeof(templates[0]))

static const char *template_of(
	const struct result_benchmark *benchmark, const struct result_claim *claim)
{
	const struct template *template = &templates[claim->kind];
	bool time = unit_is_time(benchmark->unit);
	size_t needed = claim->kind == CLAIM_CALLED_INSTEAD || claim->kind == CLAIM_SWAPPED ? 2 : 1;

	if (claim->other_count >= needed && template->text)
		return time || !template->text_of_other ? template->text : template->text_of_other;
	return time || !template->alone_of_other ? template->alone : template->alone_of_other;
}

/* ---- what stands in braces ------------------------------------------------------------------- */

#define MOST_TIMES 1e15 /* more is a number that nobody reads */

/* "3.0 times", "3,945,247 times"; what is known of neither is no number to print. */
static void add_times(struct sentence *sentence, double ratio)
{
	struct strbuf figure = STRBUF_INIT;

	if (!(ratio > 0) || !(ratio < MOST_TIMES)) {
		strbuf_addstr(&figure, "many times");
	} else if (ratio >= 1000) {
		figure_count(&figure, (uint64_t)ratio);
		strbuf_addstr(&figure, " times");
	} else {
		strbuf_addf(&figure, "%.*f times", ratio < 1.95 ? 2 : ratio < 9.95 ? 1 : 0, ratio);
	}
	sentence_add_figure(sentence, &figure);
}

static double calls_ratio(const struct result_claim *claim)
{
	return claim->calls[1] / claim->calls[0];
}

static double each_ratio(const struct result_claim *claim)
{
	return claim->cost[1] / claim->cost[0] / calls_ratio(claim);
}

/* "12 ms a run (1.7 % of the benchmark)" */
static void add_moved_amount(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim)
{
	struct strbuf figure = STRBUF_INIT, amount = STRBUF_INIT;

	difference_add(&amount, benchmark, 0, fabs(claim->cost[1] - claim->cost[0]));
	strbuf_addstr(&figure, amount.data + (amount.data[0] == '+'));
	strbuf_release(&amount);
	strbuf_addstr(&figure, " (");
	figure_percent(&figure, fabs(claim->change));
	strbuf_addstr(&figure, " of the benchmark)");
	sentence_add_figure(sentence, &figure);
}

/* "`a`", "`a` and `b`", "`a`, `b`, `c` and 2 more" */
static void add_others(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim)
{
	size_t count = claim->other_count, listed = count <= LISTED_OTHERS ? count : LISTED_OTHERS;
	struct strbuf more = STRBUF_INIT;

	for (size_t i = 0; i < listed; i++) {
		if (i)
			sentence_add_text(sentence, i + 1 == count ? " and " : ", ");
		sentence_add_name(sentence, function_name(benchmark, claim->others[i]));
	}
	if (listed == count)
		return;
	strbuf_addf(&more, " and %zu more", count - listed);
	sentence_add_figure(sentence, &more);
}

static void add_verb(struct sentence *sentence, const struct result_claim *claim, const char *one,
	const char *several)
{
	sentence_add_text(sentence, claim->other_count == 1 ? one : several);
}

static void add_part(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim, const char *part, size_t length)
{
	bool is_name = length == 1;

	if (is_name && *part == 's')
		sentence_add_name(sentence, function_name(benchmark, claim->subject));
	else if (is_name && *part == 'o')
		sentence_add_name(sentence, function_name(benchmark, claim->others[0]));
	else if (is_name && *part == 'p')
		sentence_add_name(sentence, function_name(benchmark, claim->others[1]));
	else if (strncmp(part, "os", length) == 0)
		add_others(sentence, benchmark, claim);
	else if (strncmp(part, "is", length) == 0)
		add_verb(sentence, claim, "is", "are");
	else if (strncmp(part, "was", length) == 0)
		add_verb(sentence, claim, "was", "were");
	else if (strncmp(part, "takes", length) == 0)
		add_verb(sentence, claim, "takes", "take");
	else if (strncmp(part, "times", length) == 0)
		add_times(sentence, calls_ratio(claim));
	else if (strncmp(part, "each", length) == 0)
		add_times(sentence, each_ratio(claim));
	else
		add_moved_amount(sentence, benchmark, claim);
}

void sentence_add_claim(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim)
{
	const char *at = (size_t)claim->kind < TEMPLATE_COUNT ? template_of(benchmark, claim) : "?";

	while (*at) {
		size_t length = strcspn(at, "{");

		if (length)
			sentence_add_text(sentence, arena_strndup(&sentence->arena, at, length));
		at += length;
		if (!*at)
			break;
		length = strcspn(at + 1, "}");
		add_part(sentence, benchmark, claim, at + 1, length);
		at += length + 2;
	}
}

void sentence_add_amount(struct sentence *sentence, const struct result_benchmark *benchmark,
	const struct result_claim *claim, double low, double high, double together)
{
	struct strbuf figure = STRBUF_INIT;

	strbuf_addstr(&figure, ": ");
	difference_add(&figure, benchmark, claim->cost[0], claim->cost[1]);
	strbuf_addstr(&figure, " (");
	figure_signed_percent(&figure, claim->change);
	strbuf_addstr(&figure, " of the benchmark");
	if (isfinite(low) && isfinite(high)) {
		strbuf_addstr(&figure, ", 95 % interval ");
		figure_signed_interval(&figure, low, high);
	}
	if (isfinite(together)) {
		strbuf_addstr(&figure, "; ");
		figure_signed_percent(&figure, together);
		strbuf_addstr(&figure, " with what grew with it");
	}
	strbuf_addstr(&figure, ")");
	sentence_add_figure(sentence, &figure);
}

/* ---- which one ------------------------------------------------------------------------------- */

struct result_claim claim_of_culprit(
	const struct result_benchmark *benchmark, const struct result_culprit *culprit)
{
	bool called = culprit->blame == BLAME_CALLED;
	struct result_claim plain = {
		.kind = called ? CLAIM_WITH_CALLEES : CLAIM_LONGER,
		.subject = culprit->function,
		.others = &culprit->caller,
		.other_count = called && culprit->caller != RESULT_NONE,
		.calls = {NAN, NAN},
		.change = culprit->change,
		.low = culprit->low,
		.high = culprit->high,
		.because = "",
	};

	if (culprit->claim < benchmark->claim_count)
		return benchmark->claims[culprit->claim];
	plain.cost[0] = culprit->base;
	plain.cost[1] = culprit->head;
	return plain;
}

const struct result_claim *claim_of_improvement(
	const struct result_benchmark *benchmark, uint32_t function)
{
	for (size_t i = 0; i < benchmark->claim_count; i++) {
		const struct result_claim *claim = &benchmark->claims[i];

		if (claim->subject == function &&
			(claim->kind == CLAIM_LESS || claim->kind == CLAIM_GONE))
			return claim;
	}
	return NULL;
}

const struct result_claim *next_moved(const struct result_benchmark *benchmark, size_t *place)
{
	while (*place < benchmark->claim_count) {
		const struct result_claim *claim = &benchmark->claims[(*place)++];

		if (claim->kind >= CLAIM_FIRST_MOVED)
			return claim;
	}
	return NULL;
}

size_t count_moved(const struct result_benchmark *benchmark)
{
	size_t count = 0, place = 0;

	while (next_moved(benchmark, &place))
		count++;
	return count;
}
