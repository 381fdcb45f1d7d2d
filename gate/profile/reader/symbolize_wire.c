/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes between the symbolizer's two processes. */
#include "gate/profile/reader/symbolize_wire.h"

#include <string.h>

void symbol_put_u32(struct strbuf *out, uint32_t value)
{
	strbuf_add(out, &value, sizeof(value));
}

void symbol_put_string(struct strbuf *out, const char *string)
{
	size_t length = strlen(string);
	symbol_put_u32(out, (uint32_t)length);
	strbuf_add(out, string, length);
}

static void get(struct symbol_cursor *cursor, void *out, size_t size)
{
	if (cursor->failed || (size_t)(cursor->end - cursor->at) < size) {
		cursor->failed = true;
		memset(out, 0, size);
		return;
	}
	memcpy(out, cursor->at, size);
	cursor->at += size;
}

uint32_t symbol_get_u32(struct symbol_cursor *cursor)
{
	uint32_t value;
	get(cursor, &value, sizeof(value));
	return value;
}

uint64_t symbol_get_u64(struct symbol_cursor *cursor)
{
	uint64_t value;
	get(cursor, &value, sizeof(value));
	return value;
}

const char *symbol_get_string(struct symbol_cursor *cursor, size_t max_bytes, size_t *length)
{
	size_t wanted = symbol_get_u32(cursor);
	const char *string = cursor->at;
	if (cursor->failed || wanted > max_bytes || (size_t)(cursor->end - string) < wanted ||
		memchr(string, '\0', wanted) != NULL) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += wanted;
	*length = wanted;
	return string;
}
