/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/fixed_work/work_probe.h"

#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/harness/harness_flags.h"
#include "gate/bench/run/slowdown.h"
#include "gate/check/fixed_work/work_known.h"
#include "gate/check/runs/printed.h"

#define ROUND_CPU_SECONDS 0.1 /* of plain runs: as many as take it, as one short run is noise */
#define MOST_RUNS 20
#define MOST_WALL_SECONDS 3 /* of the plain runs of a round that are mostly asleep */

struct prober {
	struct side *side;
	struct arena *arena;
	const char *slowdown, *none; /* texts of the same length */
	unsigned runs;               /* plain ones of a round, and slowed ones */
	struct work_round rounds[WORK_MOST_ROUNDS];
	size_t count;
	char printed[65];      /* by all runs so far; "" they disagree */
	bool is_printed_again; /* by a second run; one alone proves nothing */
	const struct harness_flag *harness;
	enum work_trust trust;
	struct error failure; /* of a run that proves nothing */
};

static unsigned runs_of_a_round(const struct side *side)
{
	double cpu = side->probe_work.cpu_seconds, wall = side->probe_seconds;
	double runs = cpu > 0 ? ceil(ROUND_CPU_SECONDS / cpu) : MOST_RUNS;

	if (wall > 0 && runs > MOST_WALL_SECONDS / wall)
		runs = floor(MOST_WALL_SECONDS / wall);
	return runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : (unsigned)runs;
}

static void compare_printed(struct prober *prober, const struct run *run)
{
	const struct side *side = prober->side;
	char printed[65];

	prober->is_printed_again = true;
	if (!prober->printed[0])
		return;
	printed_hash(run, side->plan->builds.of[side->version], printed);
	if (strcmp(printed, prober->printed) != 0)
		prober->printed[0] = '\0';
}

static void find_harness(struct prober *prober, const struct run *run)
{
	const struct harness_traces traces = {
		.command = prober->side->config->command_text,
		.captures = &run->captures,
		.opened = &prober->side->opened,
	};

	prober->harness = harness_flag_find(&traces);
}

static int add_run(struct prober *prober, const char *slowdown, bool look_for_harness,
	struct work_tally *tally, double *wall_seconds, struct error *err)
{
	struct run run = {0};
	double wall;
	int rc = side_try(prober->side, slowdown, &run, &wall, err);

	if (!rc) {
		*wall_seconds += wall;
		tally->cpu_seconds += run.cpu_seconds;
		tally->iterations += run.iterations;
		tally->burnt_seconds += run.planted_seconds;
		compare_printed(prober, &run);
	}
	if (!rc && look_for_harness)
		find_harness(prober, &run);
	run_release(&run);
	return rc;
}

static struct work_round of_one_run(const struct work_round *all, unsigned runs)
{
	return (struct work_round){all->before / runs, all->after / runs, all->burnt / runs};
}

/* The first round's one plain run is the probe's, if one is enough. */
static int run_round(struct prober *prober, bool *usable, struct error *err)
{
	bool is_first = !prober->count;
	bool probe_is_plain = is_first && prober->runs == 1;
	struct work_round *round = &prober->rounds[prober->count];
	struct work_tally plain = {0}, slowed = {0};
	double plain_wall = 0, slowed_wall = 0;
	int rc = ERR_OK;

	if (probe_is_plain) {
		plain = prober->side->probe_work;
		plain_wall = prober->side->probe_seconds;
	}
	for (unsigned i = 0; i < prober->runs && !rc; i++) {
		if (!probe_is_plain)
			rc = add_run(prober, prober->none, false, &plain, &plain_wall, err);
		if (!rc)
			rc = add_run(prober, prober->slowdown, is_first && !i, &slowed,
				&slowed_wall, err);
	}
	/* By a replayed clock a known harness takes the same decisions each time. */
	if ((prober->harness && prober->side->clock.mode == RUN_CLOCK_REAL) ||
		work_waits_for_time(plain_wall, slowed_wall))
		prober->trust = WORK_SUSPECT;
	else if (prober->trust == WORK_TRUSTED &&
		 (work_is_crowded(&plain, plain_wall) || work_is_crowded(&slowed, slowed_wall)))
		prober->trust = WORK_CROWDED;
	*usable = !rc && work_round_of(&plain, &slowed, round);
	*round = of_one_run(round, prober->runs);
	prober->count += *usable;
	return rc;
}

static const char *question_of(const struct side *side)
{
	return side->clock.mode == RUN_CLOCK_REAL ? "is its work fixed"
						  : "is its work the same by that clock";
}

/* The verdict; ERR_INTERRUPTED alone is an error. */
static int run_rounds(struct prober *prober, enum work_verdict *verdict, struct error *err)
{
	bool usable = true;
	int rc = ERR_OK;

	*verdict = WORK_ASK_AGAIN;
	while (*verdict == WORK_ASK_AGAIN && !rc && usable) {
		plan_progress(prober->side->plan, "%s: %s? %u run%s, slowed to half speed",
			prober->side->config->name, question_of(prober->side), prober->runs,
			prober->runs == 1 ? "" : "s");
		rc = run_round(prober, &usable, &prober->failure);
		if (!rc && usable)
			*verdict = work_judge(prober->rounds, prober->count, prober->trust);
	}
	if (rc == ERR_INTERRUPTED) {
		*err = prober->failure;
		return rc;
	}
	if (rc || !usable)
		*verdict = WORK_UNKNOWN;
	return ERR_OK;
}

