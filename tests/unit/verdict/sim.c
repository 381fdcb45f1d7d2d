/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/verdict/sim.h"

#include <math.h>
#include <string.h>

#define FILES_OF 10            /* functions per source file */
#define LIBRARY_OF 3           /* with libraries, one function of so many is in one */
#define LIBRARY_BIAS (1.0 / 3) /* of the others': it works on data that each build places */
#define CALLED_SHARE_MIN 0.005
#define CALLED_SHARE_MAX 0.6

const struct sim_noise sim_real = {
	.drift = 0.07,
	.drift_memory = 0.95,
	.trend = 0.05,
	.jitter = 0.03,
	.memory = 0.06,
	.memory_memory = 0.8,
	.function_low = 0.01,
	.function_high = 0.05,
	.outliers = 0.03,
	.layout = 0.015,
	.layouts = 8,
};
const struct sim_noise sim_turns = {
	.drift = 0.003,
	.drift_memory = 0.95,
	.jitter = 0.004,
	.memory = 0.015,
	.memory_memory = 0.8,
	.function_low = 0.01,
	.function_high = 0.05,
	.outliers = 0.01,
	.layout = 0.015,
	.layouts = 8,
};
const struct sim_noise sim_quiet = {.jitter = 0.002};

struct sim_config sim_default(const struct sim_noise *noise)
{
	return (struct sim_config){
		.noise = *noise,
		.functions = 300,
		.stage1 = 16,
		.stage2 = 24,
		.seconds = 1,
		.rate_hz = 1000,
		.rank_high = 150,
	};
}

/* Functions are numbered in preorder; the last one created has no cost in base. */
struct program {
	size_t functions;
	uint32_t *up; /* caller; VERDICT_NONE for main */
	uint32_t *end;
	double *cost[2];
	uint32_t fresh, planted, other;
};

struct draft {
	uint32_t *up, *rank, *number;
	size_t count;
};

static void shuffle(struct sim_rng *rng, uint32_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] = (uint32_t)i;
	for (size_t i = count; i > 1; i--) {
		size_t j = sim_below(rng, i);
		uint32_t swap = values[i - 1];

		values[i - 1] = values[j];
		values[j] = swap;
	}
}

static uint32_t with_rank(const struct draft *draft, size_t rank)
{
	uint32_t i = 0;

	while (i + 1 < draft->count && draft->rank[i] != rank)
		i++;
	return i;
}

/* Preorder numbers by depth-first search without recursion: quadratic, and small. */
static uint32_t number_subtree(struct draft *draft, uint32_t top, uint32_t next)
{
	draft->number[top] = next++;
	for (uint32_t i = top + 1; i <= draft->count; i++)
		if (draft->up[i] == top)
			next = number_subtree(draft, i, next);
	return next;
}

static void draft_tree(const struct sim_config *config, struct sim_rng *rng, struct arena *arena,
	struct draft *draft)
{
	draft->count = config->functions;
	draft->up = arena_array(arena, draft->count + 1, sizeof(uint32_t));
	draft->rank = arena_array(arena, draft->count + 1, sizeof(uint32_t));
	draft->number = arena_array(arena, draft->count + 1, sizeof(uint32_t));
	for (size_t i = 1; i < draft->count; i++)
		draft->up[i] = (uint32_t)sim_below(rng, i);
	draft->up[0] = VERDICT_NONE;
	shuffle(rng, draft->rank, draft->count);
}

static double zipf_scale(size_t functions)
{
	double sum = 0;

	for (size_t k = 1; k <= functions; k++)
		sum += pow((double)k, -1.1);
	return 1 / sum;
}

static void number_program(const struct sim_config *config, struct draft *draft, uint32_t planted,
	struct arena *arena, struct program *program)
{
	size_t all = draft->count + 1;
	double scale = config->seconds * zipf_scale(draft->count);

