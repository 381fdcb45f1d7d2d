/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_pair.h"

#include <stdio.h>
#include <string.h>

#include "gate/base/map.h"
#include "gate/bench/machine/memory_room.h"
#include "gate/bench/run/duet.h"
#include "gate/bench/run/slice_length.h"
#include "gate/check/measure/pair_order.h"

#define MOST_REPEATED 4 /* duets of all stages */

/* ---- whole runs --------------------------------------------------------------------------- */

static int run_in_turn(struct pairing *pairing, bool first, struct error *err)
{
	int arm = pair_first(&pairing->random);
	int rc = side_run(&pairing->sides[arm], first, 0, err);

	return rc ? rc : side_run(&pairing->sides[!arm], first, 1, err);
}

/* Where a block is several runs the arms take turns at them: as slices, they cannot be too many. */
static int run_whole(struct pairing *pairing, struct error *err)
{
	uint32_t repeat = pairing->sides[ARM_BASE].runs.repeat;
	int rc = run_in_turn(pairing, true, err);

	for (uint32_t i = 1; i < repeat && !rc; i++)
		rc = run_in_turn(pairing, false, err);
	return rc;
}

static void note_kind(struct pairing *pairing)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		struct recording *recording = pairing->sides[arm].runs.recording;

		recording->slice_ns = pairing->slice_ns;
		recording->unsliced = arena_strdup(&recording->arena, pairing->unsliced);
	}
}

static void choose_whole(struct pairing *pairing, const char *reason)
{
	pairing->slice_ns = 0;
	snprintf(pairing->unsliced, sizeof(pairing->unsliced), "%.*s", (int)strcspn(reason, "\n"),
		reason);
	note_kind(pairing);
}

/* ---- slices ------------------------------------------------------------------------------- */

/* Absolute paths that the build wrote into the arm lead to whoever has the turn. */
static int activate(void *data, int arm, struct error *err)
{
	const struct side *side = &((struct side *)data)[arm];

	return arm_activate(&side->plan->builds.cache, side->plan->builds.arm_of[arm], err);
}

static int check_files(const struct pairing *pairing, struct error *err)
{
	for (int arm = 0; arm < ARM_COUNT; arm++)
		if (side_check_files(&pairing->sides[arm], err))
			return side_blame(&pairing->sides[arm], err);
	return ERR_OK;
}

/* Another for each pair. */
static uint64_t slices_seed(struct pairing *pairing)
{
	uint64_t seed = (uint64_t)pair_first(&pairing->random);

	return hash_bytes(&pairing->random, sizeof(pairing->random), seed);
}

/* Both runs are valid in every case. */
static int run_sliced(struct pairing *pairing, struct run runs[ARM_COUNT],
	struct duet_report *report, struct error *err)
{
	struct side *sides = pairing->sides;
	const struct run_options options[ARM_COUNT] = {
		sides[ARM_BASE].runs.options, sides[ARM_HEAD].runs.options};
	const struct duet_options duet = {.slice_ns = pairing->slice_ns,
		.seed = slices_seed(pairing),
		.before_turn = activate,
		.data = sides};
	int rc = duet_run(options, &duet, runs, report, err);

	if (rc && report->failed >= 0 && rc != ERR_INTERRUPTED)
		error_prefix(err, "%s", arm_names[report->failed]);
	return rc;
}

static int add_both(struct pairing *pairing, const struct run runs[ARM_COUNT], bool first,
	const struct duet_report *report, struct error *err)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		struct side *side = &pairing->sides[arm];

		if (arm_runs_add(&side->runs, &runs[arm], first, arm != report->first, err))
			return side_blame(side, err);
	}
	return ERR_OK;
}

