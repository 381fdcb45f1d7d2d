/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/words/figure.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define COMMIT_DIGITS 12

const char *word_status(enum result_status status)
{
	static const char *const words[] = {"PASS", "WARN", "FAIL", "ERROR", WORD_UNDECIDED};

	return (size_t)status < COUNT(words) ? words[status] : "?";
}

size_t count_status(const struct result *result, enum result_status status)
{
	size_t count = 0;

	for (size_t i = 0; i < result->benchmark_count; i++)
		count += result->benchmarks[i].status == status;
	return count;
}

/* Only profiled or recorded. */
static bool is_undecided(const struct result_benchmark *benchmark)
{
	bool compared = benchmark->outcome != OUTCOME_PROFILE &&
			(benchmark->outcome != OUTCOME_MEASURED || has_base(benchmark));

	return !compared && benchmark->status == RESULT_PASS;
}

const char *word_of_benchmark(const struct result_benchmark *benchmark)
{
	return is_undecided(benchmark) ? WORD_UNDECIDED : word_status(benchmark->status);
}

const char *word_of_result(const struct result *result)
{
	bool undecided = result->benchmark_count > 0 && result->status == RESULT_PASS;

	for (size_t i = 0; i < result->benchmark_count; i++)
		undecided = undecided && is_undecided(&result->benchmarks[i]);
	return undecided ? WORD_UNDECIDED : word_status(result->status);
}

bool is_nothing_to_compare(const struct result *result)
{
	return result->benchmark_count &&
	       count_status(result, RESULT_NEUTRAL) == result->benchmark_count;
}

const char *word_state(enum result_state state, const char *unit)
{
	static const char *const words[] = {"", "not confirmed", "more time", "offset",
		"contradicted", "same code", "less time", "too few samples"};

	if (!unit_is_time(unit) && (state == STATE_CONFIRMED || state == STATE_IMPROVED))
		return state == STATE_CONFIRMED ? "more" : "less";
	return (size_t)state < COUNT(words) ? words[state] : "?";
}

const char *word_match(enum result_match match)
{
	static const char *const words[] = {
		"", "moved", "new", "gone", "renamed", "other instance", "", ""};

	return (size_t)match < COUNT(words) ? words[match] : "?";
}

const char *word_link(enum result_link link)
{
	return link == LINK_DATA    ? "a definition that it uses"
	       : link == LINK_BUILD ? "the build file"
				    : NULL;
}

const char *word_outcome(enum result_outcome outcome)
{
	static const char *const words[] = {"measured", "identical files", "new", "base failed",
		"not measured", "profile only", "screened"};

	return (size_t)outcome < COUNT(words) ? words[outcome] : "?";
}

/* Where an increase is offset this is said; "too few samples" of what is not there is no news. */
const char *word_change(
	const struct result_benchmark *benchmark, const struct result_function *function)
{
	bool one_sided = function->match == MATCH_NEW || function->match == MATCH_VANISHED;
	const char *unit = benchmark->unit;

	/* Where nothing was to be tested, no samples were missing. */
	if (!is_decided(benchmark) && function->self.state == STATE_INELIGIBLE)
		return one_sided ? word_match(function->match) : "";
	if (!one_sided || function->self.state == STATE_SHIFTED ||
		function->self.state == STATE_INELIGIBLE)
		return word_state(function->self.state, unit);
	return word_match(function->match);
}

enum in_diff culprit_in_diff(
	const struct result_benchmark *benchmark, const struct result_culprit *culprit)
{
	const struct result_function *function = &benchmark->functions[culprit->function];

	if (function->touched)
		return IN_DIFF_YES;
	return *benchmark->diff_unknown || !*function->file ? IN_DIFF_UNKNOWN : IN_DIFF_NO;
}

void difference_add(
	struct strbuf *out, const struct result_benchmark *benchmark, double base, double head)
{
	figure_difference(out, head - base, benchmark->unit);
	if (is_decided(benchmark))
		strbuf_addstr(out, benchmark->per == PER_ITERATION ? " an iteration" : " a run");
}

const char *function_name(const struct result_benchmark *benchmark, uint32_t function)
{
	const char *name;

	if (function >= benchmark->function_count)
		return "(other)";
	name = benchmark->functions[function].name;
	return *name ? name : "(no name)";
}

void place_add(struct strbuf *out, const char *file, int64_t line)
{
	if (!*file)
		return;
	strbuf_addstr(out, file);
	if (line > 0)
		strbuf_addf(out, ":%" PRId64, line);
}

void commit_id_add(struct strbuf *out, const char *id)
{
	strbuf_add(out, id, strnlen(id, COMMIT_DIGITS));
}

void commit_add(struct strbuf *out, const struct result_commit *commit)
{
	const char *name = commit->dirty ? "working tree" : commit->name;

	strbuf_addstr(out, name);
	if (!*commit->id)
		return;
	strbuf_addstr(out, *name ? " (" : "");
	commit_id_add(out, commit->id);
	strbuf_addstr(out, commit->dirty ? " with uncommitted changes" : "");
	strbuf_addstr(out, *name ? ")" : "");
}

bool unit_is_time(const char *unit)
{
	return strcmp(unit, "seconds") == 0;
}

void unit_noun_add(struct strbuf *out, const char *unit)
{
	if (figure_is_unit(unit) && strcmp(unit, "count") != 0)
		strbuf_addf(out, " in %s", unit);
}

bool is_decided(const struct result_benchmark *benchmark)
{
	return benchmark->outcome == OUTCOME_MEASURED;
}

