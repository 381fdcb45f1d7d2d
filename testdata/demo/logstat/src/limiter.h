/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_LIMITER_H
#define LOGSTAT_LIMITER_H

#include <stdint.h>

/* What a rate limit would have refused: a token bucket for each client, hashed to a fixed number. */
#define LIMITER_BUCKETS 8192

struct limiter {
	struct {
		int64_t last;
		double tokens;
	} buckets[LIMITER_BUCKETS];
	double rate, burst; /* tokens a second, and at most */
	uint64_t refused;
};

void limiter_init(struct limiter *limiter, double rate, double burst);
/* Whether the request would have been let through. */
int limiter_allow(struct limiter *limiter, uint64_t client, int64_t milliseconds);

#endif