/* Whatever went wrong in turns may go well alone; if not, whole runs say what it is. */
static void give_up_slices(struct pairing *pairing, const struct error *why)
{
	struct error reason = *why;

	error_prefix(&reason, "in turns of %g ms", (double)pairing->slice_ns / 1e6);
	for (int arm = 0; arm < ARM_COUNT; arm++)
		if (pairing->sides[arm].runs.recording->block_count)
			side_restart(&pairing->sides[arm]);
	choose_whole(pairing, reason.message);
	plan_progress(pairing->sides[0].plan, "%s: whole runs, because %s",
		pairing->sides[0].config->name, pairing->unsliced);
}

static int relink_both(struct pairing *pairing, struct error *err)
{
	int rc = side_relink(&pairing->sides[ARM_BASE], err);

	return rc ? rc : side_relink(&pairing->sides[ARM_HEAD], err);
}

bool pairing_may_repeat(struct pairing *pairing, uint32_t attempt)
{
	if (attempt || pairing->repeated >= MOST_REPEATED)
		return false;
	pairing->repeated++;
	return true;
}

static void release_both(struct run runs[ARM_COUNT])
{
	for (int arm = 0; arm < ARM_COUNT; arm++)
		run_release(&runs[arm]);
}

/* Nothing of a duet that failed is kept: who stood still is not asked what it measured. */
static int run_steady(struct pairing *pairing, struct run runs[ARM_COUNT],
	struct duet_report *report, struct error *err)
{
	int rc = run_sliced(pairing, runs, report, err);

	for (uint32_t i = 0; rc && report->impossible && pairing_may_repeat(pairing, i); i++) {
		plan_progress(pairing->sides[0].plan, "%s: a pair is run again: %s",
			pairing->sides[0].config->name, err->message);
		release_both(runs);
		*err = (struct error){0};
		rc = run_sliced(pairing, runs, report, err);
	}
	return rc;
}

/* One of the duets that make a block. */
static int run_duet(struct pairing *pairing, bool first, bool *again, struct error *err)
{
	struct run runs[ARM_COUNT] = {{0}};
	struct duet_report report;
	int rc = run_steady(pairing, runs, &report, err);

	if (!rc) {
		rc = add_both(pairing, runs, first, &report, err);
	} else if (rc != ERR_INTERRUPTED) {
		give_up_slices(pairing, err);
		*again = true;
		rc = ERR_OK;
	}
	release_both(runs);
	return rc;
}

int pairing_run(struct pairing *pairing, bool *again, struct error *err)
{
	uint32_t repeat = pairing->sides[ARM_BASE].runs.repeat;
	int rc;

	*again = false;
	rc = relink_both(pairing, err);
	if (rc)
		return rc;
	if (!pairing->slice_ns)
		return run_whole(pairing, err);
	rc = check_files(pairing, err);
	if (!rc)
		rc = run_duet(pairing, true, again, err);
	for (uint32_t i = 1; i < repeat && !rc && !*again; i++)
		rc = run_duet(pairing, false, again, err);
	return rc;
}

/* ---- which -------------------------------------------------------------------------------- */

static uint32_t most_threads(const struct side sides[ARM_COUNT])
{
	uint32_t base = sides[ARM_BASE].runs.max_threads, head = sides[ARM_HEAD].runs.max_threads;

	return base > head ? base : head;
}

/*
 * A two-thread program that became slower by 15.6 % on one CPU, and by 14.3 % on two, came out at
 * 19.1 % in turns, with an interval from 16.4 to 21.9 %. The cause is not known; its threads stop
 * at samples of their own, up to a period apart.
 */
static bool threads_forbid(const struct pairing *pairing)
{
	return pairing->sides[ARM_BASE].config->slice_ns == CONFIG_SLICES_AUTO &&
	       most_threads(pairing->sides) > 1;
}

const char *pairing_threads_note(const struct pairing *pairing, struct arena *arena)
{
	uint32_t threads = most_threads(pairing->sides);

	if (!pairing->slice_ns || threads < 2)
		return "";
	return arena_printf(arena,
		"it runs %u threads: in turns, as 'slices' asks for, the size of a change may come "
		"out too large",
		threads);
}

