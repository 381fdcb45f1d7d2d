/* SPDX-License-Identifier: Apache-2.0 */
/* One value type of a profile that has several, as a profile of its own. */
#ifndef FG_PROFILE_PROFILE_SELECT_H
#define FG_PROFILE_PROFILE_SELECT_H

#include "gate/profile/profile.h"

/*
 * A new profile with this type alone: samples that are 0 in it are left out, all else is kept. The
 * caller frees it. NULL: there is no such type.
 */
struct profile *profile_select(const struct profile *from, const char *type);

#endif
