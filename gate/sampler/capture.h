/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capture's format, version 1: what libflamegate.so writes and gate/profile/capture_read reads.
 * Private to one flamegate version; x86-64 (little endian); no pointers, offsets from the file's
 *start.
 *
 *	header | block | block | ... up to header.used_bytes
 *
 * A block is a module block (records one after the other) or a data block: an entry table, a stack
 * index (used by the writer alone) and an arena of stacks. A block is written by one thread at a
 *time; when it is full the thread goes on in a new one of twice the size, and what it has written
 *stays. A thread that ends leaves its blocks to the next one.
 *
 * The file is valid at any moment (SIGKILL leaves it so): things are written first and published
 *after by one release store: a block by header.used_bytes, a module by block.used, a stack and an
 *entry by entry.key. A kill between two stores of an update may cost one sample's count or weight.
 */
#ifndef FG_SAMPLER_CAPTURE_H
#define FG_SAMPLER_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#define FG_CAPTURE_MAGIC UINT64_C(0x0a31504143474c46) /* "FLGCAP1\n" */
#define FG_CAPTURE_VERSION 1
#define FG_CAPTURE_PATH_BYTES 4096

enum fg_mechanism { FG_MECHANISM_NONE, FG_MECHANISM_PERF, FG_MECHANISM_POSIX, FG_MECHANISM_COUNT };

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
	uint64_t reserved[498];
	char executable[FG_CAPTURE_PATH_BYTES]; /* NUL-terminated */
};
_Static_assert(sizeof(struct fg_capture_header) == 8192, "two pages");

enum fg_block_kind { FG_BLOCK_MODULES = 1, FG_BLOCK_DATA };
#define FG_BLOCK_MAGIC UINT32_C(0x4b424746) /* "FGBK" */
#define FG_BLOCK_ALIGN 4096
#define FG_MODULE_BLOCK_BYTES (UINT64_C(16) << 10)
#define FG_DATA_BLOCK_MIN (UINT64_C(32) << 10)
#define FG_DATA_BLOCK_MAX (UINT64_C(16) << 20)

struct fg_block {
	uint32_t magic;
	uint32_t kind;
	uint64_t bytes; /* with this header; data blocks: a power of two from MIN to MAX */
	uint64_t used;  /* module blocks: bytes of records */
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
#define FG_MAX_MODULES 65535

/*
 * Statistics of one (stack, epoch, region). A weight is at most 2^63 ns, so its square fits 128
 * bits; the sum overflows only after 2^128 ns^2, that is 10^13 samples of one CPU-hour each.
 */
struct fg_entry {
	uint64_t key;   /* hash, never 0; 0 = free slot. Stored last */
	uint32_t stack; /* offset / 8 */
	uint32_t epoch, region;
	uint32_t reserved;
	uint64_t count;
	uint64_t sum_ns;
	uint64_t squares_low, squares_high; /* sum of squared weights, ns^2 */
	uint64_t reserved2;
};
_Static_assert(sizeof(struct fg_entry) == 64, "a cache line");

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

/* A frame: address in bits 0..46, exact flag in bit 47, module index + 1 in bits 48..63 (0: none).
 */
#define FG_FRAME_ADDRESS_MASK ((UINT64_C(1) << 47) - 1)
#define FG_FRAME_EXACT (UINT64_C(1) << 47)
#define FG_FRAME_MODULE_SHIFT 48

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
