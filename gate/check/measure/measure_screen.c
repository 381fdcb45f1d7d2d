/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/measure/measure_screen.h"

#include "gate/base/error.h"
#include "gate/check/decide/decide_reference.h"
#include "gate/check/measure/measure_alone.h"
#include "gate/check/measure/measure_benchmark.h"
#include "gate/check/measure/measure_counted.h"

/* Head alone: only an interruption stops the check. is_work_settled: by base's probe. */
static int measure_head(struct plan *plan, struct measured_benchmark *benchmark,
	bool is_work_settled, struct error *err)
{
	const struct config_benchmark *config = config_find(&plan->config, benchmark->name);
	struct error own = {0};
	int rc = plan_count(plan, config, benchmark, &own);

	if (!rc)
		rc = alone_measure(plan, config, benchmark, plan->config.policy.stage1_pairs,
			is_work_settled, &own);
	if (rc == ERR_INTERRUPTED) {
		*err = own;
		return rc;
	}
	if (rc)
		measurements_add_line(plan->measurements, &benchmark->warnings,
			arena_printf(&plan->measurements->arena,
				"head could not be measured for the stored baseline: %s",
				own.message));
	return ERR_OK;
}

static bool can_screen(const struct measured_benchmark *benchmark)
{
	const struct measured_reference *reference =
		measurements_find_reference(benchmark, RECORDING_TYPE_CPU);

	return reference && reference->has_baseline;
}

/* To pass without pairs the baseline must be the base's own, recorded on a machine like this. */
static bool can_clear(const struct measured_benchmark *benchmark)
{
	const struct measured_reference *reference =
		measurements_find_reference(benchmark, RECORDING_TYPE_CPU);

	return reference && reference->has_baseline && !reference->environment[0] &&
	       !reference->distance;
}

int plan_screen_failed(struct plan *plan, struct error *err)
{
	int rc = ERR_OK;

	for (size_t i = 0; i < plan->measurements->benchmark_count && !rc; i++) {
		struct measured_benchmark *benchmark = &plan->measurements->benchmarks[i];

		if (benchmark->outcome == OUTCOME_BASE_FAILED && can_screen(benchmark) &&
			plan->builds.of[VERSION_HEAD] &&
			config_find(&plan->config, benchmark->name))
			rc = measure_head(plan, benchmark, false, err);
	}
	return rc;
}

/* What the probe settles needs no screen; *needed: it has settled nothing. */
static int probe_alone(
	struct plan *plan, struct measured_benchmark *benchmark, bool *needed, struct error *err)
{
	struct series *series =
		series_new(plan, config_find(&plan->config, benchmark->name), benchmark, 1);
	int rc = series_probe(series, err);

	series_free(series);
	measurements_drop_recordings(benchmark);
	*needed = benchmark->outcome == OUTCOME_MEASURED;
	return rc;
}

static void forget_lines(struct measurements_lines *lines, size_t from, size_t to)
{
	for (size_t i = to; i < lines->count; i++)
		lines->items[from + i - to] = lines->items[i];
	lines->count -= to - from;
}

/* The pairs begin with another probe, which says the same again. */
static void forget_probe(struct measured_benchmark *benchmark,
	const struct measured_benchmark *before, const struct measured_benchmark *after)
{
	measurements_drop_recordings(benchmark);
	forget_lines(&benchmark->warnings, before->warnings.count, after->warnings.count);
	forget_lines(&benchmark->notes, before->notes.count, after->notes.count);
}

int plan_screen_first(struct plan *plan, struct error *err)
{
	int rc = ERR_OK;

	if (plan->config.policy.screen != CONFIG_SCREEN_FAST)
		return ERR_OK;
	for (size_t i = 0; i < plan->measurements->benchmark_count && !rc; i++) {
		struct measured_benchmark *benchmark = &plan->measurements->benchmarks[i];
		const struct measured_benchmark before = *benchmark;
		struct measured_benchmark after;
		bool needed;

		if (benchmark->outcome != OUTCOME_MEASURED || !can_clear(benchmark))
			continue;
		rc = probe_alone(plan, benchmark, &needed, err);
		if (rc || !needed)
			continue;
		after = *benchmark;
		rc = measure_head(plan, benchmark, true, err);
		if (!rc && screen_is_clear(plan->measurements, benchmark))
			benchmark->outcome = OUTCOME_SCREENED;
		else
			forget_probe(benchmark, &before, &after);
	}
	return rc;
}
