/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What doctor measures of the machine: does sampling work, what does it cost, how much do equal
 * runs differ, and how large must a change be to be found?
 */
#include "gate/base/error.h"
#include "gate/base/process/process.h"
#include "gate/base/scratch.h"
#include "gate/bench/instructions/instructions.h"
#include "gate/bench/machine/burner.h"
#include "gate/bench/preload/preload.h"
#include "gate/cli/doctor/doctor.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SAMPLING_NS 500000000u
#define COST_RUN_NS 250000000u /* what the library does at the start is a part of it */
#define COST_PAIRS 10
#define NOISE_RUN_NS 100000000u
#define NOISE_PAIRS 20
#define GOOD_SHARE 0.95
#define GOOD_COVERAGE 0.9

void doctor_problem(struct doctor_report *report, struct error *err)
{
	if (error_exit_status(report->problem_code) < error_exit_status(err->code) ||
		!report->problem_code)
		report->problem_code = err->code;
	if (report->problem_count < DOCTOR_MAX_PROBLEMS)
		report->problems[report->problem_count++] =
			arena_strdup(&report->arena, err->message);
	*err = (struct error){0};
}

/* The program that is run: ourselves, burning. */
struct patient {
	char self[PATH_MAX], rounds[24];
	const char *argv[5];
	struct probe probe;
};

static void prescribe(struct patient *patient, uint64_t rounds)
{
	snprintf(patient->rounds, sizeof(patient->rounds), "%" PRIu64, rounds);
}

static int patient_init(struct patient *patient, const char *scratch, struct error *err)
{
	ssize_t length = readlink("/proc/self/exe", patient->self, sizeof(patient->self) - 1);

	if (length <= 0)
		return error_set(err, ERR_IO, "cannot read /proc/self/exe");
	patient->self[length] = '\0';
	patient->argv[0] = patient->self;
	patient->argv[1] = "doctor";
	patient->argv[2] = "--burn";
	patient->argv[3] = patient->rounds;
	patient->argv[4] = NULL;
	patient->probe = (struct probe){.argv = patient->argv, .scratch = scratch};
	return ERR_OK;
}

/* The clock that a measurement would take must see nearly everything. */
static int judge_sampling(const struct doctor_report *report, struct error *err)
{
	const struct probe_sampling *best = report->perf.works ? &report->perf : &report->posix;

	if (!best->works)
		return error_set(err, ERR_MEASURE, "no sampling clock works here");
	if (best->complete < GOOD_SHARE || best->coverage < GOOD_COVERAGE)
		return error_set(err, ERR_MEASURE,
			"sampling does not work well enough here: %.0f %% complete stacks, %.0f %% "
			"of the CPU time",
			100 * best->complete, 100 * best->coverage);
	return ERR_OK;
}

/* What cannot be measured is left out; it keeps nothing from working. */
static int measure_clock_cost(struct doctor_report *report, struct error *err)
{
	struct error lost = {0};
	int rc = sampling_cost_measure("auto", &report->clock_cost, &lost);

	report->has_clock_cost = !rc;
	if (rc == ERR_INTERRUPTED) {
		*err = lost;
		return rc;
	}
	if (report->perf.works && switching_cost_measure(&report->switching_ns, &lost))
		report->switching_ns = 0;
	return ERR_OK;
}

static void find_instructions(struct doctor_report *report)
{
	enum instructions_engine engine;
	struct error ignored;

	report->instructions = "";
	if (!instructions_choose("auto", true, &engine, &ignored))
		report->instructions = instructions_engine_name(engine);
}

static int try_sampling(struct patient *patient, struct doctor_report *report, struct error *err)
{
	int rc;

	prescribe(patient, burner_rounds(SAMPLING_NS));
	rc = probe_sampling(&patient->probe, "perf", &report->perf, err);
	if (!rc)
		rc = probe_sampling(&patient->probe, "posix", &report->posix, err);
	if (rc)
		return rc;
	report->has_sampling = true;
	report->facts.perf_tried = true;
	report->facts.perf_works = report->perf.works;
	report->facts.perf_refusal = report->perf.refusal;
	rc = judge_sampling(report, err);
	return rc ? rc : measure_clock_cost(report, err);
}

