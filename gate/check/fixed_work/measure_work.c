/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/fixed_work/measure_work.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/harness/harness.h"
#include "gate/check/fixed_work/work_replay.h"
#include "gate/check/runs/printed.h"

static bool may_be_replayed(const struct side *side, const struct work_finding *finding)
{
	return side->config->work == CONFIG_WORK_AUTO &&
	       !(finding->harness && finding->harness->never_replayed) &&
	       (finding->verdict == WORK_FIXED_TIME || finding->verdict == WORK_DOUBTFUL);
}

/* What is wrong with it as it is, why its clock is of no help, and what is. */
static int refuse(const struct side *side, const struct work_finding *as_it_is,
	const struct error *reason, struct error *err)
{
	const struct harness_flag *harness = as_it_is->harness;

	if (side->config->work != CONFIG_WORK_AUTO)
		return error_set(err, ERR_BENCHMARK, "%s", reason->message);
	return error_set(err, ERR_BENCHMARK,
		"this benchmark runs for a fixed time, so a regression would hide; %s. %s%s%s%s",
		reason->message, harness ? "With " : WORK_ADVICE, harness ? harness->name : "",
		harness ? ": " : "", harness ? harness->advice : "");
}

/* What the probe saw was last of a run by another clock. */
static int probe_again(struct side *side, struct error *err)
{
	struct run run = {0};
	int rc = side_probe(side, &run, err);

	run_release(&run);
	return rc;
}

/* finding: as it is; then with its clock replayed. */
static int settle_by_clock(struct side *side, struct measured_benchmark *out,
	struct work_finding *finding, struct error *err)
{
	const struct work_finding as_it_is = *finding;
	struct result_work work = {.kind = RESULT_WORK_AS_IT_IS};
	struct error reason = {0};
	int rc = work_replay(
		side, side->config->work == CONFIG_WORK_STEPPED, finding, &work, &reason);

	if (rc == ERR_BENCHMARK && as_it_is.verdict == WORK_DOUBTFUL) {
		/* A part of it is not fixed, or it is none: as with work: fixed. */
		*finding = as_it_is;
		measurements_add_line(side->plan->measurements, &out->warnings, finding->text);
		return probe_again(side, err);
	}
	if (rc == ERR_BENCHMARK)
		return refuse(side, &as_it_is, &reason, err);
	if (rc) {
		*err = reason;
		return rc;
	}
	out->clock = side->clock;
	out->work = work;
	if (as_it_is.verdict == WORK_FIXED_TIME && side->config->work == CONFIG_WORK_AUTO)
		work_keep_timed(side, as_it_is.harness);
	return ERR_OK;
}

/* One that was made of such a harness's list. */
static bool is_timed(const struct side *side)
{
	const struct harness *harness = harness_of(side->config->harness);

	return side->config->work == CONFIG_WORK_AUTO && side->config->entry && harness &&
	       harness->always_timed;
}

/* Slowed runs without the clock would say what is known, in most of the time that all of this
 * takes. ERR_BENCHMARK: it is to be asked after all; then the clock is the real one. */
static int settle_timed(struct side *side, struct measured_benchmark *out,
	struct work_finding *finding, struct error *err)
{
	struct result_work work = {.kind = RESULT_WORK_AS_IT_IS};
	int rc = work_replay(side, false, finding, &work, err);

	if (rc)
		return rc;
	out->clock = side->clock;
	out->work = work;
	return ERR_OK;
}

static int settle(struct side *side, struct measured_benchmark *out, struct work_finding *finding,
	struct error *err)
{
	struct measurements *measurements = side->plan->measurements;
	enum config_work work = side->config->work;
	int rc;

	*finding = (struct work_finding){.verdict = WORK_FIXED, .text = ""};
	if (work == CONFIG_WORK_REPLAYED || work == CONFIG_WORK_STEPPED)
		return settle_by_clock(side, out, finding, err);
	rc = is_timed(side) ? settle_timed(side, out, finding, err) : ERR_BENCHMARK;
	if (rc != ERR_BENCHMARK)
		return rc;
	rc = work_probe(side, finding, err);
	if (rc)
		return rc;
	if (may_be_replayed(side, finding))
		return settle_by_clock(side, out, finding, err);
	if (finding->verdict == WORK_FIXED_TIME)
		return error_set(err, ERR_BENCHMARK, "%s", finding->text);
	if (finding->verdict == WORK_DOUBTFUL)
		measurements_add_line(measurements, &out->warnings, finding->text);
	if (finding->verdict == WORK_UNKNOWN)
		measurements_add_line(measurements, &out->notes, finding->text);
	return ERR_OK;
}

int work_settle_alone(struct side *side, struct measured_benchmark *out, struct error *err)
{
	struct work_finding finding;

	return settle(side, out, &finding, err);
}

/* Head gets the same clock, and a first run with it. */
static int give_clock(struct side sides[VERSION_COUNT], struct error *err)
{
	struct side *head = &sides[VERSION_HEAD];
	struct run run = {0};
	int rc;

	if (sides[VERSION_BASE].clock.mode == RUN_CLOCK_REAL)
		return ERR_OK;
	side_set_clock(head, &sides[VERSION_BASE].clock);
	rc = side_probe(head, &run, err);
	run_release(&run);
	if (rc && rc != ERR_INTERRUPTED)
		error_prefix(err, "head");
	return rc;
}

/* Processes that print side by side may have been faster once: head is asked again. */
static int prints_so_again(
	struct side *head, const char *base_printed, bool *differs, struct error *err)
{
	const struct build *place = head->plan->builds.of[head->version];
	struct run run = {0};
	char printed[65];
	double wall;
	int rc = build_activate(&head->plan->builds.cache, place, err);

	*differs = false;
	if (!rc)
		rc = side_try(head, NULL, &run, &wall, err);
	if (!rc) {
		printed_hash(&run, place, printed);
		*differs = printed[0] && strcmp(printed, base_printed) != 0;
	}
	run_release(&run);
	return rc;
}

static int compare_printed(struct side *head, const char *base_printed,
	struct measured_benchmark *out, struct error *err)
{
	struct error failure = {0};
	bool differs;
	int rc;

	if (!base_printed[0] || !head->probe_printed[0] ||
		strcmp(base_printed, head->probe_printed) == 0)
		return ERR_OK;
	rc = prints_so_again(head, base_printed, &differs, &failure);
	if (rc == ERR_INTERRUPTED)
		*err = failure;
	else if (!rc && differs)
		measurements_add_line(head->plan->measurements, &out->warnings,
			"Base and head print different output: their times can be compared only if "
			"both do the same work.");
	return rc == ERR_INTERRUPTED ? rc : ERR_OK;
}

int work_settle(struct side sides[VERSION_COUNT], struct measured_benchmark *out, struct error *err)
{
	struct work_finding finding;
	int rc = settle(&sides[VERSION_BASE], out, &finding, err);

	if (!rc)
		rc = give_clock(sides, err);
	return rc ? rc : compare_printed(&sides[VERSION_HEAD], finding.printed, out, err);
}
