/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch.h"

uint32_t sketch_add(struct sketch *sketch, uint64_t hash)
{
	uint32_t low = (uint32_t)hash, step = (uint32_t)(hash >> 32) | 1, least = UINT32_MAX;

	for (uint32_t row = 0; row < SKETCH_ROWS; row++) {
		uint32_t *count = &sketch->counts[row][(low + row * step) % SKETCH_COLUMNS];

		if (++*count < least)
			least = *count;
	}
	return least;
}

void heavy_update(struct heavy *heavy, uint64_t hash, uint32_t address, uint32_t count)
{
	int lightest = 0;

	for (int i = 0; i < HEAVY; i++) {
		if (heavy->items[i].hash == hash) {
			heavy->items[i].count = count;
			return;
		}
		if (heavy->items[i].count < heavy->items[lightest].count)
			lightest = i;
	}
	if (count > heavy->items[lightest].count) {
		heavy->items[lightest].hash = hash;
		heavy->items[lightest].count = count;
		heavy->items[lightest].address = address;
	}
}
