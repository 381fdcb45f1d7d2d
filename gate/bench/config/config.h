/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .flamegate.yml: read with libyaml's events against one schema table (config_schema.c). Errors are
 * "file:line:column: message"; unknown keys say what was meant. Hostile input: sizes, depth,
 * aliases and tags are bounded or refused.
 */
#ifndef FG_BENCH_CONFIG_H
#define FG_BENCH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/arena.h"
#include "gate/base/strbuf.h"
#include "gate/bench/config/metric.h"

struct error;

#define CONFIG_FILE_NAME ".flamegate.yml"
#define CONFIG_MAX_BYTES (256 * 1024)
#define CONFIG_MAX_REPEAT 1000
#define CONFIG_SLICES_AUTO UINT64_MAX

enum config_failure { CONFIG_WARN, CONFIG_FAIL };
/* What a stored baseline of the CPU time may do. */
enum config_stored {
	CONFIG_STORED_SCREEN, /* order the benchmarks, be shown */
	CONFIG_STORED_WARN,   /* also: what it flags is a warning */
	CONFIG_STORED_FAIL,   /* also: where the base cannot be rebuilt, what it flags fails */
};
enum config_screen {
	CONFIG_SCREEN_PROVE, /* every benchmark is measured in pairs all the same */
	CONFIG_SCREEN_FAST,  /* what the screen clears passes without pairs */
};

/* What decides. In CI it comes from the target branch's tip. Fractions, not per cent. */
struct config_policy {
	enum config_failure on_base_failure; /* default warn */
	uint32_t stage1_pairs, stage2_pairs; /* policy.pairs: min, and max without it */
	double margin_points;      /* policy.margin.points, "0.2%" of the benchmark's total */
	double margin_self;        /* policy.margin.self, "2%" of the function's own cost */
	double margin_inclusive;   /* policy.margin.inclusive, "1%" */
	double margin_total;       /* policy.margin.total, "1%", of whole runs */
	double margin_sliced;      /* policy.margin.sliced, "0.5%", of runs in slices */
	enum config_stored stored; /* policy.stored: screen (default), warn, fail */
	enum config_screen screen; /* policy.screen: prove (default), fast */
	/* policy.detect, "1%" of the total: the increase in one function that a check is to detect;
	   0: any or none */
	double detect;
	enum config_failure on_mde; /* default warn: it is missed more often than found */
	/* policy.gate: what an increase of each metric does, where the table is overridden */
	enum metric_gate gate[METRIC_COUNT];
};

enum config_work {
	CONFIG_WORK_AUTO, /* found out: fixed, or else replayed */
	CONFIG_WORK_FIXED,
	CONFIG_WORK_REPLAYED,   /* the same in every run by base's clock (gate/clock) */
	CONFIG_WORK_STEPPED,    /* by a clock that goes on by the same step at each call */
	CONFIG_WORK_ITERATIONS, /* told by a file */
	CONFIG_WORK_MARKS,      /* told by flamegate_iteration() (flamegate.h) */
};

/* What one run did is a number that costs are divided by. */
static inline bool config_counts_work(enum config_work work)
{
	return work == CONFIG_WORK_ITERATIONS || work == CONFIG_WORK_MARKS;
}

/* benchmarks[].harness: what lists, selects and counts a program's benchmarks (gate/bench/harness). */
enum config_harness {
	CONFIG_HARNESS_AUTO, /* found by the program's file */
	CONFIG_HARNESS_NONE, /* one benchmark, as its command says */
	CONFIG_HARNESS_GOOGLE,
	CONFIG_HARNESS_CATCH2,
	CONFIG_HARNESS_NANOBENCH,
	CONFIG_HARNESS_CRITERION,
	CONFIG_HARNESS_DIVAN,
	CONFIG_HARNESS_GO,
	CONFIG_HARNESS_COUNT
};
extern const char *const config_harness_names[CONFIG_HARNESS_COUNT];

#define CONFIG_MAX_NAME_BYTES 100

