/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the check room: profiles that were taken, and still say nothing. */
#ifndef FG_CHECK_COLLAPSED_H
#define FG_CHECK_COLLAPSED_H

#include "gate/base/arena.h"
#include "gate/check/analysis/analysis.h"

/*
 * Why nothing may be decided: one version's cost lies nearly all in one place without a name, or
 * most of its stacks are cut, where the other version has functions and whole stacks. "" if it is
 * not so. Arena-owned or static. analysis is prepared.
 */
const char *collapsed_profile(const struct analysis *analysis, struct arena *arena);

/* A warning where both versions are without names: only the total says something then. "" if not
 * so. */
const char *nameless_profiles(const struct analysis *analysis);

#endif
