/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/decide/decide_quantities.h"

#include "gate/check/analysis/decision.h"
#include "gate/check/decide/held.h"
#include "gate/verdict/estimate/paired.h"

#include <math.h>
#include <string.h>

/* ---- policy -------------------------------------------------------------------------------- */

/* A benchmark that was neither measured nor counted has none. */
static const struct config_policy *policy_of(const struct session_benchmark *measured)
{
	if (measured->recorded || measured->head_only)
		return &measured->recordings[ARM_HEAD].policy;
	for (size_t i = 0; i < measured->stored_count; i++)
		if (measured->stored[i].counted)
			return &measured->stored[i].head.policy;
	return NULL;
}

enum quantity_gate gate_of(const struct session_benchmark *measured, enum quantity quantity)
{
	const struct config_policy *policy = policy_of(measured);

	if (!policy || policy->gate[quantity] == QUANTITY_BY_DEFAULT)
		return quantities[quantity].gate;
	return policy->gate[quantity];
}

enum result_status gated_status(
	const struct session_benchmark *measured, enum result_status by_cpu_time)
{
	enum quantity_gate gate = gate_of(measured, QUANTITY_CPU);

	if (by_cpu_time == RESULT_FAIL && gate == QUANTITY_WARNS)
		return RESULT_WARN;
	if ((by_cpu_time == RESULT_FAIL || by_cpu_time == RESULT_WARN) && gate == QUANTITY_SHOWN)
		return RESULT_PASS;
	return by_cpu_time;
}

/* ---- the numbers of the runs ---------------------------------------------------------------- */

/* False: this run does not tell. */
static bool read_block(const struct recording_block *block, enum quantity quantity, double *value)
{
	switch (quantity) {
	case QUANTITY_LEAK:
		*value = block->leak_bytes;
		return block->leak_epochs > 0;
	case QUANTITY_WALL:
		*value = block->wall_seconds;
		return *value > 0;
	case QUANTITY_OFF_CPU:
		*value = block->off_cpu_seconds;
		return true;
	case QUANTITY_LOCK_DELAY:
		*value = block->lock_seconds;
		return true;
	case QUANTITY_CONTENTIONS:
		*value = block->contentions;
		return true;
	case QUANTITY_THREADS:
		*value = block->threads;
		return *value > 0;
	case QUANTITY_MAX_RSS:
		*value = block->max_rss_bytes;
		return *value > 0;
	default:
		return false;
	}
}

/* Both arms' runs of one kind, measured here beside each other. */
struct runs {
	const struct recording *arms[ARM_COUNT];
};

static bool find_runs(const struct session_benchmark *measured, const char *kind, struct runs *runs)
{
	if (strcmp(kind, "cpu") == 0) {
		runs->arms[ARM_BASE] = &measured->recordings[ARM_BASE];
		runs->arms[ARM_HEAD] = &measured->recordings[ARM_HEAD];
		return measured->recorded && measured->outcome == OUTCOME_MEASURED;
	}
	for (size_t i = 0; i < measured->stored_count; i++) {
		const struct session_stored *stored = &measured->stored[i];
		const struct profile_kind *of = profile_kind_of_type(stored->profile_type);

		runs->arms[ARM_BASE] = &stored->baseline;
		runs->arms[ARM_HEAD] = &stored->head;
		/* What came from a store was not measured beside head. */
		if (of && strcmp(of->name, kind) == 0 && stored->counted && stored->has_baseline &&
			!*stored->store)
			return true;
	}
	return false;
}

/* Elapsed time is best told by runs of its own: those of the CPU time may have been sliced. */
static bool find_runs_of(
	const struct session_benchmark *measured, enum quantity quantity, struct runs *runs)
{
	if (quantity == QUANTITY_WALL && find_runs(measured, "wall", runs))
		return true;
	if (!find_runs(measured, quantities[quantity].kind, runs))
		return false;
	/* What elapsed in a run that took turns is mostly the other arm's. */
	return quantity != QUANTITY_WALL ||
	       (!runs->arms[ARM_BASE]->slice_ns && !runs->arms[ARM_HEAD]->slice_ns);
}

/* How many runs tell. Values per unit of work where the quantity grows with it. */
static size_t take_values(const struct recording *recording, enum quantity quantity, double *values)
{
	/* A block of fixed work may be several runs: then they are its iterations. */
	bool per_work = quantities[quantity].per_work;
	size_t told = 0;

	for (size_t i = 0; i < recording->block_count; i++) {
		const struct recording_block *block = &recording->blocks[i];

		told += read_block(block, quantity, &values[i]);
		if (per_work && block->iterations > 0)
			values[i] /= block->iterations;
	}
	return told;
}

/* ---- growth that does not count ---------------------------------------------------------------
 */

static const char *margin_text(const struct result_quantity *quantity, struct arena *arena)
{
	if (quantity->absolute)
		return arena_printf(arena, "%.3g %s", quantity->margin, quantity->unit);
	return arena_printf(arena, "%.3g %%", quantity->margin * 100);
}

