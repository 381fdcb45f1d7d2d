/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what recordings know of functions' machine code, from the measurement
 * to the verdict's flags.
 */
#ifndef FG_CHECK_CODE_H
#define FG_CHECK_CODE_H

#include "gate/bench/recording.h"
#include "gate/check/session.h"
#include "gate/compare/comparison.h"
#include "gate/profile/symbolize.h"

/* Once all of its runs are in the profile. */
void code_note(struct recording *recording, const struct symbolizer *symbolizer);
/* Of all recordings that a verdict on pairs is made from: nobody's code is known to be the same. */
void code_forget(struct session *session);

/* Adds VERDICT_FUNCTION_SAME_CODE. */
void code_flag_functions(const struct comparison *comparison,
	const struct recording *const recordings[ARM_COUNT], uint8_t *flags);

#endif
