/* SPDX-License-Identifier: Apache-2.0 */
/* Poisson sampling: its functions against the mathematical library's, its totals by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gate/sampler/capture/capture.h"
#include "gate/sampler/heap/heap.h"
#include "gate/sampler/heap/heap_sample.h"

enum { RUNS = 400, ALLOCATIONS = 3000 };

static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return random_state;
}

/* (0, 2^53] */
static uint64_t uniform(void)
{
	return (next_random() >> 11) + 1;
}

static void assert_near(double value, double expected, double relative)
{
	assert_true(fabs(value - expected) <= relative * fabs(expected));
}

static void test_logarithms_are_right(void **state)
{
	(void)state;
	random_state = 3;
	for (int i = 0; i < 200000; i++) {
		double x = (double)uniform() * 0x1p-53;

		assert_near(fg_heap_log(x), log(x), 1e-13);
		x = 1 - x * 0x1p-20; /* close to 1, where it is hardest */
		if (x < 1)
			assert_near(fg_heap_log(x), log(x), 1e-13);
	}
	assert_true(fg_heap_log(1) == 0);
	assert_near(fg_heap_log(0x1p-53), -53 * 0.69314718055994531, 1e-14);
}

static void test_hits_are_right(void **state)
{
	(void)state;
	random_state = 4;
	for (int i = 0; i < 200000; i++) {
		double x = exp((double)uniform() * 0x1p-53 * 40 - 36);

		assert_near(fg_heap_hit(x), -expm1(-x), 1e-13);
	}
	assert_true(fg_heap_hit(0) == 0);
	assert_true(fg_heap_hit(1e300) == 1);
}

static void test_weights_have_bounds(void **state)
{
	struct fg_heap_weight weight = fg_heap_weigh(SIZE_MAX, 1);

	(void)state;
	assert_int_equal(weight.count, FG_HEAP_SCALE);
	assert_true(weight.bytes > 0 && weight.bytes <= UINT64_C(1) << 62);
	weight = fg_heap_weigh(0, UINT32_MAX);
	assert_int_equal(weight.bytes, 0);
	assert_true(weight.count > UINT64_C(1) << 40);
	weight = fg_heap_weigh(1 << 20, 1 << 10);
	assert_int_equal(weight.count, FG_HEAP_SCALE);
	assert_int_equal(weight.bytes, (uint64_t)FG_HEAP_SCALE << 20);
}

static void test_gaps_have_their_mean(void **state)
{
	double sum = 0, squares = 0;
	const int count = 1000000;

	(void)state;
	random_state = 5;
	for (int i = 0; i < count; i++) {
		double gap = fg_heap_gap(uniform(), 1000);

		assert_true(gap >= 0);
		sum += gap;
		squares += gap * gap;
	}
	/* Five standard errors; an exponential's second moment is twice the square of its mean. */
	assert_near(sum / count, 1000, 5 / sqrt(count));
	assert_near(squares / count, 2e6, 5 * sqrt(5.0 / count));
}

struct totals {
	double count, bytes;
};

/* One run of a program with the sizes' mix, sampled as heap_count.c does it. */
static struct totals sample_run(const size_t *sizes, size_t kinds, uint64_t period)
{
	double gap = fg_heap_gap(uniform(), period);
	struct totals totals = {0, 0};

	for (size_t i = 0; i < ALLOCATIONS; i++) {
		size_t size = sizes[i % kinds];
		struct fg_heap_weight weight;

		gap -= (double)size + 1;
		if (gap > 0)
			continue;
		gap = fg_heap_gap(uniform(), period);
		weight = fg_heap_weigh(size, period);
		totals.count += (double)weight.count / FG_HEAP_SCALE;
		totals.bytes += (double)weight.bytes / FG_HEAP_SCALE;
	}
	return totals;
}

static void test_totals_are_unbiased(void **state)
{
	static const size_t mixes[][4] = {
		{16, 16, 16, 16}, {0, 8, 100, 5000}, {1000, 3000, 100000, 24}};

	(void)state;
	random_state = 6;
	for (size_t m = 0; m < 3; m++) {
		double true_bytes = 0, bytes = 0, counts = 0, byte_squares = 0, count_squares = 0;

		for (size_t k = 0; k < 4; k++)
			true_bytes += (double)mixes[m][k] * ALLOCATIONS / 4;
		for (int run = 0; run < RUNS; run++) {
			struct totals totals = sample_run(mixes[m], 4, 4096);

			bytes += totals.bytes;
			counts += totals.count;
			byte_squares += totals.bytes * totals.bytes;
			count_squares += totals.count * totals.count;
		}
		bytes /= RUNS;
		counts /= RUNS;
		/* Five standard errors of the mean, by the runs' own spread. */
		assert_true(
			fabs(bytes - true_bytes) <=
			5 * sqrt((byte_squares / RUNS - bytes * bytes) / RUNS) + true_bytes * 1e-3);
		assert_true(fabs(counts - ALLOCATIONS) <=
			    5 * sqrt((count_squares / RUNS - counts * counts) / RUNS) +
				    ALLOCATIONS * 1e-3);
	}
}

/* A thread's first allocation is met as often as any other. */
static void test_first_allocations_are_met_by_their_size(void **state)
{
	static struct fg_heap_thread heap;
	static struct fg_thread thread;
	const int threads = 200000;
	double hit = fg_heap_hit(101.0 / 1000), met = 0, second = 0;

	(void)state;
	fg_self = &thread;
	thread.heap = &heap;
	thread.random = 7;
	fg_config.heap_period_bytes = 1000;
	for (int i = 0; i < threads; i++) {
		heap = (struct fg_heap_thread){.image = fg_heap_image};
		met += fg_heap_is_due(100);
		second += fg_heap_is_due(100);
	}
	fg_self = NULL;
	fg_config.heap_period_bytes = 0;
	assert_true(fabs(met - hit * threads) < 5 * sqrt(hit * threads));
	assert_true(fabs(second - hit * threads) < 5 * sqrt(hit * threads));
	assert_true(fg_heap_is_due(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logarithms_are_right),
		cmocka_unit_test(test_hits_are_right),
		cmocka_unit_test(test_weights_have_bounds),
		cmocka_unit_test(test_gaps_have_their_mean),
		cmocka_unit_test(test_totals_are_unbiased),
		cmocka_unit_test(test_first_allocations_are_met_by_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
