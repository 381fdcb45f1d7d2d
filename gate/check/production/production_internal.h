/* SPDX-License-Identifier: Apache-2.0 */
/* Private to production*.c. */
#ifndef FG_CHECK_PRODUCTION_INTERNAL_H
#define FG_CHECK_PRODUCTION_INTERNAL_H

#include "gate/base/arena.h"
#include "gate/profile/profile.h"

/* As the other version's functions are matched: without what a compiler appends to clones. */
const char *production_name(struct arena *arena, const struct profile_function *function);

#endif
