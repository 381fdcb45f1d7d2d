/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: one version of one benchmark: its probe and its rounds. */
#ifndef FG_CHECK_MEASURE_SIDE_H
#define FG_CHECK_MEASURE_SIDE_H

#include "gate/bench/elf/identical.h"
#include "gate/check/runs/version_runs.h"
#include "gate/check/runs/work_judge.h"

struct side {
	struct plan *plan;
	const struct config_benchmark *config;
	int version;
	char **env;
	struct version_runs runs;
	struct opened_files opened; /* by the probe */
	char hash[65];              /* of those files */
	double probe_seconds;       /* wall time of one run */
	double probe_cpu_seconds;
	uint64_t probe_rss_bytes;      /* of its largest process, or what we had at its start */
	uint64_t probe_resident_bytes; /* of its largest process, as that knew it; 0: none did */
	uint64_t probe_switches,
		probe_tree_ns;       /* of all its processes, whether they count or not */
	const char *probe_mechanism; /* "perf", "posix"; "" before the probe */
	struct work_tally probe_work;
	char probe_printed[65]; /* printed.h */
	struct run_clock clock; /* of all runs; .records is in the measurements' arena */
	const char *build_hash; /* by the real clock */
};

/* recording is begun, and stays the caller's. Its build must stand in plan->builds.of. */
void side_init(struct side *side, struct plan *plan, int version,
	const struct config_benchmark *config, struct recording *recording);
void side_release(struct side *side);

/* From now on all runs have this clock; with another than the real one each starts from the build's
 * files as they were built. NULL: the real one. */
void side_set_clock(struct side *side, const struct run_clock *clock);
/* Before a run with such a clock: removes what runs have left in the build. */
int side_clean(const struct side *side, struct error *err);
/* Before a run alone: the build is active, and clean as above. */
int side_prepare_run(const struct side *side, struct error *err);

/* Before all rounds. run is filled (run_release() it, also after an error);
 * it is in no recording. */
int side_probe(struct side *side, struct run *run, struct error *err);
/*
 * One run as the probe's: alone, on all CPUs, in no recording, and again where the samples do not
 * cover its CPU time. slowdown: FG_ENV_SLOWDOWN's text, burnt at SLOWDOWN_FINE_RATE_HZ; NULL: none.
 * run as above.
 */
int side_try(struct side *side, const char *slowdown, struct run *run, double *wall_seconds,
	struct error *err);
/* One run: of a new round (first) or of the last one; order: 0 first in its pair. */
int side_run(struct side *side, bool first, uint32_t order, struct error *err);
/* All the runs of one round. */
int side_round(struct side *side, uint32_t order, struct error *err);
/* Before a round: the build's files are as the probe found them, and elsewhere in memory. */
int side_check_files(const struct side *side, struct error *err);
/* "base, round 3: " before the message, but not of an interruption; returns err->code. */
int side_blame(const struct side *side, struct error *err);
#define RELINK_SEEDS 8
/*
 * Before a round, where the configuration has relink commands: links the build anew in the
 * round's own order, and takes its files as they are then for side_check_files(). It becomes
 * active.
 */
int side_relink(struct side *side, struct error *err);
/*
 * After the last round: the build is linked as it was at first, for the next benchmark and the next
 * check, which builds anew what cannot be linked back.
 */
void side_link_back(const struct side *side);
/* Forgets all rounds: the recording begins anew. */
void side_restart(struct side *side);

double monotonic_seconds(void);

#endif
