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

struct row {
	const char *name;
	const struct sim_noise *noise;
	enum sim_change change;
	double size;
	size_t rank_low, rank_high;
	bool size_is_mde; /* plant what the verdict prints as detectable: 0.8 is right */
	double rate_hz;
	size_t scale; /* this many times the gates: rare events */
};

#define SWEEP(label, noise_)                                                                       \
	{label " no-op", noise_, SIM_NONE, 0, 0, 150, 0, 0, 4},                                    \
		{label " self +0.5 %", noise_, SIM_SELF, .005, 0, 150, 0, 0, 1},                   \
		{label " self +1 %", noise_, SIM_SELF, .01, 0, 150, 0, 0, 1},                      \
		{label " self +2 %", noise_, SIM_SELF, .02, 0, 150, 0, 0, 1},                      \
		{label " self +5 %", noise_, SIM_SELF, .05, 0, 150, 0, 0, 1},                      \
		{label " self +1 %, ranks 5-150", noise_, SIM_SELF, .01, 4, 149, 0, 0, 1},         \
		{label " self +2 %, ranks 5-150", noise_, SIM_SELF, .02, 4, 149, 0, 0, 1},         \
		{label " self +1 %, ranks 1-3", noise_, SIM_SELF, .01, 0, 2, 0, 0, 1},             \
		{label " self +2 %, ranks 1-3", noise_, SIM_SELF, .02, 0, 2, 0, 0, 1},             \
		{label " called +1 %", noise_, SIM_CALLED, .01, 0, 150, 0, 0, 1},                  \
		{label " called +2 %", noise_, SIM_CALLED, .02, 0, 150, 0, 0, 1},                  \
		{label " called +5 %", noise_, SIM_CALLED, .05, 0, 150, 0, 0, 1},                  \
		{label " renames 2 %", noise_, SIM_RENAME, .02, 0, 5, 0, 0, 2},                    \
		{label " extracts 2 %", noise_, SIM_EXTRACT, .02, 0, 5, 0, 0, 2},                  \
		{label " inlines 2 %", noise_, SIM_INLINE, .02, 0, 5, 0, 0, 2},                    \
		{label " moves 2 %", noise_, SIM_MOVE, .02, 0, 5, 0, 0, 2},                        \
		{label " improvement -10 %", noise_, SIM_FASTER, .1, 0, 1, 0, 0, 1},               \
	{                                                                                          \
		label " uniform +5 %", noise_, SIM_UNIFORM, .05, 0, 150, 0, 0, 1                   \
	}

static const struct row rows[] = {
	SWEEP("real", &sim_real),
	SWEEP("duet", &sim_duet),
	SWEEP("whole", &sim_whole),
	{"whole self +2 % at 5 % share, 997 Hz", &sim_whole, SIM_SELF, .02, 3, 3, 0, 997, 1},
	{"whole self +5 % at 5 % share, 997 Hz", &sim_whole, SIM_SELF, .05, 3, 3, 0, 997, 1},
	{"mde, steady, 1.1 % share", &sim_steady, SIM_SELF, 0, 13, 13, 1, 0, 1},
	{"mde, steady, 9 % share", &sim_steady, SIM_SELF, 0, 1, 1, 1, 0, 1},
	{"mde, steady, 0.2 % share", &sim_steady, SIM_SELF, 0, 66, 66, 1, 0, 1},
	{"mde, whole, 1.1 % share", &sim_whole, SIM_SELF, 0, 13, 13, 1, 0, 1},
	{"mde, whole, 9 % share", &sim_whole, SIM_SELF, 0, 1, 1, 1, 0, 1},
	{"mde, duet, 1.1 % share", &sim_duet, SIM_SELF, 0, 13, 13, 1, 0, 1},
};

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

static struct tally run_row(const struct row *row, size_t gates)
{
	struct sim_config config = sim_default(row->noise);
	struct tally tally = {0};

	config.change = row->change;
	config.size = row->size;
	config.rank_low = row->rank_low;
	config.rank_high = row->rank_high;
	config.rate_hz = row->rate_hz > 0 ? row->rate_hz : config.rate_hz;
	for (size_t gate = 0; gate < gates * row->scale; gate++) {
		struct arena arena = ARENA_INIT;
		struct sim sim;
		struct verdict_result result;

		uint64_t seed = 1000003 * (uint64_t)(row - rows + 1) + gate;

		if (row->size_is_mde)
			config.size = printed_mde(config, seed ^ 1ull << 40);
		sim_gate(&config, seed, &arena, &sim);
		sim.input.policy = verdict_policy_default(row->noise != &sim_duet);
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

static void print_row(const struct row *row, const struct tally *tally)
{
	double n = (double)tally->gates, part = (double)tally->failed / n;

	printf("%-38s %5zu of %6zu  %6.4f [%.4f, %.4f]  stage 2 %5.3f", row->name, tally->failed,
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

int main(int argc, char **argv)
{
	size_t gates = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	clock_t start = clock();

	if (gates == 0) {
		fprintf(stderr, "usage: bench_verdict [gates per row] [part of a row's name]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tally tally;

		if (argc > 2 && !strstr(rows[i].name, argv[2]))
			continue;
		tally = run_row(&rows[i], gates);
		print_row(&rows[i], &tally);
	}
	fprintf(stderr, "%.1f CPU-s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
	return 0;
}
