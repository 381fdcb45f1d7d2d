/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison: base and head profiles of one benchmark united: functions matched across the
 * versions, one call tree that holds the stacks of both, and for each function and node what every
 * pair of every version spent there. These are the numbers that gate/verdict decides on.
 */
#ifndef FG_COMPARE_COMPARISON_H
#define FG_COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/compare/inlining.h"
#include "gate/compare/match.h"
#include "gate/profile/profile.h"
#include "gate/verdict/verdict.h"

struct error;

/* Nodes with fewer pooled samples are shown, but the verdict does not see them (statistics:
 * eligible). */
#define COMPARISON_MIN_SAMPLES 20

struct comparison_node {
	uint32_t parent;   /* node 0, the root: 0 */
	uint32_t function; /* matched function; COMPARE_NONE for the root */
	double self[COMPARE_VERSIONS], total[COMPARE_VERSIONS]; /* seconds, all pairs */
	double samples;                                         /* pooled, inclusive */
	uint32_t tested; /* its index among the tested nodes, or COMPARE_NONE */
};

/* Sampled cost of a source line, by samples whose innermost frame (inlined ones too) is there. */
struct comparison_line {
	int64_t line;
	double seconds;
};

/* An inlining's part that counts as this function: its host, or what that is itself a part of. */
struct comparison_part {
	uint32_t function, inlining;
};

struct comparison {
	struct arena arena;
	size_t pairs;
	struct function_matches matches;
	struct inlining_map
		inlinings; /* in all that follows a part counts as its host, where they say so */
	double *function_total[COMPARE_VERSIONS]; /* inclusive seconds, all pairs, recursion counted
						 once */
	/* Functions whose inclusive cost is known by pair: with enough samples to say how it
	 * changed, and where there is room for it; else COMPARE_NONE. */
	uint32_t *function_known;
	size_t known_count;
	uint32_t *known_function;
	struct verdict_cell *known_total[COMPARE_VERSIONS]; /* [known * pairs + pair] */
	const char **function_module;                       /* basename of the object, "" unknown */
	struct verdict_cell *function_self[COMPARE_VERSIONS]; /* [function * pairs + pair] */
	struct comparison_node *nodes; /* preorder, siblings sorted by function */
	size_t node_count;
	/*
	 * Of a tree past the limit: no node that was left out takes more than this share of base or
	 * of head, and its cost counts as its caller's in nodes (self and sample_node). The rest,
	 * functions and lines among it, is exact.
	 */
	bool is_folded;
	double folded_share;
	uint32_t *sample_node[COMPARE_VERSIONS]; /* -> nodes: where each sample's own cost is */
	/* the tested nodes: a prefix-closed part of the tree, preorder */
	size_t tested_count;
	uint32_t *tested_node;   /* -> nodes */
	uint32_t *tested_parent; /* -> tested */
	uint32_t *tested_function;
	struct verdict_cell *tested_self[COMPARE_VERSIONS], *tested_total[COMPARE_VERSIONS];
	/* lines[version][line_start[version][f] .. line_start[version][f + 1]) are function f's,
	 * largest first; numbers are those of the version's own file, 0 where the line is not
	 * known. What a part's lines cost whom it counts as are those of comparison_part_lines():
	 * they may be in another file. */
	struct comparison_line *lines[COMPARE_VERSIONS];
	size_t *line_start[COMPARE_VERSIONS];
	struct comparison_part *parts; /* as met: those that cost something themselves */
	size_t part_count;
};

struct comparison_limits {
	/*
	 * 0: 1,000,000. Past it the smallest nodes are left out. While the tree grows there are up
	 * to one and a half times as many, of about 130 bytes each: 200 MB.
	 */
	size_t max_nodes;
	size_t max_cells; /* 0: 64 M; past them ERR_LIMIT */
	/* Of base and head, for matching; NULL: nothing is known of the machine code. */
	const struct code_of_version *code;
	/* Of base's and head's objects, for matching; NULL: nothing is known of them. */
	const struct function_names *names;
};

/*
 * Both profiles must carry flamegate's three CPU values (profile.h), or any single value type, in
 * which case squares are value^2 / samples and every sample is one. Samples of pair >= pairs are
 * an error; with pairs 0 nothing is replicated: the labels are ignored and everything is pair 0
 * of 1. Release with comparison_release() only after ERR_OK.
 */
int comparison_build(struct comparison *comparison, const struct profile *base,
	const struct profile *head, size_t pairs, const struct comparison_limits *limits,
	struct error *err);
void comparison_release(struct comparison *comparison);

/* Where in line_start the lines of one of the parts are, as far as they count as its function's. */
static inline size_t comparison_part_lines(const struct comparison *comparison, size_t part)
{
	return comparison->matches.count + part;
}

/* Seconds in one unit of a pprof value; 1 for what is no time. */
double value_unit_scale(const char *unit);
/* "seconds" for a time, else the unit itself: what the numbers above are in. */
const char *value_unit_name(const char *unit);

#endif
