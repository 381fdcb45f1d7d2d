/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_DUPLICATE_H
#define LOGSTAT_DUPLICATE_H

#include <stddef.h>
#include <stdint.h>

/* A shipper that reconnects sends lines again: a Bloom filter of the last lines' fingerprints. */
#define DUPLICATE_BITS (1 << 20)

struct duplicates {
	uint64_t bits[DUPLICATE_BITS / 64];
	uint32_t set;
};

/* Whether the line was (very probably) there before. */
int duplicate_check(struct duplicates *duplicates, const char *line, size_t length);

#endif
