/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what is measured, with what, on the way from options to
 * measurements. Each step fills its part; nothing is read before its step.
 */
#ifndef FG_CHECK_PLAN_H
#define FG_CHECK_PLAN_H

#include "gate/base/error.h"
#include "gate/base/scratch.h"
#include "gate/bench/build/build.h"
#include "gate/bench/config/config.h"
#include "gate/bench/machine/calibration.h"
#include "gate/check/check.h"
#include "gate/check/measurements/measurements.h"
#include "gate/vcs/repo.h"

/* plan_find_commits() */
struct plan_commits {
	const char *target_name; /* of the branch whose policy counts in CI */
	const char *base_name;   /* the same, but for a tag or commit that is the base itself */
	char target[OBJECT_ID_SIZE], base[OBJECT_ID_SIZE], head[OBJECT_ID_SIZE];
};

struct plan_builds {
	struct build_cache cache;
	struct build items[VERSION_COUNT];
	struct build *of[VERSION_COUNT]; /* both the same where the trees are; NULL: not built */
};

/*
 * In CI, head's own configuration where it has benchmarks that the target branch's has not: head is
 * built by its commands for these, and nothing else of it counts.
 */
struct plan_own {
	struct config config;
	bool exists;
	struct build build; /* .path NULL: not built */
};

struct plan_machine {
	struct fingerprint toolchain; /* compiler and build_hash only; "" until they are read */
	struct calibration calibration;
	uint32_t rate_hz;    /* of all runs */
	double switching_ns; /* perf's part of a context switch (measure_switches.c) */
	bool knows_switching;
};

struct plan_output {
	struct scratch scratch; /* for runs, removed at the end */
	char *recordings;       /* <output>/recordings */
	int lock;               /* -1: not held */
	bool unkept;            /* the recordings could not be written: see plan_kept() */
};

/* What was read of production before anything was built; not yet: neither. */
struct plan_production {
	struct profile *profile;
	int rc; /* why there is none, with the reason in lost */
	struct error lost;
};

struct plan {
	const struct check_options *options;
	struct measurements *measurements;
	struct repo *repo;
	const char *branch; /* of the recordings; "" unknown */
	uint32_t attempt;   /* 1: the first at this change */
	bool recording;     /* a record, not a check */
	struct plan_commits commits;
	struct config config; /* decides: policy, benchmarks, commands */
	bool has_config;
	struct plan_own own;
	struct plan_builds builds;
	struct plan_machine machine;
	struct plan_output output;
	struct plan_production production;
};

/* What check and record share: repository and branch; plan_release() also after an error. */
int plan_open(struct plan *plan, struct error *err);
void plan_release(struct plan *plan);
/*
 * What became of writing recordings. A check decides on what it has in memory, so a full disk is a
 * warning to it, once; nothing then says that the folder holds measurements. A record has nothing
 * else to show for itself: there it stays an error.
 */
int plan_kept(struct plan *plan, int rc, struct error *err);

/* plan_commits.c: head, target, base and their diff. */
int plan_find_commits(struct plan *plan, struct error *err);

/* plan_config.c: reads the configurations, lists the benchmarks, marks what is new. */
int plan_configuration(struct plan *plan, struct error *err);
/* For a record: the configuration of the commit that is recorded, all its benchmarks. */
int plan_record_configuration(struct plan *plan, struct error *err);

/* The command line names this benchmark or the entry that it comes from (NULL: none), by a glob or
 * as it is, or it names none. */
bool plan_wants(const struct plan *plan, const char *name, const char *entry);
/* A folder's name that no benchmark has yet; the measurements' arena's. */
const char *plan_free_slug(struct measurements *measurements, const char *wanted_slug);
/* ERR_USAGE: the command line names a benchmark that is not there. */
int plan_check_names(const struct plan *plan, struct error *err);

/* plan_accept.c: which regressions may pass, into the measurements. Only ERR_INTERRUPTED is an
 * error. */
int plan_acceptances(struct plan *plan, struct error *err);
/* After plan_expand(): which benchmarks they name is known only now. */
void plan_accept_again(struct plan *plan);

/* plan_machine.c: compiler and build commands, as they travel with recordings. */
void plan_read_toolchain(struct plan *plan);
/* The configuration's rate, or what `auto` means on this machine. */
int plan_choose_rate(struct plan *plan, struct error *err);
/* How fast this machine is, once. */
int plan_calibrate(struct plan *plan, struct error *err);

/* Nothing where nobody asked for steps. */
void plan_step(const struct plan *plan, const struct check_step *step);
/* A build_progress; data is the plan. */
void plan_forward_progress(void *data, const char *text);
void plan_progress(const struct plan *plan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
