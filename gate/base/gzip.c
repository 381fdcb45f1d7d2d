/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gzip of bytes in memory, both ways. What comes out is bounded, and damaged or cut data is an
 * error. Declared in file.h.
 */
#include "gate/base/file.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

#include "gate/base/error.h"

#define GZIP_WINDOW_BITS (15 + 16)
#define CHUNK_BYTES ((size_t)256 * 1024)

bool gzip_is_compressed(const void *data, size_t length)
{
	const unsigned char *bytes = data;

	return length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* zlib counts in unsigned int: hand it the input in pieces. */
static void feed(z_stream *stream, size_t *left)
{
	size_t piece = *left < UINT_MAX ? *left : UINT_MAX;

	if (stream->avail_in)
		return;
	stream->avail_in = (uInt)piece;
	*left -= piece;
}

static void start(z_stream *stream, const void *data)
{
	memset(stream, 0, sizeof(*stream));
	stream->next_in = (z_const Bytef *)data;
}

/* Makes room for up to `most` bytes behind out and points the stream there; returns that room. */
static size_t offer_room(z_stream *stream, struct strbuf *out, size_t most)
{
	size_t room = most < CHUNK_BYTES ? most : CHUNK_BYTES;

	strbuf_reserve(out, room);
	stream->next_out = (Bytef *)(out->data + out->length);
	stream->avail_out = (uInt)room;
	return room;
}

static void take(z_stream *stream, struct strbuf *out, size_t room)
{
	out->length += room - stream->avail_out;
	if (out->capacity)
		out->data[out->length] = '\0';
}

int gzip_compress(const void *data, size_t length, struct strbuf *out, struct error *err)
{
	size_t left = length;
	z_stream stream;
	int state = Z_OK;

	start(&stream, data);
	if (deflateInit2(&stream, 6, Z_DEFLATED, GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return error_set(err, ERR_IO, "cannot start compression: %s",
			stream.msg ? stream.msg : "out of memory");
	while (state == Z_OK) {
		size_t room = offer_room(&stream, out, CHUNK_BYTES);

		feed(&stream, &left);
		state = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
		take(&stream, out, room);
	}
	deflateEnd(&stream);
	if (state != Z_STREAM_END)
		return error_set(err, ERR_IO, "compression failed (zlib says %d)", state);
	return ERR_OK;
}

/*
 * One byte more than allowed is offered, so that output of exactly max_bytes is told apart from
 * output past it.
 */
static int inflate_members(
	z_stream *stream, size_t left, size_t max_bytes, struct strbuf *out, struct error *err)
{
	size_t allowed = max_bytes;

	for (;;) {
		size_t room = offer_room(stream, out, allowed < SIZE_MAX ? allowed + 1 : allowed);
		size_t produced;
		int state;

		feed(stream, &left);
		state = inflate(stream, Z_NO_FLUSH);
		produced = room - stream->avail_out;
		take(stream, out, room);
		if (produced > allowed)
			return error_set(
				err, ERR_LIMIT, "inflates to more than %zu bytes", max_bytes);
		allowed -= produced;
		if (state == Z_STREAM_END) {
			if (!stream->avail_in && !left)
				return ERR_OK;
			state = inflateReset(stream);
		}
		if (state == Z_BUF_ERROR && !stream->avail_in && !left)
			return error_set(err, ERR_CORRUPT, "gzip data is truncated");
		if (state != Z_OK && state != Z_BUF_ERROR)
			return error_set(err, ERR_CORRUPT, "gzip data is damaged: %s",
				stream->msg ? stream->msg : "invalid stream");
	}
}

/* What has been inflated stays in out. */
static int decompress(
	const void *data, size_t length, size_t max_bytes, struct strbuf *out, struct error *err)
{
	z_stream stream;
	int rc;

	start(&stream, data);
	if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK)
		return error_set(err, ERR_IO, "cannot start decompression: %s",
			stream.msg ? stream.msg : "out of memory");
	rc = inflate_members(&stream, length, max_bytes, out, err);
	inflateEnd(&stream);
	return rc;
}

int gzip_decompress(
	const void *data, size_t length, size_t max_bytes, struct strbuf *out, struct error *err)
{
	size_t before = out->length;
	int rc = decompress(data, length, max_bytes, out, err);

	if (rc)
		strbuf_truncate(out, before);
	return rc;
}

void gzip_decompress_start(const void *data, size_t length, size_t max_bytes, struct strbuf *out)
{
	size_t before = out->length;

	decompress(data, length, max_bytes, out, NULL);
	if (out->length - before > max_bytes)
		strbuf_truncate(out, before + max_bytes);
}
