/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/decide_metrics.h"

#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/config/metric.h"
#include "gate/check/analysis/analysis.h"
#include "gate/check/decide/reference.h"
#include "gate/check/result.h"
#include "gate/verdict/estimate/paired.h"
#include "gate/verdict/screen/screen.h"
#include "gate/verdict/verdict.h"

/* ---- policy -------------------------------------------------------------------------------- */

/* A benchmark that was neither measured nor counted has none. */
static const struct config_policy *policy_of(const struct measured_benchmark *measured)
{
	if (measured->recorded || measured->head_only)
		return &measured->recordings[VERSION_HEAD].policy;
	for (size_t i = 0; i < measured->reference_count; i++)
		if (measured->references[i].counted)
			return &measured->references[i].head.policy;
	return NULL;
}

enum metric_gate gate_of(const struct measured_benchmark *measured, enum metric metric)
{
	const struct config_policy *policy = policy_of(measured);

	if (!policy || policy->gate[metric] == METRIC_BY_DEFAULT)
		return metrics[metric].gate;
	return policy->gate[metric];
}

enum result_status gated_status(
	const struct measured_benchmark *measured, enum result_status by_cpu_time)
{
	enum metric_gate gate = gate_of(measured, METRIC_CPU);

	if (by_cpu_time == RESULT_FAIL && gate == METRIC_WARNS)
		return RESULT_WARN;
	if ((by_cpu_time == RESULT_FAIL || by_cpu_time == RESULT_WARN) && gate == METRIC_SHOWN)
		return RESULT_PASS;
	return by_cpu_time;
}

/* ---- the numbers of the runs ---------------------------------------------------------------- */

/* False: this run does not tell. */
static bool read_round(const struct recording_round *round, enum metric metric, double *value)
{
	switch (metric) {
	case METRIC_LEAK:
		*value = round->leak_bytes;
		return round->leak_epochs > 0;
	case METRIC_WALL:
		*value = round->wall_seconds;
		return *value > 0;
	case METRIC_OFF_CPU:
		*value = round->off_cpu_seconds;
		return true;
	case METRIC_LOCK_DELAY:
		*value = round->lock_seconds;
		return true;
	case METRIC_CONTENTIONS:
		*value = round->contentions;
		return true;
	case METRIC_THREADS:
		*value = round->threads;
		return *value > 0;
	case METRIC_MAX_RSS:
		*value = round->max_rss_bytes;
		return *value > 0;
	default:
		return false;
	}
}

/* Both versions' runs of one kind, measured here beside each other. */
struct runs {
	const struct recording *versions[VERSION_COUNT];
};

static bool find_runs(
	const struct measured_benchmark *measured, const char *kind, struct runs *runs)
{
	if (strcmp(kind, "cpu") == 0) {
		runs->versions[VERSION_BASE] = &measured->recordings[VERSION_BASE];
		runs->versions[VERSION_HEAD] = &measured->recordings[VERSION_HEAD];
		return measured->recorded && measured->outcome == OUTCOME_MEASURED;
	}
	for (size_t i = 0; i < measured->reference_count; i++) {
		const struct measured_reference *reference = &measured->references[i];
		const struct profile_kind *of = profile_kind_of_type(reference->profile_type);

		runs->versions[VERSION_BASE] = &reference->baseline;
		runs->versions[VERSION_HEAD] = &reference->head;
		/* What came from a store was not measured beside head. */
		if (of && strcmp(of->name, kind) == 0 && reference->counted &&
			reference->has_baseline && !*reference->store)
			return true;
	}
	return false;
}

/* Elapsed time is best told by runs of its own: those of the CPU time may have been sliced. */
static bool find_runs_of(
	const struct measured_benchmark *measured, enum metric metric, struct runs *runs)
{
	if (metric == METRIC_WALL && find_runs(measured, "wall", runs))
		return true;
	if (!find_runs(measured, metrics[metric].kind, runs))
		return false;
	/* What elapsed in a run that took turns is mostly the other version's. */
	return metric != METRIC_WALL ||
	       (!runs->versions[VERSION_BASE]->slice_ns && !runs->versions[VERSION_HEAD]->slice_ns);
}

