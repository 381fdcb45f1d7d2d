/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the symbolizer: what goes over the line between parent and child. */
#ifndef FG_PROFILE_SYMBOLIZE_WIRE_H
#define FG_PROFILE_SYMBOLIZE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate/base/strbuf.h"

/* A request and a reply are a uint32_t length and so many bytes, in the machine's byte order. */
void symbol_put_u32(struct strbuf *out, uint32_t value);
void symbol_put_string(struct strbuf *out, const char *string);

/* Reads from bytes with a bound. A failed read sets `failed`, and reads nothing from then on. */
struct symbol_cursor {
	const char *at, *end;
	bool failed;
};
uint32_t symbol_get_u32(struct symbol_cursor *cursor);
uint64_t symbol_get_u64(struct symbol_cursor *cursor);
/* Not NUL-terminated: *length bytes, no NUL among them. NULL on failure or past max_bytes. */
const char *symbol_get_string(struct symbol_cursor *cursor, size_t max_bytes, size_t *length);

#endif
