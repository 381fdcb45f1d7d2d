/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the flow to stacks. Components are walked from the callers to the callees. Into each come
 * "arrivals": stacks that lead there, each with the instructions that it is to pay for; their sum
 * is the component's total. What a component leads to are "targets": its members' own costs and
 * their calls out, with the same sum. A large arrival pays its share of every target; the small
 * ones fill up what is left one after the other, which adds at most as many pieces as there are
 * targets. Either way arrivals and targets come out even.
 */
#include "gate/profile/callgrind/callgrind_internal.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_PARTS 16384 /* an arrival of 1/16,384 of all is large, if that gives few enough */
#define FEWER_PARTS 4
#define ARRIVALS_A_STACK 16 /* for each stack that may come of them */
#define LOOKS_A_STACK 4096  /* at targets, most of which get nothing */
#define LINE_PARTS 131072

struct arrival {
	uint32_t entry; /* the member that is called */
	uint32_t up;    /* frame of the caller, or CALLGRIND_NONE */
	uint64_t left;
};

struct arrivals {
	struct arrival *items;
	size_t count, capacity;
};

struct target {
	uint32_t function;
	const struct callgrind_call *call; /* NULL: its own cost */
	uint64_t left;
};

struct walk {
	const struct callgrind_flow *flow;
	const struct callgrind_limits *limits;
	struct callgrind_stacks *out;
	struct arrivals *arrivals; /* by component */
	size_t arrival_count, looks;
	struct target *targets; /* of the component at hand */
	size_t target_count, target_capacity;
	uint64_t *cost_left; /* by cost: not given to a stack yet */
	uint32_t *next_cost; /* by function */
	uint64_t large;      /* UINT64_MAX: no arrival is */
	uint64_t line_least; /* lines below it have no number */
};

/* ---- frames and stacks ----------------------------------------------------------------------- */

static uint32_t push(struct walk *walk, uint32_t function, uint32_t line, uint32_t up)
{
	struct callgrind_stacks *out = walk->out;
	uint32_t depth = up == CALLGRIND_NONE ? 1 : out->frames[up].depth + 1;

	/* The leaf needs room too. */
	if (depth >= walk->limits->max_depth) {
		out->is_cut = true;
		return up;
	}
	out->frames = grow_array(
		out->frames, &out->frame_capacity, out->frame_count + 1, sizeof(*out->frames));
	out->frames[out->frame_count] = (struct callgrind_frame){function, line, up, depth};
	return (uint32_t)out->frame_count++;
}

static void add_stack(
	struct walk *walk, uint32_t function, uint32_t line, uint32_t up, uint64_t count)
{
	struct callgrind_stacks *out = walk->out;
	struct callgrind_stack *last = out->stack_count ? &out->stacks[out->stack_count - 1] : NULL;

	if (last && last->function == function && last->line == line && last->up == up) {
		last->count += count;
		return;
	}
	out->stacks = grow_array(
		out->stacks, &out->stack_capacity, out->stack_count + 1, sizeof(*out->stacks));
	out->stacks[out->stack_count++] = (struct callgrind_stack){function, line, up, count};
}

/* Which stack pays for which line is not known: each pays for the next lines that are left. */
static void give_own(struct walk *walk, uint32_t function, uint32_t up, uint64_t count)
{
	const struct callgrind_flow *flow = walk->flow;

	while (count) {
		uint32_t cost = walk->next_cost[function];
		uint64_t *left = &walk->cost_left[cost], given = count < *left ? count : *left;
		bool is_small = flow->costs[cost].count < walk->line_least;

		add_stack(walk, function, is_small ? 0 : flow->costs[cost].line, up, given);
		count -= given;
		*left -= given;
		if (!*left)
			walk->next_cost[function]++;
	}
}

/* ---- one component --------------------------------------------------------------------------- */

static void arrive(
	struct walk *walk, uint32_t component, uint32_t entry, uint32_t up, uint64_t count)
{
	struct arrivals *arrivals = &walk->arrivals[component];

	/* Many callers at one end of a long chain: callers that weigh little lose their stacks. */
	if (arrivals->count && walk->large == UINT64_MAX &&
		walk->arrival_count >= walk->limits->max_pieces) {
		arrivals->items[arrivals->count - 1].left += count;
		walk->out->is_cut = true;
		return;
	}
	arrivals->items = grow_array(arrivals->items, &arrivals->capacity, arrivals->count + 1,
		sizeof(*arrivals->items));
	arrivals->items[arrivals->count++] = (struct arrival){entry, up, count};
	walk->arrival_count++;
}

static void pay(struct walk *walk, const struct arrival *arrival, struct target *target,
	uint64_t count, uint32_t *entry_frame)
{
	uint32_t up = arrival->up;

	if (!count)
		return;
	target->left -= count;
	/* Inside a cycle: below the member by which it was entered. */
	if (target->function != arrival->entry) {
		if (*entry_frame == CALLGRIND_NONE)
			*entry_frame = push(walk, arrival->entry, 0, arrival->up);
		up = *entry_frame;
	}
	if (!target->call) {
		give_own(walk, target->function, up, count);
		return;
	}
	up = push(walk, target->function, target->call->line, up);
	arrive(walk, walk->flow->component_of[target->call->callee], target->call->callee, up,
		count);
}

/* rest: what this arrival and all later ones have to pay, which is what is left of the targets. */
static void pay_shares(struct walk *walk, const struct arrival *arrival, uint64_t rest)
{
	uint32_t entry_frame = CALLGRIND_NONE;
	uint64_t seen = 0, given = 0;

	walk->looks += walk->target_count;
	for (size_t i = 0; i < walk->target_count; i++) {
		uint64_t until;

		seen += walk->targets[i].left;
		until = callgrind_share(arrival->left, seen, rest);
		pay(walk, arrival, &walk->targets[i], until - given, &entry_frame);
		given = until;
	}
}

