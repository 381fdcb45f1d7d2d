/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One sequence of one thread: what its calls were told, written as differences (most are a byte or
 * two), or read again. In few instructions: a clock that is slow while it is recorded makes a
 * harness choose other counts.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gate/clock/clock.h"
#include "gate/sampler/raw.h"

#define LOOK_AT_CPU 4096 /* calls between two looks at a stepped process's CPU time */
/* Of handlers that come while one call is answered. More of them: nobody will end that call. */
#define MOST_REPEATS 100

/* ---- varints ------------------------------------------------------------------------------- */

static uint32_t put(uint8_t *at, int64_t difference)
{
	uint64_t rest = ((uint64_t)difference << 1) ^ (uint64_t)(difference >> 63);
	uint32_t length = 0;

	for (; rest >= 128; rest >>= 7)
		at[length++] = (uint8_t)(rest | 128);
	at[length++] = (uint8_t)rest;
	return length;
}

/* Not past end; what is cut counts as far as it goes. */
static uint32_t get(const uint8_t *at, const uint8_t *end, int64_t *difference)
{
	uint64_t value = 0;
	uint32_t length = 0, shift = 0;
	uint8_t byte = 128;

	while (byte & 128 && at + length < end && shift < 64) {
		byte = at[length++];
		value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
	}
	*difference = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
	return length;
}

/* ---- recording ----------------------------------------------------------------------------- */

static bool next_chunk(struct fg_clock_cursor *cursor)
{
	uint32_t number = fg_clock_chunk_new();
	struct fg_clock_chunk *chunk = number ? fg_clock_chunk(number) : NULL;

	if (!chunk) {
		fg_clock_trouble(FG_CLOCK_TROUBLE_FULL);
		return false;
	}
	if (cursor->chunk)
		cursor->chunk->next = number;
	else
		cursor->slot->first_chunk = number;
	cursor->chunk = chunk;
	cursor->at = 0;
	return true;
}

static void record(struct fg_clock_cursor *cursor, const int64_t *values, unsigned count)
{
	if ((!cursor->chunk || cursor->at > sizeof(cursor->chunk->data) - FG_CLOCK_CALL_BYTES) &&
		!next_chunk(cursor))
		return;
	for (unsigned i = 0; i < count; i++) {
		int64_t difference = (int64_t)((uint64_t)values[i] - (uint64_t)cursor->values[i]);

		cursor->at += put(cursor->chunk->data + cursor->at, difference);
		cursor->values[i] = values[i];
	}
	cursor->chunk->used = cursor->at;
}

/* ---- replay -------------------------------------------------------------------------------- */

static bool has_more(struct fg_clock_cursor *cursor)
{
	while (cursor->chunk) {
		uint32_t used = cursor->chunk->used, next = cursor->chunk->next;

		if (cursor->at < used && used <= sizeof(cursor->chunk->data))
			return true;
		/* Chunks come one after the other; in a circle of empty ones there is no end. */
		cursor->chunk = next > cursor->number ? fg_clock_recorded_chunk(next) : NULL;
		cursor->number = next;
		cursor->at = 0;
	}
	return false;
}

/* The clock goes on from what it said last, so that a loop which waits for it ends. */
static void go_past(struct fg_clock_cursor *cursor, int64_t *values, unsigned count)
{
	if (!cursor->is_over) {
		cursor->is_over = true;
		cursor->over_since = values[0];
		if (cursor->slot->calls == 1)
			memcpy(cursor->values, values, count * sizeof(*values));
	}
	for (unsigned i = count; i--;)
		values[i] = cursor->values[i] + (i ? 0 : values[0] - cursor->over_since);
}

static void replay(
	struct fg_clock_cursor *cursor, const struct fg_clock_call *call, int64_t *values)
{
	const uint8_t *data;

	if (!has_more(cursor)) {
		call->ask(call, values);
		go_past(cursor, values, call->count);
		return;
	}
	data = cursor->chunk->data;
	for (unsigned i = 0; i < call->count; i++) {
		int64_t difference;

		cursor->at += get(data + cursor->at, data + cursor->chunk->used, &difference);
		cursor->values[i] = (int64_t)((uint64_t)cursor->values[i] + (uint64_t)difference);
		values[i] = cursor->values[i];
	}
}

/* ---- any ----------------------------------------------------------------------------------- */

static bool find(struct fg_clock_thread *thread, enum fg_clock_kind kind)
{
	struct fg_clock_cursor *cursor = &thread->cursors[kind];
	const struct fg_clock_slot *known;

	cursor->slot = fg_clock_slot(thread->key, kind);
	if (!cursor->slot) {
		fg_clock_trouble(FG_CLOCK_TROUBLE_FULL);
		return false;
	}
	if (fg_clock_page()->mode != FG_CLOCK_REPLAY)
		return true;
	known = fg_clock_recorded_slot(thread->key, kind);
	if (known) {
		cursor->slot->recorded = known->calls;
		cursor->number = known->first_chunk;
		cursor->chunk = fg_clock_recorded_chunk(known->first_chunk);
	}
	return true;
}

/* One that never ends because no constant step suits it would burn for ever. */
static void watch_steps(uint64_t calls)
{
	const struct fg_clock_page *page = fg_clock_page();

	if (calls % LOOK_AT_CPU ||
		(uint64_t)fg_clock_real_ns(CLOCK_PROCESS_CPUTIME_ID) <= page->most_cpu_ns)
		return;
	fg_clock_trouble(FG_CLOCK_TROUBLE_STEPS);
	kill(getpid(), SIGKILL);
}

void fg_clock_next(
	struct fg_clock_thread *thread, const struct fg_clock_call *call, int64_t *values)
{
	struct fg_clock_cursor *cursor = &thread->cursors[call->kind];
	enum fg_clock_mode mode = fg_clock_page()->mode;

	if (!cursor->slot && !find(thread, call->kind)) {
		call->ask(call, values);
		return;
	}
	cursor->slot->calls++;
	if (mode == FG_CLOCK_REPLAY) {
		replay(cursor, call, values);
		return;
	}
	call->ask(call, values);
	if (mode == FG_CLOCK_RECORD)
		record(cursor, values, call->count);
	else
		watch_steps(cursor->slot->calls);
}

/* What was left, or waits for its handler, is not touched: it may be in the middle of a value. */
void fg_clock_repeat(
	struct fg_clock_thread *thread, const struct fg_clock_call *call, int64_t *values)
{
	struct fg_clock_cursor *cursor = &thread->cursors[call->kind];

	if (thread->busy <= MOST_REPEATS) {
		thread->busy++;
		memcpy(values, cursor->values, call->count * sizeof(*values));
		if (!values[0])
			call->ask(call, values);
		return;
	}
	fg_clock_trouble(FG_CLOCK_TROUBLE_LEFT);
	call->ask(call, values);
	if (cursor->slot)
		go_past(cursor, values, call->count);
}
