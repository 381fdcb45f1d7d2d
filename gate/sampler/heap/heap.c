/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the heap is counted, and by which thread's slot. All that other threads see lies in one
 * mapping that a fork's child finds wiped, so that until the child has a capture of its own nothing
 * is counted there, not even by handlers of pthread_atfork() that run before ours.
 */
#include "gate/sampler/heap/heap_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gate/sampler/heap/real_heap.h"
#include "gate/sampler/offcpu/off_cpu.h"
#include "gate/sampler/raw.h"

#define MOST_TABLE_BYTES (UINT64_C(4) << 30)
#define SHARE_OF_LIMIT 8 /* of the address space that the program is allowed */
#define HEAP_KINDS (UINT32_C(1) << FG_KIND_HEAP | UINT32_C(1) << FG_KIND_MAPPED)

static uint32_t undecided = FG_HEAP_UNDECIDED;
const uint32_t *fg_heap_mode = &undecided;
struct fg_heap_shared *fg_heap;
uint32_t fg_heap_image;

__thread bool fg_heap_had_slot __attribute__((tls_model("initial-exec")));

/* ---- beginning ------------------------------------------------------------------------------- */

static uint64_t table_bound(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur / SHARE_OF_LIMIT < MOST_TABLE_BYTES)
		return limit.rlim_cur / SHARE_OF_LIMIT;
	return MOST_TABLE_BYTES;
}

static bool map_shared(void)
{
	if (!fg_heap) {
		struct fg_heap_shared *memory = fg_raw_pages(sizeof(*fg_heap));

		if (!memory)
			return false;
		if (FG_RAW3(SYS_madvise, memory, sizeof(*memory), MADV_WIPEONFORK) != 0) {
			fg_raw_unmap(memory, sizeof(*memory));
			return false;
		}
		fg_heap = memory;
	}
	return true;
}

static void prepare(void)
{
	memset(fg_heap, 0, sizeof(*fg_heap));
	fg_heap->header = fg_capture();
	fg_heap->totals.shift = fg_config.heap_period_bytes ? FG_HEAP_SHIFT : 0;
	fg_heap->totals.line = fg_capture_block(FG_BLOCK_TIMELINE, FG_RECORD_BLOCK_BYTES);
	fg_heap->totals.cpu_ns = fg_process_cpu_ns;
	fg_heap->table.most_bytes = table_bound();
	fg_heap_image++;
	__atomic_store_n(&fg_heap->mode, FG_HEAP_ON, __ATOMIC_RELEASE);
	__atomic_store_n(&fg_heap_mode, &fg_heap->mode, __ATOMIC_RELEASE);
}

static void turn_off(void)
{
	undecided = FG_HEAP_OFF;
	__atomic_store_n(&fg_heap_mode, &undecided, __ATOMIC_RELEASE);
}

/* As with fg_process_start(): before the C library has set environ nothing is decided. */
static bool is_asked_for(void)
{
	static bool asked;

	if (!asked)
		asked = fg_config_read() && (fg_config.kinds & HEAP_KINDS);
	if (!asked && environ)
		turn_off();
	return asked;
}

static void decide(void)
{
	if (!is_asked_for())
		return;
	fg_process_start();
	if (!fg_signal && environ)
		turn_off();
	if (!fg_process_is_ours(false))
		return;
	if (fg_capture_open() && map_shared())
		prepare();
	else
		turn_off();
}

bool fg_heap_begin(void)
{
	static uint32_t busy;
	int saved_errno = errno;

	if (*fg_heap_mode != FG_HEAP_UNDECIDED)
		return *fg_heap_mode == FG_HEAP_ON;
	if (!fg_real_heap_init())
		return false;
	/* What is called in here may allocate. */
	if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return false;
	if (*fg_heap_mode == FG_HEAP_UNDECIDED)
		decide();
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	errno = saved_errno;
	return *fg_heap_mode == FG_HEAP_ON;
}

/* ---- the thread's state ---------------------------------------------------------------------- */

struct fg_heap_thread *fg_heap_prepare_thread(struct fg_thread *thread)
{
	struct fg_heap_thread *heap = thread->heap;

	if (!heap && !(heap = thread->heap = fg_raw_pages(sizeof(*heap))))
		return NULL;
	memset(heap, 0, sizeof(*heap));
	heap->image = fg_heap_image;
	return heap;
}

static struct fg_thread *map_spare(void)
{
	size_t head = (sizeof(struct fg_thread) + 63) & ~(size_t)63;
	unsigned char *memory = fg_raw_pages(head + fg_rule_cache_bytes());
	struct fg_thread *spare = (struct fg_thread *)memory;

	if (spare)
		spare->rules = (struct fg_rule_cache *)(memory + head);
	return spare;
}

/* Its stack is none's, so that all is read through copies. */
static struct fg_thread *enter_spare(void)
{
	if (!fg_lock(&fg_heap->spare_lock))
		return NULL;
	if (!fg_heap->spare)
		fg_heap->spare = map_spare();
	if (!fg_heap->spare) {
		fg_unlock(&fg_heap->spare_lock);
		return NULL;
	}
	fg_heap->spare->context = fg_self ? fg_self->context : 0;
	return fg_heap->spare;
}

struct fg_thread *fg_heap_enter_other(void)
{
	return fg_self || fg_heap_had_slot ? enter_spare() : NULL;
}

/* ---- calls inside of calls ------------------------------------------------------------------- */

void fg_heap_new_begin(void)
{
	struct fg_heap_thread *heap = fg_heap_self();

	if (heap)
		heap->last = NULL;
}

bool fg_heap_new_was_seen(const void *block)
{
	const struct fg_heap_thread *heap = fg_heap_self();

	return heap && heap->last == block;
}

void fg_heap_delete_begin(const void *block)
{
	struct fg_heap_thread *heap = fg_heap_self();

	fg_heap_freed(block);
	if (heap)
		heap->going = block;
}

void fg_heap_delete_end(void)
{
	struct fg_heap_thread *heap = fg_heap_self();

	if (heap)
		heap->going = NULL;
}

/* Calls malloc() as everybody does, and sees whether it comes to ours. */
void fg_heap_loaded(void)
{
	void *(*volatile allocate)(size_t) = malloc;
	struct fg_heap_thread *heap;

	if (!fg_heap_begin() || !(heap = fg_heap_self()))
		return;
	heap->was_inside = false;
	heap->inside = UINTPTR_MAX;
	free(allocate(1));
	heap->inside = 0;
	if (!heap->was_inside)
		fg_count(FG_COUNTER_OTHER_HEAP);
}