static double shorter_run(const struct pairing *pairing)
{
	double base = pairing->sides[ARM_BASE].probe_cpu_seconds;
	double head = pairing->sides[ARM_HEAD].probe_cpu_seconds;

	return base < head ? base : head;
}

/* Where one of them did not tell, of both no more is known than that they run. */
static struct slice_needs needs_of(const struct pairing *pairing)
{
	uint64_t base = pairing->sides[ARM_BASE].probe_resident_bytes;
	uint64_t head = pairing->sides[ARM_HEAD].probe_resident_bytes;

	return (struct slice_needs){{base && head ? base : 0, base && head ? head : 0},
		slice_cache_size(), shorter_run(pairing)};
}

static uint64_t automatic_length(const struct pairing *pairing)
{
	const struct slice_needs needs = needs_of(pairing);

	return slice_length(&needs);
}

/* A run is long enough for turns, but not for turns of the length that its memory asks for. */
static bool memory_forbids(const struct pairing *pairing, char *reason, size_t size)
{
	const struct side *base = &pairing->sides[ARM_BASE], *head = &pairing->sides[ARM_HEAD];
	const struct slice_needs needs = needs_of(pairing);
	bool is_head = head->probe_resident_bytes > base->probe_resident_bytes;
	double least = DUET_MIN_SLICES * (double)pairing->slice_ns / 1e9;

	if (base->config->slice_ns != CONFIG_SLICES_AUTO || pairing->slice_ns == DUET_SLICE_NS ||
		(needs.shorter >= least && pairing->slice_ns <= SLICE_LONGEST_NS))
		return false;
	if (needs.shorter * 1e9 < (double)(DUET_MIN_SLICES * DUET_SLICE_NS))
		return false;
	snprintf(reason, size,
		"%s works on %.1f MB more, which each turn would bring into the caches again",
		arm_names[is_head ? ARM_HEAD : ARM_BASE], (double)slice_more(&needs) / 1e6);
	return true;
}

/* Why not, before anything is tried; false: nothing is against it. */
static bool is_unfit(const struct pairing *pairing, char *reason, size_t size)
{
	const struct side *base = &pairing->sides[ARM_BASE], *head = &pairing->sides[ARM_HEAD];
	double least = DUET_MIN_SLICES * (double)pairing->slice_ns / 1e9;
	uint64_t needed = base->probe_rss_bytes + head->probe_rss_bytes, room = memory_room();

	if (threads_forbid(pairing)) {
		snprintf(reason, size,
			"it runs %u threads, and in turns the size of a change may come out too "
			"large",
			most_threads(pairing->sides));
		return true;
	}
	if (memory_forbids(pairing, reason, size))
		return true;
	if (shorter_run(pairing) < least) {
		snprintf(reason, size, "one run takes only %.0f ms of CPU time",
			shorter_run(pairing) * 1e3);
		return true;
	}
	if (needed > room) {
		snprintf(reason, size,
			"both at the same time would need %.1f GB of memory, and %.1f GB are free",
			(double)needed / 1e9, (double)room / 1e9);
		return true;
	}
	if (base->plan->builds.arm_of[ARM_BASE] == base->plan->builds.arm_of[ARM_HEAD] &&
		base->runs.iterations_path) {
		snprintf(reason, size,
			"both versions are the same files in one folder, and would write one file "
			"of iterations");
		return true;
	}
	return false;
}

void pairing_choose(struct pairing *pairing)
{
	const struct config_benchmark *config = pairing->sides[0].config;
	char reason[256];

	pairing->unsliced[0] = '\0';
	pairing->repeated = 0;
	pairing->slice_ns = config->slice_ns == CONFIG_SLICES_AUTO ? automatic_length(pairing)
								   : config->slice_ns;
	if (pairing->slice_ns && is_unfit(pairing, reason, sizeof(reason)))
		choose_whole(pairing, reason);
	else
		note_kind(pairing);
}
