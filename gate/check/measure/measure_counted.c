/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_counted.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/config/metric.h"
#include "gate/bench/instructions/instructions.h"
#include "gate/check/analysis/hidden.h"
#include "gate/check/decide/decide_counted.h"
#include "gate/check/measure/pair_order.h"
#include "gate/check/runs/measure_side.h"
#include "gate/profile/profile_select.h"
#include "gate/verdict/estimate/paired.h"

#define SAMPLED_ALLOC_BYTES (512 * 1024)

const struct profile_kind *counted_kind(const struct config_benchmark *config, size_t n)
{
	for (const char *const *name = config->profiles; name && *name; name++) {
		const struct profile_kind *kind = profile_kind_find(*name);

		if (kind && kind != profile_kinds && !n--)
			return kind;
	}
	return NULL;
}

/* ---- one side's runs ----------------------------------------------------------------------- */

/* What valgrind did not see to its end is in no count. */
static void tell_lost(
	const struct side *side, const struct instructions_run *run, struct measured_benchmark *out)
{
	struct plan *plan = side->plan;

	if (run->lost)
		measurements_add_line(plan->measurements, &out->warnings,
			arena_printf(&plan->measurements->arena,
				"%s: the instructions of %zu processes are missing: they were "
				"killed or replaced before they could be counted",
				version_names[side->version], run->lost));
}

static int count_instructions(struct side *side, struct measured_benchmark *out, struct error *err)
{
	const struct build *place = side->plan->builds.of[side->version];
	const char *const prefixes[] = {place->build_path, place->path, NULL};
	struct version_runs *runs = &side->runs;
	struct instructions_run run = {0};
	enum instructions_engine engine;
	int rc = instructions_choose("auto", true, &engine, err);

	if (rc)
		return rc;
	rc = instructions_run(&runs->options, engine, &run, err);
	if (!rc && out->call_sites)
		call_sites_add(&out->call_sites[side->version], &run);
	if (!rc)
		rc = recording_add_instructions(
			runs->recording, &runs->round_capacity, &run, prefixes, err);
	if (!rc && runs->recording->round_count == 1)
		tell_lost(side, &run, out);
	instructions_run_release(&run);
	return rc;
}

/* One run; order: 0 first in its pair. */
static int count_once(
	struct side *side, uint32_t order, struct measured_benchmark *out, struct error *err)
{
	struct recording *recording = side->runs.recording;
	int rc = side_prepare_run(side, err);

	if (!rc)
		rc = side->runs.options.kind->sampler ? version_runs_round(&side->runs, order, err)
						      : count_instructions(side, out, err);
	if (!rc)
		recording->rounds[recording->round_count - 1].order = order;
	if (rc && rc != ERR_INTERRUPTED)
		error_prefix(err, "%s of %s could not be counted", side->runs.options.kind->meaning,
			version_names[side->version]);
	return rc;
}

/* All value types of the kind, in one recording. */
static void begin_side(struct side *side, struct plan *plan, const struct config_benchmark *config,
	int version, const struct profile_kind *kind, const struct measured_benchmark *out,
	struct recording *recording)
{
	side_init(side, plan, version, config, recording);
	side_set_clock(side, &out->clock);
	recording->profile_type = kind->types[kind->default_type].type;
	side->runs.options.kind = kind;
	side->runs.options.heap_period_bytes = config->alloc_sampled ? SAMPLED_ALLOC_BYTES : 0;
}

static void end_side(struct side *side, bool tell, struct measured_benchmark *out)
{
	struct recording *recording = side->runs.recording;

	if (tell)
		version_runs_tell_losses(&side->runs, side->plan,
			arena_printf(&recording->arena, "%s, %s", version_names[side->version],
				side->runs.options.kind->meaning),
			out);
	side_release(side);
}

static int count_side(struct plan *plan, const struct config_benchmark *config, int version,
	const struct profile_kind *kind, struct recording *recording,
	struct measured_benchmark *out, struct error *err)
{
	struct side side;
	int rc = ERR_OK;

	begin_side(&side, plan, config, version, kind, out, recording);
	for (int i = 0; i < COUNTED_RUNS && !rc; i++)
		rc = count_once(&side, 0, out, err);
	end_side(&side, !rc, out);
	return rc;
}

/* ---- both sides' runs, in pairs ------------------------------------------------------------- */

static int count_pair(struct side sides[VERSION_COUNT], int first, struct measured_benchmark *out,
	struct error *err)
{
	int rc = count_once(&sides[first], 0, out, err);

	return rc ? rc
		  : count_once(&sides[first == VERSION_HEAD ? VERSION_BASE : VERSION_HEAD], 1, out,
			    err);
}

/*
 * Whole runs: what is counted here does not know of slices. Both recordings are begun whatever is
 * returned.
 */
