#include "ledger.h"

/* What is subtracted at each step, over and over, until nothing is left. */
const unsigned char fee_steps[16] = {200, 180, 160, 140, 200, 180, 160, 140, 200, 180, 160, 140, 200, 180, 160, 140};
