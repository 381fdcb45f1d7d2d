/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/verdict/situations.h"

#include <math.h>

const char *const noise_names[NOISE_COUNT] = {"real", "turns", "whole"};

#define OFF (-1)
#define ALL 0, 150
#define RANKS_1_3 0, 2
#define RANKS_5_20 4, 19
#define RANKS_5_150 4, 149
#define RANKS_50_150 50, 149
#define HOT 0, 5

#define POWER(name, change, size, ranks, gates, top1, ...)                                         \
	{                                                                                          \
		name, FIGURE_POWER, change, size, ranks, gates, 1, 0, {__VA_ARGS__}, top1          \
	}
#define REFACTOR(name, change, options, ...)                                                       \
	{                                                                                          \
		name, FIGURE_FALSE, change, .02, HOT, 1500, 1, options, {__VA_ARGS__}, 0           \
	}
#define PRINTED(name, change, rank, options)                                                       \
	{                                                                                          \
		name, FIGURE_MDE, change, 0, rank, rank, 400, 1, options, {.8, .8, OFF}, 0         \
	}

/* The expectations are the specification's table and goals. */
const struct situation situations[] = {
	{"no-op, 1 benchmark", FIGURE_FALSE, SIM_NONE, 0, ALL, 15000, 1, 0, {0, 0, 0}, 0},
	{"no-op, 10 benchmarks", FIGURE_FALSE, SIM_NONE, 0, ALL, 500, 10, 0, {0, 0, OFF}, 0},
	{"no-op, 50 benchmarks", FIGURE_FALSE, SIM_NONE, 0, ALL, 100, 50, 0, {0, 0, OFF}, 0},

	POWER("self +0.5 %", SIM_SELF, .005, ALL, 600, 0, .23, .20, NAN),
	POWER("self +1 %", SIM_SELF, .01, ALL, 600, .97, .89, .91, NAN),
	POWER("self +2 %", SIM_SELF, .02, ALL, 600, 1, .98, .99, NAN),
	POWER("self +5 %", SIM_SELF, .05, ALL, 400, 1, 1, 1, NAN),
	POWER("self +1 %, ranks 5-150", SIM_SELF, .01, RANKS_5_150, 600, 0, .85, .85, NAN),
	POWER("self +2 %, ranks 5-150", SIM_SELF, .02, RANKS_5_150, 600, 0, .95, .95, NAN),
	POWER("self +0.5 %, ranks 1-3", SIM_SELF, .005, RANKS_1_3, 400, 0, NAN, NAN, OFF),
	POWER("self +1 %, ranks 1-3", SIM_SELF, .01, RANKS_1_3, 400, 0, .06, .06, OFF),
	POWER("self +2 %, ranks 1-3", SIM_SELF, .02, RANKS_1_3, 400, 0, .87, .87, OFF),
	POWER("self +5 %, ranks 1-3", SIM_SELF, .05, RANKS_1_3, 400, 0, NAN, NAN, OFF),
	POWER("self +0.5 %, ranks 5-20", SIM_SELF, .005, RANKS_5_20, 400, 0, NAN, NAN, OFF),
	POWER("self +1 %, ranks 5-20", SIM_SELF, .01, RANKS_5_20, 400, 0, .85, .85, OFF),
	POWER("self +2 %, ranks 5-20", SIM_SELF, .02, RANKS_5_20, 400, 0, .95, .95, OFF),
	POWER("self +5 %, ranks 5-20", SIM_SELF, .05, RANKS_5_20, 400, 0, NAN, NAN, OFF),
	POWER("self +0.5 %, ranks > 50", SIM_SELF, .005, RANKS_50_150, 400, 0, NAN, NAN, OFF),
	POWER("self +1 %, ranks > 50", SIM_SELF, .01, RANKS_50_150, 400, 0, .85, .85, OFF),
	POWER("self +2 %, ranks > 50", SIM_SELF, .02, RANKS_50_150, 400, 0, .95, .95, OFF),
	POWER("self +5 %, ranks > 50", SIM_SELF, .05, RANKS_50_150, 400, 0, NAN, NAN, OFF),

	POWER("called more often +0.5 %", SIM_CALLED, .005, ALL, 400, 0, NAN, NAN, OFF),
	POWER("called more often +1 %", SIM_CALLED, .01, ALL, 600, .82, .57, .58, NAN),
	POWER("called more often +2 %", SIM_CALLED, .02, ALL, 600, .91, .90, .99, NAN),
	POWER("called more often +5 %", SIM_CALLED, .05, ALL, 400, .97, 1, 1, NAN),
	{"called +1 %, leaves as well", FIGURE_POWER, SIM_CALLED, .01, ALL, 600, 1, ANY_CALLEE,
		{.57, .58, OFF}, 0},
	{"called +2 %, leaves as well", FIGURE_POWER, SIM_CALLED, .02, ALL, 600, 1, ANY_CALLEE,
		{.90, .99, OFF}, 0},
	POWER("called +1 %, ranks 1-3", SIM_CALLED, .01, RANKS_1_3, 300, 0, NAN, NAN, OFF),
	POWER("called +2 %, ranks 1-3", SIM_CALLED, .02, RANKS_1_3, 300, 0, NAN, NAN, OFF),
	POWER("called +5 %, ranks 1-3", SIM_CALLED, .05, RANKS_1_3, 300, 0, NAN, NAN, OFF),
	POWER("called +1 %, ranks 5-20", SIM_CALLED, .01, RANKS_5_20, 300, 0, NAN, NAN, OFF),
	POWER("called +2 %, ranks 5-20", SIM_CALLED, .02, RANKS_5_20, 300, 0, NAN, NAN, OFF),
	POWER("called +5 %, ranks 5-20", SIM_CALLED, .05, RANKS_5_20, 300, 0, NAN, NAN, OFF),
	POWER("called +1 %, ranks > 50", SIM_CALLED, .01, RANKS_50_150, 300, 0, NAN, NAN, OFF),
	POWER("called +2 %, ranks > 50", SIM_CALLED, .02, RANKS_50_150, 300, 0, NAN, NAN, OFF),
	POWER("called +5 %, ranks > 50", SIM_CALLED, .05, RANKS_50_150, 300, 0, NAN, NAN, OFF),

	REFACTOR("rename of 2 %, unmatched, diff known", SIM_RENAME, WITH_DIFF, .006, .0007, NAN),
	REFACTOR("split of 2 %, diff known", SIM_EXTRACT, WITH_DIFF, .006, .0007, NAN),
	REFACTOR("inline of 2 %, diff known", SIM_INLINE, WITH_DIFF, .006, .0007, NAN),
	REFACTOR("move of 2 %, diff known", SIM_MOVE, WITH_DIFF, .006, .0007, NAN),
	REFACTOR("rename of 2 %, unmatched", SIM_RENAME, 0, .006, .0007, OFF),
	REFACTOR("split of 2 %", SIM_EXTRACT, 0, .006, .0007, OFF),
	REFACTOR("inline of 2 %", SIM_INLINE, 0, .006, .0007, OFF),
	REFACTOR("move of 2 %", SIM_MOVE, 0, .006, .0007, OFF),
	REFACTOR("move of 2 %, diff and hashes", SIM_MOVE, WITH_DIFF | WITH_HASHES, .006, .0007,
		OFF),

	{"improvement -10 %", FIGURE_FALSE, SIM_FASTER, .1, 0, 1, 600, 1, 0, {0, 0, NAN}, 0},
	{"improvement -3 %", FIGURE_FALSE, SIM_FASTER, .03, HOT, 600, 1, 0, {0, 0, OFF}, 0},
	POWER("everywhere +5 %", SIM_UNIFORM, .05, ALL, 300, 0, NAN, NAN, NAN),

	{"no-op, single build", FIGURE_FALSE, SIM_NONE, 0, ALL, 2000, 1, ONE_BUILD,
		{.014, .014, OFF}, 0},
	{"no-op, single build, hashes: 10 changed", FIGURE_FALSE, SIM_NONE, 0, ALL, 2000, 1,
		ONE_BUILD | WITH_HASHES | TEN_CHANGED, {.001, .001, OFF}, 0},
	{"no-op, single build, hashes: all the same", FIGURE_FALSE, SIM_NONE, 0, ALL, 2000, 1,
		ONE_BUILD | WITH_HASHES | DATA_ALONE, {.001, .001, OFF}, 0},
	{"no-op, single build, libraries", FIGURE_FALSE, SIM_NONE, 0, ALL, 2000, 1,
		ONE_BUILD | LIBRARIES, {.014, .014, OFF}, 0},
	{"no-op, single build, libraries, hashes: 10 changed", FIGURE_FALSE, SIM_NONE, 0, ALL, 2000,
		1, ONE_BUILD | LIBRARIES | WITH_HASHES | TEN_CHANGED, {.001, .001, OFF}, 0},
	{"data alone, self +5 %, ranks 5-20, single build", FIGURE_POWER, SIM_SELF, .05, RANKS_5_20,
		300, 1, ONE_BUILD | WITH_HASHES | DATA_ALONE, {NAN, NAN, OFF}, 0},
	{"data alone, everywhere +30 %, single build", FIGURE_POWER, SIM_UNIFORM, .3, ALL, 300, 1,
		ONE_BUILD | WITH_HASHES | DATA_ALONE, {NAN, NAN, OFF}, 0},
	{"self +1 %, hashes: 10 changed", FIGURE_POWER, SIM_SELF, .01, ALL, 600, 1,
		WITH_HASHES | TEN_CHANGED, {.89, .91, OFF}, .97},
	{"called +2 %, hashes: 10 changed", FIGURE_POWER, SIM_CALLED, .02, ALL, 600, 1,
		WITH_HASHES | TEN_CHANGED, {.90, .99, OFF}, .91},
	{"called +2 %, single build, hashes: 10 changed", FIGURE_POWER, SIM_CALLED, .02, ALL, 600,
		1, ONE_BUILD | WITH_HASHES | TEN_CHANGED, {NAN, NAN, OFF}, 0},

	{"called +2 %, single build, libraries, hashes: 10 changed", FIGURE_POWER, SIM_CALLED, .02,
		ALL, 600, 1, ONE_BUILD | LIBRARIES | WITH_HASHES | TEN_CHANGED, {NAN, NAN, OFF}, 0},

	PRINTED("printed effect, 20 % share", SIM_SELF, 0, 0),
	PRINTED("printed effect, 9 % share", SIM_SELF, 1, 0),
	PRINTED("printed effect, 1.1 % share", SIM_SELF, 13, 0),
	PRINTED("printed effect, 0.2 % share", SIM_SELF, 66, 0),
	PRINTED("printed effect, 20 % share, no layout", SIM_SELF, 0, NO_LAYOUT),
	PRINTED("printed effect, 9 % share, no layout", SIM_SELF, 1, NO_LAYOUT),
	PRINTED("printed effect, 1.1 % share, no layout", SIM_SELF, 13, NO_LAYOUT),
	PRINTED("printed effect, 0.2 % share, no layout", SIM_SELF, 66, NO_LAYOUT),
	{"printed effect of a call", FIGURE_MDE, SIM_CALLED, 0, ALL, 600, 1, 0, {.8, .8, OFF}, 0},
	{"printed effect of a call, no layout", FIGURE_MDE, SIM_CALLED, 0, ALL, 600, 1, NO_LAYOUT,
		{.8, .8, OFF}, 0},
	{"printed effect of the total", FIGURE_MDE, SIM_UNIFORM, 0, ALL, 400, 1, TOTAL_ALONE,
		{.8, .8, OFF}, 0},
	{"printed effect of a call, allowed for one build", FIGURE_MDE, SIM_CALLED, 0, ALL, 600, 1,
		NO_LAYOUT | ONE_BUILD, {.8, .8, OFF}, 0},
	{"printed effect of the total, allowed for one build", FIGURE_MDE, SIM_UNIFORM, 0, ALL, 400,
		1, TOTAL_ALONE | NO_LAYOUT | ONE_BUILD, {.8, .8, OFF}, 0},
};
const size_t situation_count = sizeof(situations) / sizeof(*situations);