static int count_in_pairs(struct plan *plan, const struct config_benchmark *config,
	const struct profile_kind *kind, uint32_t pairs, struct recording recordings[VERSION_COUNT],
	struct measured_benchmark *out, struct error *err)
{
	struct side sides[VERSION_COUNT];
	uint64_t seed = pair_seed(plan->options), random = pair_random(seed, config->name);
	int rc = ERR_OK;

	for (int version = 0; version < VERSION_COUNT; version++) {
		begin_side(&sides[version], plan, config, version, kind, out, &recordings[version]);
		recordings[version].seed = seed;
	}
	plan_progress(
		plan, "%s: %s, %u pairs of runs", config->name, kind->meaning, (unsigned)pairs);
	for (uint32_t i = 0; i < pairs && !rc; i++)
		rc = count_pair(sides, pair_first(&random), out, err);
	for (int version = 0; version < VERSION_COUNT; version++)
		end_side(&sides[version], !rc, out);
	return rc;
}

/* Of the types of a heap that are recordings of their own, one carries it over time. */
static void take_memory(const struct recording *from, struct recording *to)
{
	struct memory_line median = memory_line_median(from->memory, from->memory_count);

	to->memory_count = median.count > 0;
	to->memory = arena_array(&to->arena, to->memory_count, sizeof(*to->memory));
	if (median.count)
		to->memory[0] = memory_line_copy(&median, &to->arena);
}

/* One of them as a recording of its own. */
static void take_type(const struct recording *from, const char *type, struct recording *to)
{
	struct arena *arena = &to->arena;

	recording_begin(to, from->benchmark, from->command, from->role, &from->policy);
	profile_free(to->profile);
	to->profile = profile_select(from->profile, type);
	to->profile_type = type;
	to->commit = arena_strdup(arena, from->commit);
	to->tree = arena_strdup(arena, from->tree);
	to->branch = arena_strdup(arena, from->branch);
	to->mechanism = arena_strdup(arena, from->mechanism);
	to->fingerprint.compiler = arena_strdup(arena, from->fingerprint.compiler);
	to->fingerprint.build_hash = arena_strdup(arena, from->fingerprint.build_hash);
	to->calibration = from->calibration;
	to->counted_work = from->counted_work;
	to->seed = from->seed;
	to->attempt = from->attempt;
	to->rounds = arena_array(arena, from->round_count, sizeof(*to->rounds));
	memcpy(to->rounds, from->rounds, from->round_count * sizeof(*to->rounds));
	to->round_count = from->round_count;
	if (strcmp(type, metrics[METRIC_PEAK_BYTES].type) == 0)
		take_memory(from, to);
}

/* ---- what they are compared with ------------------------------------------------------------ */

static struct measured_reference *entry_of(
	struct plan *plan, struct measured_benchmark *out, const char *type)
{
	for (size_t i = 0; i < out->reference_count; i++)
		if (strcmp(out->references[i].profile_type, type) == 0)
			return &out->references[i];
	return measurements_add_reference(plan->measurements, out, type);
}

/* What of the kind is decided: its exact types, or what stands for the kind as a whole. */
static const char *const *types_of(const struct profile_kind *kind)
{
	static const char *const wall[] = {"wall", NULL};
	static const char *const lock[] = {"delay", "contentions", NULL};

	if (kind->exact_types[0])
		return kind->exact_types;
	return strcmp(kind->name, "wall") == 0 ? wall : lock;
}

/* With head's recording it is there for whoever decides later. */
static void take_history(struct measured_reference *reference)
{
	double *history =
		arena_array(&reference->head.arena, reference->history_count, sizeof(*history));

	if (reference->history_count)
		memcpy(history, reference->history, reference->history_count * sizeof(*history));
	reference->head.history = history;
	reference->head.history_count = reference->history_count;
}

static void take_head(struct plan *plan, const struct profile_kind *kind,
	const struct recording *head, struct measured_benchmark *out)
{
	for (const char *const *type = types_of(kind); *type; type++) {
		struct measured_reference *reference = entry_of(plan, out, *type);

		if (reference->counted)
			recording_release(&reference->head);
		take_type(head, *type, &reference->head);
		take_history(reference);
		reference->counted = true;
	}
}

/* Of the base itself, and built and run as head is: then there is nothing to gain by counting. */
static bool fits(const struct measured_reference *reference)
{
	const char *difference;
	struct arena scratch = ARENA_INIT;
	bool fits = reference->has_baseline && reference->distance == 0 &&
		    counts_everything(&reference->head) &&
		    counts_are_comparable(
			    &reference->baseline, &reference->head, &scratch, &difference);

	arena_release(&scratch);
	return fits;
}

static bool needs_base(
	struct plan *plan, const struct profile_kind *kind, struct measured_benchmark *out)
{
	for (const char *const *type = kind->exact_types; *type; type++)
		if (!fits(entry_of(plan, out, *type)))
			return true;
	return false;
}

