/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: one version's runs of one benchmark, gathered into a recording. */
#ifndef FG_CHECK_VERSION_RUNS_H
#define FG_CHECK_VERSION_RUNS_H

#include "gate/bench/run/run.h"
#include "gate/check/plan/plan.h"

struct instructions_run;
struct symbolizer;

struct version_runs {
	struct run_options options;
	char *directory, *iterations_path;
	const char *output, *slug; /* where a profile of its death goes (measure_death.h) */
	struct symbolizer *symbolizer;
	struct recording *recording;
	size_t round_capacity;
	const char *relinked;     /* folder whose programs are linked anew for each round; NULL */
	uint32_t max_threads;     /* seen in the probe */
	double probe_cpu_seconds; /* of the probe's one run */
	uint32_t repeat;          /* runs that make a round; 0 as 1 */
	uint64_t counters[CAPTURE_COUNTERS]; /* of all rounds */
	/* processes that did not count, for people; "" none. In the measurements' arena */
	const char *left_out;
};

void version_runs_init(struct version_runs *runs, const struct plan *plan, int version,
	const struct config_benchmark *config, struct recording *recording);
void version_runs_release(struct version_runs *runs);
/* Adds a finished run: to a new round, or (not first) to the last one; order:
 * 0 first in its pair. */
int version_runs_add(struct version_runs *runs, const struct run *run, bool first, uint32_t order,
	struct error *err);
/* Runs alone, and adds the run as version_runs_add() does. */
int version_runs_once(struct version_runs *runs, bool first, uint32_t order, struct error *err);
/* Runs as often as repeat says, and adds the round. */
int version_runs_round(struct version_runs *runs, uint32_t order, struct error *err);
/* Adds a finished run's captures and totals as the next round. */
int recording_add_run(struct recording *recording, size_t *round_capacity,
	struct symbolizer *symbolizer, const struct run *run, uint32_t order, struct error *err);
/* Adds them to the last round: what takes a round several runs to do is one observation. */
int recording_extend_round(struct recording *recording, struct symbolizer *symbolizer,
	const struct run *run, struct error *err);
/* How often to run what took so much CPU time at once, so that a round takes a second of it. */
uint32_t repeat_for(double cpu_seconds);
/* A comment of the profile: clock, rate, how much of the CPU time was seen, the sampler's own. */
void recording_note_sampling(struct recording *recording);
/* The same of a run whose instructions were counted. prefixes as the symbolizer's. */
int recording_add_instructions(struct recording *recording, size_t *round_capacity,
	const struct instructions_run *run, const char *const *prefixes, struct error *err);
/* What is missing from these runs: warnings; a note if the program paused them. */
void version_runs_tell_losses(const struct version_runs *runs, struct plan *plan, const char *where,
	struct measured_benchmark *out);
/* That, what was left out, and which processes did not count. */
void version_runs_tell(const struct version_runs *runs, struct plan *plan, const char *version_name,
	struct measured_benchmark *out);
/* Strings, fingerprint and policy of a new recording; an empty profile. */
void recording_begin(struct recording *recording, const char *benchmark, const char *command,
	const char *role, const struct config_policy *policy);

#endif