static bool is_shown_to_grow(const struct result_quantity *quantity)
{
	if (quantity->state != HELD_SAME)
		return false;
	return strcmp(quantity->test, "exact") == 0 ? quantity->change > 0 : quantity->low > 0;
}

/* What grew and does not count has a reason beside it. */
static void say_why_uncounted(struct result_quantity *quantity, struct arena *arena)
{
	const char *margin = margin_text(quantity, arena);

	if (*quantity->detail || !is_shown_to_grow(quantity))
		return;
	if (quantity->change <= quantity->margin)
		quantity->detail = arena_printf(arena, "no more than %s above base", margin);
	else if (isfinite(quantity->p))
		quantity->detail = arena_printf(
			arena, "that it is above %s is not proven: p = %.2g", margin, quantity->p);
	else
		quantity->detail = arena_printf(arena, "that it is above %s is not proven", margin);
}

/* ---- one quantity ---------------------------------------------------------------------------- */

static const char *test_name(const struct quantity_info *quantity, bool exact)
{
	if (exact)
		return "exact";
	if (quantity->test == QUANTITY_TEST_RANKS || quantity->test == QUANTITY_TEST_COUNT)
		return "signed ranks";
	return "paired t";
}

static enum result_gate shown_gate(enum quantity_gate gate)
{
	return gate == QUANTITY_FAILS ? GATE_FAIL : gate == QUANTITY_WARNS ? GATE_WARN : GATE_SHOW;
}

static struct result_quantity begin(
	const struct session_benchmark *measured, enum quantity quantity)
{
	const struct quantity_info *info = &quantities[quantity];

	return (struct result_quantity){
		.name = info->name,
		.meaning = info->meaning,
		.unit = info->unit,
		.test = "",
		.gate = shown_gate(gate_of(measured, quantity)),
		.state = HELD_CANNOT,
		.absolute = quantity == QUANTITY_LEAK,
		.low = NAN,
		.high = NAN,
		.p = NAN,
		.detail = "",
	};
}

static void take_result(const struct quantity_info *info, const struct paired_result *paired,
	struct result_quantity *out)
{
	static const enum result_held states[] = {
		[PAIRED_SAME] = HELD_SAME,
		[PAIRED_GREW] = HELD_GREW,
		[PAIRED_SHRANK] = HELD_SHRANK,
		[PAIRED_CANNOT] = HELD_CANNOT,
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

/* Over runs that need no partner: three of each arm, say, that all agree. */
static size_t common_runs(const struct runs *runs)
{
	size_t base = runs->arms[ARM_BASE]->block_count, head = runs->arms[ARM_HEAD]->block_count;

	return base < head ? base : head;
}

/* Growth of a function's own cost, per unit of work. */
static double growth_of(const struct held *held, size_t function)
{
	double cost[ARM_COUNT] = {0, 0};

	for (int arm = 0; arm < ARM_COUNT; arm++) {
		const struct verdict_cell *row =
			&held->comparison.function_self[arm][function * held->comparison.blocks];

		for (size_t b = 0; b < held->recordings[arm]->block_count; b++)
			cost[arm] += row[b].x;
		cost[arm] /= recording_total_work(held->recordings[arm]);
	}
	return cost[ARM_HEAD] - cost[ARM_BASE];
}

static const char *most_grown(const struct held *held, struct arena *arena)
{
	const struct function_matches *matches = &held->comparison.matches;
	size_t most = matches->count;
	double growth = 0;

	for (size_t f = 0; f < matches->count; f++)
		if (growth_of(held, f) > growth) {
			growth = growth_of(held, f);
			most = f;
		}
	return most < matches->count
		       ? arena_printf(arena, "above all in %s", matches->functions[most].name)
		       : "";
}

/* Who waits longer; "" where the runs' profile is not of this quantity. */
static const char *name_grown(const struct runs *runs, enum quantity quantity, struct arena *arena)
{
	bool has_profile = quantity == QUANTITY_LOCK_DELAY ||
			   (quantity == QUANTITY_WALL &&
				   strcmp(runs->arms[ARM_HEAD]->profile_type, "wall") == 0);
	struct arena scratch = ARENA_INIT;
	struct error ignored;
	struct held held;
	const char *name = "";

	if (has_profile && !hold(&held, runs->arms[ARM_BASE], runs->arms[ARM_HEAD], NULL, &scratch,
				   &ignored)) {
		name = most_grown(&held, arena);
		comparison_release(&held.comparison);
	}
	arena_release(&scratch);
	return name;
}

/* False: nothing is known of it. */
static bool hold_readings(const struct session_benchmark *measured, enum quantity quantity,
	size_t benchmarks_in_gate, struct arena *arena, struct result_quantity *out)
{
	const struct quantity_info *info = &quantities[quantity];
	struct paired_input input = {
		.test = info->test == QUANTITY_TEST_PAIRED ? PAIRED_T : PAIRED_RANKS,
		.exact_first = info->test != QUANTITY_TEST_RANKS,
		.differences = quantity == QUANTITY_LEAK,
		.threshold = info->threshold,
		.least = info->least,
	};
	struct arena scratch = ARENA_INIT;
	struct paired_result paired;
	struct runs runs;
	size_t told = 0, all = 0;

	if (!find_runs_of(measured, quantity, &runs))
		return false;
	input.alpha = rate_of_look(runs.arms[ARM_BASE], runs.arms[ARM_HEAD]) * PAIRED_ALPHA /
		      PAIRED_TOGETHER / (double)(benchmarks_in_gate ? benchmarks_in_gate : 1);
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		size_t count = runs.arms[arm]->block_count;
		double *values = arena_array(&scratch, count, sizeof(*values));

		told += take_values(runs.arms[arm], quantity, values);
		all += count;
		input.value[arm] = values;
	}
	*out = begin(measured, quantity);
	out->runs = input.count = common_runs(&runs);
	if (told == all) {
		paired_decide(&input, &scratch, &paired);
		take_result(info, &paired, out);
		if (out->state == HELD_GREW)
			out->detail = name_grown(&runs, quantity, arena);
	} else {
		out->detail = "not every run tells it";
	}
	arena_release(&scratch);
	return told > 0;
}

/* What decide_stored() has decided already. */
static bool hold_counted(const struct session_benchmark *measured, enum quantity quantity,
	const struct result_benchmark *benchmark, struct result_quantity *out)
{
	for (size_t i = 0; i < benchmark->stored_count; i++) {
		const struct result_stored *stored = &benchmark->stored[i];

		if (stored->kind != STORED_EXACT ||
			quantity_of_type(stored->profile_type) != quantity)
			continue;
		*out = begin(measured, quantity);
		out->state = stored->state == STORED_CANNOT    ? HELD_CANNOT
			     : stored->state == STORED_FLAGGED ? HELD_GREW
			     : stored->shrank                  ? HELD_SHRANK
							       : HELD_SAME;
		out->test = stored->state == STORED_CANNOT ? ""
			    : stored->paired               ? "paired t"
							   : "exact";
		out->runs = stored->runs;
		out->low = stored->paired ? stored->low : NAN;
		out->high = stored->paired ? stored->high : NAN;
		out->p = stored->paired ? stored->p : NAN;
		out->base = stored->base;
		out->head = stored->head;
		out->change = stored->state == STORED_CANNOT ? 0 : stored->change;
		out->margin = stored->threshold;
		out->decides = stored->decides;
		out->detail = stored->state == STORED_CANNOT ? stored->detail : "";
		return true;
	}
	return false;
}

#define BY_FUNCTION "by function"

static bool hold_cpu_time(const struct session_benchmark *measured,
	const struct by_cpu_time *by_cpu_time, const struct result_benchmark *benchmark,
	struct result_quantity *out)
{
	const struct result_change *total = &benchmark->total;
	enum result_status status = by_cpu_time->status;

