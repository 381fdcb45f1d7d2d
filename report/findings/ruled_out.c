/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/ruled_out.h"

#include "report/findings/sentence_spans.h"
#include "report/words/words.h"

#define NAMED 3

/* Names as they come; what they have in common is said before or behind them. */
struct naming {
	struct sentence *sentence;
	const char *before;
	size_t count;
};

static void name_one(struct naming *naming, const char *name)
{
	struct sentence *sentence = naming->sentence;

	if (!naming->count++) {
		sentence_add_text(sentence, sentence->count ? "; " : "");
		sentence_add_text(sentence, naming->before);
	} else if (naming->count <= NAMED) {
		sentence_add_text(sentence, ", ");
	}
	if (naming->count <= NAMED)
		sentence_add_name(sentence, name);
}

static void finish(struct naming *naming, const char *behind)
{
	struct strbuf more = STRBUF_INIT;

	if (!naming->count)
		return;
	if (naming->count > NAMED)
		strbuf_addf(&more, " and %zu more", naming->count - NAMED);
	strbuf_addstr(&more, behind);
	sentence_add_figure(naming->sentence, &more);
}

static void name_offset(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	struct naming naming = {sentence, "", 0};

	for (size_t i = 0; i < benchmark->shift_count; i++)
		name_one(&naming, function_name(benchmark, benchmark->shifts[i].to));
	finish(&naming, ": grew, offset by decreases elsewhere");
}

static void name_state(struct sentence *sentence, const struct result_benchmark *benchmark,
	enum result_state state, const char *behind)
{
	struct naming naming = {sentence, "", 0};

	for (uint32_t i = 0; i < benchmark->function_count; i++)
		if (benchmark->functions[i].self.state == state)
			name_one(&naming, function_name(benchmark, i));
	finish(&naming, behind);
}

void sentence_of_ruled_out(struct sentence *sentence, const struct result_benchmark *benchmark)
{
	name_offset(sentence, benchmark);
	name_state(sentence, benchmark, STATE_UNCHANGED_CODE,
		": the code that grew is the same in both versions");
	name_state(sentence, benchmark, STATE_CONTRADICTED, ": grew, but the total contradicts");
}
