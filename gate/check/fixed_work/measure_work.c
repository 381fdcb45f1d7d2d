/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/fixed_work/measure_work.h"

#include <string.h>

#include "gate/base/error.h"
#include "gate/check/fixed_work/work_probe.h"
#include "gate/check/runs/printed.h"

static int settle(struct side *side, struct measured_benchmark *out, struct work_finding *finding,
	struct error *err)
{
	struct measurements *measurements = side->plan->measurements;
	int rc = work_probe(side, finding, err);

	if (rc)
		return rc;
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

	return rc ? rc : compare_printed(&sides[VERSION_HEAD], finding.printed, out, err);
}