static int measure_cost(struct patient *patient, struct doctor_report *report, struct error *err)
{
	double seconds[2 * COST_PAIRS];
	int rc;

	prescribe(patient, burner_rounds(COST_RUN_NS));
	rc = probe_pairs(&patient->probe, false, true, COST_PAIRS, seconds, err);

	if (!rc)
		report->has_cost = noise_cost_of_pairs(seconds, COST_PAIRS, &report->cost);
	return rc;
}

static void set_detectable(struct doctor_report *report)
{
	const struct config_policy *chosen = &report->policy;
	struct verdict_policy policy = verdict_policy_default(true);

	policy.total_margin = chosen->margin_total;
	report->detectable[0] = noise_detectable(&report->noise, &policy, chosen->stage1_pairs, 0);
	report->detectable[1] = noise_detectable(
		&report->noise, &policy, chosen->stage1_pairs, chosen->stage2_pairs);
}

static int measure_noise(struct patient *patient, struct doctor_report *report, struct error *err)
{
	double seconds[2 * NOISE_PAIRS];
	int rc;

	prescribe(patient, burner_rounds(NOISE_RUN_NS));
	rc = probe_pairs(&patient->probe, true, true, NOISE_PAIRS, seconds, err);

	if (rc || !noise_of_pairs(seconds, NOISE_PAIRS, &report->noise))
		return rc;
	report->has_noise = true;
	report->noise_runs = sizeof(seconds) / sizeof(seconds[0]);
	report->facts.noise = report->noise.cv;
	report->facts.autocorrelation = report->noise.autocorrelation;
	set_detectable(report);
	return ERR_OK;
}

static int measure_calibration(struct doctor_report *report, struct error *err)
{
	int rc = calibration_measure(CALIBRATION_BUDGET_NS, &report->calibration, err);

	report->has_calibration = !rc;
	return rc;
}

static int treat(const struct doctor_options *options, struct patient *patient,
	struct doctor_report *report, struct error *err)
{
	int rc = try_sampling(patient, report, err);

	if (!rc && !options->quick) {
		options->progress(NULL, "measuring cost and noise of this machine, about 15 s");
		rc = measure_cost(patient, report, err);
		if (!rc)
			rc = measure_noise(patient, report, err);
		if (!rc)
			rc = measure_calibration(report, err);
	}
	return rc ? error_prefix(err, "doctor's own program") : ERR_OK;
}

static int in_scratch(
	const struct doctor_options *options, struct doctor_report *report, struct error *err)
{
	struct patient patient;
	struct scratch scratch = {0};
	int rc = scratch_make(&scratch, err);

	if (rc)
		return rc;
	rc = patient_init(&patient, scratch.path, err);
	if (!rc)
		rc = treat(options, &patient, report, err);
	scratch_remove(&scratch);
	return rc;
}

static int find_library(struct doctor_report *report, struct error *err)
{
	char *library = NULL, *heap = NULL;
	int rc = preload_library(PRELOAD_SAMPLER, NULL, &library, err);

	if (!rc)
		rc = preload_library(PRELOAD_HEAP, NULL, &heap, err);
	free(heap);
	report->library = arena_strdup(&report->arena, library ? library : "");
	free(library);
	return rc;
}

int doctor_measure(
	const struct doctor_options *options, struct doctor_report *report, struct error *err)
{
	struct machine_cpu_times before, after;
	bool has_times;
	int rc;

	fingerprint_read(&report->fingerprint, &report->arena);
	report->environment = fingerprint_id(&report->fingerprint, &report->arena);
	machine_read("", &report->facts, &report->arena);
	has_times = machine_cpu_times("", &before);
	find_instructions(report);
	rc = find_library(report, err);
	if (!rc)
		rc = in_scratch(options, report, err);
	if (has_times && machine_cpu_times("", &after))
		report->facts.steal = machine_steal(&before, &after);
	if (rc == ERR_INTERRUPTED)
		return rc;
	if (rc)
		doctor_problem(report, err);
	if (!*report->facts.git) {
		error_set(err, ERR_TOOL, "git is missing");
		doctor_problem(report, err);
	}
	report->advice_count = machine_advise(&report->facts, &report->arena, report->advice);
	return ERR_OK;
}
