#include "ledger.h"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

void bookings_make(struct booking *bookings, size_t count, uint32_t seed)
{
	for (size_t i = 0; i < count; i++) {
		bookings[i].from = 1000 + 7 * (next_random(&seed) % ACCOUNTS);
		bookings[i].to = 1000 + 7 * (next_random(&seed) % ACCOUNTS);
		bookings[i].amount = next_random(&seed) % 5000 + 1;
	}
}

static void move_money(struct account *from, struct account *to, int64_t amount, int32_t fee)
{
	from->balance -= amount + fee;
	to->balance += amount;
	from->fees += fee;
	from->bookings++;
	to->bookings++;
}

void booking_apply(struct ledger *ledger, const struct booking *booking)
{
	struct account *from = account_find(ledger, booking->from);
	struct account *to = account_find(ledger, booking->to);
	int32_t fee = fee_of(booking->amount);

	if (!account_check(from) || !account_check(to))
		return;
	move_money(from, to, booking->amount, fee);
	counter_add(ledger, (uint64_t)fee);
}
