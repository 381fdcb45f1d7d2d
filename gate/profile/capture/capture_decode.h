/* SPDX-License-Identifier: Apache-2.0 */
/* Inside capture_read: what its files share. */
#ifndef FG_PROFILE_CAPTURE_DECODE_H
#define FG_PROFILE_CAPTURE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/map.h"
#include "gate/profile/capture/capture_read.h"
#include "gate/sampler/capture/capture.h"

struct error;

struct capture_block {
	uint64_t offset;
	struct fg_block head;
};

/* Sums over all entries of one kind, as they stand in the file: each at most INT64_MAX. */
struct capture_bounds {
	uint64_t count, sum, gone_count, gone_sum, peak_count, peak_sum;
};

struct capture_peak {
	int64_t count, sum;
};

/* One file on its way into a process. All that it keeps lives in the set's arena. */
struct capture_decoder {
	const unsigned char *data; /* header.used_bytes of it are checked to be there */
	const char *name;
	const struct capture_limits *limits;
	struct arena *arena;
	struct error *err;
	struct fg_capture_header header;
	struct capture_block *blocks;
	size_t block_count;
	uint32_t *module_map; /* the file's index -> process->modules */
	size_t module_count;
	struct map stacks_by_offset, stacks_by_content, entry_index;
	uint64_t frame_total; /* of all distinct stacks */
	struct capture_bounds bounds[CAPTURE_KIND_COUNT];
	size_t stack_capacity, entry_capacity, context_capacity, epoch_capacity, moment_capacity;
	uint8_t context_depths[FG_MAX_CONTEXTS];
	struct capture_process process;
};

/* ERR_CORRUPT with the file's name before the message. */
int capture_corrupt(struct capture_decoder *decoder, const char *what);
/* arena memory for one more item; larger memory, with what was there, when capacity is reached. */
void *capture_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);

/* In this order. */
int capture_decode_modules(struct capture_decoder *decoder);
int capture_decode_contexts(struct capture_decoder *decoder);
int capture_decode_epochs(struct capture_decoder *decoder);
int capture_decode_timeline(struct capture_decoder *decoder);
int capture_decode_entries(struct capture_decoder *decoder);
/* The stack at offset8 * 8 in the file: its index in process->stacks. */
int capture_decode_stack(struct capture_decoder *decoder, uint32_t offset8, uint32_t *index);

#endif
