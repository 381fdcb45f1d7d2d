/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the check room: functions that the diff touches behind the last line that was sampled.
 * The profile knows where a function begins and which lines were met; where it ends its source text
 * says, as far as one can tell without a compiler (code_lines.h).
 */
#ifndef FG_CHECK_TOUCHED_BODIES_H
#define FG_CHECK_TOUCHED_BODIES_H

#include "gate/check/analysis/analysis.h"

/*
 * After the verdict, for what is said of it: adds VERDICT_FUNCTION_TOUCHED to the input's flags,
 * where there are culprits. Without analysis->sources, nothing. Only what ends with a bracket in
 * the first column is followed, as most of C, C++ and Go does, and Rust outside of an impl. What
 * was decided before, as which line is blamed, stays.
 */
void touched_bodies_find(struct analysis *analysis);

#endif
