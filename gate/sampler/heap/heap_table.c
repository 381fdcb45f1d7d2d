/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/sampler/heap/heap_table.h"

#include <string.h>

#include "gate/sampler/raw.h"
#include "gate/sampler/sampler.h"

enum { FIRST_BITS = 7, SHARD_BITS = 4, LARGE_BYTES = 4 << 20 };
_Static_assert(FG_HEAP_SHARDS == 1 << SHARD_BITS, "the hash's top bits choose the shard");

static uint64_t hash_of(uint64_t address)
{
	return (address >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t shard_number(uint64_t address)
{
	return hash_of(address) >> (64 - SHARD_BITS);
}

static struct fg_heap_shard *shard_of(struct fg_heap_table *table, uint64_t address)
{
	return &table->shards[shard_number(address)];
}

static uint64_t home_of(const struct fg_heap_shard *shard, uint64_t address)
{
	return hash_of(address) << SHARD_BITS >> (64 - shard->bits);
}

static uint64_t slots_of(const struct fg_heap_shard *shard)
{
	return shard->slots ? UINT64_C(1) << shard->bits : 0;
}

/* The block's slot, or the free one where it belongs. There always is a free one. */
static uint64_t find(const struct fg_heap_shard *shard, uint64_t address)
{
	uint64_t mask = slots_of(shard) - 1, i = home_of(shard, address);

	while (shard->slots[i].address && shard->slots[i].address != address)
		i = (i + 1) & mask;
	return i;
}

static struct fg_live_block *map_slots(uint32_t bits)
{
	size_t bytes = sizeof(struct fg_live_block) << bits;
	struct fg_live_block *slots = fg_raw_pages(bytes);

	if (slots)
		FG_RAW3(SYS_madvise, slots, bytes, MADV_DONTFORK);
	if (slots && bytes >= LARGE_BYTES)
		FG_RAW3(SYS_madvise, slots, bytes, MADV_HUGEPAGE);
	return slots;
}

static void unmap_slots(const struct fg_heap_shard *shard)
{
	if (shard->slots)
		fg_raw_unmap(shard->slots, sizeof(struct fg_live_block) << shard->bits);
}

static void grow(struct fg_heap_shard *shard, uint64_t most_bytes)
{
	struct fg_heap_shard larger = *shard;
	uint64_t count = slots_of(shard);

	larger.bits = shard->slots ? shard->bits + 1 : FIRST_BITS;
	if (sizeof(struct fg_live_block) << larger.bits > most_bytes / FG_HEAP_SHARDS)
		return;
	larger.slots = map_slots(larger.bits);
	if (!larger.slots)
		return;
	for (uint64_t i = 0; i < count; i++)
		if (shard->slots[i].address)
			larger.slots[find(&larger, shard->slots[i].address)] = shard->slots[i];
	unmap_slots(shard);
	shard->bits = larger.bits;
	shard->slots = larger.slots;
}

/* Where it cannot grow it may become fuller, but never full. */
static bool has_room(const struct fg_heap_shard *shard)
{
	return shard->used < slots_of(shard) / 16 * 15;
}

static enum fg_put put(struct fg_heap_shard *shard, uint64_t most_bytes,
	const struct fg_live_block *block, struct fg_live_block *old)
{
	struct fg_live_block *slot;

	if (shard->used >= slots_of(shard) / 4 * 3)
		grow(shard, most_bytes);
	if (!shard->slots)
		return FG_PUT_FULL;
	slot = &shard->slots[find(shard, block->address)];
	if (slot->address) {
		*old = *slot;
		*slot = *block;
		return FG_PUT_REPLACED;
	}
	if (!has_room(shard))
		return FG_PUT_FULL;
	*slot = *block;
	shard->used++;
	return FG_PUT_NEW;
}

/* Moves what follows back over the gap, so that no search ends too early. */
static void close_gap(struct fg_heap_shard *shard, uint64_t gap)
{
	uint64_t mask = slots_of(shard) - 1;

	for (uint64_t i = (gap + 1) & mask; shard->slots[i].address; i = (i + 1) & mask) {
		uint64_t home = home_of(shard, shard->slots[i].address);

		if (((i - home) & mask) >= ((i - gap) & mask)) {
			shard->slots[gap] = shard->slots[i];
			gap = i;
		}
	}
	shard->slots[gap].address = 0;
}

static bool take(struct fg_heap_shard *shard, uint64_t address, struct fg_live_block *block)
{
	uint64_t at;

	if (!shard->slots)
		return false;
	at = find(shard, address);
	if (!shard->slots[at].address)
		return false;
	*block = shard->slots[at];
	close_gap(shard, at);
	shard->used--;
	return true;
}

enum fg_put fg_heap_put(struct fg_heap_table *table, const struct fg_live_block *block, bool shared,
	struct fg_live_block *old)
{
	struct fg_heap_shard *shard = shard_of(table, block->address);
	enum fg_put result;

	if (shared && !fg_lock(&shard->lock))
		return FG_PUT_FULL;
	result = put(shard, table->most_bytes, block, old);
	if (shared)
		fg_unlock(&shard->lock);
	return result;
}

/* Another thread may be growing the shard: then the wrong place is fetched, and nothing else. */
void fg_heap_expect(const struct fg_heap_table *table, uint64_t address)
{
	const struct fg_heap_shard *shard = &table->shards[shard_number(address)];
	const struct fg_live_block *slots = __atomic_load_n(&shard->slots, __ATOMIC_RELAXED);

	if (slots)
		__builtin_prefetch(&slots[home_of(shard, address)], 1);
}

bool fg_heap_take(
	struct fg_heap_table *table, uint64_t address, bool shared, struct fg_live_block *block)
{
	struct fg_heap_shard *shard = shard_of(table, address);
	bool taken;

	if (shared && !fg_lock(&shard->lock))
		return false;
	taken = take(shard, address, block);
	if (shared)
		fg_unlock(&shard->lock);
	return taken;
}

void fg_heap_table_release(struct fg_heap_table *table)
{
	for (int i = 0; i < FG_HEAP_SHARDS; i++)
		unmap_slots(&table->shards[i]);
	memset(table->shards, 0, sizeof(table->shards));
}