static void pay_next(struct walk *walk, const struct arrival *arrival, size_t *next)
{
	uint32_t entry_frame = CALLGRIND_NONE;
	uint64_t left = arrival->left;

	while (left) {
		struct target *target = &walk->targets[*next];
		uint64_t count = left < target->left ? left : target->left;

		pay(walk, arrival, target, count, &entry_frame);
		left -= count;
		if (left)
			++*next;
	}
}

static void add_target(
	struct walk *walk, uint32_t function, const struct callgrind_call *call, uint64_t count)
{
	if (!count)
		return;
	walk->targets = grow_array(walk->targets, &walk->target_capacity, walk->target_count + 1,
		sizeof(*walk->targets));
	walk->targets[walk->target_count++] = (struct target){function, call, count};
}

static void list_targets(struct walk *walk, const struct callgrind_component *component)
{
	const struct callgrind_flow *flow = walk->flow;

	walk->target_count = 0;
	for (uint32_t m = component->first; m < component->first + component->count; m++) {
		uint32_t f = flow->members[m];

		add_target(walk, f, NULL, flow->self[f]);
		for (uint32_t i = flow->first_call[f]; i < flow->first_call[f + 1]; i++)
			add_target(walk, f, &flow->calls[i], flow->calls[i].count);
	}
}

static uint32_t outermost(
	const struct callgrind_flow *flow, const struct callgrind_component *component)
{
	uint32_t most = flow->members[component->first];

	for (uint32_t m = component->first; m < component->first + component->count; m++)
		if (flow->weight[flow->members[m]] > flow->weight[most])
			most = flow->members[m];
	return most;
}

/* The largest first; frames tell equal ones apart, in the order in which they were made. */
static int by_size(const void *left, const void *right)
{
	const struct arrival *a = left, *b = right;

	if (a->left != b->left)
		return a->left < b->left ? 1 : -1;
	if (a->up != b->up)
		return a->up < b->up ? -1 : 1;
	return (a->entry > b->entry) - (a->entry < b->entry);
}

static bool is_too_many(const struct walk *walk)
{
	size_t most = walk->limits->max_stacks;

	return walk->large != UINT64_MAX &&
	       (walk->out->stack_count > most || walk->arrival_count / ARRIVALS_A_STACK > most ||
		       walk->looks / LOOKS_A_STACK > most);
}

static void walk_component(struct walk *walk, uint32_t index)
{
	const struct callgrind_component *component = &walk->flow->components[index];
	struct arrivals *arrivals = &walk->arrivals[index];
	uint64_t rest = component->total;
	size_t next = 0;

	if (component->root)
		arrive(walk, index, outermost(walk->flow, component), CALLGRIND_NONE,
			component->root);
	list_targets(walk, component);
	if (arrivals->count)
		qsort(arrivals->items, arrivals->count, sizeof(*arrivals->items), by_size);
	for (size_t i = 0; i < arrivals->count && !is_too_many(walk); i++) {
		const struct arrival *arrival = &arrivals->items[i];

		if (arrival->left >= walk->large || rest == arrival->left)
			pay_shares(walk, arrival, rest);
		else
			pay_next(walk, arrival, &next);
		rest -= arrival->left;
	}
	free(arrivals->items);
	*arrivals = (struct arrivals){0};
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* False: there were more than max_stacks. */
static bool walk_all(struct walk *walk)
{
	const struct callgrind_flow *flow = walk->flow;
	uint32_t component = (uint32_t)flow->component_count;

	walk->out->frame_count = walk->out->stack_count = 0;
	walk->arrival_count = walk->looks = 0;
	walk->out->is_cut = false;
	for (size_t i = 0; i < flow->cost_count; i++)
		walk->cost_left[i] = flow->costs[i].count;
	if (flow->function_count)
		memcpy(walk->next_cost, flow->first_cost,
			flow->function_count * sizeof(*walk->next_cost));
	while (component && !is_too_many(walk))
		walk_component(walk, --component);
	for (uint32_t c = 0; c < component; c++) {
		free(walk->arrivals[c].items);
		walk->arrivals[c] = (struct arrivals){0};
	}
	return !is_too_many(walk);
}

static uint64_t sum_of(const struct callgrind_flow *flow)
{
	uint64_t sum = 0;

	for (size_t f = 0; f < flow->function_count; f++)
		sum += flow->self[f];
	return sum;
}

void callgrind_stacks_init(struct callgrind_stacks *stacks, const struct callgrind_flow *flow,
	const struct callgrind_limits *limits)
{
	uint64_t total = sum_of(flow);
	struct walk walk = {.flow = flow,
		.limits = limits,
		.out = stacks,
		.arrivals = xcalloc(flow->component_count + 1, sizeof(*walk.arrivals)),
		.cost_left = xcalloc(flow->cost_count + 1, sizeof(*walk.cost_left)),
		.next_cost = xcalloc(flow->function_count + 1, sizeof(*walk.next_cost)),
		.large = total / FIRST_PARTS + 1,
		.line_least = flow->cost_count > limits->max_stacks ? total / LINE_PARTS : 0};

	*stacks = (struct callgrind_stacks){0};
	while (!walk_all(&walk))
		walk.large =
			walk.large > total / FEWER_PARTS ? UINT64_MAX : walk.large * FEWER_PARTS;
	free(walk.arrivals);
	free(walk.cost_left);
	free(walk.next_cost);
	free(walk.targets);
}

void callgrind_stacks_release(struct callgrind_stacks *stacks)
{
	free(stacks->frames);
	free(stacks->stacks);
	*stacks = (struct callgrind_stacks){0};
}
