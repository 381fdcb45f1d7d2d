/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capture's format, version 3: what libflamegate.so writes and gate/profile/capture_read reads.
 * Private to one flamegate version; little endian; no pointers, offsets from the file's start.
 *
 *	header | block | block | ... up to header.used_bytes
 *
 * A block holds records one after the other (modules, contexts, epochs, timeline) or is a data
 * block: an entry table, a stack index (used by the writer alone) and an arena of stacks. A block
 *is written by one thread at a time; when it is full the thread goes on in a new one of twice the
 *size, and what it has written stays. A thread that ends leaves its blocks to the next one.
 *
 * The file is valid at any moment (SIGKILL leaves it so): things are written first and published
 *after by one release store: a block by header.used_bytes, a module by block.used, a stack and an
 *entry by entry.key. A kill between two stores of an update may cost one sample's count or weight.
 */
#ifndef FG_SAMPLER_CAPTURE_H
#define FG_SAMPLER_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FG_CAPTURE_MAGIC UINT64_C(0x0a33504143474c46) /* "FLGCAP3\n" */
#define FG_CAPTURE_VERSION 3
#define FG_CAPTURE_PATH_BYTES 4096

enum fg_mechanism { FG_MECHANISM_NONE, FG_MECHANISM_PERF, FG_MECHANISM_POSIX, FG_MECHANISM_COUNT };

/* What an entry counts. A mask of them (1 << kind) says what a capture was asked for. */
enum fg_kind {
	FG_KIND_CPU,       /* samples; CPU-ns */
	FG_KIND_OFF_CPU,   /* looks at a sleeping thread; wall-ns between two looks */
	FG_KIND_HEAP,      /* allocations of the malloc family and operator new; bytes asked for */
	FG_KIND_MAPPED,    /* anonymous mmap by the program itself; bytes */
	FG_KIND_MUTEX,     /* waits for a lock that was taken; wall-ns waited */
	FG_KIND_RWLOCK,    /* the same */
	FG_KIND_CONDITION, /* waits for a condition variable or semaphore; wall-ns */
	FG_KIND_FUTEX,     /* waits by syscall(SYS_futex): locks that are not the C library's */
	FG_KIND_COUNT
};

/*
 * What went other than planned, each counted: shown in the report, never hidden. A new one needs a
 * line in gate/profile/capture/capture_counters.c.
 */
enum fg_counter {
	FG_COUNTER_BUSY,          /* expiries inside our own accounting: their weight went to the
				     thread's next sample */
	FG_COUNTER_INTERRUPTED,   /* waits that our signal ended and that could not be retried */
	FG_COUNTER_RETRIED,       /* waits that our signal ended and that went on: nothing lost */
	FG_COUNTER_UNTIMED,       /* threads that got no timer of any kind */
	FG_COUNTER_FALLBACK,      /* threads that got the POSIX timer where perf was chosen */
	FG_COUNTER_LOST_TIMER,    /* threads whose perf event the program has closed */
	FG_COUNTER_RAW_THREADS,   /* made without the C library, found by looking */
	FG_COUNTER_UNSAMPLED,     /* such threads that could not be sampled */
	FG_COUNTER_UNKNOWN_FREES, /* of blocks that were allocated unseen (or in a fork's parent) */
	FG_COUNTER_UNTRACKED,     /* allocations without room in the table of live blocks */
	FG_COUNTER_HEAP_LOST,     /* allocations without room in the capture; not in any entry */
	FG_COUNTER_WAITS_LOST,    /* waits without room in the capture */
	FG_COUNTER_CONTEXTS_LOST, /* regions or labels without room: counted as their parent */
	FG_COUNTER_LOOKS_FAILED,  /* looks at a sleeper that had moved on, or was not readable */
	FG_COUNTER_OTHER_HEAP, /* 1: the program's malloc() is not ours (linked in, or before us) */
	FG_COUNTER_QUIET,      /* 1: the program put itself under a seccomp filter (quiet.h) */
	FG_COUNTER_TRACED,     /* 1: a debugger or tracer had the process when it started */
	FG_COUNTER_COUNT
};

