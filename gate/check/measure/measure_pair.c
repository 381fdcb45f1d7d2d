/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_pair.h"

#include <stdio.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/bench/machine/memory_room.h"
#include "gate/bench/run/pair.h"
#include "gate/bench/run/slice_length.h"
#include "gate/check/measure/pair_order.h"

#define MOST_REPEATED 4 /* pairs of all stages */

/* ---- whole runs --------------------------------------------------------------------------- */

static int run_in_turn(struct pair_runner *runner, bool first, struct error *err)
{
	int version = pair_first(&runner->random);
	int rc = side_run(&runner->sides[version], first, 0, err);

	return rc ? rc : side_run(&runner->sides[!version], first, 1, err);
}

/* Where a pair is several runs the versions take turns at them: like slices, never too many. */
static int run_whole(struct pair_runner *runner, struct error *err)
{
	uint32_t repeat = runner->sides[VERSION_BASE].runs.repeat;
	int rc = run_in_turn(runner, true, err);

	for (uint32_t i = 1; i < repeat && !rc; i++)
		rc = run_in_turn(runner, false, err);
	return rc;
}

static void note_kind(struct pair_runner *runner)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct recording *recording = runner->sides[version].runs.recording;

		recording->slice_ns = runner->slice_ns;
		recording->unsliced = arena_strdup(&recording->arena, runner->unsliced);
	}
}

static void choose_whole(struct pair_runner *runner, const char *reason)
{
	runner->slice_ns = 0;
	snprintf(runner->unsliced, sizeof(runner->unsliced), "%.*s", (int)strcspn(reason, "\n"),
		reason);
	note_kind(runner);
}

/* ---- slices ------------------------------------------------------------------------------- */

/* Absolute paths that building wrote into the files lead to whoever has the turn. */
static int activate(void *data, int version, struct error *err)
{
	const struct side *side = &((struct side *)data)[version];

	return build_activate(&side->plan->builds.cache, side->plan->builds.of[version], err);
}

static int check_files(const struct pair_runner *runner, struct error *err)
{
	for (int version = 0; version < VERSION_COUNT; version++)
		if (side_check_files(&runner->sides[version], err))
			return side_blame(&runner->sides[version], err);
	return ERR_OK;
}

/* Another for each pair. */
static uint64_t slices_seed(struct pair_runner *runner)
{
	uint64_t seed = (uint64_t)pair_first(&runner->random);

	return hash_bytes(&runner->random, sizeof(runner->random), seed);
}

/* Both runs are valid in every case. */
static int run_sliced(struct pair_runner *runner, struct run runs[VERSION_COUNT],
	struct pair_report *report, struct error *err)
{
	struct side *sides = runner->sides;
	const struct run_options options[VERSION_COUNT] = {
		sides[VERSION_BASE].runs.options, sides[VERSION_HEAD].runs.options};
	const struct pair_options pair = {.slice_ns = runner->slice_ns,
		.seed = slices_seed(runner),
		.before_turn = activate,
		.data = sides};
	int rc = side_clean(&sides[VERSION_BASE], err);

	*report = (struct pair_report){.failed = -1};
	if (!rc)
		rc = side_clean(&sides[VERSION_HEAD], err);
	if (!rc)
		rc = pair_run(options, &pair, runs, report, err);
	if (rc && report->failed >= 0 && rc != ERR_INTERRUPTED)
		error_prefix(err, "%s", version_names[report->failed]);
	return rc;
}

static int add_both(struct pair_runner *runner, const struct run runs[VERSION_COUNT], bool first,
	const struct pair_report *report, struct error *err)
{
	for (int version = 0; version < VERSION_COUNT; version++) {
		struct side *side = &runner->sides[version];

		if (version_runs_add(
			    &side->runs, &runs[version], first, version != report->first, err))
			return side_blame(side, err);
	}
	return ERR_OK;
}

