/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/figure.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define COMMIT_DIGITS 12

const char *word_status(enum result_status status)
{
	static const char *const words[] = {"PASS", "WARN", "FAIL", "ERROR"};

	return (size_t)status < COUNT(words) ? words[status] : "?";
}

const char *word_of_benchmark(const struct result_benchmark *benchmark)
{
	bool undecided = benchmark->outcome == OUTCOME_PROFILE && benchmark->status == RESULT_PASS;

	return undecided ? "INFO" : word_status(benchmark->status);
}

const char *word_of_result(const struct result *result)
{
	bool undecided = result->benchmark_count > 0 && result->status == RESULT_PASS;

	for (size_t i = 0; i < result->benchmark_count; i++)
		undecided = undecided && result->benchmarks[i].outcome == OUTCOME_PROFILE;
	return undecided ? "INFO" : word_status(result->status);
}

const char *word_state(enum result_state state)
{
	static const char *const words[] = {"", "not confirmed", "slower", "cost moved", "vetoed",
		"same code", "faster", "too few samples"};

	return (size_t)state < COUNT(words) ? words[state] : "?";
}

const char *word_match(enum result_match match)
{
	static const char *const words[] = {"", "moved", "new", "gone"};

	return (size_t)match < COUNT(words) ? words[match] : "?";
}

const char *word_outcome(enum result_outcome outcome)
{
	static const char *const words[] = {"measured", "identical files", "new", "base failed",
		"not measured", "profile only"};

	return (size_t)outcome < COUNT(words) ? words[outcome] : "?";
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

void commit_add(struct strbuf *out, const struct result_commit *commit)
{
	size_t digits = strlen(commit->id);

	if (*commit->name)
		strbuf_addstr(out, commit->name);
	if (!digits)
		return;
	strbuf_addstr(out, *commit->name ? " (" : "");
	strbuf_add(out, commit->id, digits < COMMIT_DIGITS ? digits : COMMIT_DIGITS);
	strbuf_addstr(out, *commit->name ? ")" : "");
}

bool has_base(const struct result_benchmark *benchmark)
{
	return benchmark->total.base > 0;
}

bool has_interval(const struct result_change *change)
{
	return isfinite(change->low) && isfinite(change->high) && change->high > change->low;
}

bool state_is_notable(enum result_state state)
{
	return state != STATE_UNCHANGED && state != STATE_INELIGIBLE;
}

bool detail_is_said(const struct result_benchmark *benchmark)
{
	enum result_outcome outcome = benchmark->outcome;
	bool said = outcome == OUTCOME_ERROR || outcome == OUTCOME_BASE_FAILED ||
		    benchmark->status == RESULT_ERROR;

	if (!*benchmark->detail)
		return true;
	return said && strlen(benchmark->detail) <= DETAIL_COLUMNS &&
	       !strpbrk(benchmark->detail, "\r\n");
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
	double size = has_base(benchmark)         ? fabs(self->change)
		      : benchmark->total.head > 0 ? self->head / benchmark->total.head
						  : 0;

	return (struct ranked){size, index, state_is_notable(self->state)};
}

size_t rank_functions(
	const struct result_benchmark *benchmark, double floor, uint32_t *order, size_t max)
{
	struct ranked *ranked = xcalloc(benchmark->function_count, sizeof(*ranked));
	size_t count = 0;

	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct ranked one = rank_one(benchmark, i);

		if (one.notable || one.size >= floor)
			ranked[count++] = one;
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	if (count > max)
		count = max;
	for (size_t i = 0; i < count; i++)
		order[i] = ranked[i].index;
	free(ranked);
	return count;
}

/* ---- method -----------------------------------------------------------------------------------
 */

static void add_blocks(struct strbuf *out, const struct result_benchmark *benchmark)
{
	size_t all = benchmark->stage1_blocks + benchmark->stage2_blocks;

	if (!all)
		return;
	figure_plural(out, all, "block");
	strbuf_addstr(out, " (one run of each version in random order)");
	if (benchmark->stage2_blocks)
		strbuf_addf(out, ": %zu to look, %zu fresh ones to confirm",
			benchmark->stage1_blocks, benchmark->stage2_blocks);
	if (benchmark->dropped_blocks)
		strbuf_addf(out, "; %zu dropped as outliers", benchmark->dropped_blocks);
	strbuf_addf(out, "; seed %" PRIu64 ".\n", benchmark->seed);
}

static void add_sampling(struct strbuf *out, const struct result_benchmark *benchmark)
{
	const struct result_sampling *sampling = &benchmark->sampling;

	if (!sampling->samples)
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

	if (!benchmark->sampling.samples || !(coverage[1] > 0))
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

void method_add(struct strbuf *out, const struct result_benchmark *benchmark)
{
	add_blocks(out, benchmark);
	add_sampling(out, benchmark);
	add_coverage(out, benchmark);
	add_power(out, benchmark);
	if (benchmark->wall_seconds > 0) {
		strbuf_addstr(out, "Measuring took ");
		figure_seconds(out, benchmark->wall_seconds);
		strbuf_addstr(out, ".\n");
	}
	if (out->length && out->data[out->length - 1] == '\n')
		strbuf_truncate(out, out->length - 1);
}
