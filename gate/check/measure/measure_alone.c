/* SPDX-License-Identifier: Apache-2.0 */
/* One version measured alone: for a record, and to be compared with a stored baseline. */
#include "gate/check/measure/measure_alone.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/fixed_work/measure_work.h"
#include "gate/check/runs/measure_side.h"
#include "gate/check/runs/measure_switches.h"

struct alone {
	struct side side;
	struct measured_benchmark *out;
	cpu_set_t cpus;
};

struct alone *alone_new(
	struct plan *plan, const struct config_benchmark *config, struct measured_benchmark *out)
{
	struct alone *alone = xcalloc(1, sizeof(*alone));

	alone->out = out;
	side_init(&alone->side, plan, VERSION_HEAD, config, &out->recordings[VERSION_HEAD]);
	out->head_only = true;
	return alone;
}

void alone_free(struct alone *alone)
{
	if (!alone)
		return;
	side_release(&alone->side);
	free(alone);
}

int alone_probe(struct alone *alone, struct error *err)
{
	struct side *side = &alone->side;
	struct run run = {0};
	double start = monotonic_seconds();
	int rc = side_probe(side, &run, err);

	run_release(&run);
	alone->out->wall_seconds += monotonic_seconds() - start;
	run_choose_cpus(side->config->cpus, side->runs.max_threads, &alone->cpus);
	side->runs.options.cpus = &alone->cpus;
	if (!rc)
		switches_tell(side->plan, side, 1, alone->out);
	return rc;
}

int alone_settle_work(struct alone *alone, struct error *err)
{
	double start = monotonic_seconds();
	int rc = work_settle_alone(&alone->side, alone->out, err);

	alone->out->wall_seconds += monotonic_seconds() - start;
	return rc;
}

int alone_round(struct alone *alone, struct error *err)
{
	double start = monotonic_seconds();
	int rc = side_round(&alone->side, 0, err);

	alone->out->wall_seconds += monotonic_seconds() - start;
	return rc;
}

double alone_round_seconds(const struct alone *alone)
{
	uint32_t repeat = alone->side.runs.repeat;

	return alone->side.probe_seconds * (repeat ? repeat : 1);
}

static int run_rounds(struct alone *alone, uint32_t rounds, struct error *err)
{
	struct check_step step = {.benchmark = alone->side.config->name,
		.pairs = rounds,
		.pair_seconds = alone_round_seconds(alone)};
	int rc = ERR_OK;

	plan_progress(alone->side.plan, "%s: %u runs of head alone, about %.0f s", step.benchmark,
		rounds, step.pair_seconds * rounds);
	plan_step(alone->side.plan, &step);
	while (step.done < rounds && !rc) {
		rc = alone_round(alone, err);
		step.done++;
		if (!rc)
			plan_step(alone->side.plan, &step);
	}
	return rc;
}

void alone_tell(struct alone *alone)
{
	version_runs_tell(
		&alone->side.runs, alone->side.plan, version_names[VERSION_HEAD], alone->out);
}

int alone_measure(struct plan *plan, const struct config_benchmark *config,
	struct measured_benchmark *out, uint32_t rounds, bool is_work_settled, struct error *err)
{
	struct alone *alone = alone_new(plan, config, out);
	int rc = alone_probe(alone, err);

	if (!rc && !is_work_settled)
		rc = alone_settle_work(alone, err);
	if (!rc)
		rc = run_rounds(alone, rounds, err);
	if (!rc)
		alone_tell(alone);
	if (!rc)
		rc = plan_kept(plan,
			measurements_write_recordings(out, plan->output.recordings, err), err);
	alone_free(alone);
	if (rc)
		measurements_drop_recordings(out);
	return rc;
}
