/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes: pprof_decode() refuses them with a message or gives a profile that can be encoded,
 * decoded and encoded again to the same bytes, and that folds into trees with consistent sums.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/call_tree.h"
#include "gate/profile/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* Nodes in depth-first order, and each total its self plus the children's totals. */
static void check_tree(const struct call_tree *tree, const struct profile *profile)
{
	int64_t *sums = calloc(tree->node_count, sizeof(*sums));

	for (size_t i = tree->node_count; i-- > 0;) {
		const struct call_tree_node *node = &tree->nodes[i];

		REQUIRE(i == 0 || node->parent < i);
		REQUIRE(i == 0 || node->function < profile->function_count);
		REQUIRE(node->total == node->self + sums[i]);
		if (i)
			sums[node->parent] += node->total;
	}
	for (size_t i = 0; i < profile->sample_count; i++)
		REQUIRE(tree->sample_nodes[i] < tree->node_count);
	free(sums);
}

static void fold(const struct profile *profile)
{
	for (size_t type = 0; type < profile->type_count && type < 4; type++) {
		struct call_tree tree;
		struct error err;

		if (!call_tree_build(&tree, profile, type, NULL, &err))
			check_tree(&tree, profile);
		else
			REQUIRE(err.code == ERR_LIMIT);
		call_tree_release(&tree);
	}
}

static void round_trip(const struct profile *first)
{
	struct strbuf one = STRBUF_INIT, two = STRBUF_INIT;
	struct profile *second = NULL;
	struct error err;

	REQUIRE(pprof_encode(first, &one, &err) == ERR_OK);
	REQUIRE(pprof_decode(one.data, one.length, NULL, &second, &err) == ERR_OK);
	REQUIRE(second->sample_count == first->sample_count);
	REQUIRE(second->default_type == first->default_type);
	REQUIRE(pprof_encode(second, &two, &err) == ERR_OK);
	REQUIRE(one.length == two.length && memcmp(one.data, two.data, one.length) == 0);
	profile_free(second);
	strbuf_release(&one);
	strbuf_release(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct pprof_limits limits = pprof_default_limits;
	struct profile *profile = NULL;
	struct error err = {0};

	limits.max_bytes = (size_t)1 << 20;
	if (pprof_decode(data, length, &limits, &profile, &err)) {
		REQUIRE(!profile && err.message[0]);
		return 0;
	}
	fold(profile);
	round_trip(profile);
	profile_free(profile);
	return 0;
}
