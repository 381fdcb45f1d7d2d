/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/strbuf.h"

#include "gate/base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char strbuf_empty[1];

void strbuf_init(struct strbuf *buf)
{
	*buf = (struct strbuf)STRBUF_INIT;
}

void strbuf_release(struct strbuf *buf)
{
	if (buf->capacity)
		free(buf->data);
	strbuf_init(buf);
}

void strbuf_reset(struct strbuf *buf)
{
	strbuf_truncate(buf, 0);
}

void strbuf_truncate(struct strbuf *buf, size_t length)
{
	if (!buf->capacity || length >= buf->length)
		return;
	buf->length = length;
	buf->data[length] = '\0';
}

void strbuf_reserve(struct strbuf *buf, size_t extra)
{
	size_t capacity = buf->capacity;

	if (extra > SIZE_MAX / 4 || buf->length > SIZE_MAX / 4)
		abort();
	if (buf->length + extra + 1 <= capacity)
		return;
	buf->data =
		grow_array(capacity ? buf->data : NULL, &buf->capacity, buf->length + extra + 1, 1);
	if (!capacity)
		buf->data[0] = '\0';
}

void strbuf_add(struct strbuf *buf, const void *data, size_t length)
{
	if (!length)
		return;
	strbuf_reserve(buf, length);
	memcpy(buf->data + buf->length, data, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void strbuf_addstr(struct strbuf *buf, const char *string)
{
	strbuf_add(buf, string, strlen(string));
}

void strbuf_addch(struct strbuf *buf, char c)
{
	strbuf_add(buf, &c, 1);
}

void strbuf_vaddf(struct strbuf *buf, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	if (length > 0) {
		strbuf_reserve(buf, (size_t)length);
		vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
		buf->length += (size_t)length;
	}
	va_end(again);
}

void strbuf_addf(struct strbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_vaddf(buf, format, args);
	va_end(args);
}

char *strbuf_detach(struct strbuf *buf, size_t *length)
{
	char *data = buf->capacity ? buf->data : xstrdup("");

	if (length)
		*length = buf->length;
	strbuf_init(buf);
	return data;
}
