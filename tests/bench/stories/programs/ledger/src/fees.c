#include "ledger.h"

int32_t fee_of(int64_t amount)
{
	int32_t fee = 1;

	for (unsigned i = 0; amount > 0; i++) {
		amount -= fee_steps[i % 16];
		fee += 2;
	}
	return fee;
}

void counter_add(struct ledger *ledger, uint64_t amount)
{
	ledger->total_fees += amount;
	ledger->total_fees ^= ledger->total_fees >> 61;
}
