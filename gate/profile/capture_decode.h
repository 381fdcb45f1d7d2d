/* SPDX-License-Identifier: Apache-2.0 */
/* Inside capture_read: what its files share. */
#ifndef FG_PROFILE_CAPTURE_DECODE_H
#define FG_PROFILE_CAPTURE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "gate/base/error.h"
#include "gate/base/map.h"
#include "gate/profile/capture_read.h"
#include "gate/sampler/capture.h"

struct capture_block {
	uint64_t offset;
	struct fg_block head;
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
	uint64_t complete;
	size_t stack_capacity, entry_capacity;
	struct capture_process process;
};

/* ERR_CORRUPT with the file's name before the message. */
int capture_corrupt(struct capture_decoder *decoder, const char *what);
int capture_decode_modules(struct capture_decoder *decoder);
int capture_decode_entries(struct capture_decoder *decoder);

#endif
