/* SPDX-License-Identifier: Apache-2.0 */
/* What a benchmark's stored baselines say of head. */
#ifndef FG_CHECK_DECIDE_REFERENCE_H
#define FG_CHECK_DECIDE_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "gate/check/measurements/measurements.h"
#include "gate/verdict/screen/screen.h"

struct result;
struct result_benchmark;

/*
 * Fills out->references and lets it change out->status as the policy says: counted metrics are
 * decided exactly where the toolchain fits (a baseline before the base only warns); CPU time warns
 * (policy.stored: warn, fail), fails only a benchmark whose base could not be measured
 * (policy.stored: fail), and passes none but under policy.screen: fast.
 */
void decide_references(const struct measurements *measurements,
	const struct measured_benchmark *measured, size_t benchmarks_in_gate, struct result *result,
	struct result_benchmark *out);

/* Head's runs against a stored baseline of the CPU time. diff may be NULL. Result in arena. */
int screen_recordings(const struct recording *baseline, const struct recording *head,
	const struct repo_diff *diff, struct arena *arena, struct screen_result *result,
	struct error *err);

/*
 * Head was measured alone, the stored baseline of the CPU time finds nothing, and not everything
 * takes longer by more than the machines' calibrations explain: what the screen cannot see is not
 * cleared.
 */
bool screen_is_clear(
	const struct measurements *measurements, const struct measured_benchmark *measured);

#endif
