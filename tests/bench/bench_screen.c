/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the screen against a stored baseline finds, deciding with the shipped code: base and a later
 * head on a machine that is 0.8 to 1.25 times as slow (tests/unit/verdict/sim_reference.h). One row
 * per situation and numbers of runs: gates that were flagged, with the Wilson 95 % interval.
 *
 *	bench_screen [gates per row] [rows to run, by a part of their name]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/verdict/sim_reference.h"

/* As "real", but without layout and memory, which no detectable effect can know. */
static const struct sim_noise sim_steady = {
	.drift = 0.07,
	.drift_memory = 0.95,
	.jitter = 0.03,
	.function_low = 0.01,
	.function_high = 0.05,
};

enum option {
	DIFF = 1,      /* which functions the change touches is known */
	PLANT_MDE = 2, /* plant what the screen prints as detectable: 0.8 is right */
	RARE = 4,      /* four times the gates */
};

static const struct row {
	const char *name;
	const struct sim_noise *noise;
	enum sim_change change;
	double size;
	size_t rank_low, rank_high; /* rank 0 is the hottest function */
	double kind;                /* each function's own factor on head's machine: SD */
	unsigned options;
} situations[] = {
	{"no-op", &sim_real, SIM_NONE, 0, 0, 150, 0, RARE},
	{"no-op, other CPU (5 %)", &sim_real, SIM_NONE, 0, 0, 150, .05, RARE},
	{"no-op, other CPU (15 %)", &sim_real, SIM_NONE, 0, 0, 150, .15, RARE},
	{"self +0.5 %", &sim_real, SIM_SELF, .005, 0, 150, 0, 0},
	{"self +1 %", &sim_real, SIM_SELF, .01, 0, 150, 0, 0},
	{"self +2 %", &sim_real, SIM_SELF, .02, 0, 150, 0, 0},
	{"self +5 %", &sim_real, SIM_SELF, .05, 0, 150, 0, 0},
	{"self +1 %, ranks 5-150", &sim_real, SIM_SELF, .01, 4, 149, 0, 0},
	{"called +5 %", &sim_real, SIM_CALLED, .05, 0, 150, 0, 0},
	{"uniform +5 %", &sim_real, SIM_UNIFORM, .05, 0, 150, 0, 0},
	{"uniform +30 %", &sim_real, SIM_UNIFORM, .3, 0, 150, 0, 0},
	{"improvement -10 %", &sim_real, SIM_FASTER, .1, 0, 1, 0, 0},
	{"renames 2 %", &sim_real, SIM_RENAME, .02, 0, 5, 0, DIFF},
	{"extracts 2 %", &sim_real, SIM_EXTRACT, .02, 0, 5, 0, DIFF},
	{"inlines 2 %", &sim_real, SIM_INLINE, .02, 0, 5, 0, DIFF},
	{"moves 2 %", &sim_real, SIM_MOVE, .02, 0, 5, 0, DIFF},
	{"moves 2 %, no diff", &sim_real, SIM_MOVE, .02, 0, 5, 0, 0},
	{"printed mde, 1 % share, real", &sim_real, SIM_SELF, 0, 14, 15, 0, PLANT_MDE},
	{"printed mde, 1 % share, steady", &sim_steady, SIM_SELF, 0, 14, 15, 0, PLANT_MDE},
};

static const size_t runs[][2] = {{16, 16}, {24, 24}, {40, 40}, {40, 16}, {16, 3}, {16, 1}};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

struct tally {
	size_t gates, flagged, right, shifted, cannot;
	size_t blind; /* no increase would be found */
	double mde;   /* sum of the others */
};

static void decide(const struct sim_reference_config *config, uint64_t seed, struct tally *tally)
{
	struct arena arena = ARENA_INIT;
	struct screen_result result;
	struct screen_input input;
	struct sim sim;

	sim_reference(config, seed, &arena, &sim, &input);
	screen_decide(&input, &arena, &result);
	tally->gates++;
	tally->flagged += result.status == SCREEN_FLAGGED;
	tally->cannot += result.status == SCREEN_CANNOT;
	tally->shifted += result.shifted_count > 0;
	tally->right += result.flagged_count && result.flagged[0].function == sim.planted;
	if (isfinite(result.mde_function))
		tally->mde += result.mde_function;
	else
		tally->blind++;
	arena_release(&arena);
}

/* What an unchanged program's report would have printed. */
static double printed_mde(struct sim_reference_config config, uint64_t seed)
{
	struct tally tally = {0};

	config.sim.change = SIM_NONE;
	decide(&config, seed, &tally);
	return tally.blind ? INFINITY : tally.mde;
}

static struct tally run_row(
	const struct row *row, const size_t counts[2], uint64_t seed, size_t gates)
{
	struct sim_reference_config config = sim_reference_default(row->noise);
	struct tally tally = {0};

	config.runs[0] = counts[0];
	config.runs[1] = counts[1];
	config.kind = row->kind;
	config.sim.change = row->change;
	config.sim.size = row->size;
	config.sim.rank_low = row->rank_low;
	config.sim.rank_high = row->rank_high;
	config.sim.flags = (row->options & DIFF) != 0;
	for (size_t gate = 0; gate < gates; gate++, seed++) {
		if (row->options & PLANT_MDE) {
			double mde = printed_mde(config, seed ^ 1ull << 40);

			if (!isfinite(mde))
				continue; /* "no increase is large enough" was printed */
			config.sim.size = mde;
		}
		decide(&config, seed, &tally);
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

static void print_row(const char *name, const struct tally *tally)
{
	double n = (double)tally->gates, part = (double)tally->flagged / n;

	printf("%-44s %5zu of %6zu  %6.4f [%.4f, %.4f]  right %.3f  shifted %.3f  mde %.4f", name,
		tally->flagged, tally->gates, part, wilson(part, n, -1), wilson(part, n, 1),
		(double)tally->right / n, (double)tally->shifted / n,
		tally->mde / (n - (double)tally->blind));
	if (tally->blind)
		printf("  blind %zu", tally->blind);
	if (tally->cannot)
		printf("  undecided %zu", tally->cannot);
	printf("\n");
	fflush(stdout);
}

static void run_counts(size_t which, size_t gates, const char *wanted)
{
	for (size_t i = 0; i < COUNT(situations); i++) {
		const struct row *row = &situations[i];
		uint64_t seed = 1000003 * (uint64_t)(which * 100 + i + 1);
		size_t count = row->options & RARE ? 4 * gates : gates;
		struct tally tally;
		char name[80];

		snprintf(name, sizeof(name), "%zu/%zu runs: %s", runs[which][0], runs[which][1],
			row->name);
		if (!strstr(name, wanted))
			continue;
		tally = run_row(row, runs[which], seed, count);
		print_row(name, &tally);
	}
}

int main(int argc, char **argv)
{
	size_t gates = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
	clock_t start = clock();

	if (gates == 0) {
		fprintf(stderr, "usage: bench_screen [gates per row] [part of a row's name]\n");
		return 2;
	}
	for (size_t which = 0; which < COUNT(runs); which++)
		run_counts(which, gates, argc > 2 ? argv[2] : "");
	fprintf(stderr, "%.1f CPU-s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
	return 0;
}
