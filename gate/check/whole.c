/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a change is a fraction of where no pairs have decided: the check that writes it and the
 * reports that derive it take the same.
 */
#include "gate/check/whole.h"

double undecided_whole(double base, double head)
{
	if (!(base >= 0) || !(head >= 0))
		return 0;
	return base > 0 ? base : head / 2;
}
