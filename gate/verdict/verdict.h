/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict: numbers in, decision out. Pure functions: no I/O, no names, no clock, no randomness;
 * the same input gives the same bits.
 *
 * Costs are "seconds" here, but any additive cost with the same unit everywhere will do (bytes,
 * counts). Fractions are of 1 and, unless said otherwise, of base's total. Version 0 is base,
 * version 1 is head.
 *
 * One denominator. Tests divide the costs of a pair by the mean of both its totals, (T0 + T1) / 2:
 * that cancels drift and is the same whichever version is called base (pairs.h). After all tests,
 * each change and share of struct verdict_result is multiplied once by (T0 + T1) / (2 T0), so that
 * it is a fraction of base's total as the total's own change T1 / T0 - 1 is: they can be compared
 * and added up, and a function that takes all of an increase explains 100 % of it, however large
 * that is. T1 / T0 is exp of the 20 % trimmed mean of log(T1 / T0) over the pairs that the number
 * is of: the shown pairs (stage 2 alone where stage 1 flagged anything, since being flagged
 * selects upwards; else all); for shifts and for the detectable effects all pairs. Standard errors
 * and intervals hold the error of that ratio, too.
 */
#ifndef FG_VERDICT_VERDICT_H
#define FG_VERDICT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"

#define VERDICT_NONE UINT32_MAX
#define VERDICT_PAIRS_MAX 1024  /* the exact signed-rank distribution is cubic in the pairs */
#define VERDICT_CULPRITS_MAX 64 /* with all that hangs on others */

/* The cost of one function or node in one version of one pair. */
struct verdict_cell {
	double x;       /* sum of the samples' weights: seconds */
	double squares; /* sum of the squared weights: the sampling variance of x; 0 when x is exact
			 */
	double samples; /* how many samples */
};

enum verdict_function_flag {
	VERDICT_FUNCTION_NEW = 1,           /* head only */
	VERDICT_FUNCTION_VANISHED = 2,      /* base only */
	VERDICT_FUNCTION_TOUCHED = 4,       /* the diff changes lines of it */
	VERDICT_FUNCTION_UNCHANGED = 8,     /* its machine code and inlined callees are unchanged */
	VERDICT_FUNCTION_CHANGED_CODE = 16, /* known, and not the same. Neither: not known */
	VERDICT_FUNCTION_SAME_PLACE = 32,   /* both versions have it from one file, like libc's */
};

struct verdict_policy {
	double margin_points;        /* smallest increase that matters, fraction of the mean of both
					totals: 0.002 */
	double margin_self_relative; /* plus this part of the function's base cost (layout): 0.02 */
	double margin_total_relative; /* the same for an inclusive cost: 0.01 */
	double total_margin;          /* of the total itself: 0.01 whole runs, 0.005 slices */
	double alpha_stage1_nodes;    /* over all functions and nodes of this benchmark: 0.04 */
	double alpha_stage1_total;    /* 0.01 */
	double alpha_stage2;          /* over all benchmarks of the gate, per family: 0.01 */
	size_t benchmarks_in_gate;    /* B >= 1 */
	size_t stage2_pairs; /* planned, for the detectable effect where stage 2 is not run: 24 */
	size_t layouts;  /* builds per version that the pairs take turns at; 1: one layout each */
	bool same_build; /* both versions run the very same machine code, at the same places:
				nothing is layout, and nobody is excused by it (unchanged.h) */
	bool whole_runs; /* a version's run is not cut into slices (only sets total_margin) */
	double min_samples;      /* both versions, all pairs of a stage, to be tested at all: 20 */
	size_t min_pairs;        /* kept in a stage, to decide at all: 8 */
	double min_coverage;     /* sampled cost / total, per version; 0 = do not look: 0.7 */
	double max_coverage_gap; /* |log ratio of the versions' coverages|; 0 = do not look: 0.2 */
};

/* The defaults above; whole_runs chooses total_margin. */
struct verdict_policy verdict_policy_default(bool whole_runs);

