/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/bench/leavings.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/base/error.h"
#include "gate/base/text.h"
#include "gate/bench/untrusted_file.h"

#define MAX_FILE_BYTES 256
#define TAIL_LINES 20
#define TAIL_BYTES 2048
#define CONTEXT_BYTES 128 /* kept for what callers put before a message */

/* strtod() alone would take "inf", "nan" and hexadecimal numbers. */
static bool parse_number(const char *text, size_t length, double *number)
{
	const char *end = text + length;
	char *stop;

	while (text < end && strchr(" \t\r\n", *text))
		text++;
	while (end > text && strchr(" \t\r\n", end[-1]))
		end--;
	if (text == end || strspn(text, "0123456789.eE+-") < (size_t)(end - text))
		return false;
	*number = strtod(text, &stop);
	return stop == end;
}

int iterations_read(const char *path, double *iterations, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	double number = 0;
	int rc = untrusted_file_read(path, MAX_FILE_BYTES, &text, err);

	if (rc == ERR_NOT_FOUND)
		rc = error_set(err, ERR_BENCHMARK,
			"the benchmark wrote no %s: it must write its count of iterations there "
			"(iterations.file)",
			path);
	else if (rc)
		rc = error_set(err, ERR_BENCHMARK,
			"%s must be a small regular file with one number: "
			"the benchmark's count of iterations",
			path);
	else if (!parse_number(text.data, text.length, &number) || !isfinite(number) ||
		 number <= 0 || number > MAX_ITERATIONS)
		rc = error_set(err, ERR_BENCHMARK,
			"%s must hold one number above 0 and at most 1e15: "
			"the benchmark's count of iterations",
			path);
	else
		*iterations = number;
	strbuf_release(&text);
	return rc;
}

/* Reads at most `bytes` from the end of a file that may be of any size. */
static void read_end(const char *path, size_t bytes, struct strbuf *out)
{
	struct stat info;
	ssize_t got;
	int fd;

	if (untrusted_file_open(path, &fd, NULL))
		return;
	strbuf_reserve(out, bytes);
	if (fstat(fd, &info) == 0) {
		off_t start = info.st_size > (off_t)bytes ? info.st_size - (off_t)bytes : 0;

		got = pread(fd, out->data, bytes, start);
		out->length = got > 0 ? (size_t)got : 0;
		out->data[out->length] = '\0';
	}
	close(fd);
}

/*
 * Cut first, then made inert: a cut may lay bare what stood in the middle of a line. Making it
 * inert may lengthen it, so a shorter cut is tried until it fits.
 */
static void add_tail(struct strbuf *message, const struct strbuf *end, size_t room)
{
	size_t before = message->length, limit = room, length;

	for (; limit; limit /= 2) {
		const char *tail = text_tail(end->data, end->length, TAIL_LINES, limit, &length);

		text_defuse(message, tail, length);
		if (message->length - before <= room)
			return;
		strbuf_truncate(message, before);
	}
}

static void add_last_lines(struct strbuf *message, const struct strbuf *end)
{
	size_t before = message->length, room = ERROR_MESSAGE_BYTES - 1, lead;

	strbuf_addstr(message, "; its last lines:\n");
	lead = message->length;
	if (room > lead + CONTEXT_BYTES) {
		room -= lead + CONTEXT_BYTES;
		add_tail(message, end, room < TAIL_BYTES ? room : TAIL_BYTES);
	}
	if (message->length == lead)
		strbuf_truncate(message, before);
}

void output_tail(struct strbuf *message, const char *path)
{
	outputs_tail(message, path, NULL);
}

void outputs_tail(struct strbuf *message, const char *output_path, const char *error_path)
{
	struct strbuf end = STRBUF_INIT, errors = STRBUF_INIT;

	read_end(output_path, (size_t)16 * TAIL_BYTES, &end);
	if (error_path)
		read_end(error_path, (size_t)16 * TAIL_BYTES, &errors);
	if (end.length && errors.length && end.data[end.length - 1] != '\n')
		strbuf_addstr(&end, "\n");
	strbuf_add(&end, errors.data, errors.length);
	add_last_lines(message, &end);
	strbuf_release(&end);
	strbuf_release(&errors);
}
