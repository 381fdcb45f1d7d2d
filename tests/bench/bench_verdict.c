/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often the gate is right: the simulation of the verdict's specification, deciding with the
 * shipped code. One row per situation: gates that failed of those drawn, with the Wilson 95 %
 * interval, and how often the first culprit is the planted one.
 *
 *	bench_verdict [gates per row] [rows to run, by a part of their name]
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gate/verdict/verdict.h"
#include "tests/unit/verdict/sim.h"

/* What a whole run shows when nothing alternates: every arm on its own, 6 % each. */
static const struct sim_noise sim_whole = {
	.jitter = 0.06,
	.function_low = 0.01,
	.function_high = 0.05,
};

/* As the duet, but without layout bias, which no detectable effect can know. */
static const struct sim_noise sim_steady = {
	.drift = 0.003,
	.drift_memory = 0.95,
	.jitter = 0.004,
	.function_low = 0.01,
	.function_high = 0.05,
};

enum option {
	NO_DIFF = 1,   /* which functions the change touches is not known */
	PLANT_MDE = 2, /* plant what the verdict prints as detectable: 0.8 is right */
	RATE_997 = 4,  /* instead of 1,000 Hz */
	RARE = 8,      /* four times the gates */
};

struct row {
	const char *name;
	enum sim_change change;
	double size;
	size_t rank_low, rank_high; /* rank 0 is the hottest function */
	unsigned options;
};

/* Every one of these with every noise. */
static const struct row situations[] = {
	{"no-op", SIM_NONE, 0, 0, 150, RARE},
	{"self +0.5 %", SIM_SELF, .005, 0, 150, 0},
	{"self +1 %", SIM_SELF, .01, 0, 150, 0},
	{"self +2 %", SIM_SELF, .02, 0, 150, 0},
	{"self +5 %", SIM_SELF, .05, 0, 150, 0},
	{"self +1 %, ranks 5-150", SIM_SELF, .01, 4, 149, 0},
	{"self +2 %, ranks 5-150", SIM_SELF, .02, 4, 149, 0},
	{"self +1 %, ranks 1-3", SIM_SELF, .01, 0, 2, 0},
	{"self +2 %, ranks 1-3", SIM_SELF, .02, 0, 2, 0},
	{"called +1 %", SIM_CALLED, .01, 0, 150, 0},
	{"called +2 %", SIM_CALLED, .02, 0, 150, 0},
	{"called +5 %", SIM_CALLED, .05, 0, 150, 0},
	{"renames 2 %", SIM_RENAME, .02, 0, 5, RARE},
	{"extracts 2 %", SIM_EXTRACT, .02, 0, 5, RARE},
	{"inlines 2 %", SIM_INLINE, .02, 0, 5, RARE},
	{"moves 2 %", SIM_MOVE, .02, 0, 5, RARE},
	{"moves 2 %, no diff", SIM_MOVE, .02, 0, 5, RARE | NO_DIFF},
	{"improvement -10 %", SIM_FASTER, .1, 0, 1, 0},
	{"uniform +5 %", SIM_UNIFORM, .05, 0, 150, 0},
	{"self +2 % at 5 % share, 997 Hz", SIM_SELF, .02, 3, 3, RATE_997},
	{"self +5 % at 5 % share, 997 Hz", SIM_SELF, .05, 3, 3, RATE_997},
	{"printed mde, 9 % share", SIM_SELF, 0, 1, 1, PLANT_MDE},
	{"printed mde, 1.1 % share", SIM_SELF, 0, 13, 13, PLANT_MDE},
	{"printed mde, 0.2 % share", SIM_SELF, 0, 66, 66, PLANT_MDE},
};

