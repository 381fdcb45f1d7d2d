/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure_counted.h"

#include "gate/bench/instructions.h"
#include "gate/check/decide_counted.h"
#include "gate/check/hidden.h"
#include "gate/check/measure_side.h"
#include "gate/profile/profile_select.h"

#include <string.h>

#define SAMPLED_ALLOC_BYTES (512 * 1024)

const struct profile_kind *counted_kind(const struct config_benchmark *config, size_t n)
{
	for (const char *const *name = config->profiles; name && *name; name++) {
		const struct profile_kind *kind = profile_kind_find(*name);

		if (kind && kind->exact_types[0] && !n--)
			return kind;
	}
	return NULL;
}

/* ---- one side's runs ----------------------------------------------------------------------- */

/* What valgrind did not see to its end is in no count. */
static void tell_lost(
	const struct side *side, const struct instructions_run *run, struct session_benchmark *out)
{
	struct plan *plan = side->plan;

	if (run->lost)
		session_add_line(plan->session, &out->warnings,
			arena_printf(&plan->session->arena,
				"%s: the instructions of %zu processes are missing: they were "
				"killed or replaced before they could be counted",
				arm_names[side->arm], run->lost));
}

static int count_instructions(struct side *side, struct session_benchmark *out, struct error *err)
{
	const struct arm *place = side->plan->arm_of[side->arm];
	const char *const prefixes[] = {place->build_path, place->path, NULL};
	struct arm_runs *runs = &side->runs;
	struct instructions_run run = {0};
	enum instructions_engine engine;
	int rc = instructions_choose("auto", true, &engine, err);

	if (rc)
		return rc;
	rc = instructions_run(&runs->options, engine, &run, err);
	if (!rc)
		rc = recording_add_instructions(
			runs->recording, &runs->block_capacity, &run, prefixes, err);
	if (!rc && runs->recording->block_count == 1)
		tell_lost(side, &run, out);
	instructions_run_release(&run);
	return rc;
}

static int count_once(struct side *side, const struct profile_kind *kind,
	struct session_benchmark *out, struct error *err)
{
	int rc = arm_activate(&side->plan->cache, side->plan->arm_of[side->arm], err);

	if (rc)
		return rc;
	return kind->sampler ? arm_runs_block(&side->runs, 0, err)
			     : count_instructions(side, out, err);
}

/* All value types of the kind, in one recording. */
static int count_side(struct plan *plan, const struct config_benchmark *config, int arm,
	const struct profile_kind *kind, struct recording *recording, struct session_benchmark *out,
	struct error *err)
{
	struct side side;
	int rc = ERR_OK;

	side_init(&side, plan, arm, config, recording);
	recording->profile_type = kind->types[kind->default_type].type;
	side.runs.options.kind = kind;
	side.runs.options.heap_period_bytes = config->alloc_sampled ? SAMPLED_ALLOC_BYTES : 0;
	for (int i = 0; i < COUNTED_RUNS && !rc; i++)
		rc = count_once(&side, kind, out, err);
	if (!rc)
		arm_runs_tell_losses(&side.runs, plan,
			arena_printf(&recording->arena, "%s, %s", arm_names[arm], kind->meaning),
			out);
	side_release(&side);
	if (rc && rc != ERR_INTERRUPTED)
		error_prefix(err, "%s of %s could not be counted", kind->meaning, arm_names[arm]);
	return rc;
}

/* One of them as a recording of its own. */
static void take_type(const struct recording *from, const char *type, struct recording *to)
{
	struct arena *arena = &to->arena;

	recording_begin(to, from->benchmark, from->command, from->arm, &from->policy);
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
	to->blocks = arena_array(arena, from->block_count, sizeof(*to->blocks));
	memcpy(to->blocks, from->blocks, from->block_count * sizeof(*to->blocks));
	to->block_count = from->block_count;
}

/* ---- what they are held against ------------------------------------------------------------ */

static struct session_stored *entry_of(
	struct plan *plan, struct session_benchmark *out, const char *type)
{
	for (size_t i = 0; i < out->stored_count; i++)
		if (strcmp(out->stored[i].profile_type, type) == 0)
			return &out->stored[i];
	return session_add_stored(plan->session, out, type);
}

static void take_head(struct plan *plan, const struct profile_kind *kind,
	const struct recording *head, struct session_benchmark *out)
{
	for (const char *const *type = kind->exact_types; *type; type++) {
		struct session_stored *stored = entry_of(plan, out, *type);

		take_type(head, *type, &stored->head);
		stored->counted = true;
	}
}

/* Of the base itself, and built and run as head is: then there is nothing to gain by counting. */
static bool fits(const struct session_stored *stored)
{
	const char *difference;
	struct arena scratch = ARENA_INIT;
	bool fits = stored->has_baseline && stored->distance == 0 &&
		    counts_everything(&stored->head) &&
		    counts_are_comparable(&stored->baseline, &stored->head, &scratch, &difference);

	arena_release(&scratch);
	return fits;
}

static bool needs_base(
	struct plan *plan, const struct profile_kind *kind, struct session_benchmark *out)
{
	for (const char *const *type = kind->exact_types; *type; type++)
		if (!fits(entry_of(plan, out, *type)))
			return true;
	return false;
}

/* The base's own counts of this very machine replace what was stored. */
static void take_base(struct plan *plan, const struct profile_kind *kind,
	const struct recording *base, struct session_benchmark *out)
{
	for (const char *const *type = kind->exact_types; *type; type++) {
		struct session_stored *stored = entry_of(plan, out, *type);

		if (stored->has_baseline)
			recording_release(&stored->baseline);
		take_type(base, *type, &stored->baseline);
		stored->has_baseline = true;
		stored->store = stored->environment = stored->detail = "";
		stored->commit = arena_strdup(&plan->session->arena, plan->base);
		stored->distance = 0;
		stored->losses.count = 0;
	}
}

static int count_kind(struct plan *plan, const struct config_benchmark *config,
	const struct profile_kind *kind, struct session_benchmark *out, struct error *err)
{
	struct recording head, base;
	int rc;

	/* The screen may have done it already. */
	if (entry_of(plan, out, kind->exact_types[0])->counted)
		return ERR_OK;
	plan_progress(
		plan, "%s: %s, counted in %d runs", config->name, kind->meaning, COUNTED_RUNS);
	rc = count_side(plan, config, ARM_HEAD, kind, &head, out, err);
	if (!rc)
		take_head(plan, kind, &head, out);
	recording_release(&head);
	if (rc || plan->recording || !plan->arm_of[ARM_BASE] || !needs_base(plan, kind, out))
		return rc;
	rc = count_side(plan, config, ARM_BASE, kind, &base, out, err);
	if (!rc)
		take_base(plan, kind, &base, out);
	recording_release(&base);
	return rc;
}

int plan_count(struct plan *plan, const struct config_benchmark *config,
	struct session_benchmark *out, struct error *err)
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
			session_add_line(plan->session, &out->warnings, lost.message);
			rc = ERR_OK;
		}
	}
	out->wall_seconds += monotonic_seconds() - start;
	return rc;
}
