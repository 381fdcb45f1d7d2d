/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated benchmark: functions with Zipf costs in a random call tree, machine noise, layout
 * bias and Poisson sampling. Seeded; the same seed gives the same gate. Shared by the tests and the
 * bench.
 */
#ifndef FG_TESTS_VERDICT_SIM_H
#define FG_TESTS_VERDICT_SIM_H

#include "gate/verdict/verdict.h"

struct sim_rng {
	uint64_t state[4];
};
void sim_rng_seed(struct sim_rng *rng, uint64_t seed);
uint64_t sim_next(struct sim_rng *rng);
double sim_uniform(struct sim_rng *rng, double low, double high);
double sim_normal(struct sim_rng *rng);
double sim_poisson(struct sim_rng *rng, double mean);
size_t sim_below(struct sim_rng *rng, size_t end);

struct sim_noise {
	double drift, drift_memory;         /* AR(1): SD and autocorrelation from run to run */
	double trend;                       /* from -trend to +trend over the gate */
	double jitter;                      /* SD per run and version, common to all functions */
	double memory, memory_memory;       /* AR(1) factor that loads on 40 % of the functions */
	double function_low, function_high; /* SD per run of each function */
	double outliers;                    /* part of the runs that are 1.2 to 2 times as long */
	double layout;  /* SD of each function's bias per build; 5 % of them 3.3 times */
	size_t layouts; /* builds per version; 0 = no layout bias */
};
extern const struct sim_noise sim_real, sim_turns, sim_quiet;

enum sim_change {
	SIM_NONE,
	SIM_SELF,    /* function rank costs size more */
	SIM_CALLED,  /* the subtree of the planted node scales so that the total grows by size */
	SIM_RENAME,  /* cost size moves to a new name; the old one keeps the rest or vanishes */
	SIM_EXTRACT, /* cost size moves into a new child */
	SIM_INLINE,  /* cost size moves from a function into its parent */
	SIM_MOVE,    /* cost size moves to an existing function, both touched */
	SIM_UNIFORM, /* everything scales by 1 + size */
	SIM_FASTER,  /* the planted function loses size times its cost */
};

struct sim_config {
	struct sim_noise noise;
	size_t functions, stage1, stage2;
	double seconds, rate_hz;
	enum sim_change change;
	double size;                /* fraction of the base total, unless said otherwise */
	size_t rank_low, rank_high; /* planted function: rank 0 is the hottest */
	bool flags;                 /* tell the verdict which functions the diff touches */
	bool hashes;   /* tell it whose code is unchanged: all but the planted change's functions */
	size_t others; /* with hashes: so many more functions changed their code, not their cost */
	bool data;     /* with hashes: what was planted is in no function's code */
	bool libraries;      /* every third function is in a file that both versions run: no bias */
	bool any_callee;     /* SIM_CALLED: also functions that call next to nothing themselves */
	uint64_t noise_seed; /* 0: the gate's own; else other runs of the same program, whose
				functions vary as much */
	size_t drawn; /* draw only the first pairs of the gate, which are the same; 0 = all */
};
struct sim_config sim_default(const struct sim_noise *noise);

/* The memory behind an input, for tests that break it. Rows are [index * pairs + pair]. */
struct sim_cells {
	struct verdict_cell *self[2], *node_self[2], *node_total[2];
	double *total[2];
	size_t pairs;
};

/* A gate's input and what was planted in it. One more function than configured: the new one. */
struct sim {
	struct verdict_input input;
	uint32_t planted;  /* function = the node below the root with the same number + 1 */
	uint32_t other;    /* the other end of a move; VERDICT_NONE otherwise */
	double *true_base; /* [function]: seconds per run */
	uint8_t *flags;
	struct sim_cells cells;
};

/* Memory in arena. */
void sim_gate(const struct sim_config *config, uint64_t seed, struct arena *arena, struct sim *sim);

/* Gives every sample to one of the versions by the toss of a coin; the totals stay. */
void sim_shuffle_versions(struct sim *sim, uint64_t seed);

/* Sets the inclusive cells again after the nodes' self cells were changed. */
void sim_add_up(struct sim *sim);

#endif
