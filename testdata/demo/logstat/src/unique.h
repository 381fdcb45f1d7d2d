/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_UNIQUE_H
#define LOGSTAT_UNIQUE_H

#include <stdint.h>

/* HyperLogLog with 4,096 registers: how many different things, to about 1.6 %. */
#define UNIQUE_BITS 12

struct unique {
	uint8_t registers[1 << UNIQUE_BITS];
};

void unique_add(struct unique *unique, uint64_t hash);
double unique_count(const struct unique *unique);

#endif