bool base_is_reference(const struct result_benchmark *benchmark)
{
	return has_base(benchmark) && (benchmark->outcome == OUTCOME_SCREENED ||
					      benchmark->outcome == OUTCOME_BASE_FAILED);
}

const char *changes_title(const struct result_benchmark *benchmark)
{
	if (base_is_reference(benchmark))
		return "Largest changes of self cost against the stored baseline, not scaled";
	return has_base(benchmark) ? "Largest changes of self cost" : "Largest self costs";
}

/* A side that was measured may cost nothing. */
bool has_base(const struct result_benchmark *benchmark)
{
	if (benchmark->sides != SIDES_UNSAID)
		return benchmark->sides == SIDES_BOTH;
	return benchmark->total.base < 0 || benchmark->total.base > 0;
}

double share_of_head(const struct result_benchmark *benchmark, double cost)
{
	double total = fabs(benchmark->total.head);

	return total > 0 ? cost / total : (double)NAN;
}

static bool is_worse(const struct result_benchmark *one, const struct result_benchmark *other)
{
	int weight = result_status_weight(one->status);
	int other_weight = result_status_weight(other->status);

	if (weight != other_weight)
		return weight > other_weight;
	return one->total.change > other->total.change;
}

size_t worst_benchmark(const struct result *result, size_t nodes)
{
	const struct result_benchmark *benchmarks = result->benchmarks;
	size_t worst = result->benchmark_count;

	for (size_t i = 0; i < result->benchmark_count; i++) {
		bool first = worst == result->benchmark_count;

		if (benchmarks[i].node_count >= nodes &&
			(first || is_worse(&benchmarks[i], &benchmarks[worst])))
			worst = i;
	}
	return worst;
}

bool is_recording(const struct result *result)
{
	return strcmp(result->kind, "record") == 0;
}

size_t kept_runs(const struct result_benchmark *benchmark)
{
	size_t kept = 0;

	for (size_t i = 0; i < benchmark->pair_count; i++)
		kept += !benchmark->pairs[i].dropped;
	return kept;
}

void runs_add(struct strbuf *out, const struct result_benchmark *benchmark)
{
	if (kept_runs(benchmark))
		figure_count(out, kept_runs(benchmark));
}

double spread_of_runs(const struct result_benchmark *benchmark)
{
	double mean = 0, squares = 0, count = (double)kept_runs(benchmark);

	for (size_t i = 0; i < benchmark->pair_count; i++)
		mean += benchmark->pairs[i].dropped ? 0 : benchmark->pairs[i].head_seconds / count;
	for (size_t i = 0; i < benchmark->pair_count; i++) {
		double off = benchmark->pairs[i].head_seconds - mean;

		squares += benchmark->pairs[i].dropped ? 0 : off * off;
	}
	return count > 1 && mean > 0 ? sqrt(squares / (count - 1)) / mean : (double)NAN;
}

const char *warnings_title(const struct result_benchmark *benchmark)
{
	return benchmark->status == RESULT_PASS ? "Notes" : "Warnings";
}

bool has_interval(const struct result_change *change)
{
	return isfinite(change->low) && isfinite(change->high) && change->high > change->low;
}

#define OWN_PART 0.999 /* sums of samples are not exact */

bool has_total_interval(const struct result_function *function)
{
	const struct result_change total = {
		.low = function->total_low, .high = function->total_high};

	return isfinite(function->total_change) && has_interval(&total) &&
	       (function->total[0] * OWN_PART > function->self.base ||
		       function->total[1] * OWN_PART > function->self.head);
}

bool state_is_notable(enum result_state state)
{
	return state != STATE_UNCHANGED && state != STATE_INELIGIBLE;
}

bool state_is_colored(enum result_state state)
{
	return state_is_notable(state) && state != STATE_FLAGGED && state != STATE_UNCHANGED_CODE &&
	       state != STATE_CONTRADICTED;
}

void spread_add(struct strbuf *out, const struct result_benchmark *benchmark)
{
	double spread = spread_of_runs(benchmark);

	if (isfinite(spread))
		figure_percent(out, spread);
}

/* ---- ranking --------------------------------------------------------------------------------- */

struct ranked {
	double size;
	uint32_t index;
	bool notable;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->notable != y->notable)
		return x->notable ? -1 : 1;
	if (x->size < y->size || x->size > y->size)
		return x->size > y->size ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static struct ranked rank_one(const struct result_benchmark *benchmark, uint32_t index)
{
	const struct result_change *self = &benchmark->functions[index].self;
	double size = fabs(has_base(benchmark) ? self->change : self->head);

	return (struct ranked){size, index, state_is_notable(self->state)};
}

/* The verdict calls it no improvement, but what went from here is what the reader looks for. */
static bool *sources_of_shifts(const struct result_benchmark *benchmark)
{
	bool *sources = xcalloc(benchmark->function_count, sizeof(*sources));

	for (size_t i = 0; i < benchmark->shift_count; i++)
		if (benchmark->shifts[i].from < benchmark->function_count)
			sources[benchmark->shifts[i].from] = true;
	return sources;
}

size_t rank_functions(
	const struct result_benchmark *benchmark, double floor, uint32_t *order, size_t max)
{
	struct ranked *ranked = xcalloc(benchmark->function_count, sizeof(*ranked));
	bool *sources = sources_of_shifts(benchmark);
	size_t count = 0;

	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct ranked one = rank_one(benchmark, i);

		one.notable |= sources[i];
		if (one.notable || one.size >= floor)
			ranked[count++] = one;
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	if (count > max)
		count = max;
	for (size_t i = 0; i < count; i++)
		order[i] = ranked[i].index;
	free(sources);
	free(ranked);
	return count;
}