/* ---- words --------------------------------------------------------------------------------- */

static const char *refusal(const struct prober *prober, const struct work_round *round)
{
	const struct harness_flag *harness = prober->harness;
	const char *advice = WORK_ADVICE;

	if (config_counts_work(prober->side->config->work))
		return work_count_text(round, prober->arena);
	if (harness)
		advice =
			arena_printf(prober->arena, "With %s: %s.", harness->name, harness->advice);
	return work_text(round, advice, prober->arena);
}

static const char *unknown_text(const struct prober *prober)
{
	if (prober->failure.code)
		return arena_printf(prober->arena,
			"whether its work is fixed could not be checked: a run that is slowed to "
			"half its speed, or the one beside it, failed: %s",
			prober->failure.message);
	return "whether its work is fixed could not be checked: too few samples to slow it down by";
}

static const char *describe(
	const struct prober *prober, enum work_verdict verdict, const struct work_round *round)
{
	switch (verdict) {
	case WORK_FIXED_TIME:
		return refusal(prober, round);
	case WORK_DOUBTFUL:
		return work_doubt_text(round, prober->arena);
	case WORK_UNKNOWN:
		return unknown_text(prober);
	default:
		return "";
	}
}

/* ---- known or found out -------------------------------------------------------------------- */

/* What the probe of this check printed is a run as well. */
static void take_known(
	const struct prober *prober, const struct work_known *known, struct work_finding *out)
{
	*out = (struct work_finding){.verdict = known->verdict,
		.text = describe(prober, known->verdict, &known->round),
		.harness = known->harness};
	if (strcmp(known->printed, prober->side->probe_printed) == 0)
		memcpy(out->printed, known->printed, sizeof(out->printed));
}

static void keep(const struct prober *prober, const char *key, enum work_verdict verdict)
{
	const struct side *side = prober->side;
	struct work_known known = {.verdict = verdict, .harness = prober->harness};

	if (verdict == WORK_FIXED_TIME || prober->failure.code)
		return;
	known.round = work_seen(prober->rounds, prober->count);
	memcpy(known.printed, prober->printed, sizeof(known.printed));
	work_known_keep(side->plan->builds.of[side->version], key, &known);
}

void work_keep_timed(const struct side *side, const struct harness_flag *harness)
{
	const struct work_known known = {.verdict = WORK_FIXED_TIME, .harness = harness};
	char key[65];

	work_known_key(side->config, side->plan->options->mechanism, key);
	work_known_keep(side->plan->builds.of[side->version], key, &known);
}

static int find_out(
	struct prober *prober, const char *key, struct work_finding *out, struct error *err)
{
	struct side *side = prober->side;
	enum work_verdict verdict;
	struct work_round round;
	int rc = build_activate(
		&side->plan->builds.cache, side->plan->builds.of[side->version], err);

	if (!rc)
		rc = run_rounds(prober, &verdict, err);
	if (rc)
		return rc;
	keep(prober, key, verdict);
	round = work_seen(prober->rounds, prober->count);
	*out = (struct work_finding){.verdict = verdict,
		.text = describe(prober, verdict, &round),
		.harness = prober->harness};
	if (prober->is_printed_again)
		memcpy(out->printed, prober->printed, sizeof(out->printed));
	return ERR_OK;
}

static bool is_known(const struct prober *prober, const char *key, struct work_known *known)
{
	const struct side *side = prober->side;

	return work_known_find(side->plan->builds.of[side->version], key, known);
}

static struct prober prober_of(struct side *side)
{
	static const struct slowdown_place everywhere = {.module = ""};
	struct prober prober = {.side = side, .arena = &side->plan->measurements->arena};

	prober.slowdown = slowdown_text(&everywhere, WORK_PART, prober.arena);
	prober.none = slowdown_text(&everywhere, 0, prober.arena);
	prober.runs = runs_of_a_round(side);
	memcpy(prober.printed, side->probe_printed, sizeof(prober.printed));
	return prober;
}

int work_probe_replayed(struct side *side, struct work_finding *out, struct error *err)
{
	struct prober prober = prober_of(side);
	enum work_verdict verdict;
	struct work_round round;
	int rc = run_rounds(&prober, &verdict, err);

	if (rc)
		return rc;
	if (prober.failure.code) {
		*err = prober.failure;
		return err->code;
	}
	round = work_seen(prober.rounds, prober.count);
	*out = (struct work_finding){
		.verdict = verdict, .text = describe(&prober, verdict, &round)};
	out->harness = prober.harness;
	memcpy(out->printed, prober.printed, sizeof(out->printed));
	return ERR_OK;
}

int work_probe(struct side *side, struct work_finding *out, struct error *err)
{
	const struct check_options *options = side->plan->options;
	struct prober prober = prober_of(side);
	struct work_known known;
	char key[65];

	*out = (struct work_finding){.verdict = WORK_FIXED, .text = ""};
	/* A self-test judges fixed work by what it plants itself. */
	if (options->plant && side->config->work != CONFIG_WORK_AUTO)
		return ERR_OK;
	work_known_key(side->config, options->mechanism, key);
	if (is_known(&prober, key, &known)) {
		take_known(&prober, &known, out);
		return ERR_OK;
	}
	return find_out(&prober, key, out, err);
}