struct fg_capture_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes;
	int32_t pid, ppid;
	uint32_t mechanism;  /* enum fg_mechanism */
	uint32_t rate_hz;    /* as asked for */
	uint32_t perf_errno; /* why perf did not open; 0 if it did or was not tried */
	uint32_t signal;
	uint64_t period_ns;         /* what a thread's first sample weighs */
	uint64_t start_realtime_ns; /* CLOCK_REALTIME when the sampler started in this image */
	uint64_t cpu_start_ns;      /* the process's CPU clock then */
	uint64_t cpu_ns;        /* the process's CPU clock at one of the last samples, or at exit */
	uint64_t used_bytes;    /* whole blocks lie below */
	uint64_t delivered;     /* samples that were not paused, lost ones included */
	uint64_t lost, lost_ns; /* not recorded for want of space, and their weight */
	uint32_t threads;       /* that had at least one sample */
	uint32_t exited;        /* 1: the exit hook ran */
	uint32_t kinds;         /* mask of what was asked for */
	uint32_t arch;          /* EM_X86_64, EM_AARCH64 */
	uint64_t own_ns;        /* CPU time in the sample handler, as far as it sees itself */
	uint64_t own_samples;   /* of that many handlers (a share of all) */
	uint64_t heap_period_bytes; /* Poisson: mean bytes between two samples; 0: exact */
	/*
	 * The heap when it was largest: live bytes and blocks of all FG_KIND_HEAP entries, and the
	 * number of that moment (see fg_entry.peak_version). Exact for single-threaded programs.
	 */
	uint64_t peak_version, peak_bytes, peak_count;
	uint64_t live_bytes, live_count; /* now, or at the end */
	uint64_t iterations;             /* as told by flamegate_iteration() */
	uint32_t marks;                  /* 1: the program has called flamegate.h */
	uint32_t paused;                 /* 1: by the program, since paused_since_ns */
	uint64_t paused_ns;              /* CPU time of the process in its earlier pauses */
	uint64_t paused_since_ns;        /* the process's CPU clock */
	uint64_t counters[32];           /* by enum fg_counter */
	uint64_t max_rss_bytes;          /* of this image, when it ended; 0: unknown */
	uint64_t slowdown_ns;            /* CPU time burnt by a planted slowdown (slowdown.h) */
	uint64_t timer_errno;            /* why a thread got no timer of any kind; 0: all got one */
	uint64_t reserved[450];
	char executable[FG_CAPTURE_PATH_BYTES]; /* NUL-terminated */
};
_Static_assert(sizeof(struct fg_capture_header) == 8192, "two pages");

_Static_assert(FG_COUNTER_COUNT <= 32, "room in the header");

enum fg_block_kind {
	FG_BLOCK_MODULES = 1, /* struct fg_module */
	FG_BLOCK_DATA,
	FG_BLOCK_CONTEXTS, /* struct fg_context; the n-th (from 1) of all is context n */
	FG_BLOCK_EPOCHS,   /* struct fg_epoch */
	FG_BLOCK_TIMELINE, /* struct fg_moment; one block */
	FG_BLOCK_KIND_COUNT
};
#define FG_BLOCK_MAGIC UINT32_C(0x4b424746) /* "FGBK" */
#define FG_BLOCK_ALIGN 4096
#define FG_RECORD_BLOCK_BYTES (UINT64_C(16) << 10) /* of all but data blocks */
#define FG_DATA_BLOCK_MIN (UINT64_C(32) << 10)
#define FG_DATA_BLOCK_MAX (UINT64_C(16) << 20)

struct fg_block {
	uint32_t magic;
	uint32_t kind;
	uint64_t bytes; /* with this header; data blocks: a power of two from MIN to MAX */
	uint64_t used;  /* bytes of records; not in data blocks */
	uint64_t reserved[5];
};
_Static_assert(sizeof(struct fg_block) == 64, "a cache line");

struct fg_module {
	uint32_t bytes; /* of the whole record, a multiple of 8 */
	uint16_t build_id_bytes;
	uint16_t path_bytes;
	uint64_t start, limit; /* run-time addresses */
	uint64_t bias;         /* link-time address = run-time address - bias */
			       /* build id, then path (no NUL) */
};
_Static_assert(sizeof(struct fg_module) == 32, "no holes");
#define FG_MAX_BUILD_ID 64
#define FG_MAX_MODULES 65534

/*
 * What the program said about itself by flamegate.h: a region or a label inside its parent. Region:
 * key "region".
 */
struct fg_context {
	uint32_t bytes;  /* of the whole record, a multiple of 8 */
	uint32_t parent; /* 0: none; always an earlier one */
	uint16_t key_bytes, value_bytes;
	uint32_t reserved;
	/* key, then value (no NUL) */
};
_Static_assert(sizeof(struct fg_context) == 16, "no holes");
#define FG_MAX_CONTEXT_KEY 64
#define FG_MAX_CONTEXT_VALUE 256
#define FG_MAX_CONTEXTS 4096
#define FG_MAX_CONTEXT_DEPTH 64 /* of a context and its parents */

/* Where an epoch of the program's own begins (flamegate_iteration). */
struct fg_epoch {
	uint32_t epoch, reserved;
	uint64_t iterations; /* done before */
	uint64_t cpu_ns;     /* the process's CPU clock */
};
_Static_assert(sizeof(struct fg_epoch) == 24, "no holes");
#define FG_MAX_EPOCHS 4096

/*
 * The heap's size over time: what happened since the moment before. The clock of the line is what
 * was moved: where much comes and goes there are more moments than where little does.
 */
struct fg_moment {
	uint64_t moved;                  /* bytes that came and went, and some for each call */
	uint64_t live_bytes, live_count; /* at this moment */
	uint64_t most_bytes;             /* the most since the moment before */
	uint64_t cpu_ns;                 /* the process's CPU clock */
};
_Static_assert(sizeof(struct fg_moment) == 40, "no holes");