/* How many runs tell. Values per unit of work where the metric grows with it. */
static size_t take_values(const struct recording *recording, enum metric metric, double *values)
{
	/* A round of fixed work may be several runs: then they are its iterations. */
	bool per_work = metrics[metric].per_work;
	size_t told = 0;

	for (size_t i = 0; i < recording->round_count; i++) {
		const struct recording_round *round = &recording->rounds[i];

		told += read_round(round, metric, &values[i]);
		if (per_work && round->iterations > 0)
			values[i] /= round->iterations;
	}
	return told;
}

/* ---- growth that does not count -------------------------------------------------------------- */

static const char *margin_text(const struct result_metric *metric, struct arena *arena)
{
	if (metric->absolute)
		return arena_printf(arena, "%.3g %s", metric->margin, metric->unit);
	return arena_printf(arena, "%.3g %%", metric->margin * 100);
}

static bool is_shown_to_grow(const struct result_metric *metric)
{
	if (metric->state != METRIC_SAME)
		return false;
	return strcmp(metric->test, "exact") == 0 ? metric->change > 0 : metric->low > 0;
}

/* What grew and does not count has a reason beside it. */
static void say_why_uncounted(struct result_metric *metric, struct arena *arena)
{
	const char *margin = margin_text(metric, arena);

	if (*metric->detail || !is_shown_to_grow(metric))
		return;
	if (metric->change <= metric->margin)
		metric->detail = arena_printf(arena, "no more than %s above base", margin);
	else if (isfinite(metric->p))
		metric->detail = arena_printf(
			arena, "that it is above %s is not proven: p = %.2g", margin, metric->p);
	else
		metric->detail = arena_printf(arena, "that it is above %s is not proven", margin);
}

/* ---- one metric ---------------------------------------------------------------------------- */

static const char *test_name(const struct metric_info *metric, bool exact)
{
	if (exact)
		return "exact";
	if (metric->test == METRIC_TEST_SIGNED_RANKS || metric->test == METRIC_TEST_COUNT)
		return "signed ranks";
	return "paired t";
}

static enum result_gate shown_gate(enum metric_gate gate)
{
	return gate == METRIC_FAILS ? GATE_FAIL : gate == METRIC_WARNS ? GATE_WARN : GATE_SHOW;
}

static struct result_metric begin(const struct measured_benchmark *measured, enum metric metric)
{
	const struct metric_info *info = &metrics[metric];

	return (struct result_metric){
		.name = info->name,
		.meaning = info->meaning,
		.unit = info->unit,
		.test = "",
		.gate = shown_gate(gate_of(measured, metric)),
		.state = METRIC_UNDECIDED,
		.absolute = metric == METRIC_LEAK,
		.low = NAN,
		.high = NAN,
		.p = NAN,
		.detail = "",
	};
}

static void take_result(const struct metric_info *info, const struct paired_result *paired,
	struct result_metric *out)
{
	static const enum result_metric_state states[] = {
		[PAIRED_SAME] = METRIC_SAME,
		[PAIRED_GREW] = METRIC_GREW,
		[PAIRED_SHRANK] = METRIC_SHRANK,
		[PAIRED_CANNOT] = METRIC_UNDECIDED,
	};

	out->state = states[paired->status];
	out->detail = paired->reason;
	out->test = paired->status == PAIRED_CANNOT ? "" : test_name(info, paired->exact);
	out->base = paired->base;
	out->head = paired->head;
	out->change = paired->change;
	out->low = paired->low;
	out->high = paired->high;
	out->margin = paired->margin;
	out->p = paired->p;
}

/* Over runs that need no partner: three of each version, say, that all agree. */
static size_t common_runs(const struct runs *runs)
{
	size_t base = runs->versions[VERSION_BASE]->round_count,
	       head = runs->versions[VERSION_HEAD]->round_count;

	return base < head ? base : head;
}

