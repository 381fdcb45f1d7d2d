/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the code hash: what an address stands for, as bytes to be hashed that do not depend on
 * where the linker has put it. code_hash.c feeds instructions and what they refer to; code_data.c
 * says what an address in the data means and how far that reaches, code_content.c what is in those
 * bytes, with pointers by where they lead.
 */
#ifndef FG_PROFILE_CODE_STREAM_H
#define FG_PROFILE_CODE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/map.h"
#include "gate/base/strbuf.h"
#include "gate/profile/code/code_callee.h"
#include "gate/profile/code/code_image.h"

#define CODE_SHA_DIGITS 64
#define CODE_MAX_DEPTH 8 /* of pointers in data that are followed to what they point to */

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
	/* of each name that is called one symbol, in the order of the first calls */
	const struct code_symbol *callees[CODE_MAX_CALLEES];
	size_t callee_count;
	bool has_more_callees; /* which stand in bytes by their names */
};

/* ---- code_stream.c -------------------------------------------------------------------------- */

/* False: it is too much, and in doubt from now on. */
bool code_stream_take(struct code_stream *stream, uint64_t count, enum code_cost cost);
void code_put_number(struct code_stream *stream, char tag, uint64_t number);
void code_put_string(struct code_stream *stream, char tag, const char *string, uint64_t offset);
/* An address in the code. */
void code_put_target(struct code_stream *stream, uint64_t target);
/* Where a call or a jump goes: another function of this module by its number among the callees. */
void code_put_callee(struct code_stream *stream, uint64_t target);
/* The function itself, or a part or clone of it. */
bool code_has_own_stem(const struct code_stream *stream, const struct code_symbol *symbol);

/* ---- code_data.c ---------------------------------------------------------------------------- */

/* What is at an address in the data; bytes as in struct code_reference. */
void code_put_data(struct code_stream *stream, uint64_t target, uint64_t bytes, unsigned depth);
/* Thread-local data by its offset in the segment. */
void code_put_thread(struct code_stream *stream, uint64_t offset, unsigned depth);

/* ---- code_content.c ------------------------------------------------------------------------- */

/* What is in [low, low + size) of a section that has content. */
void code_put_content(struct code_stream *stream, const struct code_section *section, uint64_t low,
	uint64_t size, unsigned depth);
/* A slot of the global offset table: what the loader or the linker has put into it. */
void code_put_slot(struct code_stream *stream, const struct code_section *section, uint64_t target,
	unsigned depth);
/* What an address stands for that stands in data. */
void code_put_pointer(struct code_stream *stream, uint64_t value, unsigned depth);
/* A position-dependent program's pointers are plain numbers in its data. */
bool code_is_plain_pointer(const struct code_image *image, uint64_t value);

#endif
