/* SPDX-License-Identifier: Apache-2.0 */
/* The call graph as a flow of instructions from callers to callees that adds up everywhere. */
#include "gate/profile/callgrind/callgrind_internal.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

uint64_t callgrind_share(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint64_t)((wide)a * b / c);
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* ---- costs and calls, each once -------------------------------------------------------------- */

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_function_and_line(const void *left, const void *right)
{
	const struct callgrind_cost *a = left, *b = right;
	int order = compare_u32(a->function, b->function);

	return order ? order : compare_u32(a->line, b->line);
}

/* The line of the largest call stands for all calls of the pair, so it comes first. */
static int by_pair_and_count(const void *left, const void *right)
{
	const struct callgrind_call *a = left, *b = right;
	int order = compare_u32(a->caller, b->caller);

	if (!order)
		order = compare_u32(a->callee, b->callee);
	if (!order)
		order = (a->count < b->count) - (a->count > b->count);
	return order ? order : compare_u32(a->line, b->line);
}

static void copy_costs(struct callgrind_flow *flow, const struct callgrind *callgrind)
{
	struct callgrind_cost *costs =
		arena_array(&flow->arena, callgrind->cost_count, sizeof(*costs));
	size_t count = 0;

	if (callgrind->cost_count)
		memcpy(costs, callgrind->costs, callgrind->cost_count * sizeof(*costs));
	qsort(costs, callgrind->cost_count, sizeof(*costs), by_function_and_line);
	for (size_t i = 0; i < callgrind->cost_count; i++) {
		flow->self[costs[i].function] += costs[i].count;
		if (count && by_function_and_line(&costs[count - 1], &costs[i]) == 0)
			costs[count - 1].count += costs[i].count;
		else
			costs[count++] = costs[i];
	}
	flow->costs = costs;
	flow->cost_count = count;
}

static void copy_calls(struct callgrind_flow *flow, const struct callgrind *callgrind)
{
	struct callgrind_call *calls =
		arena_array(&flow->arena, callgrind->call_count, sizeof(*calls));
	size_t kept = 0, count = 0;

	for (size_t i = 0; i < callgrind->call_count; i++)
		if (callgrind->calls[i].count &&
			callgrind->calls[i].caller != callgrind->calls[i].callee)
			calls[kept++] = callgrind->calls[i];
	qsort(calls, kept, sizeof(*calls), by_pair_and_count);
	for (size_t i = 0; i < kept; i++) {
		struct callgrind_call *last = count ? &calls[count - 1] : NULL;

		if (last && last->caller == calls[i].caller && last->callee == calls[i].callee)
			last->count = add_capped(last->count, calls[i].count);
		else
			calls[count++] = calls[i];
	}
	flow->calls = calls;
	flow->call_count = count;
}

static void index_functions(struct callgrind_flow *flow)
{
	size_t cost = 0, call = 0;

	for (uint32_t f = 0; f <= flow->function_count; f++) {
		while (cost < flow->cost_count && flow->costs[cost].function < f)
			cost++;
		while (call < flow->call_count && flow->calls[call].caller < f)
			call++;
		flow->first_cost[f] = (uint32_t)cost;
		flow->first_call[f] = (uint32_t)call;
	}
}

/* With the calls inside cycles: the outermost member of a cycle weighs most. */
static void weigh_functions(struct callgrind_flow *flow)
{
	for (size_t f = 0; f < flow->function_count; f++)
		flow->weight[f] = flow->self[f];
	for (size_t i = 0; i < flow->call_count; i++) {
		uint64_t *weight = &flow->weight[flow->calls[i].caller];

		*weight = add_capped(*weight, flow->calls[i].count);
	}
}

/* ---- components: Tarjan's algorithm (1972), without recursion -------------------------------- */

struct search {
	struct callgrind_flow *flow;
	uint32_t *order, *low; /* by function; order 0: not seen yet */
	uint32_t *next_call;   /* by function: where to go on */
	uint32_t *path;        /* functions being visited */
	uint32_t *open;        /* functions seen whose component is not known */
	size_t path_length, open_count, member_count;
	uint32_t seen;
};

static void enter(struct search *search, uint32_t function)
{
	search->order[function] = search->low[function] = ++search->seen;
	search->next_call[function] = search->flow->first_call[function];
	search->path[search->path_length++] = function;
	search->open[search->open_count++] = function;
}

static int by_number(const void *left, const void *right)
{
	return compare_u32(*(const uint32_t *)left, *(const uint32_t *)right);
}

/* function and all that is open since it are one component. */
static void close_component(struct search *search, uint32_t function)
{
	struct callgrind_flow *flow = search->flow;
	uint32_t index = (uint32_t)flow->component_count++, member;
	struct callgrind_component *component = &flow->components[index];

	component->first = (uint32_t)search->member_count;
	do {
		member = search->open[--search->open_count];
		flow->component_of[member] = index;
		flow->members[search->member_count++] = member;
	} while (member != function);
	component->count = (uint32_t)search->member_count - component->first;
	qsort(&flow->members[component->first], component->count, sizeof(*flow->members),
		by_number);
	flow->cycles += component->count > 1;
}

static void leave(struct search *search, uint32_t function)
{
	uint32_t caller;

	search->path_length--;
	if (search->low[function] == search->order[function])
		close_component(search, function);
	if (!search->path_length)
		return;
	caller = search->path[search->path_length - 1];
	if (search->low[function] < search->low[caller])
		search->low[caller] = search->low[function];
}

