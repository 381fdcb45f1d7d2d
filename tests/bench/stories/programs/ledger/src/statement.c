#include "ledger.h"

static struct line *list_lines(const struct booking *bookings, size_t count)
{
	struct line *lines = NULL;

	for (size_t i = 0; i < count; i++) {
		struct line *line = line_new(bookings[i].from, -bookings[i].amount);

		line->next = lines;
		lines = line_new(bookings[i].to, bookings[i].amount);
		lines->next = line;
	}
	return lines;
}

static uint64_t mix(uint64_t sum, uint64_t value)
{
	sum ^= value;
	sum *= 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 29;
}

static uint64_t balances(const struct ledger *ledger)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ledger->count; i++)
		sum = mix(sum, (uint64_t)ledger->accounts[i].balance + ledger->accounts[i].bookings);
	return sum;
}

uint64_t statement_sum(const struct ledger *ledger, const struct booking *bookings, size_t count)
{
	struct line *lines = list_lines(bookings, count);
	uint64_t sum = balances(ledger);

	for (const struct line *line = lines; line; line = line->next)
		sum = mix(sum, (uint64_t)line->amount ^ line->account);
	lines_release(lines);
	return sum;
}