/* Everything is borrowed for the call only. Rows are [index * pairs + pair]. */
struct verdict_input {
	struct verdict_policy policy;
	size_t pairs;           /* pairs of runs in measuring order */
	size_t stage1_pairs;    /* the first ones are stage 1, the rest (maybe none yet) stage 2 */
	const double *total[2]; /* [pair]: CPU seconds of the version's processes */
	const double *work[2];  /* [pair]: iterations done; NULL = fixed work */
	double unseen[2];       /* of all totals together: where no sample can be; as if covered */
	size_t function_count;
	const struct verdict_cell *self[2]; /* rows per function */
	const uint32_t *function_file; /* equal = same source file, VERDICT_NONE unknown; or NULL */
	const uint8_t *function_flags; /* enum verdict_function_flag; or NULL */
	/* Per unit of work, head's calls / base's, as they were counted; NAN not known; or NULL. */
	const double *call_ratio;
	/* The same of the instructions in it and in all that it calls, and in itself alone. */
	const double *instruction_ratio, *own_instruction_ratio;
	size_t node_count;             /* 0 = no call tree; node 0 is the root */
	const uint32_t *node_parent;   /* in preorder: a node's subtree directly follows it */
	const uint32_t *node_function; /* VERDICT_NONE for the root */
	const struct verdict_cell *node_self[2];  /* rows per node */
	const struct verdict_cell *node_total[2]; /* inclusive, a sample once per node */
	/* Functions' inclusive cost, a sample once per function: described, never tested. */
	size_t known_count;
	const uint32_t *known_function;
	const struct verdict_cell *known_total[2]; /* rows per known function */
};

enum verdict_status {
	VERDICT_PASS,
	VERDICT_REGRESSION,
	VERDICT_UNDECIDED,     /* stage 1 flagged something: measure stage 2 and decide again */
	VERDICT_CANNOT_DECIDE, /* see reasons; never a pass */
};

/* A bit set: why the status is what it is, and what a reader should know. */
enum verdict_reason {
	/* why nothing can be decided */
	VERDICT_REASON_NO_PAIRS = 1u << 0,
	VERDICT_REASON_TOO_MANY_PAIRS = 1u << 1,
	VERDICT_REASON_BAD_POLICY = 1u << 2,
	VERDICT_REASON_BAD_NUMBER = 1u << 3, /* NaN, infinite or negative; see bad_pair */
	VERDICT_REASON_ZERO_TOTAL = 1u << 4, /* or zero work; see bad_pair */
	VERDICT_REASON_BAD_TREE = 1u << 5,
	VERDICT_REASON_FEW_PAIRS_STAGE1 = 1u << 6,
	VERDICT_REASON_FEW_PAIRS_STAGE2 = 1u << 7,
	VERDICT_REASON_NO_SAMPLES = 1u << 8,    /* a version has none at all */
	VERDICT_REASON_COVERAGE = 1u << 9,      /* the samples do not add up to the total */
	VERDICT_REASON_COVERAGE_GAP = 1u << 10, /* they do much better in one version */
	/* why it is a regression */
	VERDICT_REASON_FUNCTION = 1u << 11,
	VERDICT_REASON_NODE = 1u << 12,
	VERDICT_REASON_TOTAL = 1u << 13,
	VERDICT_REASON_SPREAD = 1u << 14, /* all over the benchmark: no single culprit */
	/* warnings: never the cause of a failure */
	VERDICT_REASON_SHIFTED = 1u << 15,
	VERDICT_REASON_CONTRADICTED = 1u << 16,
	VERDICT_REASON_UNCHANGED_CODE = 1u << 17,
	VERDICT_REASON_TOTAL_UNEXPLAINED = 1u << 18, /* it grew, but not in functions that count */
	VERDICT_REASON_NODE_UNEXPLAINED = 1u << 19,
	VERDICT_REASON_UNREACHABLE_STAGE1 =
		1u << 20, /* 2^-n above alpha: the total test cannot reject */
	VERDICT_REASON_UNREACHABLE_STAGE2 = 1u << 21,
	VERDICT_REASON_LAYOUT = 1u << 22, /* a sum grew no more than one layout may explain */
	/* of a regression */
	VERDICT_REASON_UNCHANGED_GREW = 1u << 23, /* unchanged code grew far more than its place in
						memory explains: what it works on has changed */
	/* beside TOTAL_UNEXPLAINED */
	VERDICT_REASON_TOTAL_UNCHANGED = 1u << 24, /* it grew in functions whose code is the same */
};

