/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: from options to a session of recordings. */
#ifndef FG_CHECK_MEASURE_H
#define FG_CHECK_MEASURE_H

#include "gate/base/scratch.h"
#include "gate/bench/arm.h"
#include "gate/bench/block.h"
#include "gate/bench/config.h"
#include "gate/check/check.h"
#include "gate/check/session.h"
#include "gate/vcs/repo.h"

/* What was read of production before anything was built; not yet: neither. */
struct plan_production {
	struct profile *profile;
	int rc; /* why there is none, with the reason in lost */
	struct error lost;
};

/* What is measured, with what. */
struct plan {
	const struct check_options *options;
	struct session *session;
	struct repo *repo;
	const char *target_name; /* of the branch whose policy counts in CI */
	const char *base_name;   /* the same, but for a tag or commit that is the base itself */
	char target[OBJECT_ID_SIZE], base[OBJECT_ID_SIZE], head[OBJECT_ID_SIZE];
	struct config config; /* decides: policy, benchmarks, commands */
	bool has_config;
	struct arm_cache cache;
	struct arm arms[ARM_COUNT];
	struct arm *arm_of[ARM_COUNT]; /* both the same where the trees are */
	/*
	 * In CI, head's own configuration where it has benchmarks that the target branch's has not:
	 * head is built by its commands for these, and nothing else of it counts.
	 */
	struct config own;
	bool has_own;
	struct arm own_arm;           /* .path NULL: not built */
	const char *branch;           /* of the recordings; "" unknown */
	struct fingerprint toolchain; /* compiler and build_hash only; "" until they are read */
	struct calibration calibration;
	uint32_t rate_hz;    /* of all runs */
	double switching_ns; /* perf's part of a context switch (measure_switches.c) */
	bool knows_switching;
	uint32_t look;          /* 1: the first at this change */
	bool recording;         /* a record, not a check */
	struct scratch scratch; /* for runs, removed at the end */
	char *recordings;       /* <output>/recordings */
	int output_lock;        /* -1: not held */
	bool unkept;            /* the recordings could not be written: see plan_kept() */
	struct plan_production production;
};

/* *out is new and untouched on failure. Leaves no process, worktree or half-written file. */
int measure_session(const struct check_options *options, struct session **out, struct error *err);

/* What check and record share: repository and branch; plan_release() also after an error. */
int plan_open(struct plan *plan, struct error *err);
void plan_release(struct plan *plan);
/*
 * What became of writing recordings. A check decides on what it has in memory, so a full disk is a
 * warning to it, once; nothing then says that the folder holds a session. A record has nothing else
 * to show for itself: there it stays an error.
 */
int plan_kept(struct plan *plan, int rc, struct error *err);
/* plan_commits.c: head, target, base and their diff. */
int plan_commits(struct plan *plan, struct error *err);

/* Date and environment of a session that begins now. */
void session_stamp(struct session *session);

/* plan_config.c: reads the configurations, lists the benchmarks, marks what is new. */
int plan_configuration(struct plan *plan, struct error *err);
/* For a record: the configuration of the commit that is recorded, all its benchmarks. */
int plan_record_configuration(struct plan *plan, struct error *err);

/* plan_accept.c: which regressions may pass, into the session. Only ERR_INTERRUPTED is an error. */
int plan_acceptances(struct plan *plan, struct error *err);

/*
 * measure_benchmark.c: one benchmark's pairs. The probe decides what needs no pairs (out->outcome);
 * the measurement fills its recordings. Only ERR_INTERRUPTED is returned as an error: everything
 * else is that benchmark's own outcome. Both arms must stand in plan->arm_of.
 */
struct duel;
struct duel *duel_new(struct plan *plan, const struct config_benchmark *config,
	struct session_benchmark *out, size_t benchmarks_in_gate);
void duel_free(struct duel *duel);
int duel_probe(struct duel *duel, struct error *err);
/* What the configuration counts besides; before duel_measure(), which writes it. */
int duel_count(struct duel *duel, struct error *err);
int duel_measure(struct duel *duel, struct error *err);
/* How much the probe's run stands out against the stored baseline; 0 without one. */
double duel_suspicion(const struct duel *duel);

/*
 * measure_trial.c: head's arms, and one run of each benchmark that there is no base for: the new
 * ones, and those whose base does not build. What head cannot build or run is that benchmark's
 * OUTCOME_ERROR; only what stops the whole check is returned.
 */
int plan_prepare_head(struct plan *plan, struct error *err);
int plan_try_head(struct plan *plan, struct error *err);
/* Has head anything to run that base has not been built for? */
bool plan_has_trials(const struct plan *plan);

