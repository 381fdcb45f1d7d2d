/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: what recordings know of functions' machine code, from the measurement
 * to the verdict's flags.
 */
#ifndef FG_CHECK_CODE_H
#define FG_CHECK_CODE_H

#include "gate/check/measurements/measurements.h"
#include "gate/compare/comparison.h"
#include "gate/profile/symbolize/symbolize.h"

/* Once all of its runs are in the profile. Also which functions the build's objects have. */
void code_note(struct recording *recording, struct symbolizer *symbolizer);

/* Two recordings' code by their profiles' functions; borrows from both. */
struct code_known {
	bool is_known; /* of both; else there is nothing to compare */
	struct code_of_version versions[COMPARE_VERSIONS];
	const char **hash[VERSION_COUNT];
	uint32_t *bytes[VERSION_COUNT];
	struct code_shape *shapes[VERSION_COUNT];
};
void code_known_init(
	struct code_known *known, const struct recording *base, const struct recording *head);
void code_known_release(struct code_known *known);

/* Adds VERDICT_FUNCTION_UNCHANGED and _CHANGED_CODE. */
void code_flag_functions(const struct comparison *comparison,
	const struct recording *const recordings[VERSION_COUNT], uint8_t *flags);

#endif
