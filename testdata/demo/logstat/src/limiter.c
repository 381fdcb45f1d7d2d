/* SPDX-License-Identifier: Apache-2.0 */
#include "limiter.h"

#include <string.h>

void limiter_init(struct limiter *limiter, double rate, double burst)
{
	memset(limiter, 0, sizeof(*limiter));
	limiter->rate = rate;
	limiter->burst = burst;
}

int limiter_allow(struct limiter *limiter, uint64_t client, int64_t milliseconds)
{
	uint64_t i = client % LIMITER_BUCKETS;
	double tokens = limiter->buckets[i].tokens +
			limiter->rate * (double)(milliseconds - limiter->buckets[i].last) / 1000;

	if (tokens > limiter->burst)
		tokens = limiter->burst;
	limiter->buckets[i].last = milliseconds;
	limiter->buckets[i].tokens = tokens < 1 ? tokens : tokens - 1;
	limiter->refused += tokens < 1;
	return tokens >= 1;
}
