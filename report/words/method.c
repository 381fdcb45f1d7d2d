/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words/method.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/clean.h"
#include "report/words/figure.h"
#include "report/words/words.h"

#define MAX_LOSSES 10

/* Not in pairs: of head alone. */
static void add_runs(struct strbuf *out, const struct result_benchmark *benchmark)
{
	figure_plural(out, benchmark->pair_count, "run");
	strbuf_addstr(out, has_base(benchmark) ? " of head" : "");
	if (benchmark->dropped_pairs)
		strbuf_addf(out, "; %zu dropped as outliers", benchmark->dropped_pairs);
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

static void add_pairs(struct strbuf *out, const struct result_benchmark *benchmark)
{
	size_t all = benchmark->stage1_pairs + benchmark->stage2_pairs;

	bool paired = is_decided(benchmark) && has_base(benchmark);

	if (!paired && benchmark->pair_count)
		add_runs(out, benchmark);
	if (!paired || !all)
		return;
	figure_plural(out, all, "pair");
	add_kind_of_runs(out, benchmark->slices ? benchmark->slices : "");
	if (benchmark->stage2_pairs)
		strbuf_addf(out, ": %zu to look, %zu fresh ones to confirm",
			benchmark->stage1_pairs, benchmark->stage2_pairs);
	if (benchmark->dropped_pairs)
		strbuf_addf(out, "; %zu dropped as outliers", benchmark->dropped_pairs);
	strbuf_addf(out, "; seed %" PRIu64 ".\n", benchmark->seed);
	if (benchmark->layouts && *benchmark->layouts) {
		strbuf_addstr(out, "The code was linked in ");
		clean_cut(out, benchmark->layouts, 60);
		strbuf_addstr(out, ", pair by pair.\n");
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
	if (!is_decided(benchmark) || !has_base(benchmark) || !benchmark->pair_count)
		return;
	if (isfinite(benchmark->bound)) {
		strbuf_addstr(out, "What could not be excluded of the total: ");
		figure_signed_percent(out, benchmark->bound);
		strbuf_addstr(out, " (97.5 % bound");
		if (benchmark->changes_of == PAIRS_CONFIRMING && has_interval(&benchmark->total))
			strbuf_addf(out,
				", of all pairs; the interval above is of the %zu fresh ones alone",
				benchmark->stage2_pairs);
		strbuf_addstr(out, ").\n");
	}
	if (benchmark->noise > 0) {
		strbuf_addstr(out, "Noise: from pair to pair, head / base scatters by ");
		figure_percent(out, benchmark->noise);
		strbuf_addstr(out, " (standard deviation, outliers aside).\n");
	}
}

static void add_losses(struct strbuf *out, const struct result_reference *reference)
{
	for (size_t i = 0; i < reference->loss_count && i < MAX_LOSSES; i++) {
		strbuf_addstr(out, "Stored baseline from ");
		clean_cut(out, *reference->store ? reference->store : "(no name)", 80);
		strbuf_addstr(out, ": ");
		clean_cut(out, reference->losses[i], 240);
		strbuf_addstr(out, "\n");
	}
}

void method_add(struct strbuf *out, const struct result_benchmark *benchmark)
{
	add_pairs(out, benchmark);
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
	for (size_t i = 0; i < benchmark->reference_count; i++)
		add_losses(out, &benchmark->references[i]);
	if (out->length && out->data[out->length - 1] == '\n')
		strbuf_truncate(out, out->length - 1);
}