	number_subtree(draft, 0, 0);
	program->functions = all;
	program->planted = draft->number[planted];
	program->fresh = draft->number[draft->count];
	program->up = arena_array(arena, all, sizeof(uint32_t));
	program->end = arena_array(arena, all, sizeof(uint32_t));
	program->cost[0] = arena_array(arena, all, sizeof(double));
	program->cost[1] = arena_array(arena, all, sizeof(double));
	for (size_t i = 0; i < all; i++) {
		uint32_t f = draft->number[i], up = draft->up[i];

		program->up[f] = up == VERDICT_NONE ? VERDICT_NONE : draft->number[up];
		if (i < draft->count)
			program->cost[0][f] = scale * pow(draft->rank[i] + 1.0, -1.1);
		program->cost[1][f] = program->cost[0][f];
		program->end[f] = f + 1;
	}
	for (size_t f = all; f-- > 1;)
		if (program->end[program->up[f]] < program->end[f])
			program->end[program->up[f]] = program->end[f];
}

static double subtree_cost(const struct program *program, uint32_t top)
{
	double sum = 0;

	for (uint32_t f = top; f < program->end[top]; f++)
		sum += program->cost[0][f];
	return sum;
}

/* Called more often makes sense for a function that calls others and is not the whole program. */
static bool suits(const struct sim_config *config, const struct program *program)
{
	uint32_t f = program->planted;
	double share = subtree_cost(program, f) / config->seconds;

	if (config->change == SIM_INLINE && program->up[f] == VERDICT_NONE)
		return false;
	if (config->change != SIM_CALLED)
		return true;
	if (!config->any_callee && share - program->cost[0][f] / config->seconds < CALLED_SHARE_MIN)
		return false;
	return share < CALLED_SHARE_MAX && f != 0;
}

static void build_program(const struct sim_config *config, struct sim_rng *rng, struct arena *arena,
	struct program *program)
{
	struct draft draft;

	do {
		size_t rank =
			config->rank_low + sim_below(rng, config->rank_high - config->rank_low + 1);
		uint32_t planted;

		draft_tree(config, rng, arena, &draft);
		planted = with_rank(&draft, rank);
		draft.up[draft.count] =
			config->change == SIM_RENAME && planted != 0 ? draft.up[planted] : planted;
		number_program(config, &draft, planted, arena, program);
	} while (!suits(config, program));
	program->other = VERDICT_NONE;
}

static void move_cost(struct program *program, double seconds, uint32_t to)
{
	double *cost = program->cost[1];

	seconds = fmin(seconds, cost[program->planted]);
	cost[program->planted] -= seconds;
	cost[to] += seconds;
	program->other = to;
}

static void plant(const struct sim_config *config, struct sim_rng *rng, struct program *program)
{
	double seconds = config->size * config->seconds, *cost = program->cost[1], scale;
	uint32_t planted = program->planted;

	switch (config->change) {
	case SIM_NONE:
		break;
	case SIM_SELF:
		cost[planted] += seconds;
		break;
	case SIM_CALLED:
		scale = 1 + seconds / subtree_cost(program, planted);
		for (uint32_t f = planted; f < program->end[planted]; f++)
			cost[f] *= scale;
		break;
	case SIM_RENAME:
	case SIM_EXTRACT:
		move_cost(program, seconds, program->fresh);
		break;
	case SIM_INLINE:
		move_cost(program, seconds, program->up[planted]);
		break;
	case SIM_MOVE:
		move_cost(program, seconds, (uint32_t)sim_below(rng, program->functions));
		break;
	case SIM_UNIFORM:
		for (size_t f = 0; f < program->functions; f++)
			cost[f] *= 1 + config->size;
		break;
	case SIM_FASTER:
		cost[planted] -= fmin(seconds, 0.9 * cost[planted]);
		break;
	}
}

