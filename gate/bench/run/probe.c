/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/run/probe.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/run/run.h"

#define TIMEOUT_NS 60000000000u

static int run_sampled(
	const struct probe *probe, const char *mechanism, struct run *run, struct error *err)
{
	struct run_options options = {.argv = probe->argv,
		.directory = probe->scratch,
		.scratch = probe->scratch,
		.timeout_ns = TIMEOUT_NS,
		.mechanism = mechanism};
	cpu_set_t cpus;

	run_choose_cpus(1, 1, &cpus);
	options.cpus = &cpus;
	return run_execute(&options, run, err);
}

static int run_plain(const struct probe *probe, double *seconds, struct error *err)
{
	struct process_options options = {
		.argv = probe->argv, .directory = probe->scratch, .timeout_ns = TIMEOUT_NS};
	struct process_result result;
	cpu_set_t cpus;
	int rc;

	run_choose_cpus(1, 1, &cpus);
	options.cpus = &cpus;
	rc = process_run(&options, &result, err);
	if (rc)
		return rc;
	if (result.exit_status || result.timed_out)
		return error_set(
			err, ERR_BENCHMARK, "%s %s", probe->argv[0], process_result_text(&result));
	*seconds = (double)result.cpu_ns / 1e9;
	return ERR_OK;
}

static void describe(
	const struct run *run, enum capture_mechanism wanted, struct probe_sampling *out)
{
	const struct capture_set *captures = &run->captures;
	const struct capture_process *process = &captures->processes[0];
	double all = (double)(captures->samples + captures->lost);

	*out = (struct probe_sampling){.works = process->mechanism == wanted};
	if (!out->works) {
		out->refusal = process->perf_errno;
		return;
	}
	out->complete = all > 0 ? (double)captures->complete / all : 0;
	if (run->cpu_seconds > 0) {
		out->rate_hz = (double)captures->samples / run->cpu_seconds;
		out->coverage = run->sampled_seconds / run->cpu_seconds;
		out->own_cost = run->own_seconds / run->cpu_seconds;
	}
}

int probe_sampling(const struct probe *probe, const char *mechanism, struct probe_sampling *out,
	struct error *err)
{
	struct run run;
	int rc = run_sampled(probe, mechanism, &run, err);

	if (!rc)
		describe(&run, strcmp(mechanism, "perf") == 0 ? CAPTURE_PERF : CAPTURE_POSIX, out);
	run_release(&run);
	return rc;
}

static int one_run(const struct probe *probe, bool sampled, double *seconds, struct error *err)
{
	struct run run;
	int rc;

	if (!sampled)
		return run_plain(probe, seconds, err);
	rc = run_sampled(probe, NULL, &run, err);
	if (!rc)
		*seconds = run.cpu_seconds;
	run_release(&run);
	return rc;
}

int probe_pairs(const struct probe *probe, bool first_sampled, bool second_sampled, size_t pairs,
	double *seconds, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < 2 * pairs && !rc; i++)
		rc = one_run(probe, i % 2 ? second_sampled : first_sampled, &seconds[i], err);
	return rc;
}
