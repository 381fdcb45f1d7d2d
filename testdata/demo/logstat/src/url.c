/* SPDX-License-Identifier: Apache-2.0 */
#include "url.h"

#include <string.h>

static int next_word(struct span *line, struct span *word)
{
	size_t length = 0;

	while (length < line->length && line->text[length] != ' ')
		length++;
	*word = (struct span){line->text, length};
	if (length < line->length)
		length++;
	line->text += length;
	line->length -= length;
	return word->length > 0;
}

int request_split(struct span line, struct request *request)
{
	struct span target, protocol;

	if (!next_word(&line, &request->method) || !next_word(&line, &target) ||
		!next_word(&line, &protocol) || target.text[0] != '/')
		return -1;
	const char *mark = memchr(target.text, '?', target.length);
	request->path = request->query = target;
	request->query.length = 0;
	if (mark != NULL) {
		request->path.length = (size_t)(mark - target.text);
		request->query.text = mark + 1;
		request->query.length = target.length - request->path.length - 1;
	}
	return 0;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t url_decode(struct span encoded, int is_query, char *out, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < encoded.length && length < size; i++) {
		char c = encoded.text[i];

		if (c == '+' && is_query) {
			c = ' ';
		} else if (c == '%' && i + 2 < encoded.length) {
			int high = hex_value(encoded.text[i + 1]);
			int low = hex_value(encoded.text[i + 2]);

			if (high >= 0 && low >= 0) {
				c = (char)(high << 4 | low);
				i += 2;
			}
		}
		out[length++] = c;
	}
	return length;
}

enum { HAS_DIGIT = 1, HAS_HEX = 2, HAS_DASH = 4, HAS_OTHER = 8 };

/* Which kinds of characters a segment is made of. */
int segment_kinds(struct span segment)
{
	int kinds = 0;

	for (size_t i = 0; i < segment.length; i++) {
		char c = segment.text[i];

		if (c >= '0' && c <= '9')
			kinds |= HAS_DIGIT;
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			kinds |= HAS_HEX;
		else if (c == '-')
			kinds |= HAS_DASH;
		else
			kinds |= HAS_OTHER;
	}
	return kinds;
}

/* What stands for a segment that is different in every request. */
static struct span segment_name(struct span segment)
{
	int kinds = segment_kinds(segment);

	if (kinds == HAS_DIGIT)
		return (struct span){":n", 2};
	if ((kinds & HAS_OTHER) == 0 && (kinds & HAS_DIGIT) && segment.length >= 8)
		return (struct span){":hex", 4};
	return segment;
}

static struct span next_segment(struct span path, size_t *at)
{
	while (*at < path.length && path.text[*at] == '/')
		(*at)++;
	size_t start = *at;
	while (*at < path.length && path.text[*at] != '/')
		(*at)++;
	return (struct span){path.text + start, *at - start};
}

size_t path_template(struct span path, char *out, size_t size)
{
	size_t at = 0, length = 0;

	for (;;) {
		struct span segment = next_segment(path, &at);

		if (segment.length == 0)
			break;
		if (segment.text[0] == '.' && segment.length <= 2)
			continue;
		segment = segment_name(segment);
		if (length + 1 + segment.length > size)
			break;
		out[length++] = '/';
		memcpy(out + length, segment.text, segment.length);
		length += segment.length;
	}
	if (length == 0)
		out[length++] = '/';
	return length;
}

int query_next(struct span *query, struct span *key, struct span *value)
{
	size_t end = 0, equals;

	if (query->length == 0)
		return 0;
	while (end < query->length && query->text[end] != '&')
		end++;
	for (equals = 0; equals < end && query->text[equals] != '=';)
		equals++;
	*key = (struct span){query->text, equals};
	*value = (struct span){query->text + equals, 0};
	if (equals < end)
		*value = (struct span){query->text + equals + 1, end - equals - 1};
	query->text += end;
	query->length -= end;
	if (query->length > 0) {
		query->text++;
		query->length--;
	}
	return 1;
}
