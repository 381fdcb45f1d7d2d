/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/verdict/situations.h"

#include <stdlib.h>

#include "gate/verdict/verdict.h"

#define OTHERS_CHANGED 10
#define ONE_BUILD_BIAS 0.03
#define PRINTED_SEED (1ull << 40) /* the gate that prints is not the gate that is planted in */

static struct sim_noise noise_of(const struct situation *situation, enum machine_noise noise)
{
	static const struct sim_noise whole = {
		.jitter = 0.06, .function_low = 0.01, .function_high = 0.05};
	struct sim_noise chosen = noise == NOISE_REAL    ? sim_real
				  : noise == NOISE_TURNS ? sim_turns
							 : whole;

	if (situation->options & ONE_BUILD) {
		chosen.layout = situation->options & NO_LAYOUT ? 0 : ONE_BUILD_BIAS;
		chosen.layouts = 1;
	} else if (situation->options & NO_LAYOUT) {
		chosen.layouts = 0;
	}
	return chosen;
}

static struct sim_config configure(const struct situation *situation, enum machine_noise noise)
{
	struct sim_noise machine = noise_of(situation, noise);
	struct sim_config config = sim_default(&machine);

	config.change = situation->change;
	config.size = situation->size;
	config.rank_low = situation->rank_low;
	config.rank_high = situation->rank_high;
	config.flags = (situation->options & WITH_DIFF) != 0;
	config.hashes = (situation->options & WITH_HASHES) != 0;
	config.data = (situation->options & DATA_ALONE) != 0;
	config.libraries = (situation->options & LIBRARIES) != 0;
	config.any_callee = (situation->options & ANY_CALLEE) != 0;
	config.others = situation->options & TEN_CHANGED ? OTHERS_CHANGED : 0;
	return config;
}

static struct verdict_policy policy_of(const struct situation *situation, enum machine_noise noise,
	const struct sim_config *config)
{
	struct verdict_policy policy = verdict_policy_default(noise != NOISE_TURNS);

	policy.benchmarks_in_gate = situation->benchmarks;
	policy.stage2_pairs = config->stage2;
	policy.layouts = config->noise.layouts ? config->noise.layouts : 8;
	return policy;
}

/* As a check does it: stage 2 is measured only where stage 1 flags something. */
static void decide(const struct sim_config *config, const struct verdict_policy *policy,
	uint64_t seed, struct arena *arena, struct sim *sim, struct verdict_result *result)
{
	struct sim_config first = *config;

	first.drawn = config->stage1;
	sim_gate(&first, seed, arena, sim);
	sim->input.policy = *policy;
	verdict_stage1(&sim->input, arena, result);
	if (result->status != VERDICT_UNDECIDED)
		return;
	sim_gate(config, seed, arena, sim);
	sim->input.policy = *policy;
	verdict_decide(&sim->input, arena, result);
}

/* Of the planted function with all that it calls; its node is one further than its number. */
static double share_below(const struct sim *sim)
{
	uint32_t top = sim->planted + 1, v = top;
	double sum = 0;

	do {
		sum += sim->true_base[v - 1];
		v++;
	} while (v < sim->input.node_count && sim->input.node_parent[v] >= top);
	return sum;
}

/* What the report of an unchanged program would have printed. */
static double printed_effect(struct sim_config config, const struct situation *situation,
	const struct verdict_policy *policy, uint64_t seed)
{
	struct arena arena = ARENA_INIT;
	struct sim sim;
	struct verdict_result result;
	double effect;

	config.size = 0;
	config.noise_seed = seed ^ PRINTED_SEED;
	decide(&config, policy, seed, &arena, &sim, &result);
	if (situation->options & TOTAL_ALONE)
		effect = result.total.mde;
	else if (situation->change == SIM_CALLED)
		effect = verdict_mde_called(&result.power, share_below(&sim) / config.seconds);
	else
		effect = verdict_mde(&result.power, sim.true_base[sim.planted] / config.seconds);
	arena_release(&arena);
	return effect;
}

bool draw_is_right(
	const struct drawn *drawn, enum sim_change change, const struct verdict_culprit *culprit)
{
	enum verdict_blame kind = change == SIM_CALLED ? VERDICT_BLAME_CALLED : VERDICT_BLAME_SELF;

	return culprit->kind == kind && culprit->function == drawn->sim.planted;
}

static bool has_failed(const struct situation *situation, const struct verdict_result *result)
{
	if (situation->options & TOTAL_ALONE)
		return result->total.state == VERDICT_CONFIRMED;
	return result->status == VERDICT_REGRESSION;
}

static bool count_benchmark(
	const struct situation *situation, const struct drawn *drawn, struct tally *tally)
{
	const struct verdict_result *result = &drawn->result;
	bool top3 = false;

	tally->planted += situation->figure == FIGURE_MDE ? drawn->size : 0;
	tally->undecided += result->status == VERDICT_CANNOT_DECIDE;
	tally->stage2 += result->tests_stage2 > 0 || result->total.flagged;
	tally->shifted += (result->reasons & VERDICT_REASON_SHIFTED) != 0;
	if (!drawn->failed)
		return false;
	tally->right += result->culprit_count > 0 &&
			draw_is_right(drawn, situation->change, &result->culprits[0]);
	for (size_t i = 0; i < result->culprit_count && i < 3; i++)
		top3 |= draw_is_right(drawn, situation->change, &result->culprits[i]);
	tally->top3 += top3;
	return true;
}

void draw_benchmark(const struct situation *situation, enum machine_noise noise, uint64_t seed,
	struct arena *arena, struct drawn *drawn)
{
	struct sim_config config = configure(situation, noise);
	struct verdict_policy policy = policy_of(situation, noise, &config);

	if (situation->figure == FIGURE_MDE)
		config.size = printed_effect(config, situation, &policy, seed);
	decide(&config, &policy, seed, arena, &drawn->sim, &drawn->result);
	drawn->size = config.size;
	drawn->share = situation->change == SIM_CALLED
			       ? share_below(&drawn->sim) / config.seconds
			       : drawn->sim.true_base[drawn->sim.planted] / config.seconds;
	drawn->failed = has_failed(situation, &drawn->result);
}

static bool draw_and_count(const struct situation *situation, enum machine_noise noise,
	uint64_t seed, struct tally *tally)
{
	struct arena arena = ARENA_INIT;
	struct drawn drawn;
	bool failed;

	draw_benchmark(situation, noise, seed, &arena, &drawn);
	failed = count_benchmark(situation, &drawn, tally);
	arena_release(&arena);
	return failed;
}

/* FNV-1a of the name: a situation's gates stay the same when others are added to the table. */
static uint64_t first_seed(const struct situation *situation, enum machine_noise noise)
{
	uint64_t hash = 0xcbf29ce484222325u + noise;

	for (const char *c = situation->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return hash;
}

uint64_t draw_seed(const struct situation *situation, enum machine_noise noise, size_t gate)
{
	return first_seed(situation, noise) + gate * situation->benchmarks;
}

void draw_gates(const struct situation *situation, enum machine_noise noise, size_t first,
	size_t end, struct tally *tally)
{
	uint64_t seed = draw_seed(situation, noise, first);

	for (size_t gate = first; gate < end; gate++) {
		bool failed = false;

		for (size_t i = 0; i < situation->benchmarks; i++)
			failed |= draw_and_count(situation, noise, seed++, tally);
		tally->gates++;
		tally->failed += failed;
	}
}
