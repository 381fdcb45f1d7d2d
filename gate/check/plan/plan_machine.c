/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan knows of the machine and its compiler. */
#include "gate/base/error.h"
#include "gate/bench/machine/sampling_cost.h"
#include "gate/check/plan/plan.h"

void plan_read_toolchain(struct plan *plan)
{
	fingerprint_read_toolchain(
		&plan->machine.toolchain, &plan->config, &plan->measurements->arena);
}

int plan_choose_rate(struct plan *plan, struct error *err)
{
	const char *mechanism = plan->options->mechanism;
	struct sampling_cost cost;
	struct error lost = {0};
	int rc;

	plan->machine.rate_hz = plan->config.rate_hz;
	if (plan->machine.rate_hz)
		return ERR_OK;
	rc = sampling_cost_measure(mechanism ? mechanism : "auto", &cost, &lost);
	if (rc == ERR_INTERRUPTED) {
		*err = lost;
		return rc;
	}
	/* Where it cannot be measured the runs themselves will say what is wrong. */
	plan->machine.rate_hz = rc ? SAMPLER_RATE_HZ : sampling_rate_auto(&cost);
	if (!rc && plan->machine.rate_hz != SAMPLER_RATE_HZ)
		plan_progress(plan,
			"sampling at %u Hz: the clock alone takes %.1f us a sample here",
			plan->machine.rate_hz, cost.signal_ns / 1e3);
	return ERR_OK;
}

int plan_calibrate(struct plan *plan, struct error *err)
{
	return calibration_measure(CALIBRATION_BUDGET_NS, &plan->machine.calibration, err);
}
