/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/verdict/sim_reference.h"

#include <math.h>

#define IDLE_PAIRS 24

struct sim_reference_config sim_reference_default(const struct sim_noise *noise)
{
	return (struct sim_reference_config){
		.sim = sim_default(noise),
		.runs = {16, 16},
		.speed_low = 0.8,
		.speed_high = 1.25,
	};
}

static void scale_row(struct verdict_cell *cells, double *total, size_t runs, double factor)
{
	for (size_t b = 0; b < runs; b++) {
		total[b] += cells[b].x * (factor - 1);
		cells[b].x *= factor;
		cells[b].squares *= factor * factor;
	}
}

/* The totals follow the samples: near enough, and they stay what the functions add up to. */
static void scale_head(
	const struct sim_reference_config *config, struct sim_rng *rng, struct sim *sim)
{
	size_t first = sim->cells.pairs - config->runs[1];
	double speed = sim_uniform(rng, config->speed_low, config->speed_high);

	for (size_t f = 0; f < sim->input.function_count; f++) {
		double own = exp(config->kind * sim_normal(rng));

		scale_row(sim->cells.self[1] + f * sim->cells.pairs + first,
			sim->cells.total[1] + first, config->runs[1], speed * own);
	}
}

void sim_reference(const struct sim_reference_config *config, uint64_t seed, struct arena *arena,
	struct sim *sim, struct screen_input *input)
{
	struct sim_config drawn = config->sim;
	struct sim_rng rng;
	size_t first = config->runs[0] + IDLE_PAIRS;

	drawn.stage1 = first + config->runs[1];
	drawn.stage2 = 0;
	sim_gate(&drawn, seed, arena, sim);
	sim_rng_seed(&rng, ~seed);
	scale_head(config, &rng, sim);
	*input = (struct screen_input){
		.policy = screen_policy_default(),
		.pairs = {config->runs[0], config->runs[1]},
		.row = drawn.stage1,
		.total = {sim->cells.total[0], sim->cells.total[1] + first},
		.function_count = sim->input.function_count,
		.self = {sim->cells.self[0], sim->cells.self[1] + first},
		.function_file = sim->input.function_file,
		.function_flags = sim->input.function_flags,
	};
}
