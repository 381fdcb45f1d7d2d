/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A gate of a call tree that is written down: each node's cost in base and in head, the same in
 * every pair, with the sampling variance that so many samples a second have. Nothing is drawn, so
 * evidence is what the costs say.
 */
#ifndef FG_TESTS_VERDICT_TREE_SCENE_H
#define FG_TESTS_VERDICT_TREE_SCENE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/verdict.h"

enum { SCENE_NODES = 64, SCENE_PAIRS = 40 };

struct scene_node {
	uint32_t parent, function; /* of node 0, the root: nothing */
	double cost[2];            /* its own, seconds */
};

struct scene {
	double rate;     /* samples a second */
	double clock[2]; /* seconds that the process took; 0: what its samples add up to */
	size_t node_count;
	struct scene_node nodes[SCENE_NODES];
	uint8_t flags[SCENE_NODES];
	const double *calls; /* [function]: head's by base's; NULL: not counted */
	const double *instructions, *own_instructions; /* [function]: the same */
	bool places;                                   /* each version is a build of its own */
	uint32_t parent[SCENE_NODES], function[SCENE_NODES];
	struct verdict_cell self[2][SCENE_NODES * SCENE_PAIRS];
	struct verdict_cell node_self[2][SCENE_NODES * SCENE_PAIRS];
	struct verdict_cell node_total[2][SCENE_NODES * SCENE_PAIRS];
	double total[2][SCENE_PAIRS];
	struct verdict_input input;
	struct verdict_result result;
	struct arena arena;
};

static inline int scene_setup(void **state)
{
	static struct scene scene;

	memset(&scene, 0, sizeof(scene));
	scene.rate = 20000;
	scene.node_count = 1;
	*state = &scene;
	return 0;
}

static inline int scene_teardown(void **state)
{
	struct scene *scene = *state;

	arena_release(&scene->arena);
	return 0;
}

/* In preorder; returns the node. */
static inline uint32_t scene_add(
	struct scene *scene, uint32_t parent, uint32_t function, double base, double head)
{
	assert_true(scene->node_count < SCENE_NODES && function < SCENE_NODES);
	scene->nodes[scene->node_count] = (struct scene_node){parent, function, {base, head}};
	return (uint32_t)scene->node_count++;
}

static inline void scene_fill_cell(
	const struct scene *scene, struct verdict_cell *cell, double seconds)
{
	cell->x += seconds;
	cell->squares += seconds / scene->rate;
	cell->samples += seconds * scene->rate;
}

static inline void scene_fill_node(struct scene *scene, size_t v, int version, size_t pair)
{
	double seconds = scene->nodes[v].cost[version];

	scene->total[version][pair] += seconds;
	scene_fill_cell(scene, &scene->node_self[version][v * SCENE_PAIRS + pair], seconds);
	if (v)
		scene_fill_cell(scene,
			&scene->self[version][scene->nodes[v].function * SCENE_PAIRS + pair],
			seconds);
	for (size_t up = v;; up = scene->nodes[up].parent) {
		scene_fill_cell(
			scene, &scene->node_total[version][up * SCENE_PAIRS + pair], seconds);
		if (!up)
			break;
	}
}

static inline void scene_fill(struct scene *scene)
{
	memset(scene->self, 0, sizeof(scene->self));
	memset(scene->node_self, 0, sizeof(scene->node_self));
	memset(scene->node_total, 0, sizeof(scene->node_total));
	memset(scene->total, 0, sizeof(scene->total));
	for (size_t v = 0; v < scene->node_count; v++) {
		scene->parent[v] = scene->nodes[v].parent;
		scene->function[v] = v ? scene->nodes[v].function : VERDICT_NONE;
		for (size_t i = 0; i < 2 * SCENE_PAIRS; i++)
			scene_fill_node(scene, v, (int)(i % 2), i / 2);
	}
	for (size_t i = 0; i < 2 * SCENE_PAIRS; i++)
		if (scene->clock[i % 2] > 0)
			scene->total[i % 2][i / 2] = scene->clock[i % 2];
}

static inline size_t scene_functions(const struct scene *scene)
{
	size_t count = 0;

	for (size_t v = 1; v < scene->node_count; v++)
		if (scene->nodes[v].function >= count)
			count = scene->nodes[v].function + 1;
	return count;
}

/* The margins are all but nothing: how large an increase must be is not what these tests ask. */
static inline const struct verdict_result *scene_decide(struct scene *scene)
{
	struct verdict_input *input = &scene->input;

	scene_fill(scene);
	*input = (struct verdict_input){
		.policy = verdict_policy_default(true),
		.pairs = SCENE_PAIRS,
		.stage1_pairs = 16,
		.function_count = scene_functions(scene),
		.node_count = scene->node_count,
		.node_parent = scene->parent,
		.node_function = scene->function,
		.function_flags = scene->flags,
		.call_ratio = scene->calls,
		.instruction_ratio = scene->instructions,
		.own_instruction_ratio = scene->own_instructions,
	};
	input->policy.same_build = !scene->places; /* nobody is excused */
	input->policy.margin_points = 1e-9;
	input->policy.margin_self_relative = input->policy.margin_total_relative = 0;
	for (int version = 0; version < 2; version++) {
		input->total[version] = scene->total[version];
		input->self[version] = scene->self[version];
		input->node_self[version] = scene->node_self[version];
		input->node_total[version] = scene->node_total[version];
	}
	arena_release(&scene->arena);
	arena_init(&scene->arena);
	verdict_decide(input, &scene->arena, &scene->result);
	return &scene->result;
}

/* The function's culprit, or NULL. */
static inline const struct verdict_culprit *scene_culprit(
	const struct scene *scene, uint32_t function)
{
	for (size_t i = 0; i < scene->result.culprit_count; i++)
		if (scene->result.culprits[i].function == function)
			return &scene->result.culprits[i];
	return NULL;
}

#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)

#endif
