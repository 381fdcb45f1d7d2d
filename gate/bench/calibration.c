/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/calibration.h"

const char *const calibration_names[CALIBRATION_COUNT] = {
	"alu", "stream", "chase", "branch", "hash"};
