/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several benchmarks' statuses becomes that of them all: check and reports share this
 * order.
 */
#include "gate/check/status.h"

int result_status_weight(enum result_status status)
{
	static const int weights[] = {[RESULT_NEUTRAL] = 0,
		[RESULT_PASS] = 1,
		[RESULT_WARN] = 2,
		[RESULT_ERROR] = 3,
		[RESULT_FAIL] = 4};

	return weights[status];
}
