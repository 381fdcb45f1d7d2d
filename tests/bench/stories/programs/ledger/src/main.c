#include "ledger.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define BOOKINGS 20000

static uint64_t one_month(uint32_t seed)
{
	static struct booking bookings[BOOKINGS];
	static struct ledger ledger;

	accounts_open(&ledger);
	bookings_make(bookings, BOOKINGS, seed);
	for (size_t i = 0; i < BOOKINGS; i++)
		booking_apply(&ledger, &bookings[i]);
	return statement_sum(&ledger, bookings, BOOKINGS) + ledger.total_fees;
}

int main(int argc, char **argv)
{
	unsigned months = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < months; i++)
		sum = sum * 31 + one_month(i);
	printf("%u months: %016" PRIx64 "\n", months, sum);
	return 0;
}