/* Whatever went wrong in turns may go well alone; if not, whole runs say what it is. */
static void give_up_slices(struct pair_runner *runner, const struct error *why)
{
	struct error reason = *why;

	error_prefix(&reason, "in turns of %g ms", (double)runner->slice_ns / 1e6);
	for (int version = 0; version < VERSION_COUNT; version++)
		if (runner->sides[version].runs.recording->round_count)
			side_restart(&runner->sides[version]);
	choose_whole(runner, reason.message);
	plan_progress(runner->sides[0].plan, "%s: whole runs, because %s",
		runner->sides[0].config->name, runner->unsliced);
}

static int relink_both(struct pair_runner *runner, struct error *err)
{
	int rc = side_relink(&runner->sides[VERSION_BASE], err);

	return rc ? rc : side_relink(&runner->sides[VERSION_HEAD], err);
}

bool pair_runner_may_repeat(struct pair_runner *runner, uint32_t attempt)
{
	if (attempt || runner->repeated >= MOST_REPEATED)
		return false;
	runner->repeated++;
	return true;
}

static void release_both(struct run runs[VERSION_COUNT])
{
	for (int version = 0; version < VERSION_COUNT; version++)
		run_release(&runs[version]);
}

/* Nothing of a pair that failed is kept: who stood still is not asked what it measured. */
static int run_steady(struct pair_runner *runner, struct run runs[VERSION_COUNT],
	struct pair_report *report, struct error *err)
{
	int rc = run_sliced(runner, runs, report, err);

	for (uint32_t i = 0; rc && report->impossible && pair_runner_may_repeat(runner, i); i++) {
		plan_progress(runner->sides[0].plan, "%s: a pair is run again: %s",
			runner->sides[0].config->name, err->message);
		release_both(runs);
		*err = (struct error){0};
		rc = run_sliced(runner, runs, report, err);
	}
	return rc;
}

/* One run of each version in turns; a pair may be several of these. */
static int run_pair(struct pair_runner *runner, bool first, bool *again, struct error *err)
{
	struct run runs[VERSION_COUNT] = {{0}};
	struct pair_report report;
	int rc = run_steady(runner, runs, &report, err);

	if (!rc) {
		rc = add_both(runner, runs, first, &report, err);
	} else if (rc != ERR_INTERRUPTED) {
		give_up_slices(runner, err);
		*again = true;
		rc = ERR_OK;
	}
	release_both(runs);
	return rc;
}

int pair_runner_run(struct pair_runner *runner, bool *again, struct error *err)
{
	uint32_t repeat = runner->sides[VERSION_BASE].runs.repeat;
	int rc;

	*again = false;
	rc = relink_both(runner, err);
	if (rc)
		return rc;
	if (!runner->slice_ns)
		return run_whole(runner, err);
	rc = check_files(runner, err);
	if (!rc)
		rc = run_pair(runner, true, again, err);
	for (uint32_t i = 1; i < repeat && !rc && !*again; i++)
		rc = run_pair(runner, false, again, err);
	return rc;
}

/* ---- which -------------------------------------------------------------------------------- */

static uint32_t most_threads(const struct side sides[VERSION_COUNT])
{
	uint32_t base = sides[VERSION_BASE].runs.max_threads,
		 head = sides[VERSION_HEAD].runs.max_threads;

	return base > head ? base : head;
}

/*
 * A two-thread program that became slower by 15.6 % on one CPU, and by 14.3 % on two, came out at
 * 19.1 % in turns, with an interval from 16.4 to 21.9 %. The cause is not known; its threads stop
 * at samples of their own, up to a period apart.
 */
static bool threads_forbid(const struct pair_runner *runner)
{
	return runner->sides[VERSION_BASE].config->slice_ns == CONFIG_SLICES_AUTO &&
	       most_threads(runner->sides) > 1;
}

const char *pair_runner_threads_note(const struct pair_runner *runner, struct arena *arena)
{
	uint32_t threads = most_threads(runner->sides);

	if (!runner->slice_ns || threads < 2)
		return "";
	return arena_printf(arena,
		"it runs %u threads: in turns, as 'slices' asks for, "
		"the size of a change may come out too large",
		threads);
}

