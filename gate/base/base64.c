/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/base/base64.h"

#include <stdbool.h>
#include <stdint.h>

#include "gate/base/error.h"

#define INVALID 64u

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes become four letters, the missing ones padding. */
static void encode_group(const unsigned char *bytes, size_t count, struct strbuf *out)
{
	uint32_t bits = (uint32_t)bytes[0] << 16;
	char letters[4];

	if (count > 1)
		bits |= (uint32_t)bytes[1] << 8;
	if (count > 2)
		bits |= bytes[2];
	letters[0] = alphabet[bits >> 18];
	letters[1] = alphabet[bits >> 12 & 63];
	letters[2] = count > 1 ? alphabet[bits >> 6 & 63] : '=';
	letters[3] = count > 2 ? alphabet[bits & 63] : '=';
	strbuf_add(out, letters, sizeof(letters));
}

void base64_encode(const void *data, size_t length, struct strbuf *out)
{
	const unsigned char *bytes = data;

	strbuf_reserve(out, length / 3 * 4 + 4);
	for (size_t at = 0; at < length; at += 3)
		encode_group(bytes + at, length - at < 3 ? length - at : 3, out);
}

static uint32_t letter_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint32_t)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint32_t)(c - 'a') + 26;
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0') + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : INVALID;
}

/* Offset of the first of count letters that is none, or count. */
static size_t read_letters(const char *text, size_t count, uint32_t *bits)
{
	*bits = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t value = letter_value(text[i]);

		if (value == INVALID)
			return i;
		*bits |= value << (18 - 6 * i);
	}
	return count;
}

/* Four letters, of which the last `padding` (0..2) are "="; *bad is the offset of what is wrong. */
static bool decode_group(const char *text, size_t padding, struct strbuf *out, size_t *bad)
{
	static const uint32_t unused[] = {0, 0xff, 0xffff};
	uint32_t bits;
	char bytes[3];

	*bad = read_letters(text, 4 - padding, &bits);
	if (*bad < 4 - padding)
		return false;
	*bad = 3 - padding;
	if (bits & unused[padding])
		return false;
	bytes[0] = (char)(bits >> 16);
	bytes[1] = (char)(bits >> 8);
	bytes[2] = (char)bits;
	strbuf_add(out, bytes, 3 - padding);
	return true;
}

static size_t count_padding(const char *text, size_t length)
{
	if (!length || text[length - 1] != '=')
		return 0;
	return text[length - 2] == '=' ? 2 : 1;
}

int base64_decode(const char *text, size_t length, struct strbuf *out, struct error *err)
{
	size_t before = out->length, padding, bad;

	if (length % 4)
		return error_set(
			err, ERR_CORRUPT, "base64 of %zu bytes, which is no multiple of 4", length);
	padding = count_padding(text, length);
	strbuf_reserve(out, length / 4 * 3);
	for (size_t at = 0; at < length; at += 4) {
		if (decode_group(text + at, at + 4 == length ? padding : 0, out, &bad))
			continue;
		strbuf_truncate(out, before);
		return error_set(err, ERR_CORRUPT, "base64 is damaged at byte %zu", at + bad);
	}
	return ERR_OK;
}