static void visit(struct search *search, uint32_t root)
{
	const struct callgrind_flow *flow = search->flow;

	enter(search, root);
	while (search->path_length) {
		uint32_t function = search->path[search->path_length - 1], callee;

		if (search->next_call[function] == flow->first_call[function + 1]) {
			leave(search, function);
			continue;
		}
		callee = flow->calls[search->next_call[function]++].callee;
		if (!search->order[callee])
			enter(search, callee);
		else if (flow->component_of[callee] == CALLGRIND_NONE &&
			 search->order[callee] < search->low[function])
			search->low[function] = search->order[callee];
	}
}

static void find_components(struct callgrind_flow *flow)
{
	size_t count = flow->function_count;
	uint32_t *memory = xcalloc(5 * count + 1, sizeof(*memory));
	struct search search = {.flow = flow,
		.order = memory,
		.low = memory + count,
		.next_call = memory + 2 * count,
		.path = memory + 3 * count,
		.open = memory + 4 * count};

	memset(flow->component_of, 0xff, count * sizeof(*flow->component_of));
	for (uint32_t f = 0; f < count; f++)
		if (!search.order[f])
			visit(&search, f);
	free(memory);
}

/* ---- making it add up ------------------------------------------------------------------------ */

static void drop_calls_in_cycles(struct callgrind_flow *flow)
{
	size_t kept = 0;

	for (size_t i = 0; i < flow->call_count; i++) {
		const struct callgrind_call *call = &flow->calls[i];

		if (flow->component_of[call->caller] != flow->component_of[call->callee])
			flow->calls[kept++] = *call;
	}
	flow->call_count = kept;
}

/* The calls that lead into each component: indices of calls, and where each component's begin. */
struct incoming {
	uint32_t *first, *calls;
};

static void index_incoming(const struct callgrind_flow *flow, struct incoming *incoming)
{
	uint32_t *first = xcalloc(flow->component_count + 2, sizeof(*first));

	incoming->calls = xcalloc(flow->call_count + 1, sizeof(*incoming->calls));
	for (size_t i = 0; i < flow->call_count; i++)
		first[flow->component_of[flow->calls[i].callee] + 2]++;
	for (size_t c = 0; c < flow->component_count; c++)
		first[c + 2] += first[c + 1];
	for (uint32_t i = 0; i < flow->call_count; i++)
		incoming->calls[first[flow->component_of[flow->calls[i].callee] + 1]++] = i;
	incoming->first = first;
}

/*
 * Calls cannot have cost more than what they led to. That they claim it happens where a program
 * leaves functions by other ways than returning.
 */
static void settle_component(
	struct callgrind_flow *flow, const struct incoming *incoming, uint32_t index)
{
	struct callgrind_component *component = &flow->components[index];
	uint32_t from = incoming->first[index], to = incoming->first[index + 1];
	uint64_t claimed = 0, seen = 0, given = 0;

	for (uint32_t i = from; i < to; i++)
		claimed = add_capped(claimed, flow->calls[incoming->calls[i]].count);
	if (claimed <= component->total) {
		component->root = component->total - claimed;
		return;
	}
	flow->excess = add_capped(flow->excess, claimed - component->total);
	for (uint32_t i = from; i < to; i++) {
		struct callgrind_call *call = &flow->calls[incoming->calls[i]];
		uint64_t until;

		seen = add_capped(seen, call->count);
		until = callgrind_share(component->total, seen, claimed);
		call->count = until - given;
		given = until;
	}
}

static void settle(struct callgrind_flow *flow)
{
	struct incoming incoming;

	index_incoming(flow, &incoming);
	for (uint32_t c = 0; c < flow->component_count; c++) {
		struct callgrind_component *component = &flow->components[c];

		for (uint32_t m = component->first; m < component->first + component->count; m++) {
			uint32_t f = flow->members[m];

			component->total += flow->self[f];
			for (uint32_t i = flow->first_call[f]; i < flow->first_call[f + 1]; i++)
				component->total += flow->calls[i].count;
		}
		settle_component(flow, &incoming, c);
	}
	free(incoming.first);
	free(incoming.calls);
}

void callgrind_flow_init(struct callgrind_flow *flow, const struct callgrind *callgrind)
{
	size_t count = callgrind->function_count;
	struct arena *arena = &flow->arena;

	*flow = (struct callgrind_flow){.arena = ARENA_INIT, .function_count = count};
	flow->self = arena_array(arena, count, sizeof(*flow->self));
	flow->weight = arena_array(arena, count, sizeof(*flow->weight));
	flow->first_cost = arena_array(arena, count + 1, sizeof(*flow->first_cost));
	flow->first_call = arena_array(arena, count + 1, sizeof(*flow->first_call));
	flow->component_of = arena_array(arena, count, sizeof(*flow->component_of));
	flow->components = arena_array(arena, count, sizeof(*flow->components));
	flow->members = arena_array(arena, count, sizeof(*flow->members));
	copy_costs(flow, callgrind);
	copy_calls(flow, callgrind);
	index_functions(flow);
	weigh_functions(flow);
	find_components(flow);
	drop_calls_in_cycles(flow);
	index_functions(flow);
	settle(flow);
}

void callgrind_flow_release(struct callgrind_flow *flow)
{
	arena_release(&flow->arena);
}
