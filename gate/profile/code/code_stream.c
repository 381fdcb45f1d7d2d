/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code/code_stream.h"

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

static bool has_stem(const struct code_symbol *symbol, const struct code_symbol *other)
{
	return symbol->stem == other->stem && memcmp(symbol->name, other->name, other->stem) == 0;
}

bool code_has_own_stem(const struct code_stream *stream, const struct code_symbol *symbol)
{
	return stream->own != NULL && has_stem(symbol, stream->own);
}

static bool is_own_place(const struct code_stream *stream, uint64_t target)
{
	return stream->own != NULL && target >= stream->own->low && target < stream->own->high;
}

void code_put_target(struct code_stream *stream, uint64_t target)
{
	if (!code_stream_take(stream, 1, CODE_COST_LOOKUP))
		return;
	const struct code_symbol *symbol = code_image_symbol(stream->contents->image, target);
	if (is_own_place(stream, target))
		put_own_place(stream, target);
	else if (symbol == NULL || symbol->kind == CODE_SYMBOL_DATA)
		stream->doubt = true;
	else if (code_has_own_stem(stream, symbol)) /* a part of it: its name would be ours */
		code_put_string(stream, 'f', symbol->name + symbol->stem, target - symbol->low);
	else
		code_put_string(stream, 'F', symbol->name, target - symbol->low);
}

/* ---- callees --------------------------------------------------------------------------------- */

/* Another function of this module, or NULL: what is reached by a stub keeps its name. */
static const struct code_symbol *callee_at(struct code_stream *stream, uint64_t target)
{
	if (is_own_place(stream, target) || !code_stream_take(stream, 1, CODE_COST_LOOKUP))
		return NULL;
	const struct code_symbol *symbol = code_image_symbol(stream->contents->image, target);
	return symbol != NULL && symbol->kind == CODE_SYMBOL_FUNCTION && symbol->low == target &&
			       !code_has_own_stem(stream, symbol)
		       ? symbol
		       : NULL;
}

/* CODE_MAX_CALLEES: it is one too many. */
static size_t callee_number(struct code_stream *stream, const struct code_symbol *callee)
{
	size_t number = 0;
	while (number < stream->callee_count && !has_stem(callee, stream->callees[number]))
		number++;
	code_stream_take(stream, number, CODE_COST_BYTE);
	if (number == CODE_MAX_CALLEES)
		stream->has_more_callees = true;
	else if (number == stream->callee_count)
		stream->callees[stream->callee_count++] = callee;
	return number;
}

void code_put_callee(struct code_stream *stream, uint64_t target)
{
	const struct code_symbol *callee = callee_at(stream, target);
	size_t number = callee == NULL ? CODE_MAX_CALLEES : callee_number(stream, callee);
	if (number == CODE_MAX_CALLEES)
		code_put_target(stream, target);
	else
		code_put_string(stream, 'H', callee->name + callee->stem, number);
}