/* The machine between and during runs. */
struct machine {
	const struct sim_noise *noise;
	struct sim_rng *rng;
	size_t functions;
	bool libraries;
	double *loading, *deviation; /* [function] */
	double *bias;                /* [(layout * 2 + version) * functions + function] */
	double drift, memory;
};

/* Their numbers are in the order of calls, which knows nothing of their cost. */
static bool is_in_library(uint32_t function)
{
	return function % LIBRARY_OF == LIBRARY_OF - 1; /* 0 is the program's main */
}

static double bias_of(struct machine *machine, uint32_t function, double deviation)
{
	double bias = deviation * sim_normal(machine->rng);

	return machine->libraries && is_in_library(function) ? bias * LIBRARY_BIAS : bias;
}

static void machine_init(struct machine *machine, struct arena *arena)
{
	const struct sim_noise *noise = machine->noise;
	struct sim_rng *rng = machine->rng;
	size_t n = machine->functions, builds = 2 * noise->layouts;

	machine->loading = arena_array(arena, n, sizeof(double));
	machine->deviation = arena_array(arena, n, sizeof(double));
	machine->bias = arena_array(arena, builds * n, sizeof(double));
	for (uint32_t f = 0; f < n; f++) {
		double spread = sim_uniform(rng, 0, 1) < 0.05 ? 3.3 : 1;

		machine->loading[f] = sim_uniform(rng, 0, 1) < 0.4 ? sim_uniform(rng, 0.3, 1) : 0;
		machine->deviation[f] = sim_uniform(rng, noise->function_low, noise->function_high);
		for (size_t b = 0; b < builds; b++)
			machine->bias[b * n + f] = bias_of(machine, f, noise->layout * spread);
	}
	machine->drift = noise->drift * sim_normal(rng);
	machine->memory = noise->memory * sim_normal(rng);
}

static double autoregress(struct sim_rng *rng, double old, double deviation, double memory)
{
	return memory * old + sqrt(1 - memory * memory) * deviation * sim_normal(rng);
}

struct weather {
	double all, memory; /* factors of one run */
};

static struct weather next_run(struct machine *machine, double when)
{
	const struct sim_noise *noise = machine->noise;
	struct sim_rng *rng = machine->rng;
	struct weather weather;

	machine->drift = autoregress(rng, machine->drift, noise->drift, noise->drift_memory);
	machine->memory = autoregress(rng, machine->memory, noise->memory, noise->memory_memory);
	weather.all = exp(
		machine->drift + noise->trend * (2 * when - 1) + noise->jitter * sim_normal(rng));
	weather.memory = machine->memory;
	if (sim_uniform(rng, 0, 1) < noise->outliers) {
		double slower = sim_uniform(rng, 1.2, 2);

		if (sim_uniform(rng, 0, 1) < 0.5)
			weather.memory += slower - 1;
		else
			weather.all *= slower;
	}
	return weather;
}

static double run_cost(const struct machine *machine, const struct program *program, int version,
	size_t pair, uint32_t f, const struct weather *weather)
{
	size_t layouts = machine->noise->layouts;
	double bias = 0, cost = program->cost[version][f] * weather->all;

	if (layouts)
		bias = machine->bias[(pair % layouts * 2 + (size_t)version) * machine->functions +
				     f];
	cost *= 1 + bias + machine->loading[f] * weather->memory +
		machine->deviation[f] * sim_normal(machine->rng);
	return fmax(cost, 0);
}

static void run_version(const struct sim_config *config, struct machine *machine,
	const struct program *program, int version, size_t pair, struct sim_cells *out)
{
	double when = (double)pair / (double)(config->stage1 + config->stage2);
	double rate = config->rate_hz;
	struct weather weather = next_run(machine, when);

	for (uint32_t f = 0; f < program->functions; f++) {
		double cost = run_cost(machine, program, version, pair, f, &weather);
		double count = sim_poisson(machine->rng, cost * rate);
		struct verdict_cell cell = {count / rate, count / (rate * rate), count};

		out->total[version][pair] += cost;
		out->self[version][f * out->pairs + pair] = cell;
		out->node_self[version][(f + 1) * out->pairs + pair] = cell;
	}
}