struct config_benchmark {
	const char *name; /* [A-Za-z0-9][A-Za-z0-9._+/-]*, at most 100 bytes, unique */
	const char *slug; /* the name as a file name: other bytes than [A-Za-z0-9._-] become '_',
			     made unique */
	const char *const
		*argv; /* NULL-terminated. A string in YAML becomes {"sh", "-c", string} */
	bool shell;    /* command was a string */
	const char *command_text;    /* for people */
	const char *directory;       /* relative to the build's root, never above it; "." default */
	const char *const *env;      /* NULL-terminated NAME=value, added to the allow-list */
	enum config_work work;       /* default auto */
	const char *iterations_file; /* relative to directory; the benchmark writes a positive
					number into it */
	uint64_t benchmark_time_ns;  /* of a replayed clock: CPU time of a run, default 0.2 s */
	uint64_t timeout_ns;         /* default 10 min */
	uint32_t repeat;             /* runs in a pair; 0: auto, as many as take 1 CPU-s */
	/* For the pairs, default 2 min: as far as there may be more than policy.pairs says. */
	uint64_t budget_ns;
	uint32_t cpus; /* 0: auto (one for a single-threaded program, else all of ours) */
	/* Names of profile kinds (profile_kind.h); NULL-terminated. CPU time is always measured. */
	const char *const *profiles;
	bool alloc_sampled; /* benchmarks[].alloc: sampled: not every allocation is counted */
	/* benchmarks[].slices: of a pair in turns (pair.h); 0: off;
	 * CONFIG_SLICES_AUTO, the default */
	uint64_t slice_ns;
	bool start_paused; /* benchmarks[].start: nothing counts before the program's first mark */
	/* Names of the programs that count (processes.h); NULL: auto; empty: all. */
	const char *const *processes;
	enum config_harness harness;
	/* Globs of the names that the harness lists; NULL-terminated. include empty: all. */
	const char *const *include, *const *exclude;
	/* One of those that an entry's program lists: the entry's name; NULL: it stands in the file
	 * so. Never set by config_parse(). */
	const char *entry;
	unsigned line; /* where it stands, for messages */
};

/* A regression that may pass: accept[]. */
struct config_acceptance {
	const char *benchmark;
	const char *function; /* "name" or "name@file"; "": whatever the regression is in */
	const char *metric;   /* metric.h's name; "": whichever grew. Not with a function */
	const char *reason;
	const char *until; /* the last day on which it counts, UTC: YYYY-MM-DD */
	unsigned line;     /* where it stands, for messages */
};
struct config_acceptances {
	const struct config_acceptance *items;
	size_t count;
};
/* Words of policy.accept_by; what is neither is a committer's address. */
#define CONFIG_ACCEPT_CONFIG "config"
#define CONFIG_ACCEPT_TRAILER "trailer"

struct config {
	struct arena arena;
	const char
		*origin; /* what errors call it, e.g. ".flamegate.yml" or "main:.flamegate.yml" */
	int version;     /* 1 */
	const char *const *setup,
		*const *build; /* NULL-terminated shell commands, run in the build's root */
	/* NULL-terminated shell commands that link anew, by FLAMEGATE_SEED or {seed}; [0] NULL:
	 * none */
	const char *const *relink;
	const char *const
		*env; /* NULL-terminated NAME=value, sorted, for setup, build and benchmarks */
	const char *const
		*pass; /* NULL-terminated names of variables let through from our environment */
	uint64_t build_timeout_ns; /* default 30 min */
	uint32_t rate_hz;          /* samples per CPU second, default 997; 0: auto */
	struct config_benchmark *benchmarks;
	size_t benchmark_count;
	struct config_policy policy;
	struct config_acceptances accept;
	const char *const *accept_by; /* policy.accept_by: NULL-terminated, default [config] */
	const char *store;            /* baseline.store: URL (baseline/store.h); default "notes" */
	bool has_store;               /* the file says so */
	const char *const *publish; /* baseline.publish: stores that get copies; NULL-terminated */
	uint32_t keep;              /* baseline.keep: newest commits with full trees, default 100 */
	const char *production;     /* profile of production (baseline/source.h), or a file; NULL */
	const char *credentials;    /* baseline.credentials: prefix of the variables, default
				       "FLAMEGATE" */
};

/* Fills the defaults. */
struct config_policy config_policy_default(void);

/* Release config with config_release() only after ERR_OK. */
int config_parse(struct config *config, const char *text, size_t length, const char *origin,
	struct error *err);
int config_read_file(struct config *config, const char *path, struct error *err);
void config_release(struct config *config);

const struct config_benchmark *config_find(const struct config *config, const char *name);
/*
 * Whether a benchmark may get this name: one has it, or one whose program may list several begins
 * it, followed by a slash.
 */
bool config_may_have(const struct config *config, const char *name);

/* Appends an argument to a command line, as one would type it. */
void config_add_argument(struct strbuf *line, const char *argument);

/*
 * What a pull request changes in the file: one line each for people, e.g. "policy.margin.total: 1 %
 * -> 5 %", "benchmark parse: removed", "benchmark render: command changed", "benchmark fmt: added".
 * Appends to lines; nothing where they are equal in meaning.
 */
void config_describe_changes(
	const struct config *before, const struct config *after, struct strbuf *lines);

/* Appends what the file may hold: each key with its kind of value, default and meaning. */
void config_schema_help(struct strbuf *out);

#endif
