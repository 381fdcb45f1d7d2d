/* Accounts, the bookings between them, and what stands in the statement at the end of the month. */
#ifndef LEDGER_H
#define LEDGER_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define ACCOUNTS 600

struct account {
	uint32_t number;
	int32_t fees;
	int64_t balance;
	uint32_t bookings;
};

struct booking {
	uint32_t from, to;
	int64_t amount;
};

struct ledger {
	struct account accounts[ACCOUNTS]; /* by number */
	size_t count;
	uint64_t total_fees;
	pthread_mutex_t lock;
};

struct line {
	uint32_t account;
	int64_t amount;
	struct line *next;
};

/* accounts.c */
void accounts_open(struct ledger *ledger);
struct account *account_find(struct ledger *ledger, uint32_t number);
int account_check(const struct account *account);

/* bookings.c */
void bookings_make(struct booking *bookings, size_t count, uint32_t seed);
void booking_apply(struct ledger *ledger, const struct booking *booking);

/* steps.c */
extern const unsigned char fee_steps[16];

/* fees.c */
int32_t fee_of(int64_t amount);
void counter_add(struct ledger *ledger, uint64_t amount);

/* pool.c: lines of a statement, given back all at once */
struct line *line_new(uint32_t account, int64_t amount);
void lines_release(struct line *lines);

/* statement.c */
uint64_t statement_sum(const struct ledger *ledger, const struct booking *bookings, size_t count);

#endif
