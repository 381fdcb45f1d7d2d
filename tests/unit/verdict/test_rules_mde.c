/* SPDX-License-Identifier: Apache-2.0 */
/* What would be found: the detectable effects that are printed. */
#include "tests/unit/verdict/rules_scene.h"

static void test_unreachable_alpha_is_said(void **state)
{
	struct fixture *fixture = *state;

	fixture->config.stage2 = 8;
	fixture_draw(fixture, 1);
	fixture->sim.input.policy.benchmarks_in_gate = 50;
	decide(fixture);
	assert_true(fixture->result.total.alpha_stage[1] < fixture->result.total.floor_stage[1]);
	assert_true(!fixture->result.total.flagged ||
		    has_reason(fixture, VERDICT_REASON_UNREACHABLE_STAGE2));
	assert_true(isinf(fixture->result.total.mde));
}

static void test_detectable_effect_grows_with_the_share(void **state)
{
	struct fixture *fixture = *state;
	double last = 0;

	decide(fixture);
	for (double share = 0.001; share < 0.5; share *= 2) {
		double mde = verdict_mde(&fixture->result.power, share);

		assert_true(mde >= last && mde < 0.2);
		last = mde;
	}
}

/* What is allowed for one layout has to be exceeded by calls and the total, not by a function. */
static void test_detectable_effect_knows_what_is_allowed_for_one_layout(void **state)
{
	struct fixture *fixture = *state;
	double total, called, self;

	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 2);
	fixture->sim.input.policy.layouts = 8;
	decide(fixture);
	total = fixture->result.total.mde;
	called = verdict_mde_called(&fixture->result.power, 0.3);
	self = verdict_mde(&fixture->result.power, 0.01);
	fixture->sim.input.policy.layouts = 1;
	decide(fixture);
	assert_true(fixture->result.total.mde > total + 0.005);
	assert_true(fixture->result.total.mde > fixture->result.power.total.allowance);
	assert_true(verdict_mde_called(&fixture->result.power, 0.3) > called + 0.005);
	assert_true(fabs(verdict_mde(&fixture->result.power, 0.01) - self) < 1e-9);
}

/* The total's test sees what the hottest function's own cannot. */
static void test_detectable_effect_is_never_above_the_totals(void **state)
{
	struct fixture *fixture = *state;
	double total;

	fixture->config.change = SIM_NONE;
	fixture_draw(fixture, 2);
	decide(fixture);
	total = fixture->result.total.mde;
	assert_true(total > 0 && total < 0.05);
	for (double share = 0.001; share < 1; share *= 2) {
		assert_true(verdict_mde(&fixture->result.power, share) <= total * 1.0001);
		assert_true(verdict_mde_called(&fixture->result.power, share) <= total * 1.0001);
	}
	/* and a small function's own sees less than the total's */
	assert_true(verdict_mde(&fixture->result.power, 0.002) < 0.7 * total);
	assert_true(verdict_mde_called(&fixture->result.power, 0.002) < 0.7 * total);
}

static void test_chance_of_the_detectable_effect_is_four_in_five(void **state)
{
	struct fixture *fixture = *state;
	const struct verdict_power *power = &fixture->result.power;

	decide(fixture);
	for (double share = 0.001; share < 0.5; share *= 4) {
		double mde = verdict_mde(power, share);

		assert_true(fabs(verdict_chance(power, share, mde) - 0.8) < 0.001);
		assert_true(verdict_chance(power, share, 0.5 * mde) < 0.5);
		assert_true(verdict_chance(power, share, 2 * mde) > 0.99);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_unreachable_alpha_is_said),
		RULE(test_detectable_effect_grows_with_the_share),
		RULE(test_detectable_effect_knows_what_is_allowed_for_one_layout),
		RULE(test_detectable_effect_is_never_above_the_totals),
		RULE(test_chance_of_the_detectable_effect_is_four_in_five),
	};

	return cmocka_run_group_tests_name("verdict rules: detectable effects", tests, NULL, NULL);
}