/* One reason (one bit) for people; "" for an unknown bit. Static storage. */
const char *verdict_reason_text(enum verdict_reason reason);

enum verdict_state {
	VERDICT_UNCHANGED,
	VERDICT_INELIGIBLE,     /* too few samples to say anything */
	VERDICT_FLAGGED,        /* in stage 1; not confirmed, or not yet */
	VERDICT_CONFIRMED,      /* in both stages, and it counts */
	VERDICT_SHIFTED,        /* confirmed, but other cost went down as this went up */
	VERDICT_CONTRADICTED,   /* confirmed, but the total contradicts */
	VERDICT_UNCHANGED_CODE, /* confirmed, but the code that grew is the same, not called more
			       often, and within what its place in memory may explain */
	VERDICT_IMPROVED, /* went down: all pairs in one test, else as what is confirmed would be
			     were the versions exchanged. Decides nothing */
};

/* What went down as something else went up. */
enum verdict_compensator {
	VERDICT_COMPENSATOR_NONE,
	VERDICT_COMPENSATOR_PARENT,         /* the callers' self cost */
	VERDICT_COMPENSATOR_SIBLINGS,       /* what else the callers call */
	VERDICT_COMPENSATOR_CHILDREN,       /* what it calls */
	VERDICT_COMPENSATOR_PARENT_SUBTREE, /* the callers with all that they call */
	VERDICT_COMPENSATOR_CONTEXTS,       /* the same function, called from elsewhere */
	VERDICT_COMPENSATOR_SYMBOLS,        /* vanished and new functions */
	VERDICT_COMPENSATOR_FILE,           /* functions of the same source file */
	VERDICT_COMPENSATOR_TOUCHED,   /* functions that the diff touches, or of changed code */
	VERDICT_COMPENSATOR_DECREASED, /* all functions that clearly went down */
	VERDICT_COMPENSATOR_COUNT,
};

/* "vanished and new functions" and so on. Static storage. */
const char *verdict_compensator_text(enum verdict_compensator compensator);

/* The change of a function's self cost or of a node's inclusive cost, of the shown pairs. */
struct verdict_effect {
	double change;    /* head - base */
	double se, df;    /* of change */
	double low, high; /* 95 % interval of change */
	double t, p; /* against the margin, one-sided: what tests the change, same pairs, before
			it is made a fraction of base's total */
	double margin;
	double base, head; /* costs: head is above 1 where it is above base's total */
	double p_stage[2]; /* one-sided p of each stage; NAN where not tested */
	bool eligible, flagged, confirmed; /* confirmed: in both stages, before shifts and the total
					      are looked at */
	enum verdict_state state;
};

/* As in struct verdict_effect, of what has no state. */
struct verdict_known {
	double base, head, change, low, high;
};

/* As in struct verdict_effect, of what is not tested. */
struct verdict_part {
	double base, head, change;
};

struct verdict_total {
	/*
	 * Costs per unit of work: geometric means of the pairs that `change` is of, so that head is
	 * base * (1 + change). Of all pairs they might contradict it.
	 */
	double base, head;
	double change;     /* relative: 20 % trimmed mean of log(head / base), as exp(.) - 1 */
	double low, high;  /* 95 % interval (Yuen); high is the one-sided 97.5 % bound */
	double upper95;    /* the one-sided 95 % bound */
	double p_stage[2]; /* exact one-sided Wilcoxon against the margin; NAN where not tested */
	double alpha_stage[2]; /* what p has to reach */
	double floor_stage[2]; /* 2^-n: the smallest p that n pairs can give */
	bool flagged, confirmed;
	double explained; /* part of the increase found in functions that are not excused */
	double mde;       /* relative increase that the total test alone finds with 80 % power */
	enum verdict_state state;
};

