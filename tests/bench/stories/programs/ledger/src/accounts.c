#include "ledger.h"

#include <stdlib.h>

void accounts_open(struct ledger *ledger)
{
	ledger->count = ACCOUNTS;
	ledger->total_fees = 0;
	pthread_mutex_init(&ledger->lock, NULL);
	for (size_t i = 0; i < ACCOUNTS; i++)
		ledger->accounts[i] = (struct account){.number = (uint32_t)(1000 + 7 * i), .balance = 100000};
}

struct account *account_find(struct ledger *ledger, uint32_t number)
{
	size_t low = 0, high = ledger->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ledger->accounts[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == ledger->count || ledger->accounts[low].number != number)
		abort();
	return &ledger->accounts[low];
}

/* The check digit of an account's number, and that its balance is sane. */
int account_check(const struct account *account)
{
	uint32_t number = account->number, sum = 0;

	for (unsigned weight = 2; number; weight++, number /= 10)
		sum += number % 10 * weight;
	return sum % 11 != 10 && account->balance > -1000000000;
}
