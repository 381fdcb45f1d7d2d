/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to libflamegate-clock.so. Functions may run in any context, signal handlers too: nothing
 * allocates, and only system calls are made that the kernel's vdso or raw.h answers.
 */
#ifndef FG_CLOCK_CLOCK_H
#define FG_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "gate/clock/clock_file.h"

#define FG_EXPORT __attribute__((visibility("default")))
#define FG_NS INT64_C(1000000000)

/* A sequence as far as this thread has come. */
struct fg_clock_cursor {
	struct fg_clock_slot *slot; /* NULL: not looked for yet */
	struct fg_clock_chunk *chunk;
	uint32_t at;     /* bytes of it that are written or read */
	uint32_t number; /* the chunk's */
	bool is_over;
	int64_t over_since; /* what the real clock said at the first call past the record */
	int64_t values[FG_CLOCK_MOST_VALUES];
};

struct fg_clock_thread {
	uint64_t key;
	uint64_t process; /* whose files the cursors point to; another one's are stale */
	uint64_t children, forks;
	/*
	 * Not 0: it is being answered. A signal handler finds us so, and whoever jumped out of one;
	 * both are told the last answer. 1 and how often that was.
	 */
	uint32_t busy;
	struct fg_clock_cursor cursors[FG_CLOCK_KINDS];
	/* The latest that the thread was told of the clocks that deadlines are of; 0: nothing yet. */
	int64_t told_ns[FG_CLOCK_BASES];
	bool told_since_wait[FG_CLOCK_BASES]; /* by a clock that is fine enough for a deadline */
};

/* identity.c --------------------------------------------------------------------------------- */

/* In the constructor. */
void fg_clock_process_start(void);
/* This thread, with cursors into this process's own files; NULL: all calls pass. */
struct fg_clock_thread *fg_clock_thread(void);
struct fg_clock_page *fg_clock_page(void);
/* Of the run, absolute. */
const char *fg_clock_folder(void);
/* For a thread that begins: as its maker's nth. */
uint64_t fg_clock_next_child(void);
void fg_clock_thread_begin(uint64_t key);
void fg_clock_trouble(uint32_t bit);
/* No signal handler runs in between: one that jumps out would leave a lock held for ever. */
uint64_t fg_clock_block_signals(void);
void fg_clock_unblock_signals(uint64_t before);
/*
 * The time that a deadline is taken to be made at; 0: unknown. What this thread read since its last
 * wait, as others may be far ahead of it where time is fast or replayed; if it read nothing, the
 * deadline may be another's, and the latest that any thread was told counts, to a millisecond.
 */
int64_t fg_clock_told(enum fg_clock_base base);
/* is_coarse: only to the second or tick. What is earlier than was told already is ignored. */
void fg_clock_tell(
	struct fg_clock_thread *thread, enum fg_clock_base base, int64_t ns, bool is_coarse);

/* own_file.c ---------------------------------------------------------------------------------- */

/* Of this process: made at its first call. False: there is none, and trouble is told. */
bool fg_clock_file_open(uint64_t key);
/* This process has no file yet: after a fork. */
void fg_clock_file_forget(void);
/* The sequence in the process's own file, begun if need be; NULL: no room. */
struct fg_clock_slot *fg_clock_slot(uint64_t thread, enum fg_clock_kind kind);
/* A chunk more in the process's own file; 0: no room. */
uint32_t fg_clock_chunk_new(void);
struct fg_clock_chunk *fg_clock_chunk(uint32_t number);
/* The same of the recorded run's; NULL: it has none. */
const struct fg_clock_slot *fg_clock_recorded_slot(uint64_t thread, enum fg_clock_kind kind);
struct fg_clock_chunk *fg_clock_recorded_chunk(uint32_t number);

/* sequence.c --------------------------------------------------------------------------------- */

/* A call of the program's. */
struct fg_clock_call {
	enum fg_clock_kind kind;
	unsigned count; /* of its values */
	clockid_t clock;
	/* Fills values as the clock says them now, at the run's speed or by its steps. */
	void (*ask)(const struct fg_clock_call *call, int64_t *values);
};

/* values: gets what the program is to be told. */
void fg_clock_next(
	struct fg_clock_thread *thread, const struct fg_clock_call *call, int64_t *values);
/* The same for a call that comes while the thread is being answered. It is not counted. */
void fg_clock_repeat(
	struct fg_clock_thread *thread, const struct fg_clock_call *call, int64_t *values);

/* interpose_clock.c -------------------------------------------------------------------------- */

/* As the functions of these names; -1 and errno. */
int fg_clock_gettime(clockid_t clock, struct timespec *time);

/* real.c ------------------------------------------------------------------------------------- */

int fg_clock_real(clockid_t clock, struct timespec *time);
int64_t fg_clock_real_ns(clockid_t clock);
/* The C library's function of this name, or the next library's. */
void fg_clock_look_up(void *function, const char *name);

/* deadline.c --------------------------------------------------------------------------------- */

/*
 * A point of the program's time as one of the real clock: as far ahead of now as it is of
 * fg_clock_told(). FG_CLOCK_ANY: of REALTIME or MONOTONIC, whichever it can only be. Returns
 * storage, or wanted itself where nothing is to be shifted (a NULL, say).
 */
const struct timespec *fg_clock_deadline(
	clockid_t clock, const struct timespec *wanted, struct timespec *storage);
#define FG_CLOCK_ANY ((clockid_t)-1)
/* The same of a timer's first expiry; one that is disarmed, by 0, stays so. */
const struct itimerspec *fg_clock_timer(
	const struct itimerspec *wanted, struct itimerspec *storage);

#endif
