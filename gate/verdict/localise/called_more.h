/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unchanged code that is called more often, where calls were counted (verdict_input's call_ratio):
 * a fact of the program, which no place in memory explains. It counts where more calls, each as
 * dear as base's, cost more than the function's margin, and hold CALLED_MORE_PART of its increase.
 * So with as many calls as before nothing changes, and 2 % more are never enough. Nor does it count
 * where they would cost CALLED_MORE_MOST times the increase, and more than its 95 % interval has:
 * the same work is then done by more calls, each of less.
 *
 * Where a function's own calls are not known (inlined, or named otherwise where they were counted)
 * those of the nearest caller whose code is the same stand for them.
 */
#ifndef FG_VERDICT_CALLED_MORE_H
#define FG_VERDICT_CALLED_MORE_H

#include "gate/verdict/gate.h"
#include "gate/verdict/localise/tree.h"

#define CALLED_MORE_PART 0.5
#define CALLED_MORE_MOST 2

/* [function], in arena. */
bool *called_more_find(const struct gate *gate, const struct tree *tree, struct arena *arena);

#endif
