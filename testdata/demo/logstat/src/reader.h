/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGSTAT_READER_H
#define LOGSTAT_READER_H

#include <stddef.h>
#include <zlib.h>

/* The lines of a gzip (or plain) file. */
struct reader {
	gzFile file;
	char *buffer;
	size_t start, end, capacity;
	int at_end;
};

int reader_open(struct reader *reader, const char *path);
void reader_close(struct reader *reader);
/* 1 and a line without its end, 0 at the end of the file, -1 on damage. */
int reader_line(struct reader *reader, char **line, size_t *length);

#endif
