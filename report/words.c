/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/figure.h"
#include "report/stored.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define COMMIT_DIGITS 12
#define MAX_LOSSES 10

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
	static const char *const words[] = {"", "not confirmed", "more time", "offset", "vetoed",
		"same code", "less time", "too few samples"};

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

bool base_is_stored(const struct result_benchmark *benchmark)
{
	return has_base(benchmark) && (benchmark->outcome == OUTCOME_SCREENED ||
					      benchmark->outcome == OUTCOME_BASE_FAILED);
}

const char *changes_title(const struct result_benchmark *benchmark)
{
	if (base_is_stored(benchmark))
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

	for (size_t i = 0; i < benchmark->block_count; i++)
		kept += !benchmark->blocks[i].dropped;
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

	for (size_t i = 0; i < benchmark->block_count; i++)
		mean += benchmark->blocks[i].dropped ? 0
						     : benchmark->blocks[i].head_seconds / count;
	for (size_t i = 0; i < benchmark->block_count; i++) {
		double off = benchmark->blocks[i].head_seconds - mean;

		squares += benchmark->blocks[i].dropped ? 0 : off * off;
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
	return state_is_notable(state) && state != STATE_FLAGGED && state != STATE_EXONERATED &&
	       state != STATE_VETOED;
}

bool detail_is_said(const struct result_benchmark *benchmark)
{
	enum result_outcome outcome = benchmark->outcome;
	bool stored = outcome == OUTCOME_BASE_FAILED || outcome == OUTCOME_SCREENED;
	bool said = outcome == OUTCOME_ERROR || outcome == OUTCOME_NEW ||
		    benchmark->status == RESULT_ERROR || (stored && !stored_that_speaks(benchmark));

	if (!*benchmark->detail)
		return true;
	return said && strlen(benchmark->detail) <= DETAIL_COLUMNS &&
	       !strpbrk(benchmark->detail, "\r\n");
}

void spread_add(struct strbuf *out, const struct result_benchmark *benchmark)
{
	double spread = spread_of_runs(benchmark);

	if (isfinite(spread))
		figure_percent(out, spread);
}

/* ---- ranking ----------------------------------------------------------------------------------
 */

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

/* ---- method -----------------------------------------------------------------------------------
 */

/* Not in pairs: of head alone. */
static void add_runs(struct strbuf *out, const struct result_benchmark *benchmark)
{
	figure_plural(out, benchmark->block_count, "run");
	strbuf_addstr(out, has_base(benchmark) ? " of head" : "");
	if (benchmark->dropped_blocks)
		strbuf_addf(out, "; %zu dropped as outliers", benchmark->dropped_blocks);
	strbuf_addstr(out, ".\n");
}

/* slices: as in result.h, from a report that may be anybody's */
static void add_kind_of_runs(struct strbuf *out, const char *slices)
{
	static const char whole[] = "whole runs";

	if (!*slices) {
		strbuf_addstr(out, " (each version once, in random order)");
	} else if (strncmp(slices, whole, strlen(whole)) == 0) {
		strbuf_addstr(out, " (");
		clean_cut(out, slices, 240);
		strbuf_addstr(out, ")");
	} else {
		strbuf_addstr(out, " (both versions once, at the same time, in turns of ");
		clean_cut(out, slices, 60);
		strbuf_addstr(out, " in random order)");
	}
}

static void add_blocks(struct strbuf *out, const struct result_benchmark *benchmark)
{
	size_t all = benchmark->stage1_blocks + benchmark->stage2_blocks;

	bool paired = is_decided(benchmark) && has_base(benchmark);

	if (!paired && benchmark->block_count)
		add_runs(out, benchmark);
	if (!paired || !all)
		return;
	figure_plural(out, all, "block");
	add_kind_of_runs(out, benchmark->slices ? benchmark->slices : "");
	if (benchmark->stage2_blocks)
		strbuf_addf(out, ": %zu to look, %zu fresh ones to confirm",
			benchmark->stage1_blocks, benchmark->stage2_blocks);
	if (benchmark->dropped_blocks)
		strbuf_addf(out, "; %zu dropped as outliers", benchmark->dropped_blocks);
	strbuf_addf(out, "; seed %" PRIu64 ".\n", benchmark->seed);
	if (benchmark->layouts && *benchmark->layouts) {
		strbuf_addstr(out, "The code was linked in ");
		clean_cut(out, benchmark->layouts, 60);
		strbuf_addstr(out, ", block by block.\n");
	}
}

static void add_sampling(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const struct result_sampling *sampling = &benchmark->sampling;

	if (!sampling->samples || !sampling->rate_hz)
		return;
	figure_plural(out, sampling->samples, "sample");
	strbuf_addf(out, " at %" PRIu32 " Hz by ", sampling->rate_hz);
	clean_cut(out, sampling->mechanism, 60);
	strbuf_addstr(out, ": ");
	figure_percent(
		out, (double)sampling->complete / (double)(sampling->samples + sampling->lost));
	strbuf_addstr(out, " with a complete stack, ");
	figure_count(out, sampling->lost);
	strbuf_addstr(out, " lost.\n");
}

static void add_coverage(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const double *coverage = benchmark->sampling.coverage;

	if (!benchmark->sampling.samples || !benchmark->sampling.rate_hz || !(coverage[1] > 0))
		return;
	strbuf_addstr(out, "The samples account for ");
	if (has_base(benchmark)) {
		figure_percent(out, coverage[0]);
		strbuf_addstr(out, " (base) and ");
	}
	figure_percent(out, coverage[1]);
	strbuf_addstr(
		out, has_base(benchmark) ? " (head) of the CPU time.\n" : " of the CPU time.\n");
}

/* The handler sees itself; what the kernel spends on timer and signal is not in it. */
static void add_own_cost(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const double *cost = benchmark->sampling.own_cost;
	double most = cost[0] > cost[1] ? cost[0] : cost[1];

	if (!(most > 0))
		return;
	strbuf_addstr(out, "The sampler's own work took ");
	figure_percent(out, most);
	strbuf_addstr(out, " of the CPU time, its timer and the signals not counted.\n");
}

static void add_power(struct strbuf *out, const struct result_benchmark *benchmark)
{
	if (!(benchmark->mde_total > 0) && !(benchmark->mde_function > 0))
		return;
	strbuf_addstr(out, "Smallest change found four times out of five: ");
	figure_percent(out, benchmark->mde_total);
	strbuf_addstr(out, " in the total, ");
	figure_percent(out, benchmark->mde_function);
	strbuf_addstr(out, " of the total in a function of 1 % share.\n");
}

/* Of every measured benchmark, whatever its verdict. */
static void add_bound(struct strbuf *out, const struct result_benchmark *benchmark)
{
	if (!is_decided(benchmark) || !has_base(benchmark) || !benchmark->block_count)
		return;
	if (isfinite(benchmark->bound)) {
		strbuf_addstr(out, "What could not be excluded of the total: ");
		figure_signed_percent(out, benchmark->bound);
		strbuf_addstr(out, " (97.5 % bound");
		if (benchmark->changes_of == PAIRS_CONFIRMING && has_interval(&benchmark->total))
			strbuf_addf(out,
				", of all blocks; the interval above is of the %zu fresh ones "
				"alone",
				benchmark->stage2_blocks);
		strbuf_addstr(out, ").\n");
	}
	if (benchmark->noise > 0) {
		strbuf_addstr(out, "Noise: from block to block, head / base scatters by ");
		figure_percent(out, benchmark->noise);
		strbuf_addstr(out, " (standard deviation, outliers aside).\n");
	}
}

static void add_losses(struct strbuf *out, const struct result_stored *stored)
{
	for (size_t i = 0; i < stored->loss_count && i < MAX_LOSSES; i++) {
		strbuf_addstr(out, "Stored baseline from ");
		clean_cut(out, *stored->store ? stored->store : "(no name)", 80);
		strbuf_addstr(out, ": ");
		clean_cut(out, stored->losses[i], 240);
		strbuf_addstr(out, "\n");
	}
}

void method_add(struct strbuf *out, const struct result_benchmark *benchmark)
{
	add_blocks(out, benchmark);
	add_sampling(out, benchmark);
	add_coverage(out, benchmark);
	add_own_cost(out, benchmark);
	add_power(out, benchmark);
	add_bound(out, benchmark);
	if (benchmark->wall_seconds > 0) {
		strbuf_addstr(out, "Measuring took ");
		figure_seconds(out, benchmark->wall_seconds);
		strbuf_addstr(out, ".\n");
	}
	for (size_t i = 0; i < benchmark->stored_count; i++)
		add_losses(out, &benchmark->stored[i]);
	if (out->length && out->data[out->length - 1] == '\n')
		strbuf_truncate(out, out->length - 1);
}
