/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulation of the verdict's specification (gate/verdict/README.md): in which situations gates
 * are drawn, and what is expected there. Every gate is drawn from a seed and decided by the shipped
 * code.
 */
#ifndef FG_TESTS_BENCH_SITUATIONS_H
#define FG_TESTS_BENCH_SITUATIONS_H

#include "tests/unit/verdict/sim.h"

enum machine_noise {
	NOISE_REAL,  /* drift, trend and outliers; runs are not sliced */
	NOISE_TURNS, /* sliced */
	NOISE_WHOLE, /* 6 % in each run on its own, as whole runs show on a busy machine */
	NOISE_COUNT,
};
extern const char *const noise_names[NOISE_COUNT];

enum figure {
	FIGURE_FALSE, /* gates that fail though they should not: at most */
	FIGURE_POWER, /* gates that fail as they should: at least */
	FIGURE_MDE,   /* what the report prints as detectable is planted: 0.8 are found, +- 0.05 */
};

enum option {
	WITH_DIFF = 1,    /* the verdict knows which functions the change touches */
	WITH_HASHES = 2,  /* and whose code is the same */
	TEN_CHANGED = 4,  /* the code of ten more functions changed, not their cost */
	ONE_BUILD = 8,    /* one layout per version, 3 % bias of each function */
	NO_LAYOUT = 16,   /* no bias, which no printed effect can know */
	ANY_CALLEE = 64,  /* of more calls: also of functions that call nothing themselves */
	TOTAL_ALONE = 32, /* only gates count whose total failed */
	DATA_ALONE = 128, /* with hashes: nobody's code changed, whatever is planted */
	LIBRARIES = 256,  /* a third of the functions is in files that both versions run */
};

struct situation {
	const char *name;
	enum figure figure;
	enum sim_change change;
	double size;                /* of the change; see sim.h */
	size_t rank_low, rank_high; /* of the function, 0 is the hottest */
	size_t gates, benchmarks;   /* per noise; benchmarks of each gate */
	unsigned options;
	double expected[NOISE_COUNT]; /* NAN: nothing is said; negative: not drawn */
	double top1;                  /* expected part of the failed gates; 0: nothing is said */
};
extern const struct situation situations[];
extern const size_t situation_count;

struct tally {
	size_t gates, failed, undecided, stage2, right, top3, shifted;
	double planted; /* sum of the sizes, where the printed effect is planted */
};

/* Draws gates first .. end - 1; the same numbers give the same gates. */
void draw_gates(const struct situation *situation, enum machine_noise noise, size_t first,
	size_t end, struct tally *tally);

/* One benchmark of a gate, with what was decided; memory in arena. */
struct drawn {
	struct sim sim;
	struct verdict_result result;
	double size;  /* that was planted */
	double share; /* of what grows by it, in base: a fraction of the total */
	bool failed;
};
void draw_benchmark(const struct situation *situation, enum machine_noise noise, uint64_t seed,
	struct arena *arena, struct drawn *drawn);

/* The seed of a gate's first benchmark; the others follow. */
uint64_t draw_seed(const struct situation *situation, enum machine_noise noise, size_t gate);
/* The first culprit is what was planted, and how. */
bool draw_is_right(
	const struct drawn *drawn, enum sim_change change, const struct verdict_culprit *culprit);

#endif