void sim_add_up(struct sim *sim)
{
	size_t nodes = sim->input.node_count, pairs = sim->cells.pairs;

	for (int version = 0; version < 2; version++) {
		struct verdict_cell *total = sim->cells.node_total[version];

		memcpy(total, sim->cells.node_self[version], nodes * pairs * sizeof(*total));
		for (size_t v = nodes; v-- > 1;) {
			size_t up = sim->input.node_parent[v];

			for (size_t b = 0; b < pairs; b++) {
				struct verdict_cell *to = &total[up * pairs + b];
				const struct verdict_cell *from = &total[v * pairs + b];

				to->x += from->x;
				to->squares += from->squares;
				to->samples += from->samples;
			}
		}
	}
}

static void output_init(struct sim_cells *out, size_t functions, size_t pairs, struct arena *arena)
{
	out->pairs = pairs;
	for (int version = 0; version < 2; version++) {
		out->total[version] = arena_array(arena, pairs, sizeof(double));
		out->self[version] =
			arena_array(arena, functions * pairs, sizeof(struct verdict_cell));
		out->node_self[version] =
			arena_array(arena, (functions + 1) * pairs, sizeof(struct verdict_cell));
		out->node_total[version] =
			arena_array(arena, (functions + 1) * pairs, sizeof(struct verdict_cell));
	}
}

/* Whose code the planted change rewrites; more calls are written in the caller. */
static bool is_changed(
	const struct sim_config *config, const struct program *program, uint32_t function)
{
	if (config->change == SIM_NONE || config->change == SIM_UNIFORM)
		return false;
	if (config->change == SIM_CALLED)
		return function == program->up[program->planted];
	return function == program->planted || function == program->other;
}

/* Its own generator: the gate's noise is the same with and without. */
static void flag_unchanged(const struct sim_config *config, const struct program *program,
	uint64_t seed, uint8_t *flags)
{
	struct sim_rng rng;

	for (uint32_t f = 0; f < program->functions; f++)
		if ((config->data || !is_changed(config, program, f)) &&
			!(flags[f] & (VERDICT_FUNCTION_NEW | VERDICT_FUNCTION_VANISHED)))
			flags[f] |= VERDICT_FUNCTION_UNCHANGED;
	sim_rng_seed(&rng, seed ^ 0x5a5a5a5a);
	for (size_t i = 0; i < config->others; i++)
		flags[sim_below(&rng, program->functions)] &= (uint8_t)~VERDICT_FUNCTION_UNCHANGED;
	for (uint32_t f = 0; config->libraries && f < program->functions; f++)
		if (is_in_library(f) && !is_changed(config, program, f))
			flags[f] |= VERDICT_FUNCTION_UNCHANGED;
	for (uint32_t f = 0; f < program->functions; f++)
		if (!(flags[f] & VERDICT_FUNCTION_UNCHANGED))
			flags[f] |= VERDICT_FUNCTION_CHANGED_CODE;
}

static void describe_functions(const struct sim_config *config, const struct program *program,
	uint64_t seed, struct arena *arena, struct sim *sim)
{
	size_t n = program->functions;
	uint32_t *file = arena_array(arena, n, sizeof(*file));
	uint8_t *flags = arena_array(arena, n, sizeof(*flags));

	for (uint32_t f = 0; f < n; f++) {
		bool in_base = program->cost[0][f] > 0, in_head = program->cost[1][f] > 0;
		file[f] = f / FILES_OF;
		if (!in_base && in_head)
			flags[f] |= VERDICT_FUNCTION_NEW;
		if (in_base && !in_head)
			flags[f] |= VERDICT_FUNCTION_VANISHED;
		if (config->flags && is_changed(config, program, f))
			flags[f] |= VERDICT_FUNCTION_TOUCHED;
		if (config->libraries && is_in_library(f) && !is_changed(config, program, f))
			flags[f] |= VERDICT_FUNCTION_SAME_PLACE;
	}
	if (config->hashes)
		flag_unchanged(config, program, seed, flags);
	sim->input.function_count = n;
	sim->input.function_file = file;
	sim->input.function_flags = sim->flags = flags;
}