/* measure_stored.c: the store of baselines, and what it has for the base. None of it stops a check.
 */
void plan_find_stored(struct plan *plan);
/*
 * measure_screen.c: head alone, where a stored baseline replaces pairs. Only ERR_INTERRUPTED is an
 * error. Before the pairs: policy.screen fast, what the base's own baseline of this very
 * environment clears needs none. After them: a base that could not be measured leaves the stored
 * baseline to look at.
 */
int plan_screen_first(struct plan *plan, struct error *err);
int plan_screen_failed(struct plan *plan, struct error *err);
/*
 * measure_production.c: what the configuration says of production. A file is read before the first
 * build, which could write into it; a server is asked after the pairs, and what was read goes into
 * the session. Only ERR_INTERRUPTED is an error.
 */
int plan_read_production(struct plan *plan, struct error *err);
int plan_weigh(struct plan *plan, struct error *err);
/* Compiler and build commands, as they travel with recordings. */
void plan_read_toolchain(struct plan *plan);
/* The configuration's rate, or what `auto` means on this machine. */
int plan_choose_rate(struct plan *plan, struct error *err);
/* How fast this machine is, once. */
int plan_calibrate(struct plan *plan, struct error *err);

/* Nothing where nobody asked for steps. */
void plan_step(const struct plan *plan, const struct check_step *step);
/* An arm_progress; data is the plan. */
void plan_forward_progress(void *data, const char *text);
void plan_progress(const struct plan *plan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* measure_arm.c: one arm's runs of one benchmark, gathered into a recording. */
struct symbolizer;
struct arm_runs {
	struct run_options options;
	char *directory, *iterations_path;
	const char *output, *slug; /* where a profile of its death goes (measure_death.h) */
	struct symbolizer *symbolizer;
	struct recording *recording;
	size_t block_capacity;
	const char *relinked;     /* folder whose programs are linked anew for each block; NULL */
	uint32_t max_threads;     /* seen in the probe */
	double probe_cpu_seconds; /* of the probe's one run */
	uint32_t repeat;          /* runs that make a block; 0 as 1 */
	uint64_t counters[CAPTURE_COUNTERS]; /* of all blocks */
	const char
		*left_out; /* processes that did not count, for people; "" none. Session's arena */
};

struct config_benchmark;
void arm_runs_init(struct arm_runs *runs, const struct plan *plan, int arm,
	const struct config_benchmark *config, struct recording *recording);
void arm_runs_release(struct arm_runs *runs);
/* Adds a finished run: to a new block, or (not first) to the last one; order: 0 first in its pair.
 */
int arm_runs_add(struct arm_runs *runs, const struct run *run, bool first, uint32_t order,
	struct error *err);
/* Runs alone, and adds the run as arm_runs_add() does. */
int arm_runs_once(struct arm_runs *runs, bool first, uint32_t order, struct error *err);
/* Runs as often as repeat says, and adds the block. */
int arm_runs_block(struct arm_runs *runs, uint32_t order, struct error *err);
/* Adds a finished run's captures and totals as the next block. */
int recording_add_run(struct recording *recording, size_t *block_capacity,
	struct symbolizer *symbolizer, const struct run *run, uint32_t order, struct error *err);
/* Adds them to the last block: what takes a block several runs to do is one observation. */
int recording_extend_block(struct recording *recording, struct symbolizer *symbolizer,
	const struct run *run, struct error *err);
/* How often to run what took so much CPU time at once, so that a block takes a second of it. */
uint32_t repeat_for(double cpu_seconds);
/* A comment of the profile: clock, rate, how much of the CPU time was seen, the sampler's own. */
void recording_note_sampling(struct recording *recording);
struct instructions_run;
/* The same of a run whose instructions were counted. prefixes as the symbolizer's. */
int recording_add_instructions(struct recording *recording, size_t *block_capacity,
	const struct instructions_run *run, const char *const *prefixes, struct error *err);
/* What is missing from these runs: warnings; a note if the program paused them. */
void arm_runs_tell_losses(const struct arm_runs *runs, struct plan *plan, const char *where,
	struct session_benchmark *out);
/* That, what was left out, and which processes did not count. */
void arm_runs_tell(const struct arm_runs *runs, struct plan *plan, const char *arm,
	struct session_benchmark *out);
/* Strings, fingerprint and policy of a new recording; an empty profile. */
void recording_begin(struct recording *recording, const char *benchmark, const char *command,
	const char *arm, const struct config_policy *policy);

#endif
