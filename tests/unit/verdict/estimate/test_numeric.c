/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distribution functions against reference values. The constants were computed with mpmath 1.x at
 * 40 digits: betainc(regularized=True), erfc, and bisection of them for the quantiles.
 */
#include "gate/verdict/estimate/numeric.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TOLERANCE 1e-12
#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static void assert_close(double got, double expected)
{
	double error = fabs(got - expected);

	if (!(error <= TOLERANCE * fabs(expected)))
		fail_msg("got %.17g, expected %.17g, relative error %g", got, expected,
			error / fabs(expected));
}

static void test_incomplete_beta_matches_tables(void **state)
{
	static const struct {
		double a, b, x, value;
	} table[] = {
		{0.5, 0.5, 0.25, 0.33333333333333333333},
		{2, 3, 0.4, 0.5248},
		{12.5, 0.5, 0.9, 0.10806237272416314494},
		{16.5, 0.5, 0.3, 3.8385915875533872886e-10},
		{5, 0.5, 0.001, 2.4619635502857134989e-16},
		{0.5, 12.5, 0.05, 0.73779104642110830173},
		{100, 200, 0.35, 0.73257146495754433277},
		{1, 1, 0.7, 0.7},
		{24.5, 0.5, 0.999, 0.82564671866371500025},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_close(numeric_incomplete_beta(table[i].a, table[i].b, table[i].x),
			table[i].value);
	assert_true(numeric_incomplete_beta(2, 3, 0) <= 0);
	assert_true(numeric_incomplete_beta(2, 3, 1) >= 1);
}

static void test_student_tail_matches_tables(void **state)
{
	static const struct {
		double t, df, value;
	} table[] = {
		{0.5, 1, 0.35241638234956672582},
		{2, 5, 0.050969739414929178123},
		{4.6, 25, 0.000052543572247646771595},
		{8, 33, 1.57114030735695526e-9},
		{12, 33, 6.9869674857087568389e-14},
		{1.96, 1000, 0.025136592477874357138},
		{-1.5, 7, 0.91135075650501498342},
		{30, 9, 1.2418523520791312223e-10},
		{0.001, 15, 0.49960764690691158264},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_close(numeric_student_upper(table[i].t, table[i].df), table[i].value);
}

static void test_student_tail_knows_infinity_and_nan(void **state)
{
	(void)state;
	assert_true(numeric_student_upper(INFINITY, 9) <= 0);
	assert_true(numeric_student_upper(-INFINITY, 9) >= 1);
	assert_true(isnan(numeric_student_upper(NAN, 9)));
	assert_close(numeric_student_upper(0, 9), 0.5);
}

static void test_student_quantile_matches_tables(void **state)
{
	static const struct {
		double upper, df, value;
	} table[] = {
		{0.025, 9, 2.2621571627982055426},
		{0.025, 33, 2.0345152974493386962},
		{0.05, 15, 1.7530503556925735077},
		{5.71e-5, 25, 4.5679280273618178986},
		{1.0e-6, 33, 5.7525349211527062813},
		{0.3, 3, 0.58438972743981866911},
		{0.9, 12, -1.3562173340232054338},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++)
		assert_close(numeric_student_quantile(table[i].upper, table[i].df), table[i].value);
}

static void test_normal_matches_tables(void **state)
{
	static const struct {
		double z, upper;
	} tails[] = {
		{0, 0.5},
		{1, 0.15865525393145705141},
		{5, 2.8665157187919391167e-7},
		{8, 6.2209605742717841235e-16},
		{-2, 0.9772498680518207928},
	};
	static const struct {
		double upper, z;
	} quantiles[] = {
		{0.025, 1.9599639845400542355},
		{0.05, 1.6448536269514727149},
		{0.2, 0.84162123357291420518},
		{0.001, 3.0902323061678135415},
		{1.0e-6, 4.7534243088228989482},
		{0.97, -1.8807936081512509389},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(tails); i++)
		assert_close(numeric_normal_upper(tails[i].z), tails[i].upper);
	for (size_t i = 0; i < COUNT(quantiles); i++)
		assert_close(numeric_normal_quantile(quantiles[i].upper), quantiles[i].z);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_incomplete_beta_matches_tables),
		cmocka_unit_test(test_student_tail_matches_tables),
		cmocka_unit_test(test_student_tail_knows_infinity_and_nan),
		cmocka_unit_test(test_student_quantile_matches_tables),
		cmocka_unit_test(test_normal_matches_tables),
	};

	return cmocka_run_group_tests_name("verdict numeric", tests, NULL, NULL);
}
