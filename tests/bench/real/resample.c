/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of a program that has not changed, drawn from the pairs of those that were measured: as
 * many pairs as the policy wants for stage 1, and as many others for stage 2 where stage 1 flags
 * something. One line each: its number, whether stage 1 flagged, what the shipped code makes of it
 * (strict: with the code's hashes forgotten), what simpler rules would have, and the means' change.
 *
 *   resample FIRST COUNT RECORDINGS...    the checks of these numbers: they are their seeds
 *   resample --straight FIRST COUNT ...   with the versions as they were: what was planted is found
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/check/check.h"
#include "gate/check/decide/decide.h"
#include "gate/check/result.h"
#include "tests/bench/real/pool.h"
#include "tests/bench/real/rivals.h"

static const char *const status_names[] = {
	[RESULT_PASS] = "pass",
	[RESULT_WARN] = "warn",
	[RESULT_FAIL] = "fail",
	[RESULT_ERROR] = "error",
	[RESULT_NEUTRAL] = "neutral",
};

static enum result_status decide(const struct measurements *measurements)
{
	struct result *result = decide_measurements(measurements);
	enum result_status status = result->status;

	result_free(result);
	return status;
}

/* As a check goes: stage 2 only where stage 1 wants it. */
static int measure(const struct pool *pool, const struct pool_draw *draws, uint64_t seed,
	struct measurements **out, bool *flagged, struct error *err)
{
	const struct config_policy *policy =
		&pool->sets[0]->benchmarks[0].recordings[VERSION_BASE].policy;
	struct measurements *measurements =
		pool_measurements(pool, draws, policy->stage1_pairs, seed);
	int rc = decide_needs_stage2(&measurements->benchmarks[0], 1, flagged, err);

	if (!rc && *flagged) {
		measurements_free(measurements);
		measurements = pool_measurements(
			pool, draws, policy->stage1_pairs + policy->stage2_pairs, seed);
	}
	if (rc)
		measurements_free(measurements);
	else
		*out = measurements;
	return rc;
}

static int draw_one(const struct pool *pool, uint64_t number, bool swap, struct pool_draw *draws,
	size_t count, struct error *err)
{
	uint64_t random = number;
	struct measurements *measurements = NULL;
	struct rivals rivals;
	bool flagged = false;
	enum result_status status;
	int rc;

	pool_draw(pool, &random, count, swap, draws);
	rc = measure(pool, draws, number, &measurements, &flagged, err);
	if (rc)
		return rc;
	status = decide(measurements);
	rc = rivals_decide(&measurements->benchmarks[0].recordings[VERSION_BASE],
		&measurements->benchmarks[0].recordings[VERSION_HEAD], &rivals, err);
	measurements->strict = true;
	if (!rc)
		printf("%llu,%d,%s,%s,%d,%d,%d,%.6g\n", (unsigned long long)number, flagged,
			status_names[decide(measurements)], status_names[status], rivals.threshold,
			rivals.mann_whitney, rivals.functions, rivals.change);
	measurements_free(measurements);
	return rc;
}

static int draw_all(
	const struct pool *pool, uint64_t first, uint64_t count, bool swap, struct error *err)
{
	const struct config_policy *policy =
		&pool->sets[0]->benchmarks[0].recordings[VERSION_BASE].policy;
	size_t pairs = policy->stage1_pairs + policy->stage2_pairs;
	struct pool_draw *draws;
	int rc = ERR_OK;

	if (pairs > pool->pair_count)
		return error_set(err, ERR_USAGE, "%zu pairs are too few to draw %zu different ones",
			pool->pair_count, pairs);
	draws = xcalloc(pairs, sizeof(*draws));
	for (uint64_t i = 0; i < count && !rc; i++)
		rc = draw_one(pool, first + i, swap, draws, pairs, err);
	free(draws);
	return rc;
}

int main(int argc, char **argv)
{
	bool swap = argc < 2 || strcmp(argv[1], "--straight") != 0;
	char **operands = argv + (swap ? 1 : 2);
	int count = argc - (swap ? 1 : 2), rc;
	struct pool pool;
	struct error err = {0};

	if (count < 3) {
		fprintf(stderr, "usage: resample [--straight] FIRST COUNT RECORDINGS...\n");
		return 2;
	}
	rc = pool_init(&pool, (const char *const *)operands + 2, (size_t)count - 2, &err);
	if (!rc)
		rc = draw_all(&pool, strtoull(operands[0], NULL, 10),
			strtoull(operands[1], NULL, 10), swap, &err);
	pool_release(&pool);
	if (rc)
		fprintf(stderr, "resample: %s\n", err.message);
	return rc ? 3 : 0;
}
