/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strbuf: a growing byte string, always NUL-terminated (the NUL is not counted in length).
 * data is never NULL; strbuf_release() makes it reusable. Binary content is fine.
 */
#ifndef FG_BASE_STRBUF_H
#define FG_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *data;
	size_t length;
	size_t capacity; /* 0: data points to a shared empty string */
};

extern char strbuf_empty[1];
#define STRBUF_INIT                                                                                \
	{                                                                                          \
		strbuf_empty, 0, 0                                                                 \
	}

void strbuf_init(struct strbuf *buf);
void strbuf_release(struct strbuf *buf);
void strbuf_reset(struct strbuf *buf);
void strbuf_reserve(struct strbuf *buf, size_t extra);
void strbuf_add(struct strbuf *buf, const void *data, size_t length);
void strbuf_addstr(struct strbuf *buf, const char *string);
void strbuf_addch(struct strbuf *buf, char c);
void strbuf_addf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
void strbuf_truncate(struct strbuf *buf, size_t length);
/* Hands the malloc'd string to the caller (free() it) and leaves buf empty. */
char *strbuf_detach(struct strbuf *buf, size_t *length);

#endif