/* An increase that was suppressed because cost moved. */
struct verdict_shift {
	uint32_t function; /* the one that grew */
	uint32_t node; /* the node whose inclusive cost grew; VERDICT_NONE: function's self cost */
	uint32_t from; /* the function that shrank most in the compensator; VERDICT_NONE unknown */
	enum verdict_compensator compensator;
	double moved;            /* the increase */
	double compensation, se; /* the compensator's sum (negative) and its standard error */
	double net;              /* moved + compensation */
};

enum verdict_blame {
	VERDICT_BLAME_SELF,    /* the function's own code got slower */
	VERDICT_BLAME_CALLED,  /* it is called more often: everything below it grew in proportion */
	VERDICT_BLAME_CARRIED, /* its own cost grew, by what its cause or what hangs on that says: a
				  function below a call that is made more often, or one of a program
				  that grew everywhere */
};

/* How the diff and a culprit hang together. */
enum verdict_link_kind {
	VERDICT_LINK_NONE,   /* the diff touches nothing on its stacks, or is not known */
	VERDICT_LINK_SELF,   /* the diff touches the culprit */
	VERDICT_LINK_CALLER, /* ... a function that leads to it */
	VERDICT_LINK_CALLEE, /* ... a function that it leads to */
};

struct verdict_link {
	enum verdict_link_kind kind;
	uint32_t function; /* the touched one that is nearest; VERDICT_NONE without a link */
	uint32_t distance; /* calls between them: 1 = calls it directly; 0 = the culprit itself */
};

struct verdict_culprit {
	enum verdict_blame kind;
	uint32_t function;    /* VERDICT_BLAME_CALLED: the callee */
	uint32_t node;        /* where it grew most; VERDICT_NONE without a call tree */
	uint32_t caller_node; /* of node; VERDICT_NONE if there is none but the root */
	bool caller_first;    /* BLAME_CALLED, and the diff touches the caller: name it first */
	bool every_context;   /* BLAME_CALLED: the caller's calls in all contexts, not only node */
	uint32_t seat; /* the function where its cause is: itself or, of a call, the caller; but
			  the callee where its code has changed and the caller's is not known to
			*/
	/* Place in culprits of the one that this hangs on, which hangs on none; VERDICT_NONE: on
	 * none, and BLAME_CARRIED: on all. */
	uint32_t cause;
	struct verdict_link link;
	double log_likelihood;
	double change, se, low, high; /* as in struct verdict_effect */
	double base; /* before; change / base is the relative change, base 0 = new */
	/* Of a cause: the change of it and of all that hangs on it; else its own. What several
	 * culprits of one path hold is the innermost one's, and counted once. */
	double together;
	/* together as a share of the benchmark's increase. The causes' sum is at most 1, but by
	 * what shrank. 0 where the benchmark did not grow by half of what its culprits did. */
	double explained;
	double score; /* the list's order: change^2 / sqrt(change^2 + 4 se^2), largest first */
};

/* What the total's own test finds. */
struct verdict_total_power {
	double n[2], alpha[2]; /* n 0: this stage is not planned */
	double deviation, df;  /* robust SD of log(T1/T0) between pairs; df 0: it is known */
	double margin;
	/* The interval of all pairs must lie above it as well; 0 none. Of the mean of both totals,
	 * which is a log ratio but for its cube: of base it would depend on the increase. */
	double allowance;
};

/*
 * What a share of the benchmark's cost needs to grow by to be found; see verdict_mde(). Fractions
 * of the mean of both totals, but for what is of the total.
 */
