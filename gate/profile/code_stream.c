/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code_stream.h"

#include <string.h>

#define MAX_STREAM_BYTES ((size_t)64 << 20)

bool code_stream_take(struct code_stream *stream, uint64_t count, enum code_cost cost)
{
	stream->doubt |= !code_budget_take(stream->contents->image->budget, count, cost) ||
			 stream->bytes.length > MAX_STREAM_BYTES;
	return !stream->doubt;
}

void code_put_number(struct code_stream *stream, char tag, uint64_t number)
{
	if (!code_stream_take(stream, sizeof(number), CODE_COST_BYTE))
		return;
	strbuf_addch(&stream->bytes, tag);
	strbuf_add(&stream->bytes, &number, sizeof(number));
}

void code_put_string(struct code_stream *stream, char tag, const char *string, uint64_t offset)
{
	size_t length = strlen(string);
	code_put_number(stream, tag, length);
	if (!code_stream_take(stream, length, CODE_COST_BYTE))
		return;
	strbuf_add(&stream->bytes, string, length);
	code_put_number(stream, '+', offset);
}

/* By the number of instructions, not of bytes: alignment inside a function may differ. */
static void put_own_place(struct code_stream *stream, uint64_t target)
{
	const struct code_list *code = stream->code;
	size_t low = 0, high = code->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (code->items[middle].address < target)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < code->count && code->items[low].address == target)
		code_put_number(stream, 'I', stream->ordinals[low]);
	else /* into an instruction, or into data between */
		code_put_number(stream, 'J', target - stream->own->low);
}

bool code_has_own_stem(const struct code_stream *stream, const struct code_symbol *symbol)
{
	if (stream->own == NULL)
		return false;
	return symbol->stem == stream->own->stem &&
	       memcmp(stream->own->name, symbol->name, symbol->stem) == 0;
}

void code_put_target(struct code_stream *stream, uint64_t target)
{
	if (!code_stream_take(stream, 1, CODE_COST_LOOKUP))
		return;
	const struct code_symbol *symbol = code_image_symbol(stream->contents->image, target);
	if (stream->own != NULL && target >= stream->own->low && target < stream->own->high)
		put_own_place(stream, target);
	else if (symbol == NULL || symbol->kind == CODE_SYMBOL_DATA)
		stream->doubt = true;
	else if (code_has_own_stem(stream, symbol)) /* a part of it: its name would be ours */
		code_put_string(stream, 'f', symbol->name + symbol->stem, target - symbol->low);
	else
		code_put_string(stream, 'F', symbol->name, target - symbol->low);
}
