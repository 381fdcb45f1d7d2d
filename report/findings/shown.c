/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings/shown.h"

#include <math.h>
#include <string.h>

#include "gate/check/whole.h"
#include "report/findings/metric_words.h"
#include "report/words/cost_words.h"
#include "report/words/words.h"

/* Most metrics are called as the profile type that they are the total of. */
static const char *type_of(const struct result_metric *metric)
{
	if (strcmp(metric->name, "lock_delay") == 0)
		return "delay";
	/* What leaks is in use at the end. */
	return strcmp(metric->name, "leak") == 0 ? "inuse_bytes" : metric->name;
}

static const struct result_profile *profile_of(
	const struct result_benchmark *benchmark, const struct result_metric *metric)
{
	for (size_t i = 0; i < benchmark->profile_count; i++)
		if (strcmp(benchmark->profiles[i].profile_type, type_of(metric)) == 0 &&
			benchmark->profiles[i].node_count > 1)
			return &benchmark->profiles[i];
	return NULL;
}

const struct result_profile *shown_profile(const struct result_benchmark *benchmark)
{
	if (cpu_time_decides(benchmark))
		return NULL;
	for (size_t i = 0; i < benchmark->metric_count; i++) {
		const struct result_metric *metric = &benchmark->metrics[i];
		const struct result_profile *profile;

		if (!metric_decides(benchmark, metric))
			continue;
		if (strcmp(type_of(metric), benchmark->profile_type) == 0)
			return NULL;
		profile = profile_of(benchmark, metric);
		if (profile)
			return profile;
	}
	return NULL;
}

static double change_of(const struct result_benchmark *shown)
{
	double whole = undecided_whole(shown->total.base, shown->total.head);

	return has_base(shown) && whole > 0 ? (shown->total.head - shown->total.base) / whole : 0;
}

struct result_benchmark shown_benchmark(const struct result_benchmark *benchmark)
{
	const struct result_profile *profile = shown_profile(benchmark);
	struct result_benchmark shown = *benchmark;

	if (!profile)
		return shown;
	shown.outcome = OUTCOME_PROFILE;
	shown.sides = profile->sides; /* base may cost nothing of this, and still be there */
	shown.total = (struct result_change){.base = profile->total[0],
		.head = profile->total[1],
		.low = NAN,
		.high = NAN,
		.se = NAN,
		.state = STATE_INELIGIBLE};
	shown.total.change = change_of(&shown);
	shown.culprit_count = shown.claim_count = shown.shift_count = shown.improvement_count = 0;
	shown.profile_type = profile->profile_type;
	shown.unit = profile->unit;
	shown.functions = profile->functions;
	shown.function_count = profile->function_count;
	shown.nodes = profile->nodes;
	shown.node_count = profile->node_count;
	shown.labels = profile->labels;
	shown.label_count = profile->label_count;
	return shown;
}

/* All of it ours: a type without words of ours has none. */
void shown_title(struct strbuf *out, const struct result_benchmark *benchmark, const char *title)
{
	struct result_benchmark shown = shown_benchmark(benchmark);
	const char *noun = shown_profile(benchmark) ? cost_words_of(&shown)->more_of : NULL;

	strbuf_addstr(out, title);
	if (noun)
		strbuf_addf(out, ":%s", noun);
}
