/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: whether a version has a function. A function without a sample may be
 * there all the same; what a version's own objects have is known from their symbols and debug
 * information (profile/function_names.h).
 */
#ifndef FG_CHECK_PRESENCE_H
#define FG_CHECK_PRESENCE_H

#include <stdint.h>

#include "gate/check/measurements/measurements.h"
#include "gate/compare/comparison.h"

enum presence { PRESENCE_UNKNOWN, PRESENCE_ABSENT, PRESENCE_THERE };

/* presence[version][matched function]: enum presence. In the arena. */
void presence_find(const struct comparison *comparison,
	const struct recording *const recordings[VERSION_COUNT], struct arena *arena,
	const uint8_t *presence[VERSION_COUNT]);

#endif