/* Growth of a function's own cost, per unit of work. */
static double growth_of(const struct reference *reference, size_t function)
{
	double cost[VERSION_COUNT] = {0, 0};

	for (int version = 0; version < VERSION_COUNT; version++) {
		const struct verdict_cell *row =
			&reference->comparison
				 .function_self[version][function * reference->comparison.pairs];

		for (size_t b = 0; b < reference->recordings[version]->round_count; b++)
			cost[version] += row[b].x;
		cost[version] /= recording_total_work(reference->recordings[version]);
	}
	return cost[VERSION_HEAD] - cost[VERSION_BASE];
}

static const char *most_grown(const struct reference *reference, struct arena *arena)
{
	const struct function_matches *matches = &reference->comparison.matches;
	size_t most = matches->count;
	double growth = 0;

	for (size_t f = 0; f < matches->count; f++)
		if (growth_of(reference, f) > growth) {
			growth = growth_of(reference, f);
			most = f;
		}
	return most < matches->count
		       ? arena_printf(arena, "above all in %s", matches->functions[most].name)
		       : "";
}

/* Who waits longer; "" where the runs' profile is not of this metric. */
static const char *name_grown(const struct runs *runs, enum metric metric, struct arena *arena)
{
	bool has_profile = metric == METRIC_LOCK_DELAY ||
			   (metric == METRIC_WALL &&
				   strcmp(runs->versions[VERSION_HEAD]->profile_type, "wall") == 0);
	struct arena scratch = ARENA_INIT;
	struct error ignored;
	struct reference reference;
	const char *name = "";

	if (has_profile && !reference_compare(&reference, runs->versions[VERSION_BASE],
				   runs->versions[VERSION_HEAD], NULL, &scratch, &ignored)) {
		name = most_grown(&reference, arena);
		comparison_release(&reference.comparison);
	}
	arena_release(&scratch);
	return name;
}

/* False: nothing is known of it. */
static bool hold_readings(const struct measured_benchmark *measured, enum metric metric,
	size_t benchmarks_in_gate, struct arena *arena, struct result_metric *out)
{
	const struct metric_info *info = &metrics[metric];
	struct paired_input input = {
		.test = info->test == METRIC_TEST_PAIRED_T ? PAIRED_T : PAIRED_RANKS,
		.exact_first = info->test != METRIC_TEST_SIGNED_RANKS,
		.differences = metric == METRIC_LEAK,
		.threshold = info->threshold,
		.least = info->least,
	};
	struct arena scratch = ARENA_INIT;
	struct paired_result paired;
	struct runs runs;
	size_t told = 0, all = 0;

	if (!find_runs_of(measured, metric, &runs))
		return false;
	input.alpha = rate_of_attempt(runs.versions[VERSION_BASE], runs.versions[VERSION_HEAD]) *
		      PAIRED_ALPHA / PAIRED_TOGETHER /
		      (double)(benchmarks_in_gate ? benchmarks_in_gate : 1);
	for (int version = 0; version < VERSION_COUNT; version++) {
		size_t count = runs.versions[version]->round_count;
		double *values = arena_array(&scratch, count, sizeof(*values));

		told += take_values(runs.versions[version], metric, values);
		all += count;
		input.value[version] = values;
	}
	*out = begin(measured, metric);
	out->runs = input.count = common_runs(&runs);
	if (told == all) {
		paired_decide(&input, &scratch, &paired);
		take_result(info, &paired, out);
		if (out->state == METRIC_GREW)
			out->detail = name_grown(&runs, metric, arena);
	} else {
		out->detail = "not every run tells it";
	}
	arena_release(&scratch);
	return told > 0;
}