static const struct {
	const char *name;
	const struct sim_noise *noise;
} noises[] = {
	{"real", &sim_real},
	{"duet", &sim_duet},
	{"whole", &sim_whole},
	{"steady", &sim_steady},
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

struct tally {
	size_t gates, failed, undecided, stage2, right, top3;
};

static bool is_right(
	const struct sim *sim, enum sim_change change, const struct verdict_culprit *culprit)
{
	enum verdict_blame kind = change == SIM_CALLED ? VERDICT_BLAME_CALLED : VERDICT_BLAME_SELF;

	return culprit->kind == kind && culprit->function == sim->planted;
}

static void count_gate(const struct sim *sim, enum sim_change change,
	const struct verdict_result *result, struct tally *tally)
{
	bool top3 = false;

	tally->gates++;
	tally->undecided += result->status == VERDICT_CANNOT_DECIDE;
	tally->stage2 += result->tests_stage2 > 0 || result->total.flagged;
	if (result->status != VERDICT_REGRESSION)
		return;
	tally->failed++;
	tally->right += result->culprit_count && is_right(sim, change, &result->culprits[0]);
	for (size_t i = 0; i < result->culprit_count && i < 3; i++)
		top3 |= is_right(sim, change, &result->culprits[i]);
	tally->top3 += top3;
}

/* What an unchanged program's report would have printed for a function of this rank. */
static double printed_mde(struct sim_config config, uint64_t seed)
{
	struct arena arena = ARENA_INIT;
	struct sim sim;
	struct verdict_result result;
	double mde;

	config.change = SIM_NONE;
	sim_gate(&config, seed, &arena, &sim);
	sim.input.policy = verdict_policy_default(true);
	verdict_decide(&sim.input, &arena, &result);
	mde = verdict_mde(&result.power, sim.true_base[sim.planted] / config.seconds);
	arena_release(&arena);
	return mde;
}

static struct sim_config configure(const struct row *row, const struct sim_noise *noise)
{
	struct sim_config config = sim_default(noise);

	config.change = row->change;
	config.size = row->size;
	config.rank_low = row->rank_low;
	config.rank_high = row->rank_high;
	/* A refactor's diff touches both ends. A regression's might touch anything: keep it dark.
	 */
	config.flags =
		row->change >= SIM_RENAME && row->change <= SIM_MOVE && !(row->options & NO_DIFF);
	if (row->options & RATE_997)
		config.rate_hz = 997;
	return config;
}

static struct tally run_row(
	const struct row *row, const struct sim_noise *noise, uint64_t seed, size_t gates)
{
	struct sim_config config = configure(row, noise);
	struct tally tally = {0};

	for (size_t gate = 0; gate < gates; gate++, seed++) {
		struct arena arena = ARENA_INIT;
		struct sim sim;
		struct verdict_result result;

		if (row->options & PLANT_MDE)
			config.size = printed_mde(config, seed ^ 1ull << 40);
		sim_gate(&config, seed, &arena, &sim);
		sim.input.policy = verdict_policy_default(noise != &sim_duet);
		verdict_decide(&sim.input, &arena, &result);
		count_gate(&sim, row->change, &result, &tally);
		arena_release(&arena);
	}
	return tally;
}

static double wilson(double part, double n, double sign)
{
	const double z = 1.959963984540054;
	double centre = part + z * z / (2 * n);

	return (centre + sign * z * sqrt(part * (1 - part) / n + z * z / (4 * n * n))) /
	       (1 + z * z / n);
}

static void print_row(const char *name, const struct row *row, const struct tally *tally)
{
	double n = (double)tally->gates, part = (double)tally->failed / n;

	printf("%-38s %5zu of %6zu  %6.4f [%.4f, %.4f]  stage 2 %5.3f", name, tally->failed,
		tally->gates, part, wilson(part, n, -1), wilson(part, n, 1),
		(double)tally->stage2 / n);
	if ((row->change == SIM_SELF || row->change == SIM_CALLED) && tally->failed)
		printf("  top-1 %.3f  top-3 %.3f", (double)tally->right / (double)tally->failed,
			(double)tally->top3 / (double)tally->failed);
	if (tally->undecided)
		printf("  undecided %zu", tally->undecided);
	printf("\n");
	fflush(stdout);
}

static void run_noise(size_t which, size_t gates, const char *wanted)
{
	for (size_t i = 0; i < COUNT(situations); i++) {
		const struct row *row = &situations[i];
		uint64_t seed = 1000003 * (uint64_t)(which * 100 + i + 1);
		struct tally tally;
		char name[64];

		snprintf(name, sizeof(name), "%s %s", noises[which].name, row->name);
		if (!strstr(name, wanted))
			continue;
		tally = run_row(
			row, noises[which].noise, seed, row->options & RARE ? 4 * gates : gates);
		print_row(name, row, &tally);
	}
}

int main(int argc, char **argv)
{
	size_t gates = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	clock_t start = clock();

	if (gates == 0) {
		fprintf(stderr, "usage: bench_verdict [gates per row] [part of a row's name]\n");
		return 2;
	}
	for (size_t which = 0; which < COUNT(noises); which++)
		run_noise(which, gates, argc > 2 ? argv[2] : "");
	fprintf(stderr, "%.1f CPU-s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
	return 0;
}
