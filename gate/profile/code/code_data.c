/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an address in the data means, and how far that reaches: a symbol, a string, a jump table, or
 * an array that a loop counts from outside.
 */
#include "gate/profile/code/code_stream.h"

#include <string.h>

#define MAX_BIAS 64         /* how far before its array a loop's address is looked for */
#define MAX_INDEX_BIAS 1024 /* and an indexed one's: as far as letters['a' - 'a'], of int64_t */
#define ANCHORED_BYTES 4096 /* what one instruction's offset reaches on aarch64 */
#define MAX_UNNAMED_BYTES ((uint64_t)1 << 20)

/* ---- what has no symbol ---------------------------------------------------------------------- */

/* Where what begins at address ends at the latest. */
static uint64_t next_edge(
	const struct code_contents *contents, const struct code_section *section, uint64_t address)
{
	size_t low = 0, high = contents->edge_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (contents->edges[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < contents->edge_count && contents->edges[low] < section->high
		       ? contents->edges[low]
		       : section->high;
}

static bool is_text(unsigned char c)
{
	return c >= ' ' || (c >= '\a' && c <= '\r') || c == '\033';
}

/*
 * A string ends at its NUL: the linker may have merged another one into its tail. One without end
 * is said to be too long.
 */
static uint64_t text_end(
	struct code_stream *stream, const struct code_section *section, uint64_t low, uint64_t edge)
{
	uint64_t size = section->high - low, length = 0;
	while (length < size && length <= MAX_UNNAMED_BYTES &&
		is_text(section->data[low - section->low + length]))
		length++;
	code_stream_take(stream, length, CODE_COST_BYTE);
	return length < size && low + length >= edge ? low + length + 1 : edge;
}

/* Zeros at the end may be the padding before what comes next. */
static uint64_t without_zeros(
	struct code_stream *stream, const struct code_section *section, uint64_t low, uint64_t end)
{
	uint64_t last = end;
	while (last > low && section->data[last - 1 - section->low] == 0)
		last--;
	code_stream_take(stream, end - last, CODE_COST_BYTE);
	return last;
}

/* A position-dependent program's pointers end in zeros of their own. */
static uint64_t whole_pointers(const struct code_image *image, const struct code_section *section,
	uint64_t low, uint64_t end, uint64_t edge)
{
	uint64_t whole = (end + 7) & ~UINT64_C(7), first;
	if (low % 8 != 0 || end == low || whole > edge)
		return end;
	memcpy(&first, section->data + (low - section->low), sizeof(first));
	return code_is_plain_pointer(image, first) ? whole : end;
}

/* Where a table's entry leads, which counts from the table's start; 0: not into this function. */
static uint64_t table_entry(const struct code_stream *stream, const struct code_section *section,
	uint64_t table, uint64_t at)
{
	int32_t offset;
	memcpy(&offset, section->data + (at - section->low), sizeof(offset));
	uint64_t target = table + (uint64_t)(int64_t)offset;
	if (target >= stream->own->low && target < stream->own->high)
		return target;
	const struct code_symbol *symbol = code_image_symbol(stream->contents->image, target);
	return symbol != NULL && symbol->kind == CODE_SYMBOL_FUNCTION &&
			       code_has_own_stem(stream, symbol)
		       ? target
		       : 0;
}

/* A switch's jump table, which ends where an entry leads elsewhere: false if it is none. */
static bool put_jump_table(
	struct code_stream *stream, const struct code_section *section, uint64_t table)
{
	uint64_t at = table;
	if (stream->own == NULL || !stream->jumps_indirectly || table % 4 != 0 ||
		section->writable || section->data == NULL ||
		stream->contents->image->machine != CODE_X86_64)
		return false;
	for (; section->high - at >= 4 && code_stream_take(stream, 1, CODE_COST_LOOKUP); at += 4) {
		uint64_t target = table_entry(stream, section, table, at);
		if (target == 0)
			break;
		code_put_number(stream, 'E', 0);
		code_put_target(stream, target);
	}
	return at > table;
}

static void put_unnamed(struct code_stream *stream, const struct code_section *section,
	uint64_t target, unsigned depth)
{
	struct code_contents *contents = stream->contents;
	const struct code_image *image = contents->image;
	if (contents->edges == NULL && !contents->find_edges(contents->find_edges_data)) {
		stream->doubt = true;
		return;
	}
	uint64_t edge = next_edge(contents, section, target);
	uint64_t end = text_end(stream, section, target, edge);
	end = without_zeros(stream, section, target, end);
	if (image->is_fixed)
		end = whole_pointers(image, section, target, end, edge);
	if (end - target > MAX_UNNAMED_BYTES)
		stream->doubt = true;
	else
		code_put_content(stream, section, target, end - target, depth);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Of what clang makes of constant pointers: how far it is to them from the table's start. */
static bool is_offset_table(const struct code_section *section, const struct code_symbol *symbol)
{
	size_t length = strlen(symbol->name);
	return !section->writable && section->data != NULL &&
	       (strncmp(symbol->name, "reltable.", 9) == 0 ||
		       (strncmp(symbol->name, "switch.table.", 13) == 0 && length > 4 &&
			       strcmp(symbol->name + length - 4, ".rel") == 0));
}

static void put_offset_table(struct code_stream *stream, const struct code_section *section,
	const struct code_symbol *symbol, unsigned depth)
{
	for (uint64_t at = symbol->low; symbol->high - at >= 4 && !stream->doubt; at += 4) {
		int32_t offset;
		memcpy(&offset, section->data + (at - section->low), sizeof(offset));
		code_put_number(stream, 'P', at - symbol->low);
		code_put_pointer(stream, symbol->low + (uint64_t)(int64_t)offset, depth + 1);
	}
}

/* Constants by their content, whatever they are called; variables also by their name. */
static void put_named(struct code_stream *stream, const struct code_section *section,
	const struct code_symbol *symbol, uint64_t target, unsigned depth)
{
	if (section->writable || depth >= CODE_MAX_DEPTH)
		code_put_string(stream, 'D', symbol->name, target - symbol->low);
	else
		code_put_number(stream, 'O', target - symbol->low);
	if (depth < CODE_MAX_DEPTH && is_offset_table(section, symbol))
		put_offset_table(stream, section, symbol, depth);
	else if (section->data != NULL && depth < CODE_MAX_DEPTH)
		code_put_content(stream, section, symbol->low, symbol->high - symbol->low, depth);
	else if (!section->writable)
		stream->doubt = true;
}

/* A local symbol of another file is nothing that this function can know. */
static bool is_foreign(const struct code_stream *stream, const struct code_symbol *symbol)
{
	return symbol->file != 0 && stream->file != 0 && symbol->file != stream->file;
}

static bool refers_to(struct code_stream *stream, const struct code_symbol *symbol)
{
	if (!code_stream_take(stream, stream->code->count, 4 * CODE_COST_BYTE))
		return false;
	for (size_t i = 0; i < stream->code->count; i++)
		for (uint8_t k = 0; k < stream->code->items[i].reference_count; k++) {
			const struct code_reference *reference =
				&stream->code->items[i].references[k];
			if (reference->kind == CODE_DATA && reference->target >= symbol->low &&
				reference->target < symbol->high)
				return true;
		}
	return false;
}

/*
 * A loop over an array may hold the address behind its end, where the linker has put something
 * else. It is that else's address unless it is foreign. Returns the array, or NULL.
 */
static const struct code_symbol *ended_before(
	struct code_stream *stream, const struct code_symbol *symbol, uint64_t target)
{
	if (stream->own == NULL || symbol == NULL || symbol->low != target || symbol->file == 0)
		return NULL;
	const struct code_symbol *before = code_image_symbol(stream->contents->image, target - 1);
	if (before == NULL || before->high > target || before->kind != CODE_SYMBOL_DATA)
		return NULL;
	bool foreign =
		(before->file != 0 && before->file != symbol->file) || is_foreign(stream, symbol);
	return foreign && refers_to(stream, before) ? before : NULL;
}

/*
 * Or the address of what would be before its start, if the loop does not begin at 0. Returns an
 * array that begins soon behind and may be meant, or NULL. Objects point into the middle of their
 * table of virtual functions.
 */
static const struct code_symbol *begins_behind(const struct code_stream *stream,
	const struct code_section *section, const struct code_symbol *symbol, uint64_t target)
{
	bool at_start = symbol != NULL && symbol->low == target;
	bool at_text = symbol == NULL && section->data != NULL && !section->writable &&
		       is_text(section->data[target - section->low]);
	bool is_virtual = symbol != NULL && strncmp(symbol->name, "_ZTV", 4) == 0;
	if (stream->own == NULL || at_start || at_text || is_virtual)
		return NULL;
	const struct code_symbol *next = code_image_next_symbol(stream->contents->image, target);
	return next != NULL && next->low - target <= MAX_BIAS && next->low < section->high &&
			       !is_foreign(stream, next)
		       ? next
		       : NULL;
}

static void put_place(struct code_stream *stream, const struct code_section *section,
	const struct code_symbol *symbol, uint64_t target, uint64_t bytes, unsigned depth)
{
	if (symbol != NULL)
		put_named(stream, section, symbol, target, depth);
	else if (section->writable || section->data == NULL || depth >= CODE_MAX_DEPTH)
		stream->doubt = true;
	else if (bytes > 0)
		code_put_content(stream, section, target, bytes, depth);
	else
		put_unnamed(stream, section, target, depth);
}

/* By its name and by what each thread's copy begins with. */
void code_put_thread(struct code_stream *stream, uint64_t offset, unsigned depth)
{
	const struct code_image *image = stream->contents->image;
	const struct code_symbol *symbol = code_image_thread(image, offset);
	if (symbol == NULL) {
		stream->doubt = true;
		return;
	}
	code_put_string(stream, 'T', symbol->name, offset - symbol->low);
	if (symbol->low >= image->thread_values || depth >= CODE_MAX_DEPTH)
		return;
	const struct code_section *section =
		code_image_section(image, image->thread_low + symbol->low);
	if (section == NULL || section->data == NULL)
		stream->doubt = true;
	else
		code_put_content(stream, section, image->thread_low + symbol->low,
			symbol->high - symbol->low, depth);
}

/*
 * On aarch64 compilers take the address of a whole group of variables and constants and add small
 * numbers to it, which the instructions keep: all that such a number reaches counts.
 */
static void put_anchored(struct code_stream *stream, const struct code_section *section,
	const struct code_symbol *symbol, uint64_t target)
{
	uint64_t size = section->high - target;
	if (symbol == NULL && section->writable)
		stream->doubt = true;
	if (section->writable && symbol != NULL)
		code_put_string(stream, 'D', symbol->name, target - symbol->low);
	if (section->data != NULL)
		code_put_content(
			stream, section, target, size < ANCHORED_BYTES ? size : ANCHORED_BYTES, 0);
}

/* Where it is not clear which of two things is meant, both count. */
static void put_taken_address(struct code_stream *stream, const struct code_section *section,
	const struct code_symbol *symbol, uint64_t target, unsigned depth)
{
	if (stream->own != NULL && stream->contents->image->machine == CODE_AARCH64) {
		put_anchored(stream, section, symbol, target);
		return;
	}
	if (symbol == NULL && put_jump_table(stream, section, target))
		return;
	const struct code_symbol *before = ended_before(stream, symbol, target);
	const struct code_symbol *behind = begins_behind(stream, section, symbol, target);
	if (before != NULL) { /* its content goes in where it is referred to */
		code_put_number(stream, 'Z', target - before->low);
		return;
	}
	if (behind != NULL) {
		code_put_number(stream, 'Q', behind->low - target);
		put_named(stream, section, behind, behind->low, depth);
	}
	if (behind == NULL || symbol == NULL || !is_foreign(stream, symbol))
		put_place(stream, section, symbol, target, 0, depth);
}

/* The address may be what element 0 of an array behind it would have: whatever it is counts. */
static void put_indexed(struct code_stream *stream, const struct code_section *section,
	const struct code_symbol *symbol, uint64_t target, unsigned depth)
{
	const struct code_image *image = stream->contents->image;
	put_place(stream, section, symbol, target, 0, depth);
	if (section->data == NULL || (symbol != NULL && symbol->low == target))
		return;
	for (const struct code_symbol *next = code_image_next_symbol(image, target);
		next != NULL && next->low < section->high && next->low - target <= MAX_INDEX_BIAS;
		next = code_image_next_symbol(image, next->low)) {
		if (is_foreign(stream, next))
			continue;
		code_put_number(stream, 'Q', next->low - target);
		put_named(stream, section, next, next->low, depth);
	}
}

/* Nobody takes an address in the middle of another function: it stands for something else. */
static bool is_plain_target(const struct code_stream *stream, uint64_t target, uint64_t bytes)
{
	const struct code_symbol *symbol = code_image_symbol(stream->contents->image, target);
	if (target >= stream->own->low && target < stream->own->high)
		return bytes < CODE_JUMP_TABLE;
	return bytes < CODE_JUMP_TABLE && symbol != NULL &&
	       (symbol->low == target || code_has_own_stem(stream, symbol));
}

void code_put_data(struct code_stream *stream, uint64_t target, uint64_t bytes, unsigned depth)
{
	const struct code_image *image = stream->contents->image;
	const struct code_section *section = code_image_section(image, target);
	const struct code_symbol *symbol = code_image_symbol(image, target);
	if (!code_stream_take(stream, 2, CODE_COST_LOOKUP))
		return;
	if (section == NULL || (section->is_got && bytes >= CODE_JUMP_TABLE) ||
		(section->executable && stream->own != NULL &&
			!is_plain_target(stream, target, bytes)))
		stream->doubt = true;
	else if (section->executable)
		code_put_target(stream, target);
	else if (section->is_got)
		code_put_slot(stream, section, target, depth);
	else if (bytes == CODE_INDEXED)
		put_indexed(stream, section, symbol, target, depth);
	else if (bytes == CODE_JUMP_TABLE)
		put_place(stream, section, symbol, target, 0, depth);
	else if (bytes == 0)
		put_taken_address(stream, section, symbol, target, depth);
	else
		put_place(stream, section, symbol, target, bytes, depth);
}