struct verdict_power {
	double of_base; /* what makes them fractions of base's */
	struct {
		double n, t_critical, df; /* n 0: this stage is not planned */
	} stage[2];
	double poisson; /* sampling variance of the difference of the whole, per pair */
	double samples_per_run;
	double kappa, kappa_seen; /* what the test assumes; what the largest functions show */
	double kappa_calls;       /* what the largest calls show, with all below them */
	double large_share;       /* of the fifth largest function; of the smallest, if fewer */
	double margin_points, margin_self_relative, margin_total_relative;
	double allowance_relative; /* a call is allowed this part of its cost, see unchanged.h, and
				      never more than total.allowance */
	struct verdict_total_power total;
};

struct verdict_result {
	enum verdict_status status;
	uint32_t reasons; /* set of enum verdict_reason */
	size_t bad_pair;  /* for BAD_NUMBER and ZERO_TOTAL in a total or work; SIZE_MAX otherwise */
	size_t kept[2];   /* pairs that count, per stage */
	bool *dropped;    /* [pair]: outliers, see pairs.h */
	size_t dropped_count;
	size_t tests_stage1, tests_stage2; /* Bonferroni's divisors: functions and nodes tested */
	bool fresh; /* the shown pairs are stage 2's alone: stage 1 flagged something */
	double coverage[2];
	double kappa; /* common noise: variance / sampling variance - 1, per sample; pooled */
	struct verdict_total total;
	double bound; /* no regression above this could hide: the total's 97.5 % bound, with what
		       * the code's place in memory might hide; of base's total */
	bool calls_known;     /* of what is excused: most of its growth is in functions that were
			     counted */
	bool nothing_changed; /* of no function that samples saw code or lines have changed, and
			       * what is counted of those that grew executes as much */
	double layout; /* what of an increase the code's place in memory may be; of base's total */
	double mde_function; /* of a function with a share of 1 %, 80 % power */
	struct verdict_power power;
	struct verdict_effect *functions; /* [function_count]: self cost */
	struct verdict_effect *nodes;     /* [node_count]: inclusive cost; the root is not tested */
	struct verdict_part *node_self;   /* [node_count]: without what lies below */
	struct verdict_known *known;      /* [known_count]: functions' inclusive cost */
	/* The causes first, the worst first; then what hangs on them, each by its size. */
	struct verdict_culprit *culprits;
	size_t culprit_count;
	size_t cause_count; /* 0 in a regression: see VERDICT_REASON_SPREAD */
	struct verdict_shift *shifts;
	size_t shift_count;
	uint32_t *improvements; /* functions, largest first */
	size_t improvement_count;
};

/* Looks at the first stage1_pairs only: VERDICT_PASS, _UNDECIDED or _CANNOT_DECIDE. */
void verdict_stage1(
	const struct verdict_input *input, struct arena *arena, struct verdict_result *result);

/*
 * The whole gate. Stage 1 flags on its own pairs; stage 2 tests what was flagged on its own
 * pairs; shifts, the total and localisation use all. Without stage 2 pairs as verdict_stage1().
 * Arrays of the result live in arena. With VERDICT_CANNOT_DECIDE all of them are NULL with count 0,
 * but for dropped, which may be set.
 */
void verdict_decide(
	const struct verdict_input *input, struct arena *arena, struct verdict_result *result);

/* Of base's total: the function that detectable effects are told of, and policy.detect. */
#define VERDICT_TYPICAL_SHARE 0.01

/*
 * The increase of a function with this share of base's total that is confirmed in both stages with
 * 80 % power: its own test's or the total's, which is the better one for the hottest functions.
 * INFINITY when no increase up to 100 times the total is enough.
 */
double verdict_mde(const struct verdict_power *power, double base_share);

/* The chance that an increase (fraction of base's total) of such a function is found. */
double verdict_chance(const struct verdict_power *power, double base_share, double increase);

/* As verdict_mde() for a call with all that runs below it, where it is made more often. */
double verdict_mde_called(const struct verdict_power *power, double base_share);

#endif
