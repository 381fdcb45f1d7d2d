/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the self-test: what a gate's session and its verdict mean for it. No clock, no I/O. */
#ifndef FG_CHECK_SELF_TEST_JUDGE_H
#define FG_CHECK_SELF_TEST_JUDGE_H

#include "gate/check/self_test/self_test.h"
#include "gate/check/self_test/self_test_pick.h"
#include "gate/check/session/session.h"

/*
 * Each looks at one gate's session, fills its part of test, and sets outcome and detail if that
 * part is not as it must be; true: it is, go on. The session has one benchmark.
 */
bool self_test_judge_null(struct self_test *test, const struct session *session);
bool self_test_judge_work(struct self_test *test, const struct session *session);
bool self_test_judge_planted(struct self_test *test, const struct session *session);

/* Picks the function from the recordings of the gate without a change. */
bool self_test_judge_places(
	struct self_test *test, const struct session *session, struct slowdown_place *code);

#endif
