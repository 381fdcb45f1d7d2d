/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an input can be decided at all. Measurements and recordings are hostile until proven
 * sane. */
#ifndef FG_VERDICT_CHECK_INPUT_H
#define FG_VERDICT_CHECK_INPUT_H

#include "gate/verdict/verdict.h"

/* The set of enum verdict_reason that forbid a decision; 0 = fine. Sets bad_pair and coverage. */
uint32_t check_input(const struct verdict_input *input, struct verdict_result *result);

/* What a cost may be: finite, not negative, far from overflow when squared. */
bool check_number(double value);
/* What may be divided by. */
bool check_divisor(double value);
bool check_cells(const struct verdict_cell *cells, size_t count);

#endif
