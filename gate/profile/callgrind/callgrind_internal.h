/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to callgrind.h: callgrind_parse.c fills the graph, callgrind_flow.c makes its calls add
 * up, callgrind_stacks.c walks it from the roots.
 */
#ifndef FG_PROFILE_CALLGRIND_INTERNAL_H
#define FG_PROFILE_CALLGRIND_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/map.h"
#include "gate/profile/callgrind/callgrind.h"

#define CALLGRIND_NONE UINT32_MAX

/* Names are indices into strings; string 0 is "". */
struct callgrind_function {
	uint32_t object, file, name;
};

/* One function's own cost at one line. */
struct callgrind_cost {
	uint32_t function, line; /* line 0: unknown, or in another file */
	uint64_t count;
};

struct callgrind_call {
	uint32_t caller, callee;
	uint32_t line;  /* of the call in the caller's file; 0 unknown */
	uint64_t count; /* instructions in the callee until its return */
};

/* Where a call is made and to where, of files that have instructions' addresses. */
struct callgrind_site {
	uint32_t caller, callee;
	uint64_t from, to; /* link-time addresses in their objects */
	uint64_t calls;
	uint64_t count; /* instructions in the callee until its return */
};

struct callgrind {
	struct arena arena;
	const struct callgrind_limits *limits;
	struct map string_index, function_index;
	const char **strings;
	size_t string_count, string_capacity;
	struct callgrind_function *functions;
	size_t function_count, function_capacity;
	struct callgrind_cost *costs;
	size_t cost_count, cost_capacity;
	struct callgrind_call *calls;
	size_t call_count, call_capacity;
	bool keeps_sites;
	struct callgrind_site *sites;
	size_t site_count, site_capacity;
	uint64_t total;
	const char *command, *program;
};

uint32_t callgrind_string(struct callgrind *callgrind, const char *text, size_t length);
/* CALLGRIND_NONE past the limit. */
uint32_t callgrind_function(
	struct callgrind *callgrind, uint32_t object, uint32_t file, uint32_t name);

/*
 * The call graph without its cycles: each component is a function or the members of one cycle.
 * Callees come first. The calls between components add up: a component's total is what its members
 * and their calls out cost, and is what its calls in (and root) cost.
 */
struct callgrind_component {
	uint32_t first, count; /* in members */
	uint64_t total, root;  /* root: what no call accounts for */
};

struct callgrind_flow {
	struct arena arena;
	size_t function_count;
	struct callgrind_cost *costs; /* by function and line, each once, none 0 */
	struct callgrind_call *calls; /* by caller and callee, each once, none 0, none in a cycle */
	size_t cost_count, call_count;
	uint64_t *self;                    /* by function */
	uint64_t *weight;                  /* by function: own cost and all calls' */
	uint32_t *first_cost, *first_call; /* by function, and one more */
	uint32_t *component_of;            /* by function */
	struct callgrind_component *components;
	size_t component_count;
	uint32_t *members;
	size_t cycles;   /* components of several functions */
	uint64_t excess; /* what calls claimed beyond what there was */
};

void callgrind_flow_init(struct callgrind_flow *flow, const struct callgrind *callgrind);
void callgrind_flow_release(struct callgrind_flow *flow);

/* a * b / c, where the result fits. */
uint64_t callgrind_share(uint64_t a, uint64_t b, uint64_t c);

struct callgrind_frame {
	uint32_t function, line;
	uint32_t up; /* towards the root, or CALLGRIND_NONE */
	uint32_t depth;
};

/* A stack and what it cost: its leaf is no frame of the tree. */
struct callgrind_stack {
	uint32_t function, line, up;
	uint64_t count;
};

struct callgrind_stacks {
	struct callgrind_frame *frames;
	size_t frame_count, frame_capacity;
	struct callgrind_stack *stacks;
	size_t stack_count, stack_capacity;
	bool is_cut; /* a stack has lost frames to max_depth */
};

void callgrind_stacks_init(struct callgrind_stacks *stacks, const struct callgrind_flow *flow,
	const struct callgrind_limits *limits);
void callgrind_stacks_release(struct callgrind_stacks *stacks);

#endif