/* The base's own counts of this very machine replace what was stored. */
static void take_base(struct plan *plan, const struct profile_kind *kind,
	const struct recording *base, struct measured_benchmark *out)
{
	for (const char *const *type = types_of(kind); *type; type++) {
		struct measured_reference *reference = entry_of(plan, out, *type);

		if (reference->has_baseline)
			recording_release(&reference->baseline);
		take_type(base, *type, &reference->baseline);
		reference->has_baseline = true;
		reference->store = reference->environment = reference->detail = "";
		reference->commit = arena_strdup(&plan->measurements->arena, plan->commits.base);
		reference->distance = 0;
		reference->losses.count = 0;
	}
}

/* Both versions' runs of all that is decided exactly say the same each time. */
static bool kind_agrees(
	struct plan *plan, const struct profile_kind *kind, struct measured_benchmark *out)
{
	for (const char *const *type = kind->exact_types; *type; type++) {
		const struct measured_reference *reference = entry_of(plan, out, *type);

		if (!counts_agree(&reference->head) ||
			(reference->has_baseline && !counts_agree(&reference->baseline)))
			return false;
	}
	return true;
}

/* Under valgrind a run takes ten times as long, and counts hardly differ. */
static uint32_t pairs_of(const struct plan *plan, const struct profile_kind *kind)
{
	return kind->sampler ? plan->config.policy.stage1_pairs : PAIRED_MIN;
}

static int measure_pairs(struct plan *plan, const struct config_benchmark *config,
	const struct profile_kind *kind, struct measured_benchmark *out, struct error *err)
{
	struct recording recordings[VERSION_COUNT];
	int rc = count_in_pairs(plan, config, kind, pairs_of(plan, kind), recordings, out, err);

	if (!rc) {
		take_head(plan, kind, &recordings[VERSION_HEAD], out);
		take_base(plan, kind, &recordings[VERSION_BASE], out);
	}
	for (int version = 0; version < VERSION_COUNT; version++)
		recording_release(&recordings[version]);
	return rc;
}

static int count_base(struct plan *plan, const struct config_benchmark *config,
	const struct profile_kind *kind, struct measured_benchmark *out, struct error *err)
{
	struct recording base;
	int rc = count_side(plan, config, VERSION_BASE, kind, &base, out, err);

	if (!rc)
		take_base(plan, kind, &base, out);
	recording_release(&base);
	return rc;
}

static int count_head(struct plan *plan, const struct config_benchmark *config,
	const struct profile_kind *kind, struct measured_benchmark *out, struct error *err)
{
	struct recording head;
	int rc = count_side(plan, config, VERSION_HEAD, kind, &head, out, err);

	if (!rc)
		take_head(plan, kind, &head, out);
	recording_release(&head);
	return rc;
}

static int count_exactly(struct plan *plan, const struct config_benchmark *config,
	const struct profile_kind *kind, struct measured_benchmark *out, struct error *err)
{
	bool has_base = !plan->recording && plan->builds.of[VERSION_BASE];
	int rc;

	plan_progress(
		plan, "%s: %s, counted in %d runs", config->name, kind->meaning, COUNTED_RUNS);
	rc = count_head(plan, config, kind, out, err);
	if (!rc && has_base && needs_base(plan, kind, out))
		rc = count_base(plan, config, kind, out, err);
	if (!rc && has_base && !kind_agrees(plan, kind, out))
		rc = measure_pairs(plan, config, kind, out, err);
	return rc;
}

static int count_kind(struct plan *plan, const struct config_benchmark *config,
	const struct profile_kind *kind, struct measured_benchmark *out, struct error *err)
{
	/* Of what differs from run to run there are pairs, or nothing to say. */
	if (!kind->exact_types[0] && (plan->recording || !plan->builds.of[VERSION_BASE]))
		return ERR_OK;
	/* The screen may have done it already. */
	if (entry_of(plan, out, types_of(kind)[0])->counted)
		return ERR_OK;
	if (kind->exact_types[0])
		return count_exactly(plan, config, kind, out, err);
	return measure_pairs(plan, config, kind, out, err);
}

int plan_count(struct plan *plan, const struct config_benchmark *config,
	struct measured_benchmark *out, struct error *err)
{
	const struct profile_kind *kind;
	double start = monotonic_seconds();
	int rc = ERR_OK;

	for (size_t i = 0; (kind = counted_kind(config, i)) != NULL && !rc; i++) {
		struct error lost = {0};

		rc = count_kind(plan, config, kind, out, &lost);
		if (rc == ERR_INTERRUPTED) {
			*err = lost;
		} else if (rc) {
			measurements_add_line(plan->measurements, &out->warnings, lost.message);
			rc = ERR_OK;
		}
	}
	out->wall_seconds += monotonic_seconds() - start;
	return rc;
}
