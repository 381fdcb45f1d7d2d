/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which touched function is nearest to a culprit.
 *
 * node      0 root
 *           1   main
 *           2     load             5     save             8     log
 *           3       parse          6       parse
 *           4         copy         7         pack
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gate/verdict/localise/nearest_change.h"

enum { MAIN, LOAD, PARSE, COPY, SAVE, PACK, LOG, FUNCTIONS };
enum { NODES = 9 };

struct scene {
	struct arena arena;
	struct moments moments[NODES];
	uint8_t flags[FUNCTIONS];
	struct verdict_input input;
	struct tree tree;
};

static uint32_t parents[NODES] = {VERDICT_NONE, 0, 1, 2, 3, 1, 5, 6, 1};
static const uint32_t functions[NODES] = {
	VERDICT_NONE, MAIN, LOAD, PARSE, COPY, SAVE, PARSE, PACK, LOG};

static int setup(void **state)
{
	static struct scene scene;

	memset(&scene, 0, sizeof(scene));
	scene.input.function_count = FUNCTIONS;
	scene.input.function_flags = scene.flags;
	scene.tree = (struct tree){.real = true,
		.count = NODES,
		.parent = parents,
		.function = functions,
		.moments = scene.moments};
	*state = &scene;
	return 0;
}

static int teardown(void **state)
{
	arena_release(&((struct scene *)*state)->arena);
	return 0;
}

static struct verdict_link nearest(struct scene *scene, uint32_t function)
{
	struct links links;

	links_init(&links, &scene->input, &scene->tree, &scene->arena);
	return links_nearest(&links, function);
}

static void assert_link(
	struct verdict_link link, enum verdict_link_kind kind, uint32_t function, uint32_t distance)
{
	assert_int_equal(link.kind, kind);
	assert_int_equal(link.function, function);
	assert_int_equal(link.distance, distance);
}

static void test_unknown_diff_links_nothing(void **state)
{
	struct scene *scene = *state;

	assert_link(nearest(scene, PARSE), VERDICT_LINK_NONE, VERDICT_NONE, 0);
	scene->input.function_flags = NULL;
	assert_link(nearest(scene, PARSE), VERDICT_LINK_NONE, VERDICT_NONE, 0);
}

static void test_touched_culprit_is_its_own_link(void **state)
{
	struct scene *scene = *state;

	scene->flags[PARSE] = scene->flags[LOAD] = VERDICT_FUNCTION_TOUCHED;
	assert_link(nearest(scene, PARSE), VERDICT_LINK_SELF, PARSE, 0);
}

static void test_nearer_touched_function_wins(void **state)
{
	struct scene *scene = *state;

	scene->flags[MAIN] = VERDICT_FUNCTION_TOUCHED;
	assert_link(nearest(scene, COPY), VERDICT_LINK_CALLER, MAIN, 3);
	scene->flags[LOAD] = VERDICT_FUNCTION_TOUCHED;
	assert_link(nearest(scene, COPY), VERDICT_LINK_CALLER, LOAD, 2);
	scene->flags[LOAD] = 0;
	scene->flags[COPY] = VERDICT_FUNCTION_TOUCHED;
	assert_link(nearest(scene, LOAD), VERDICT_LINK_CALLER, MAIN, 1);
	assert_link(nearest(scene, PARSE), VERDICT_LINK_CALLEE, COPY, 1);
}

static void test_caller_comes_before_a_callee_as_near(void **state)
{
	struct scene *scene = *state;

	scene->flags[SAVE] = scene->flags[COPY] = VERDICT_FUNCTION_TOUCHED;
	assert_link(nearest(scene, PARSE), VERDICT_LINK_CALLER, SAVE, 1);
}

static void test_every_context_is_looked_at(void **state)
{
	struct scene *scene = *state;

	scene->flags[PACK] = VERDICT_FUNCTION_TOUCHED; /* only below the second parse */
	assert_link(nearest(scene, PARSE), VERDICT_LINK_CALLEE, PACK, 1);
	assert_link(nearest(scene, MAIN), VERDICT_LINK_CALLEE, PACK, 3);
	assert_link(nearest(scene, LOG), VERDICT_LINK_NONE, VERDICT_NONE, 0);
}

static void test_of_equals_the_context_that_grew_most_is_named(void **state)
{
	struct scene *scene = *state;

	scene->flags[LOAD] = scene->flags[SAVE] = VERDICT_FUNCTION_TOUCHED;
	scene->moments[6].mean = 0.02;
	assert_link(nearest(scene, PARSE), VERDICT_LINK_CALLER, SAVE, 1);
	scene->moments[3].mean = 0.03;
	assert_link(nearest(scene, PARSE), VERDICT_LINK_CALLER, LOAD, 1);
	scene->flags[LOAD] = scene->flags[SAVE] = 0;
	scene->flags[COPY] = scene->flags[PACK] = VERDICT_FUNCTION_TOUCHED;
	scene->moments[7].mean = 0.01;
	assert_link(nearest(scene, MAIN), VERDICT_LINK_CALLEE, PACK, 3);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_unknown_diff_links_nothing),
		CASE(test_touched_culprit_is_its_own_link),
		CASE(test_nearer_touched_function_wins),
		CASE(test_caller_comes_before_a_callee_as_near),
		CASE(test_every_context_is_looked_at),
		CASE(test_of_equals_the_context_that_grew_most_is_named),
	};

	return cmocka_run_group_tests_name("verdict link", tests, NULL, NULL);
}
