/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the code hash: what an address stands for, as bytes to be hashed that do not depend on
 * where the linker has put it. code_hash.c feeds instructions, code_content.c what they refer to.
 */
#ifndef FG_PROFILE_CODE_STREAM_H
#define FG_PROFILE_CODE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/profile/code_image.h"

#define CODE_SHA_DIGITS 64

struct code_content {
	bool doubt;
	char hash[CODE_SHA_DIGITS + 1];
};

/* What all functions of a module share. */
struct code_contents {
	const struct code_image *image;
	/*
	 * Sorted addresses where something in the data begins or ends, as far as symbols, code and
	 * relocations tell. Asked for when something without a symbol is met; false: unknown.
	 */
	bool (*find_edges)(void *data);
	void *find_edges_data;
	const uint64_t *edges;
	size_t edge_count;
	struct map index; /* (low, high, depth) -> list */
	struct code_content *list;
	size_t count, capacity;
	uint64_t bytes_left; /* to be read, over all functions */
};

struct code_stream {
	struct code_contents *contents;
	struct strbuf bytes;
	bool doubt; /* something was not understood: there is no hash */
	/* of a function; NULL, NULL in data */
	const struct code_symbol *own;
	const struct code_list *code;
	const uint32_t *ordinals; /* [code->count]: instructions before each, without padding */
	bool jumps_indirectly;
	uint32_t file; /* of the function, as struct code_symbol's; 0 unknown */
};

void code_put_number(struct code_stream *stream, char tag, uint64_t number);
void code_put_string(struct code_stream *stream, char tag, const char *string, uint64_t offset);
/* Where a call or a jump goes. */
void code_put_target(struct code_stream *stream, uint64_t target);
/* What is at an address in the data; bytes as in struct code_reference. */
void code_put_data(struct code_stream *stream, uint64_t target, uint64_t bytes, unsigned depth);
/* Thread-local data by its offset in the segment. */
void code_put_thread(struct code_stream *stream, uint64_t offset, unsigned depth);

#endif
