/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/result.h"

double undecided_whole(double base, double head)
{
	if (!(base >= 0) || !(head >= 0))
		return 0;
	return base > 0 ? base : head / 2;
}
