/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FG_CHECK_WHOLE_H
#define FG_CHECK_WHOLE_H

/*
 * What changes are fractions of where nothing was decided in pairs: base, as those of metrics
 * and findings are, or the mean of both where base costs nothing; 0: a cost is below zero.
 */
double undecided_whole(double base, double head);

#endif
