/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files by which the runner and libflamegate-clock.so know of each other. A run has a folder:
 *
 *   page          struct fg_clock_page: made by the runner, mapped shared by every process
 *   PROCESS       struct fg_clock_file: one of each process that reads a clock, made by it. Where
 *                 clocks are recorded, chunks with their values follow; where they are replayed it
 *                 says how many calls were made.
 *
 * PROCESS is a key in 16 hex digits: a hash of the program's base name and of how many programs of
 * that name were started before it in the run; of a forked child a hash of its parent's key, of the
 * key of the thread that forked and of how many children that thread had. Threads have keys alike,
 * by who makes them. So a process, and a thread, has the same key in every run that starts the same
 * ones in the same order.
 *
 * All is written by measured code, so its reader trusts no number of it.
 */
#ifndef FG_CLOCK_CLOCK_FILE_H
#define FG_CLOCK_CLOCK_FILE_H

#include <stdint.h>

#define FG_CLOCK_PAGE_MAGIC UINT64_C(0x3147504b434c460a) /* "\nFLCKPG1" */
#define FG_CLOCK_FILE_MAGIC UINT64_C(0x3146434b434c460a)
#define FG_CLOCK_PAGE_NAME "page"
#define FG_CLOCK_NAME_DIGITS 16

enum fg_clock_mode {
	FG_CLOCK_RECORD = 1, /* clocks run `speed` times as fast, and what they say is kept */
	FG_CLOCK_REPLAY,     /* each call gets what the same one got in the recorded run */
	FG_CLOCK_STEPPED,    /* each call of a process is step_ns later than the one before */
};

/* What is called; each has a sequence of its own in every thread. */
enum fg_clock_kind {
	FG_CLOCK_KIND_REALTIME, /* of clock_gettime() and timespec_get() */
	FG_CLOCK_KIND_MONOTONIC,
	FG_CLOCK_KIND_BOOTTIME,
	FG_CLOCK_KIND_RAW,
	FG_CLOCK_KIND_REALTIME_COARSE,
	FG_CLOCK_KIND_MONOTONIC_COARSE,
	FG_CLOCK_KIND_PROCESS,
	FG_CLOCK_KIND_THREAD,
	FG_CLOCK_KIND_OTHER, /* of clock_gettime(): another thread's or process's, say */
	FG_CLOCK_KIND_GETTIMEOFDAY,
	FG_CLOCK_KIND_TIME,
	FG_CLOCK_KIND_CLOCK,
	FG_CLOCK_KIND_TIMES,  /* its result and four fields */
	FG_CLOCK_KIND_RUSAGE, /* getrusage(): user and system time of the process */
	FG_CLOCK_KIND_RUSAGE_CHILDREN,
	FG_CLOCK_KIND_RUSAGE_THREAD,
	FG_CLOCK_KINDS
};
#define FG_CLOCK_MOST_VALUES 5 /* of one call */

/* Bits of trouble: what makes a run one that cannot be recorded or replayed. */
#define FG_CLOCK_TROUBLE_FULL 1u     /* no room for another value, sequence or program */
#define FG_CLOCK_TROUBLE_FILE 2u     /* a process could not make or map its file */
#define FG_CLOCK_TROUBLE_DEADLINE 4u /* it waits in a way that cannot be shifted (io_uring) */
#define FG_CLOCK_TROUBLE_STEPS 8u    /* stopped: most_cpu_ns were used while time was stepped */
#define FG_CLOCK_TROUBLE_TWINS 16u   /* two processes have one key: made by raw clone() */
#define FG_CLOCK_TROUBLE_LEFT 32u    /* a call was left by a jump, or waited for in a handler */

/* Clocks of which each has an origin: in the recorded run time is origin + speed * passed. */
enum fg_clock_base {
	FG_CLOCK_BASE_REALTIME,
	FG_CLOCK_BASE_MONOTONIC,
	FG_CLOCK_BASE_BOOTTIME,
	FG_CLOCK_BASE_RAW,
	FG_CLOCK_BASES
};

#define FG_CLOCK_PROGRAMS 1021
#define FG_CLOCK_PATH_BYTES 4096
struct fg_clock_program {
	uint64_t name;    /* hash of its base name; 0: free */
	uint32_t started; /* so far in the run */
	uint32_t reserved;
};
struct fg_clock_page {
	uint64_t magic; /* stored last by the runner */
	uint32_t mode;
	uint32_t speed;   /* at least 1; of what follows a replayed sequence, too */
	uint32_t trouble; /* of all processes */
	uint32_t reserved;
	uint64_t step_ns, most_cpu_ns; /* while stepped; most of one process */
	int64_t origin_ns[FG_CLOCK_BASES];
	char records[FG_CLOCK_PATH_BYTES]; /* folder of the recorded run; "" while recording */
	struct fg_clock_program programs[FG_CLOCK_PROGRAMS];
};

#define FG_CLOCK_SLOTS 4096 /* a power of two; a hash table, open addressing */
struct fg_clock_slot {
	uint64_t thread; /* its key; 0: free */
	uint32_t kind;
	uint32_t first_chunk; /* its number, from 1; 0: none */
	uint64_t calls;
	uint64_t recorded; /* while replayed: calls that the record has */
};

#define FG_CLOCK_CHUNK_BYTES 4096
struct fg_clock_chunk {
	uint32_t next; /* its number; 0: none */
	uint32_t used; /* bytes of data: differences to the sequence's last values, as varints */
	uint8_t data[FG_CLOCK_CHUNK_BYTES - 8];
};
#define FG_CLOCK_CALL_BYTES (10 * FG_CLOCK_MOST_VALUES) /* at most; a call lies in one chunk */

#define FG_CLOCK_PROGRAM_BYTES 64
struct fg_clock_file {
	uint64_t magic;
	uint64_t key;
	uint32_t pid;
	uint32_t chunks;                      /* begun */
	char program[FG_CLOCK_PROGRAM_BYTES]; /* base name, cut */
	uint32_t unread; /* while replayed: its record cannot be read, or there is none */
	uint32_t reserved[7];
	struct fg_clock_slot slots[FG_CLOCK_SLOTS];
};
/* Chunk n begins here. */
#define FG_CLOCK_FILE_BYTES ((sizeof(struct fg_clock_file) + 4095) / 4096 * 4096)
#define FG_CLOCK_CHUNK_AT(n) (FG_CLOCK_FILE_BYTES + ((uint64_t)(n)-1) * FG_CLOCK_CHUNK_BYTES)
/* Of one process. What needs more is not recorded. */
#define FG_CLOCK_MOST_BYTES (UINT64_C(1) << 30)

_Static_assert(sizeof(struct fg_clock_slot) == 32, "two to a cache line");
_Static_assert(sizeof(struct fg_clock_chunk) == FG_CLOCK_CHUNK_BYTES, "a page");

/* FNV-1a, also of two numbers. */
static inline uint64_t fg_clock_hash(const void *bytes, uint64_t length, uint64_t hash)
{
	const unsigned char *at = bytes;

	if (!hash)
		hash = UINT64_C(0xcbf29ce484222325);
	while (length--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

static inline uint64_t fg_clock_child_key(uint64_t parent, uint64_t number)
{
	return fg_clock_hash(&number, sizeof(number), parent);
}

#endif
