/* SPDX-License-Identifier: Apache-2.0 */
/* Two small profiles and what is known of their code, for the tests of inlinings. */
#ifndef FG_TESTS_COMPARE_INLINING_SCENE_H
#define FG_TESTS_COMPARE_INLINING_SCENE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "gate/base/error.h"
#include "gate/compare/comparison.h"
#include "tests/unit/compare/support.h"

#define MAX_FUNCTIONS 64

struct fixture {
	struct profile *profile[COMPARE_VERSIONS];
	bool has_code;
	const char *hash[COMPARE_VERSIONS][MAX_FUNCTIONS];
	uint32_t bytes[COMPARE_VERSIONS][MAX_FUNCTIONS];
	struct code_of_version code[COMPARE_VERSIONS];
	struct comparison comparison;
};

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	for (int version = 0; version < COMPARE_VERSIONS; version++)
		f->profile[version] = support_profile();
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	comparison_release(&f->comparison);
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		profile_free(f->profile[version]);
	free(f);
	return 0;
}

static inline void again(void **state)
{
	tear_down(state);
	set_up(state);
}

static inline void base(struct fixture *f, const char *stack, int64_t samples)
{
	support_add(f->profile[COMPARE_BASE], stack, "a.c", samples, 0);
}

static inline void head(struct fixture *f, const char *stack, int64_t samples)
{
	support_add(f->profile[COMPARE_HEAD], stack, "a.c", samples, 0);
}

/* Code of its own for each version and size, unless a hash is given. */
static inline void know(
	struct fixture *f, int version, const char *name, uint32_t bytes, const char *hash)
{
	const struct profile *profile = f->profile[version];

	for (size_t i = 0; i < profile->function_count; i++) {
		if (strcmp(profile->functions[i].name, name) != 0)
			continue;
		f->bytes[version][i] = bytes;
		f->hash[version][i] = hash ? hash
					   : profile_intern(f->profile[version],
						     version == COMPARE_BASE ? "base's" : "head's");
		f->has_code = true;
		return;
	}
	fail_msg("no function is called %s", name);
}

static inline void sizes(struct fixture *f, const char *name, uint32_t in_base, uint32_t in_head)
{
	if (in_base)
		know(f, COMPARE_BASE, name, in_base, NULL);
	if (in_head)
		know(f, COMPARE_HEAD, name, in_head, NULL);
}

static inline void build(struct fixture *f)
{
	struct comparison_limits limits = {0};

	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		assert_true(f->profile[version]->function_count <= MAX_FUNCTIONS);
		f->code[version] = (struct code_of_version){
			f->profile[version], f->hash[version], f->bytes[version], NULL};
	}
	if (f->has_code)
		limits.code = f->code;
	assert_int_equal(comparison_build(&f->comparison, f->profile[COMPARE_BASE],
				 f->profile[COMPARE_HEAD], 1, &limits, NULL),
		ERR_OK);
}

static inline uint32_t function(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->comparison.matches.count; i++)
		if (strcmp(f->comparison.matches.functions[i].name, name) == 0)
			return (uint32_t)i;
	fail_msg("no function is called %s", name);
	return 0;
}

static inline const struct inlining *inlining(
	const struct fixture *f, const char *host, const char *part)
{
	uint32_t from = function(f, host), to = function(f, part);

	for (size_t i = 0; i < f->comparison.inlinings.count; i++)
		if (f->comparison.inlinings.items[i].host == from &&
			f->comparison.inlinings.items[i].part == to)
			return &f->comparison.inlinings.items[i];
	return NULL;
}

static inline void assert_inlining(
	const struct fixture *f, const char *host, const char *part, enum inlining_kind kind)
{
	const struct inlining *found = inlining(f, host, part);

	if (!found)
		fail_msg("%s does not count with %s", part, host);
	else
		assert_int_equal(found->kind, kind);
}

static inline void assert_none(const struct fixture *f)
{
	assert_int_equal(f->comparison.inlinings.count, 0);
}

/* Samples of its own, which take 1 ms each. */
static inline void assert_self(
	const struct fixture *f, const char *name, double in_base, double in_head)
{
	const double wanted[COMPARE_VERSIONS] = {in_base, in_head};

	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		const struct verdict_cell *cell =
			&f->comparison.function_self[version][function(f, name)];

		if (fabs(cell->samples - wanted[version]) > 1e-9 ||
			fabs(cell->x - wanted[version] / 1000) > 1e-9)
			fail_msg("%s of version %d: %g samples, %g s", name, version, cell->samples,
				cell->x);
	}
}

/* Samples at a path and below it. */
static inline void assert_node(
	const struct fixture *f, const char *path, double in_base, double in_head)
{
	const struct comparison *c = &f->comparison;
	char copy[256], *name, *rest = copy;
	uint32_t at = 0;

	memcpy(copy, path, strlen(path) + 1);
	while ((name = strsep(&rest, ";"))) {
		uint32_t wanted = function(f, name), child = 0;

		for (uint32_t i = 1; i < c->node_count; i++)
			if (c->nodes[i].parent == at && c->nodes[i].function == wanted)
				child = i;
		if (!child)
			fail_msg("there is no %s", path);
		at = child;
	}
	assert_true(fabs(c->nodes[at].total[COMPARE_BASE] - in_base / 1000) < 1e-9);
	assert_true(fabs(c->nodes[at].total[COMPARE_HEAD] - in_head / 1000) < 1e-9);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
