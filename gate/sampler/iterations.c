/* SPDX-License-Identifier: Apache-2.0 */
/* The program's iterations, and the epochs that they make. Context: thread. */
#define FLAMEGATE_LIBRARY
#include "gate/sampler/flamegate.h"

#include <errno.h>
#include <string.h>

#include "gate/sampler/contexts.h"
#include "gate/sampler/offcpu/off_cpu.h"

#define EPOCHS_PER_STEP 64
_Static_assert(
	64 * EPOCHS_PER_STEP <= FG_MAX_EPOCHS, "the step can double as often as it has bits");

static struct {
	uint64_t done, next; /* a new epoch begins when done reaches next */
	uint64_t step;
	uint32_t in_step; /* epochs of this step so far */
	struct fg_block *block;
} iterations = {.next = 1, .step = 1};

/* Threads may come here in any order; the largest stays. */
static void raise_iterations(struct fg_capture_header *header, uint64_t done)
{
	uint64_t seen = __atomic_load_n(&header->iterations, __ATOMIC_RELAXED);

	while (seen < done && !__atomic_compare_exchange_n(&header->iterations, &seen, done, true,
				      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static bool write_epoch(uint32_t epoch, uint64_t done)
{
	struct fg_epoch *record =
		fg_record_reserve(&iterations.block, FG_BLOCK_EPOCHS, sizeof(struct fg_epoch));

	if (!record)
		return false;
	record->epoch = epoch;
	record->iterations = done;
	record->cpu_ns = fg_process_cpu_ns();
	fg_record_publish(iterations.block, sizeof(*record));
	return true;
}

/* Under the lock. Without room for its record an epoch does not begin. */
static void begin_epoch(void)
{
	uint64_t done = __atomic_load_n(&iterations.done, __ATOMIC_RELAXED);
	uint32_t epoch = fg_marks.epoch + 1;

	if (done < iterations.next)
		return;
	if (++iterations.in_step > EPOCHS_PER_STEP) {
		iterations.in_step = 1;
		iterations.step *= 2;
	}
	if (write_epoch(epoch, done))
		__atomic_store_n(&fg_marks.epoch, epoch, __ATOMIC_RELAXED);
	__atomic_store_n(&iterations.next, done + iterations.step, __ATOMIC_RELAXED);
}

static void reach_epoch(void)
{
	struct fg_thread *thread = fg_enter();
	int saved_errno = errno;

	if (!thread && fg_self)
		return;
	if (fg_capture_open() && fg_marks_lock()) {
		begin_epoch();
		fg_marks_unlock();
	}
	if (thread)
		fg_leave(thread);
	errno = saved_errno;
}

FG_EXPORT void flamegate_iteration(unsigned count)
{
	struct fg_capture_header *header;
	uint64_t done;

	if (!fg_marks_take())
		return;
	fg_marks_want_first();
	done = __atomic_add_fetch(&iterations.done, count, __ATOMIC_RELAXED);
	header = fg_capture();
	if (header)
		raise_iterations(header, done);
	if (done >= __atomic_load_n(&iterations.next, __ATOMIC_RELAXED))
		reach_epoch();
}

void fg_iterations_attach(struct fg_capture_header *header)
{
	raise_iterations(header, __atomic_load_n(&iterations.done, __ATOMIC_RELAXED));
}

void fg_iterations_forked(void)
{
	memset(&iterations, 0, sizeof(iterations));
	iterations.next = iterations.step = 1;
}