static void fill_input(const struct sim_config *config, const struct program *program,
	const struct sim_cells *out, uint64_t seed, struct arena *arena, struct sim *sim)
{
	struct verdict_input *input = &sim->input;
	size_t nodes = program->functions + 1;
	uint32_t *parent = arena_array(arena, nodes, sizeof(*parent));
	uint32_t *function = arena_array(arena, nodes, sizeof(*function));

	function[0] = VERDICT_NONE;
	for (uint32_t v = 1; v < nodes; v++) {
		function[v] = v - 1;
		parent[v] = program->up[v - 1] == VERDICT_NONE ? 0 : program->up[v - 1] + 1;
	}
	*input = (struct verdict_input){
		.pairs = out->pairs,
		.stage1_pairs = config->stage1,
		.node_count = nodes,
		.node_parent = parent,
		.node_function = function,
	};
	for (int version = 0; version < 2; version++) {
		input->total[version] = out->total[version];
		input->self[version] = out->self[version];
		input->node_self[version] = out->node_self[version];
		input->node_total[version] = out->node_total[version];
	}
	describe_functions(config, program, seed, arena, sim);
}

void sim_gate(const struct sim_config *config, uint64_t seed, struct arena *arena, struct sim *sim)
{
	struct sim_rng rng;
	struct program program;
	struct sim_cells out;
	struct machine machine = {
		.noise = &config->noise, .rng = &rng, .libraries = config->libraries};
	size_t all = config->stage1 + config->stage2;

	sim_rng_seed(&rng, seed);
	build_program(config, &rng, arena, &program);
	plant(config, &rng, &program);
	machine.functions = program.functions;
	machine_init(&machine, arena);
	if (config->noise_seed)
		sim_rng_seed(&rng, config->noise_seed);
	output_init(&out, program.functions, config->drawn ? config->drawn : all, arena);
	for (size_t b = 0; b < out.pairs; b++) {
		int first = (int)(sim_next(&rng) >> 63);

		run_version(config, &machine, &program, first, b, &out);
		run_version(config, &machine, &program, !first, b, &out);
	}
	fill_input(config, &program, &out, seed, arena, sim);
	sim->cells = out;
	sim_add_up(sim);
	sim->planted = program.planted;
	sim->other = program.other;
	sim->true_base = program.cost[0];
}

static double toss(struct sim_rng *rng, double coins)
{
	double heads = 0;

	for (double i = 0; i < coins; i++)
		heads += (double)(sim_next(rng) >> 63);
	return heads;
}

void sim_shuffle_versions(struct sim *sim, uint64_t seed)
{
	size_t rows = sim->input.function_count * sim->cells.pairs;
	struct sim_rng rng;

	sim_rng_seed(&rng, seed);
	for (size_t i = 0; i < rows; i++) {
		struct verdict_cell *base = &sim->cells.self[0][i], *head = &sim->cells.self[1][i];
		double count = base->samples + head->samples, weight = base->x + head->x;
		double to_head = toss(&rng, count);

		if (count <= 0)
			continue;
		weight /= count;
		*head = (struct verdict_cell){to_head * weight, to_head * weight * weight, to_head};
		count -= to_head;
		*base = (struct verdict_cell){count * weight, count * weight * weight, count};
		for (int version = 0; version < 2; version++)
			sim->cells.node_self[version][i + sim->cells.pairs] =
				sim->cells.self[version][i];
	}
	sim_add_up(sim);
}