	if (!measured->recorded || measured->outcome != OUTCOME_MEASURED ||
		benchmark->outcome != OUTCOME_MEASURED || !(total->base > 0))
		return false;
	*out = begin(measured, QUANTITY_CPU);
	out->test = BY_FUNCTION;
	out->state = status == RESULT_ERROR           ? HELD_CANNOT
		     : status == RESULT_FAIL          ? HELD_GREW
		     : total->state == STATE_IMPROVED ? HELD_SHRANK
						      : HELD_SAME;
	out->runs = benchmark->block_count;
	out->base = total->base;
	out->head = total->head;
	out->change = total->change;
	out->low = total->low;
	out->high = total->high;
	out->margin = measured->recordings[ARM_HEAD].policy.margin_total;
	out->decides = status == RESULT_FAIL && out->gate != GATE_SHOW;
	if (status == RESULT_ERROR || is_shown_to_grow(out))
		out->detail = by_cpu_time->why;
	return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void raise_status(struct result_quantity *quantity, struct result_benchmark *out)
{
	enum result_status status = quantity->gate == GATE_FAIL ? RESULT_FAIL : RESULT_WARN;

	if (quantity->state != HELD_GREW || quantity->gate == GATE_SHOW ||
		out->status == RESULT_ERROR)
		return;
	quantity->decides = true;
	if (out->status != RESULT_FAIL)
		out->status = status;
}

void decide_quantities(const struct session_benchmark *measured, size_t benchmarks_in_gate,
	const struct by_cpu_time *by_cpu_time, struct result *result, struct result_benchmark *out)
{
	struct result_quantity *all = arena_array(&result->arena, QUANTITY_COUNT, sizeof(*all));
	size_t count = 0;

	for (unsigned i = 0; i < QUANTITY_COUNT; i++) {
		enum quantity quantity = (enum quantity)i;
		struct result_quantity *next = &all[count];

		if (quantity == QUANTITY_CPU) {
			count += hold_cpu_time(measured, by_cpu_time, out, next);
		} else if (quantities[i].type) {
			count += hold_counted(measured, quantity, out, next);
		} else if (hold_readings(
				   measured, quantity, benchmarks_in_gate, &result->arena, next)) {
			raise_status(next, out);
			count++;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (!by_cpu_time->is_layout || strcmp(all[i].test, BY_FUNCTION) != 0)
			say_why_uncounted(&all[i], &result->arena);
	out->quantities = all;
	out->quantity_count = count;
}