static double shorter_run(const struct pair_runner *runner)
{
	double base = runner->sides[VERSION_BASE].probe_cpu_seconds;
	double head = runner->sides[VERSION_HEAD].probe_cpu_seconds;

	return base < head ? base : head;
}

/* Where one of them did not tell, of both no more is known than that they run. */
static struct slice_needs needs_of(const struct pair_runner *runner)
{
	uint64_t base = runner->sides[VERSION_BASE].probe_resident_bytes;
	uint64_t head = runner->sides[VERSION_HEAD].probe_resident_bytes;

	return (struct slice_needs){{base && head ? base : 0, base && head ? head : 0},
		slice_cache_size(), shorter_run(runner)};
}

static uint64_t automatic_length(const struct pair_runner *runner)
{
	const struct slice_needs needs = needs_of(runner);

	return slice_length(&needs);
}

/* A run is long enough for turns, but not for turns of the length that its memory asks for. */
static bool memory_forbids(const struct pair_runner *runner, char *reason, size_t size)
{
	const struct side *base = &runner->sides[VERSION_BASE],
			  *head = &runner->sides[VERSION_HEAD];
	const struct slice_needs needs = needs_of(runner);
	bool is_head = head->probe_resident_bytes > base->probe_resident_bytes;
	double least = PAIR_MIN_SLICES * (double)runner->slice_ns / 1e9;

	if (base->config->slice_ns != CONFIG_SLICES_AUTO || runner->slice_ns == PAIR_SLICE_NS ||
		(needs.shorter >= least && runner->slice_ns <= SLICE_LONGEST_NS))
		return false;
	if (needs.shorter * 1e9 < (double)(PAIR_MIN_SLICES * PAIR_SLICE_NS))
		return false;
	snprintf(reason, size,
		"%s works on %.1f MB more, which each turn would bring into the caches again",
		version_names[is_head ? VERSION_HEAD : VERSION_BASE],
		(double)slice_more(&needs) / 1e6);
	return true;
}

/* Why not, before anything is tried; false: nothing is against it. */
static bool is_unfit(const struct pair_runner *runner, char *reason, size_t size)
{
	const struct side *base = &runner->sides[VERSION_BASE],
			  *head = &runner->sides[VERSION_HEAD];
	double least = PAIR_MIN_SLICES * (double)runner->slice_ns / 1e9;
	uint64_t needed = base->probe_rss_bytes + head->probe_rss_bytes, room = memory_room();

	if (threads_forbid(runner)) {
		snprintf(reason, size,
			"it runs %u threads, and in turns the size of a "
			"change may come out too large",
			most_threads(runner->sides));
		return true;
	}
	if (memory_forbids(runner, reason, size))
		return true;
	if (shorter_run(runner) < least) {
		snprintf(reason, size, "one run takes only %.0f ms of CPU time",
			shorter_run(runner) * 1e3);
		return true;
	}
	if (needed > room) {
		snprintf(reason, size,
			"both at the same time would need %.1f GB of memory, and %.1f GB are free",
			(double)needed / 1e9, (double)room / 1e9);
		return true;
	}
	if (base->plan->builds.of[VERSION_BASE] == base->plan->builds.of[VERSION_HEAD] &&
		base->runs.iterations_path) {
		snprintf(reason, size,
			"both versions are the same files in one folder, "
			"and would write one file of iterations");
		return true;
	}
	return false;
}

void pair_runner_choose(struct pair_runner *runner)
{
	const struct config_benchmark *config = runner->sides[0].config;
	char reason[256];

	runner->unsliced[0] = '\0';
	runner->repeated = 0;
	runner->slice_ns = config->slice_ns == CONFIG_SLICES_AUTO ? automatic_length(runner)
								  : config->slice_ns;
	if (runner->slice_ns && is_unfit(runner, reason, sizeof(reason)))
		choose_whole(runner, reason);
	else
		note_kind(runner);
}
