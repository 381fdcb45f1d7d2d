/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the self-test: what a gate's measurements and their verdict mean for it. No clock, no
 * I/O. */
#ifndef FG_CHECK_SELF_TEST_JUDGE_H
#define FG_CHECK_SELF_TEST_JUDGE_H

#include "gate/check/measurements/measurements.h"
#include "gate/check/self_test/self_test.h"
#include "gate/check/self_test/self_test_pick.h"

/*
 * Each looks at one gate's measurements, fills its part of test, and sets outcome and detail if
 * that part is not as it must be; true: it is, go on. The measurements have one benchmark.
 */
bool self_test_judge_null(struct self_test *test, const struct measurements *measurements);
bool self_test_judge_work(struct self_test *test, const struct measurements *measurements);
bool self_test_judge_planted(struct self_test *test, const struct measurements *measurements);

/* Picks the function from the recordings of the gate without a change. */
bool self_test_judge_places(struct self_test *test, const struct measurements *measurements,
	struct slowdown_place *code);

#endif
