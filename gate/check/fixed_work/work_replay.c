/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/fixed_work/work_replay.h"

#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/file.h"

#define CLOSE_ENOUGH 1.5 /* times as long, or as short */
/* A head that is slower, on a machine that is busy, still comes to an end. */
#define LEAST_TIMEOUT_SECONDS 10
#define MOST_SLOWER 50
#define STEPS_MOST_CPU 4 /* times the recorded CPU time */

struct replayer {
	struct side *base;
	struct arena *arena;
	struct run_clock clock;
	double recorded_wall;
	double recorded_seconds; /* CPU time of the recorded run */
	struct run_clock_use use;
	double plain_seconds; /* as it is */
};

/* Two recordings of one benchmark never share a folder. */
static const char *records_folder(struct replayer *replayer, unsigned attempt)
{
	const struct side *base = replayer->base;

	return arena_printf(replayer->arena, "%s/clock-%s-%u", base->plan->output.scratch.path,
		base->config->slug, attempt);
}

/* ", 8 times as fast"; "" at its own speed. */
static const char *faster(const struct run_clock *clock, struct arena *arena)
{
	return clock->speed > 1 ? arena_printf(arena, ", %u times as fast", clock->speed) : "";
}

static int record(struct replayer *replayer, unsigned attempt, double speed, struct error *err)
{
	struct side *base = replayer->base;
	struct run_clock clock = {.mode = RUN_CLOCK_RECORD,
		.records = records_folder(replayer, attempt),
		.speed = (uint32_t)speed};
	struct run run = {0};
	double wall;
	int rc;

	plan_progress(base->plan, "%s: its clock is recorded%s", base->config->name,
		faster(&clock, replayer->arena));
	side_set_clock(base, &clock);
	rc = side_try(base, NULL, &run, &wall, err);
	if (!rc)
		rc = run_clock_seal(&clock, err);
	if (!rc) {
		replayer->clock = clock;
		replayer->recorded_seconds = run.cpu_seconds;
		replayer->recorded_wall = wall;
		replayer->use = run.clock;
	}
	run_release(&run);
	side_set_clock(base, NULL);
	return rc;
}

/* CPU seconds of a run, beyond its start, on which a harness shall settle. */
static double wanted(const struct replayer *replayer)
{
	return (double)replayer->base->config->benchmark_time_ns / 1e9;
}

static double bounded(double speed)
{
	return speed > RUN_CLOCK_MOST_SPEED ? RUN_CLOCK_MOST_SPEED : speed < 1 ? 1 : floor(speed);
}

/* Start-up costs the same at any speed: two runs tell it. */
static double start_seconds(const struct replayer *replayer)
{
	double speed = replayer->clock.speed;
	double start;

	if (speed < 2)
		return 0;
	start = (speed * replayer->recorded_seconds - replayer->plain_seconds) / (speed - 1);
	return fmin(fmax(start, 0), replayer->recorded_seconds);
}

static double better_speed(const struct replayer *replayer)
{
	double timed = replayer->plain_seconds - start_seconds(replayer);

	return bounded(timed / wanted(replayer));
}

/* With the speed that makes a run about as long as wanted: by a first one's, and what came of it. */
static int record_well(struct replayer *replayer, struct error *err)
{
	double speed = bounded(replayer->plain_seconds / wanted(replayer)), better;
	int rc = record(replayer, 1, speed, err);

	if (rc || speed < 2)
		return rc;
	better = better_speed(replayer);
	if (better < speed * CLOSE_ENOUGH && better > speed / CLOSE_ENOUGH)
		return ERR_OK;
	return record(replayer, 2, better, err);
}

/* A step that makes as many calls as base's own run did last as long as that did. */
static void choose_steps(struct replayer *replayer)
{
	double calls = replayer->use.calls ? (double)replayer->use.calls : 1;
	double seconds = replayer->recorded_wall * replayer->clock.speed;

	replayer->clock = (struct run_clock){.mode = RUN_CLOCK_STEPPED,
		.step_ns = (uint64_t)fmax(1, 1e9 * seconds / calls),
		.most_cpu_ns = (uint64_t)(1e9 * STEPS_MOST_CPU * replayer->recorded_seconds)};
}

static int refuse_verdict(const struct work_finding *finding, struct error *err)
{
	if (finding->verdict == WORK_UNKNOWN)
		return error_set(err, ERR_BENCHMARK,
			"with base's clock replayed its runs are too short to see whether they do "
			"the same work");
	return error_set(err, ERR_BENCHMARK,
		"with base's clock replayed it still does less work when it is slower: it knows "
		"the time by another way (a cycle counter, an alarm, or calls that cannot be "
		"seen)");
}

/* The first run with that clock, and the slowed ones. */
static int prove(struct replayer *replayer, struct work_finding *out, struct error *err)
{
	struct side *base = replayer->base;
	struct run run = {0};
	int rc;

	if (replayer->clock.mode == RUN_CLOCK_RECORD)
		replayer->clock.mode = RUN_CLOCK_REPLAY;
	replayer->clock.timeout_ns =
		(uint64_t)(1e9 * (LEAST_TIMEOUT_SECONDS + MOST_SLOWER * replayer->recorded_wall));
	side_set_clock(base, &replayer->clock);
	rc = side_probe(base, &run, err);
	run_release(&run);
	if (!rc)
		rc = work_probe_replayed(base, out, err);
	if (!rc && out->verdict != WORK_FIXED)
		rc = refuse_verdict(out, err);
	return rc;
}

static struct result_work work_of(const struct replayer *replayer)
{
	bool stepped = replayer->clock.mode == RUN_CLOCK_STEPPED;

	return (struct result_work){
		.kind = stepped ? RESULT_WORK_STEPPED : RESULT_WORK_REPLAYED,
		.calls = replayer->use.calls,
		.processes = replayer->use.processes,
		.speed = stepped ? 1 : replayer->clock.speed,
		.step_seconds = (double)replayer->clock.step_ns / 1e9,
		.run_seconds = replayer->recorded_seconds,
		.real_seconds = replayer->plain_seconds,
		.start_seconds = stepped ? 0 : start_seconds(replayer),
	};
}

int work_replay(struct side *base, bool stepped, struct work_finding *out, struct result_work *work,
	struct error *err)
{
	struct replayer replayer = {.base = base,
		.arena = &base->plan->measurements->arena,
		.plain_seconds = base->probe_work.cpu_seconds};
	int rc = build_activate(
		&base->plan->builds.cache, base->plan->builds.of[base->version], err);

	*out = (struct work_finding){.verdict = WORK_FIXED, .text = ""};
	if (!rc)
		rc = record_well(&replayer, err);
	if (!rc && !replayer.use.calls)
		rc = error_set(err, ERR_BENCHMARK, "it calls no clock that could be replayed");
	if (!rc && stepped)
		choose_steps(&replayer);
	if (!rc)
		rc = prove(&replayer, out, err);
	if (rc)
		side_set_clock(base, NULL);
	else
		*work = work_of(&replayer);
	return rc;
}
