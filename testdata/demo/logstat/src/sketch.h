/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_SKETCH_H
#define LOGSTAT_SKETCH_H

#include <stddef.h>
#include <stdint.h>

/* Count-min: about how often a thing was seen, in little memory. */
#define SKETCH_ROWS 4
#define SKETCH_COLUMNS 4096

struct sketch {
	uint32_t counts[SKETCH_ROWS][SKETCH_COLUMNS];
};

/* Counts it and returns the count so far, which may be too high. */
uint32_t sketch_add(struct sketch *sketch, uint64_t hash);

/* The things that were counted most. */
#define HEAVY 32

struct heavy {
	struct {
		uint64_t hash;
		uint32_t count;
		uint32_t address;
	} items[HEAVY];
};

void heavy_update(struct heavy *heavy, uint64_t hash, uint32_t address, uint32_t count);

#endif