/* What decide_references() has decided already. */
static bool hold_counted(const struct measured_benchmark *measured, enum metric metric,
	const struct result_benchmark *benchmark, struct result_metric *out)
{
	for (size_t i = 0; i < benchmark->reference_count; i++) {
		const struct result_reference *reference = &benchmark->references[i];

		if (reference->kind != REFERENCE_EXACT ||
			metric_of_type(reference->profile_type) != metric)
			continue;
		*out = begin(measured, metric);
		out->state = reference->state == REFERENCE_CANNOT    ? METRIC_UNDECIDED
			     : reference->state == REFERENCE_FLAGGED ? METRIC_GREW
			     : reference->shrank                     ? METRIC_SHRANK
								     : METRIC_SAME;
		out->test = reference->state == REFERENCE_CANNOT ? ""
			    : reference->paired                  ? "paired t"
								 : "exact";
		out->runs = reference->runs;
		out->low = reference->paired ? reference->low : NAN;
		out->high = reference->paired ? reference->high : NAN;
		out->p = reference->paired ? reference->p : NAN;
		out->base = reference->base;
		out->head = reference->head;
		out->change = reference->state == REFERENCE_CANNOT ? 0 : reference->change;
		out->margin = reference->threshold;
		out->decides = reference->decides;
		out->detail = reference->state == REFERENCE_CANNOT ? reference->detail : "";
		return true;
	}
	return false;
}

#define BY_FUNCTION "by function"

static bool hold_cpu_time(const struct measured_benchmark *measured,
	const struct by_cpu_time *by_cpu_time, const struct result_benchmark *benchmark,
	struct result_metric *out)
{
	const struct result_change *total = &benchmark->total;
	enum result_status status = by_cpu_time->status;

	if (!measured->recorded || measured->outcome != OUTCOME_MEASURED ||
		benchmark->outcome != OUTCOME_MEASURED || !(total->base > 0))
		return false;
	*out = begin(measured, METRIC_CPU);
	out->test = BY_FUNCTION;
	out->state = status == RESULT_ERROR           ? METRIC_UNDECIDED
		     : status == RESULT_FAIL          ? METRIC_GREW
		     : total->state == STATE_IMPROVED ? METRIC_SHRANK
						      : METRIC_SAME;
	out->runs = benchmark->pair_count;
	out->base = total->base;
	out->head = total->head;
	out->change = total->change;
	out->low = total->low;
	out->high = total->high;
	out->margin = measured->recordings[VERSION_HEAD].policy.margin_total;
	out->decides = status == RESULT_FAIL && out->gate != GATE_SHOW;
	if (status == RESULT_ERROR || is_shown_to_grow(out))
		out->detail = by_cpu_time->why;
	return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void raise_status(struct result_metric *metric, struct result_benchmark *out)
{
	enum result_status status = metric->gate == GATE_FAIL ? RESULT_FAIL : RESULT_WARN;

	if (metric->state != METRIC_GREW || metric->gate == GATE_SHOW ||
		out->status == RESULT_ERROR)
		return;
	metric->decides = true;
	if (out->status != RESULT_FAIL)
		out->status = status;
}

void decide_metrics(const struct measured_benchmark *measured, size_t benchmarks_in_gate,
	const struct by_cpu_time *by_cpu_time, struct result *result, struct result_benchmark *out)
{
	struct result_metric *all = arena_array(&result->arena, METRIC_COUNT, sizeof(*all));
	size_t count = 0;

	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		enum metric metric = (enum metric)i;
		struct result_metric *next = &all[count];

		if (metric == METRIC_CPU) {
			count += hold_cpu_time(measured, by_cpu_time, out, next);
		} else if (metrics[i].type) {
			count += hold_counted(measured, metric, out, next);
		} else if (hold_readings(
				   measured, metric, benchmarks_in_gate, &result->arena, next)) {
			raise_status(next, out);
			count++;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (!by_cpu_time->is_layout || strcmp(all[i].test, BY_FUNCTION) != 0)
			say_why_uncounted(&all[i], &result->arena);
	out->metrics = all;
	out->metric_count = count;
}