/*
 * Statistics of one (kind, stack, epoch, context). A weight is at most 2^63, so its square fits 128
 * bits. Times in ns, sizes in bytes.
 *
 * Heap entries count in units of 1 / FG_HEAP_SCALE blocks and bytes where the heap was sampled (a
 * sample stands for a fractional number of blocks). What is freed is counted in the entry of the
 * stack that allocated it and the epoch in which it is freed, by the thread that frees it: live =
 * count - gone_count, summed over all entries of the stack, may be negative in one of them.
 *
 * The peak: each new largest heap takes the next peak_version in the header. An entry that changes
 * and whose peak_version is older first keeps count - gone_count and sum - gone_sum in peak_count
 * and peak_sum, and takes the header's number. At the end an entry's share of the peak is what it
 * kept if its number is the header's, and what is live in it now if it is older.
 */
struct fg_entry {
	uint64_t key;   /* hash, never 0; 0 = free slot. Stored last */
	uint32_t stack; /* offset / 8 */
	uint32_t epoch, context;
	uint32_t kind; /* enum fg_kind */
	uint64_t count, sum;
	uint64_t gone_count, gone_sum; /* heap, mapped */
	uint64_t peak_version;         /* heap */
	int64_t peak_count, peak_sum;
	uint64_t squares_low, squares_high; /* sum of squared weights: of sampled kinds */
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct fg_entry) == 128, "two cache lines");
#define FG_HEAP_SCALE 1024

/* The writer's way from a walk to its stack. Readers go through the entries. */
struct fg_stack_slot {
	uint64_t key; /* hash, never 0; 0 = free slot */
	uint32_t stack;
	uint32_t reserved;
};
_Static_assert(sizeof(struct fg_stack_slot) == 16, "no holes");

/* Followed by depth frames of 8 bytes, leaf first. end is an enum fg_walk_end. */
struct fg_stack {
	uint32_t depth, end;
};
_Static_assert(sizeof(struct fg_stack) == 8, "no holes");

/*
 * A frame in a module: the link-time address in bits 0..46, the exact flag in bit 47, the module's
 * index + 1 in bits 48..63. Elsewhere: the run-time address in bits 0..47 (aarch64's user space
 * takes them all), and in bits 48..63 zero or, if it is exact, FG_FRAME_LOOSE_EXACT.
 */
#define FG_FRAME_ADDRESS_MASK ((UINT64_C(1) << 47) - 1)
#define FG_FRAME_EXACT (UINT64_C(1) << 47)
#define FG_FRAME_MODULE_SHIFT 48
#define FG_FRAME_LOOSE_MASK ((UINT64_C(1) << FG_FRAME_MODULE_SHIFT) - 1)
#define FG_FRAME_LOOSE_EXACT UINT64_C(0xffff)

/* number: the module's index + 1. The address is at most FG_FRAME_ADDRESS_MASK. */
static inline uint64_t fg_frame_in_module(uint64_t number, uint64_t address, bool exact)
{
	return number << FG_FRAME_MODULE_SHIFT | (exact ? FG_FRAME_EXACT : 0) | address;
}

static inline uint64_t fg_frame_loose(uint64_t address, bool exact)
{
	uint64_t mark = exact ? FG_FRAME_LOOSE_EXACT : 0;

	return mark << FG_FRAME_MODULE_SHIFT | (address & FG_FRAME_LOOSE_MASK);
}

/* The module's index + 1; 0: in none. */
static inline uint64_t fg_frame_module(uint64_t frame)
{
	uint64_t number = frame >> FG_FRAME_MODULE_SHIFT;

	return number == FG_FRAME_LOOSE_EXACT ? 0 : number;
}

static inline bool fg_frame_is_exact(uint64_t frame)
{
	return fg_frame_module(frame) ? (frame & FG_FRAME_EXACT) != 0
				      : frame >> FG_FRAME_MODULE_SHIFT != 0;
}

static inline uint64_t fg_frame_address(uint64_t frame)
{
	return frame & (fg_frame_module(frame) ? FG_FRAME_ADDRESS_MASK : FG_FRAME_LOOSE_MASK);
}

/* A data block's geometry follows from its size: a quarter entries, a sixteenth index, the rest
 * stacks. */
static inline uint64_t fg_block_entry_slots(uint64_t block_bytes)
{
	return block_bytes / (4 * sizeof(struct fg_entry));
}

static inline uint64_t fg_block_index_slots(uint64_t block_bytes)
{
	return block_bytes / (16 * sizeof(struct fg_stack_slot));
}

static inline uint64_t fg_block_index_offset(uint64_t block_bytes)
{
	return sizeof(struct fg_block) +
	       fg_block_entry_slots(block_bytes) * sizeof(struct fg_entry);
}

static inline uint64_t fg_block_arena_offset(uint64_t block_bytes)
{
	return fg_block_index_offset(block_bytes) +
	       fg_block_index_slots(block_bytes) * sizeof(struct fg_stack_slot);
}

#endif
