/* SPDX-License-Identifier: Apache-2.0 */
/* Inside regions.c and its neighbours: the table of contexts, and records in the capture. */
#ifndef FG_SAMPLER_CONTEXTS_H
#define FG_SAMPLER_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "gate/sampler/regions.h"
#include "gate/sampler/sampler.h"

struct fg_text {
	const char *bytes;
	uint32_t length;
};

/* any. At most `most` bytes, and no half of a UTF-8 character. NULL is empty. */
struct fg_text fg_text_of(const char *string, uint32_t most);

/*
 * thread, between fg_enter() and fg_leave(). The context of this key and value in parent (0: in
 * none). 0, and counted: no room. errno is kept.
 */
uint32_t fg_context_intern(uint32_t parent, const struct fg_text *key, const struct fg_text *value);
/* The same key and value in another parent. */
uint32_t fg_context_move(uint32_t context, uint32_t parent);
/* any. Of a context that is not 0. */
bool fg_context_has_key(uint32_t context, const struct fg_text *key);
bool fg_context_has_value(uint32_t context);
uint32_t fg_context_parent(uint32_t context);

/* any. As fg_marks_attach() and fg_marks_forked(). */
void fg_contexts_attach(void);
void fg_contexts_forked(void);

/*
 * Of all that flamegate.h writes into the capture. thread; its holder must not be sampled: between
 * fg_enter() and fg_leave().
 */
bool fg_marks_lock(void);
void fg_marks_unlock(void);
/* Under the lock. Room for a record at the end of block, or in a fresh one; NULL: none. */
void *fg_record_reserve(struct fg_block **block, enum fg_block_kind kind, uint64_t bytes);
void fg_record_publish(struct fg_block *block, uint64_t bytes);

/* thread. The program has made a mark; false: there is nobody to note it. */
bool fg_marks_take(void);
/* any. What is counted from the first region or iteration on; what is paused stays paused. */
void fg_marks_want_first(void);

/* any. As fg_marks_attach() and fg_marks_forked(). */
void fg_iterations_attach(struct fg_capture_header *header);
void fg_iterations_forked(void);

#endif
