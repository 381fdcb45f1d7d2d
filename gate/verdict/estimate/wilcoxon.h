/* SPDX-License-Identifier: Apache-2.0 */
/* Wilcoxon's signed-rank test, exact for any number of pairs and for ties. */
#ifndef FG_VERDICT_WILCOXON_H
#define FG_VERDICT_WILCOXON_H

#include <stddef.h>

#include "gate/base/arena.h"

/*
 * P(W+ >= observed) if the values were symmetric about 0. Zeros are dropped; ties get midranks, and
 * the distribution is that of the midranks that were seen. 1 when nothing is left. Time is cubic in
 * count, memory (scratch, in arena) quadratic.
 */
double wilcoxon_upper(const double *values, size_t count, struct arena *arena);

#endif
