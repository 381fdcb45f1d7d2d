/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a check found: the one thing that report.json is written from. Plain data, owned by its
 * arena. Fractions are of 1 (0.084 = 8.4 %), times are CPU seconds per run of the benchmark (per
 * unit of work where work is counted). Names are hostile and unescaped.
 *
 * One base, one head and one change: changes are fractions of base's total, and costs that stand
 * beside a change agree with it. Of a total that was decided in pairs, base and head are the
 * geometric means of the runs that its change is of (an interval's outliers are in neither), so
 * that head = base * (1 + change): means of all runs may differ by another amount, or the other
 * way. A function's or call's head is its base + change * base's total.
 */
#ifndef FG_CHECK_RESULT_H
#define FG_CHECK_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/check/status.h"
#include "gate/check/work_done.h"

#define RESULT_NONE UINT32_MAX

/* What the verdict says of a function's self cost or of a call-tree node's total. */
enum result_state {
	STATE_UNCHANGED,    /* not significant */
	STATE_FLAGGED,      /* stage 1 only: not confirmed */
	STATE_CONFIRMED,    /* counts as a regression */
	STATE_SHIFTED,      /* an increase that others compensate */
	STATE_CONTRADICTED, /* an increase that the total contradicts */
	STATE_UNCHANGED_CODE,
	STATE_IMPROVED,   /* a decrease, by the rules of an increase that counts */
	STATE_INELIGIBLE, /* too few samples to say anything */
};

enum result_match {
	MATCH_SAME,      /* same name, same file */
	MATCH_MOVED,     /* same name, another file */
	MATCH_NEW,       /* base does not have it: neither a symbol nor inlined anywhere */
	MATCH_VANISHED,  /* head does not have it any more */
	MATCH_RENAMED,   /* another name */
	MATCH_INSTANCE,  /* of the same template, or with other parameters */
	MATCH_HEAD_ONLY, /* no sample of base's has it, which may be chance: base may have it */
	MATCH_BASE_ONLY, /* no sample of head's has it */
};

/* A difference head - base. */
struct result_change {
	double base, head; /* seconds per run */
	double change;     /* (head - base) as a fraction of base's total */
	double low, high;  /* 95 % interval of change */
	double se;
	enum result_state state;
};

struct result_function {
	const char *name;   /* for people */
	const char *module; /* basename of the object it lives in, "" unknown */
	const char *file;   /* relative to the repository where it is part of it, "" unknown */
	int64_t line; /* of its definition, in head if it exists there, else in base; 0 unknown */
	enum result_match match;
	bool touched; /* the diff between base and head changes lines of it */
	struct result_change self;
	double total[2]; /* inclusive seconds per run, recursion counted once; [0] base, [1] head */
	/* Of the inclusive cost, as in struct result_change: shown, never tested. Unknown: NaN, or
	 * all 0. */
	double total_change, total_low, total_high;
};

/* Two functions that are taken for one though their names or files differ. */
struct result_matching {
	const char *name, *file, *base_name, *base_file; /* "" unknown */
	enum result_match kind;
	const char *reason;
	double similarity; /* 0..1 */
};

enum result_inlining_kind {
	INLINED_AS_INLINED,  /* inlined in head only */
	INLINED_AS_OUTLINED, /* inlined in base only */
	INLINED_AS_SPLIT,    /* in head only: it was the host's code */
	INLINED_AS_MERGED,   /* in base only: it is the host's code now */
};

/*
 * Where `host` calls `part` directly, part's cost counts as host's in both versions: host is to
 * part what it is in the other version without it.
 */
struct result_inlining {
	const char *host, *host_file, *part, *part_file; /* files: "" unknown */
	enum result_inlining_kind kind;
	const char *reason;
	double similarity; /* 0..1 */
};

struct result_node {
	/* Node 0 is the root: parent 0, function RESULT_NONE. Where pairs were measured its total,
	 * change and state are the benchmark's, also where samples account for less. */
	uint32_t parent, function;
	double self[2], total[2];
	double self_change, total_change;    /* fractions of base's total */
	enum result_state self_state, state; /* of self and of total */
};

enum result_blame {
	BLAME_SELF,    /* its own code got slower */
	BLAME_CALLED,  /* it is called more often, or with more to do */
	BLAME_CARRIED, /* its own cost grew by what its cause says; of consequences alone */
};

/* What the diff between base and head has to do with a culprit. */
enum result_link {
	LINK_NONE,   /* nothing on its stacks is touched, or it is not known */
	LINK_SELF,   /* it is touched itself */
	LINK_CALLER, /* a function is touched that leads to it */
	LINK_CALLEE, /* a function is touched that it leads to */
	LINK_DATA,   /* no function: a table, macro or type that it uses, at the culprit's place */
	LINK_BUILD,  /* no function: a file that builders read, at the culprit's place */
};
static inline bool link_has_function(enum result_link link)
{
	return link == LINK_SELF || link == LINK_CALLER || link == LINK_CALLEE;
}

/* More of it is not carried, and not read: of one benchmark, and of one culprit in it. */
#define RESULT_SOURCE_CULPRITS 20u
#define RESULT_SOURCE_BYTES (64u * 1024) /* of text */
#define RESULT_SOURCE_LINES 120u
#define RESULT_SOURCE_LINE_BYTES 400u /* a longer line is cut */

enum result_line_kind {
	SOURCE_SAME,    /* the diff between base and head leaves it alone */
	SOURCE_REMOVED, /* in base only */
	SOURCE_ADDED,   /* in head only */
};

struct result_line {
	int64_t base, head; /* its number in either file; 0: it is not there, or not to be shown */
	enum result_line_kind kind;
	double cost[2];   /* self cost of the function in this line, per run; [0] base, [1] head */
	const char *text; /* of the commit: valid UTF-8 without line break, hostile */
};

/*
 * What the commits' trees say of a culprit's function: the lines that cost most and those that the
 * diff changes, each with a few lines around it. In the order of the files; where numbers jump
 * something is left out. Lines of another file of base's (the function moved) come first.
 */
struct result_source {
	/* The culprit's, or a caller's: then costs are the culprit's
	 * by the line that leads to it. */
	uint32_t function;
	const char *file;      /* in head */
	const char *base_file; /* the same, or where the function was; "" base has none */
	const struct result_line *lines;
	size_t line_count;
};

/* What a claim says of its subject, a function; `others` are further functions. */
enum result_claim_kind {
	/* Of a culprit. others[0]: its caller, where there is one to name. */
	CLAIM_ITSELF,      /* its lines have changed and it takes more, called as often as before */
	CLAIM_OWN_CODE,    /* it takes more in its own code, which has changed, if not by lines */
	CLAIM_LONGER,      /* it takes more, and neither code nor counts say why */
	CLAIM_CALLED_MORE, /* more calls, as calls[] has them */
	CLAIM_EACH_CALL,   /* as many calls; each takes more, with all below it */
	CLAIM_CALLS_AND_EACH, /* more calls, each of which takes more */
	CLAIM_MORE_WORK,      /* called more often or given more work: nobody counted */
	CLAIM_WITH_CALLEES,   /* it takes more with what it calls, some of which has changed */
	CLAIM_NEW,            /* base does not have it */
	CLAIM_NOW_CALLED,     /* base has it, and does not call it there */
	CLAIM_CALLED_INSTEAD, /* others[0] calls it where base called others[1] */
	CLAIM_IN_HOST,        /* inlined into others[0], which has changed */
	CLAIM_UNCHANGED_CODE, /* as many calls of the same code; each takes more */
	/* Of what takes less. */
	CLAIM_LESS, /* in its own code */
	CLAIM_GONE, /* head does not have it */
	/* Of cost that moved, once for each cause. */
	CLAIM_SPLIT,   /* others are new, and take what it took */
	CLAIM_MERGED,  /* others are gone, and it takes what they took */
	CLAIM_MOVED,   /* others take what it took */
	CLAIM_SWAPPED, /* others[1] calls others[0] where it called this one */
	CLAIM_REACHED, /* others, unchanged themselves, are now called by way of it */
	CLAIM_OFFSET,  /* others take more and it takes less; more is not known */
};
#define CLAIM_FIRST_MOVED CLAIM_SPLIT
#define RESULT_MAX_CLAIMS 100 /* of one benchmark */
#define RESULT_MAX_OTHERS 50  /* of one claim */

/* What shows that it is so; costs alone are always there. */
enum result_evidence {
	EVIDENCE_COSTS,   /* nothing but the samples of both versions */
	EVIDENCE_COUNTS,  /* counted calls of both versions */
	EVIDENCE_OBJECTS, /* which functions the versions' objects have */
	EVIDENCE_CODE,    /* machine code of both versions */
	EVIDENCE_DIFF,    /* changed lines */
};

struct result_claim {
	enum result_claim_kind kind;
	uint32_t subject;
	const uint32_t *others;
	size_t other_count;
	/* Per run, of what it is about: the subject, of cost that moved the others. [0] base, [1]
	 * head. Of CLAIM_MOVED head's is no more than base's and what the subject takes less. */
	double cost[2];
	double calls[2];          /* per run; NAN: not counted */
	double change, low, high; /* fraction of the benchmark's total; low and high NAN: unknown */
	enum result_evidence evidence;
	const char *because; /* the evidence in a few words; "" the costs alone; hostile */
};

/* What a culprit's share there is of. */
enum result_production_of {
	PRODUCTION_SELF,      /* its own CPU time */
	PRODUCTION_CALL,      /* called more often: the calls by this caller, with all below */
	PRODUCTION_TOTAL,     /* called more often, by nobody known: wherever it is on the stack */
	PRODUCTION_ELSEWHERE, /* the same, since this caller does not call it there */
};

/* What a culprit takes where the program is in use; see struct production. */
struct result_production {
	enum result_production_of of;
	double share;             /* of all CPU time, 0..1; 0 not seen there; NAN unknown: several
				     functions are called so */
	double impact, low, high; /* what the change adds to all of it, estimated by share times
				     the relative change of the same cost here; NAN: it is new, or
				     not known */
};

struct result_culprit {
	uint32_t node; /* where in the tree */
	uint32_t function;
	enum result_blame blame;
	uint32_t caller; /* function that calls it more often; RESULT_NONE for BLAME_SELF or root */
	uint32_t claim; /* place in claims: what is said of it; RESULT_NONE nothing more is known */
	/*
	 * The line to annotate: the changed statement or call that its cost comes from, in its own
	 * function or in one on the way to it; its definition where nothing on the way changed.
	 */
	const char *file;
	int64_t line;
	double base, head; /* the function's own cost; if it is called more often, all these calls'
			      with what is below them */
	double change, low, high; /* head - base, fraction of base's total */
	double relative;          /* head / base - 1; INFINITY when new */
	/* With all that hangs on it, no second counted twice: a fraction of base's total, and the
	 * share of the benchmark's increase that it explains; above 1 by what shrank; 0 unknown. */
	double together, explained;
	enum result_link link;
	uint32_t linked;      /* the touched function that is nearest; RESULT_NONE without a link */
	const uint32_t *path; /* function indices, outermost first, ends with function */
	size_t path_length;
	const struct result_production *production; /* NULL: no profile of it was read */
	const struct result_source *source;         /* NULL: its text was not looked for, not to be
						     had, or too much */
};

/* A function that grew by what a culprit is blamed for. */
struct result_consequence {
	uint32_t cause; /* place in culprits; RESULT_NONE: everything grew, and so did this; or its
			   place in memory explains it, beside what else grew */
	uint32_t function;
	enum result_blame blame;
	uint32_t caller; /* as a culprit's */
	double change, low, high;
};

struct result_shift {
	uint32_t to;     /* the function that grew */
	uint32_t from;   /* the one that shrank most among what compensates; RESULT_NONE unknown */
	const char *how; /* "vanished symbols", "siblings", "parent", "same file", "total" ... */
	double moved;    /* fraction of base's total */
	double net;
};

struct result_pair {
	double base_seconds, head_seconds; /* CPU time of the versions' process trees */
	bool head_first, dropped;
	int stage; /* 1 or 2 */
};

struct result_sampling {
	const char *mechanism; /* "perf task-clock", "POSIX CPU timer" */
	uint32_t rate_hz;
	uint64_t samples, complete, lost; /* both versions */
	double coverage[2];               /* sampled CPU time / CPU time of the process tree */
	double own_cost[2];               /* CPU time in the sample handler / CPU time; 0 unknown */
};

/* What head was compared with outside of the pairs: a stored baseline, or base counted beside
 * head. */
enum result_reference_kind {
	REFERENCE_SCREEN, /* CPU time: normalised, never a proof */
	REFERENCE_EXACT,  /* a deterministic metric: exact */
};
enum result_reference_state {
	REFERENCE_CLEAR,   /* nothing above the margins */
	REFERENCE_FLAGGED, /* something grew */
	REFERENCE_CANNOT,  /* it cannot tell, for want of power or of a fit; see detail */
};
struct result_reference_finding {
	const char *name, *file; /* as in result_function */
	int64_t line;
	double change, low, high; /* fraction of base's total, of a screen's scaled to head's
				     machine; low and high NAN where exact */
	bool shifted;             /* others went down as it went up */
	/* Whom it works for, where it is no code of the repository:
	 * the nearest function that is. */
	const char *caller, *caller_file; /* "" or NULL: itself is, or none is known */
	int64_t caller_line; /* that leads to it and that the diff touches, else the definition */
};
struct result_reference {
	enum result_reference_kind kind;
	enum result_reference_state state;
	bool decides;             /* its state made the benchmark's status */
	const char *profile_type; /* "cpu", "instructions", ... */
	const char *store;        /* for people, e.g. "git notes of origin" */
	const char *commit;       /* it was recorded for; "" unknown */
	size_t distance;          /* commits before the base; 0: the base itself */
	const char *environment;  /* "" ours, else what differs ("another CPU: ...") */
	const char *detail;       /* one sentence; "" if the numbers say it all */
	double base, head;        /* totals per run, in units of the type */
	double change; /* exact: relative change of the total; screen: head / base - 1, unscaled */
	double size_factor; /* screen: head / base of the typical function; else 1 */
	double threshold;   /* exact: what the change had to reach, relative; screen: detectable
			       effect of   a function with 1 % share, fraction of the total */
	/* Of counts that were decided by pairs of runs; report.json has them in `metrics` */
	bool paired, shrank;
	size_t runs;
	double low, high, p;
	const struct result_reference_finding *findings; /* largest first */
	size_t finding_count;
	const char *const *losses; /* what this store loses or rounds */
	size_t loss_count;
};

/* What an increase of a metric does to the status. */
enum result_gate { GATE_FAIL, GATE_WARN, GATE_SHOW };
enum result_metric_state {
	METRIC_SAME, /* as far as the runs tell */
	METRIC_GREW, /* beyond the margin */
	METRIC_SHRANK,
	METRIC_UNDECIDED, /* see detail */
};
/* One of what a check looks at: CPU time, allocations, the largest resident set ... */
struct result_metric {
	const char *name;    /* "max_rss" */
	const char *meaning; /* for people: "largest resident set" */
	const char *unit;    /* as result_benchmark's */
	const char *test;    /* for people: "exact", "paired t", "signed ranks", "by function" */
	enum result_gate gate;
	enum result_metric_state state;
	bool decides;       /* its state made the benchmark's status */
	bool absolute;      /* change, low, high and margin are in units, else fractions of base */
	size_t runs;        /* of each version */
	double base, head;  /* per run, or per unit of work where it grows with that */
	double change;      /* INFINITY where base has nothing */
	double low, high;   /* 95 % interval of change; NAN where there is none */
	double margin;      /* that change had to exceed */
	double p;           /* one-sided, against the margin; NAN where exact */
	const char *detail; /* why it could not be decided, or does not count though it grew, or
			       where it grew most; hostile */
};

#define RESULT_MAX_LABELS 8          /* of one tree */
#define RESULT_MAX_LABEL_VALUES 64   /* of one label; the smallest become "(other)" */
#define RESULT_MAX_LABEL_COSTS 40000 /* of one label; one that has more is left out */

/* What a node itself cost where a label has this value. */
struct result_label_cost {
	uint32_t value, node;
	double self[2];
};

/*
 * A tree's costs by what its samples were labelled with: "region", "thread", "round", ... They add
 * up to the nodes' own costs.
 */
struct result_label {
	const char *key;
	const char *const *values; /* "": of samples without this label */
	size_t value_count;
	const struct result_label_cost *costs; /* by value, then by node */
	size_t cost_count;
};

/*
 * Sorts costs by value and node and adds up equal ones; returns how many are left. What folds
 * nodes or values needs it.
 */
size_t label_costs_merge(struct result_label_cost *costs, size_t count);

/* Which sides were measured: one may cost nothing and still be there. */
enum result_sides {
	SIDES_UNSAID, /* by reports of before they said so: head alone if base's total is 0 */
	SIDES_BOTH,
	SIDES_HEAD, /* there is nothing to compare with */
};

/*
 * The benchmark's costs of another type than result_benchmark's own: shown beside it and not
 * decided by function. Its functions are its own; no interval is known, every state is
 * STATE_INELIGIBLE, and changes are fractions of undecided_whole() (whole.h).
 */
struct result_profile {
	const char *profile_type, *unit; /* as result_benchmark's */
	enum result_sides sides;
	double total[2]; /* per run or unit of work */
	const struct result_function *functions;
	size_t function_count;
	const struct result_node *nodes;
	size_t node_count;
	const struct result_label *labels;
	size_t label_count;
};

/* What a benchmark's costs are of one of. */
enum result_per { PER_RUN, PER_ITERATION };

/* Of what pairs changes are: stage 2's alone where stage 1 flagged anything. */
enum result_pairs { PAIRS_ALL, PAIRS_CONFIRMING };

#define RESULT_MAX_MOMENTS 200 /* of one line */

/* What happened to the heap since the moment before; see struct memory_moment. */
struct result_moment {
	double seconds;     /* CPU time of the process, in order */
	double iterations;  /* done by then, in order; 0 in all: the program tells none */
	double inuse, most; /* bytes; most >= inuse */
};

/* The heap over time, of the process whose heap was largest; no moments: not measured. */
struct result_memory_line {
	const struct result_moment *moments; /* the last is the process's end */
	size_t moment_count;
	size_t runs;      /* this is the one with the median peak */
	size_t processes; /* this is one of them */
};

struct result_benchmark {
	const char *name, *command;
	enum result_status status;
	enum result_outcome outcome;
	const char *detail;   /* for outcomes other than MEASURED: what happened and what to do; may
				 be long */
	const char *accepted; /* why its regression passes all the same; "" or NULL: it does not */
	/* the rest is filled for OUTCOME_MEASURED (and, without statistics, OUTCOME_PROFILE) */
	struct result_change
		total; /* change relative to base; state CONFIRMED if the total itself fails */
	double bound;  /* 97.5 % upper bound of the total's change, of all pairs */
	double noise;  /* SD of log(head / base) of a pair, outliers aside: the A/A noise; 0 unknown
		       */
	double mde_total;    /* minimum detectable effect at 80 % power, fractions of the total */
	double mde_function; /* of a function with 1 % share */
	size_t stage1_pairs, stage2_pairs, dropped_pairs;
	const struct result_pair *pairs;
	size_t pair_count;
	struct result_sampling sampling;
	struct result_work work;
	/* How the pairs were run: "20 ms", "whole runs, because ..."; "" whole runs, as asked
	 * for. */
	const char *slices;
	/* Why nobody knows what changed between base and head; "" it is known. */
	const char *diff_unknown;
	/* How the code's layout was varied: "8 layouts"; "" it was not. */
	const char *layouts;
	uint64_t seed;
	double wall_seconds; /* spent measuring; OUTCOME_NEW: that head's one run took */
	const struct result_function *functions;
	size_t function_count;
	const struct result_node *nodes;
	size_t node_count;
	const struct result_culprit *culprits; /* worst first; one for each cause */
	size_t culprit_count;
	/* Culprits' first, then of cost that moved, the most first, then of improvements. */
	const struct result_claim *claims;
	size_t claim_count;
	const struct result_consequence *consequences; /* of one cause together, largest first */
	size_t consequence_count;
	const struct result_shift *shifts;
	size_t shift_count;
	const uint32_t *improvements; /* functions, largest first */
	size_t improvement_count;
	enum result_sides sides;  /* of what was not decided in pairs; else unsaid */
	const char *profile_type; /* of all costs here: "cpu", "wall", "alloc_bytes", ... */
	/* Of all costs here: "seconds", "bytes", or what is counted ("count", "objects", ...). */
	const char *unit;
	enum result_per per; /* of all costs that were measured in pairs */
	enum result_pairs changes_of;
	const struct result_label *labels;
	size_t label_count;
	const struct result_profile *profiles; /* of other types, in the order to show them */
	size_t profile_count;
	const struct result_reference
		*references; /* what this benchmark was compared with outside of the pairs,
				by profile type */
	size_t reference_count;
	struct result_memory_line memory[2]; /* [0] base, [1] head */
	const struct result_metric *metrics;
	size_t metric_count;
	const struct result_matching *matchings; /* of other names or files, and why */
	size_t matching_count;
	const struct result_inlining
		*inlinings; /* split, merged, inlined, outlined: the heaviest first */
	size_t inlining_count;
	const char *const *warnings;
	size_t warning_count;
	const char *const *excluded; /* what was left out and why, e.g. "3 of 40 pairs: outliers" */
	size_t excluded_count;
};

struct result {
	struct arena arena;
	const char *tool_version;
	const char *date; /* RFC 3339 UTC, when it was measured */
	const char *kind; /* "check", "run", "compare", "record" */
	struct result_commit base, head;
	const char *policy_origin;         /* "main:.flamegate.yml" */
	const char *const *config_changes; /* what the pull request changes in the configuration */
	size_t config_change_count;
	const char *environment;  /* fingerprint in one line */
	const char *const *notes; /* what a reader should know, and nobody needs to mend */
	size_t note_count;
	enum result_status status;
	int exit_status;
	const char *const *warnings;
	size_t warning_count;
	const struct result_benchmark *benchmarks;
	size_t benchmark_count;
};

#endif
