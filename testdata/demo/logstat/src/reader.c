/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK (64 * 1024)

int reader_open(struct reader *reader, const char *path)
{
	memset(reader, 0, sizeof(*reader));
	reader->file = gzopen(path, "rb");
	if (reader->file == NULL)
		return -1;
	gzbuffer(reader->file, 4 * BLOCK);
	reader->capacity = 2 * BLOCK;
	reader->buffer = malloc(reader->capacity);
	return reader->buffer == NULL ? -1 : 0;
}

void reader_close(struct reader *reader)
{
	gzclose(reader->file);
	free(reader->buffer);
}

static int reader_make_room(struct reader *reader)
{
	if (reader->start > 0) {
		memmove(reader->buffer, reader->buffer + reader->start, reader->end - reader->start);
		reader->end -= reader->start;
		reader->start = 0;
	}
	if (reader->capacity - reader->end >= BLOCK)
		return 0;
	char *larger = realloc(reader->buffer, 2 * reader->capacity);
	if (larger == NULL)
		return -1;
	reader->buffer = larger;
	reader->capacity *= 2;
	return 0;
}

static int reader_fill(struct reader *reader)
{
	if (reader_make_room(reader) != 0)
		return -1;
	int got = gzread(reader->file, reader->buffer + reader->end, BLOCK - 1);
	if (got < 0)
		return -1;
	reader->at_end = got == 0;
	reader->end += (size_t)got;
	return 0;
}

int reader_line(struct reader *reader, char **line, size_t *length)
{
	for (;;) {
		char *start = reader->buffer + reader->start;
		size_t have = reader->end - reader->start;
		char *stop = memchr(start, '\n', have);

		if (stop != NULL || (reader->at_end && have > 0)) {
			*line = start;
			*length = stop != NULL ? (size_t)(stop - start) : have;
			reader->start += *length + (stop != NULL);
			return 1;
		}
		if (reader->at_end)
			return 0;
		if (reader_fill(reader) != 0)
			return -1;
	}
}
