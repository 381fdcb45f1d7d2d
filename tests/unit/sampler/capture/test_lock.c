/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of the capture: many who want it wait for it, and nobody gives up before his time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>

#include "gate/sampler/sampler.h"

#define THREADS 16
#define ROUNDS 2000

static uint32_t word;
static unsigned long counter;

/* Whoever has the lock lets others run, who find it taken. Returns how often it was not had. */
static void *take_often(void *unused)
{
	uintptr_t lost = 0;

	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		if (!fg_lock(&word)) {
			lost++;
			continue;
		}
		counter++;
		sched_yield();
		fg_unlock(&word);
	}
	return (void *)lost;
}

static void test_nobody_is_woken_in_vain_too_often(void **state)
{
	pthread_t threads[THREADS];
	uintptr_t lost = 0;

	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_often, NULL), 0);
	for (int i = 0; i < THREADS; i++) {
		void *one;

		pthread_join(threads[i], &one);
		lost += (uintptr_t)one;
	}
	assert_int_equal(lost, 0);
	assert_int_equal(counter, THREADS * ROUNDS);
	assert_int_equal(word, 0);
}

/* Its holder was interrupted for good. */
static void test_after_two_seconds_it_goes_on_without(void **state)
{
	uint32_t held = 1;
	uint64_t start = fg_clock_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_false(fg_lock(&held));
	assert_true(fg_clock_ns(CLOCK_MONOTONIC) - start >= UINT64_C(2000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody_is_woken_in_vain_too_often),
		cmocka_unit_test(test_after_two_seconds_it_goes_on_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
