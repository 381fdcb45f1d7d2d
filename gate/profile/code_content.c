/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code_stream.h"

#include <string.h>

#include "gate/base/file.h"
#include "gate/profile/code_hash.h"

#define MAX_DEPTH 8         /* of pointers in data that are followed to what they point to */
#define MAX_BIAS 64         /* how far before its array a loop's address is looked for */
#define MAX_INDEX_BIAS 1024 /* and an indexed one's: as far as letters['a' - 'a'], of int64_t */
#define ANCHORED_BYTES 4096 /* what one instruction's offset reaches on aarch64 */
#define MAX_UNNAMED_BYTES ((uint64_t)1 << 20)
#define MAX_STREAM_BYTES ((size_t)64 << 20)

/* False: it is too much, and in doubt from now on. */
static bool take(struct code_stream *stream, uint64_t count, enum code_cost cost)
{
	stream->doubt |= !code_budget_take(stream->contents->image->budget, count, cost) ||
			 stream->bytes.length > MAX_STREAM_BYTES;
	return !stream->doubt;
}

void code_put_number(struct code_stream *stream, char tag, uint64_t number)
{
	if (!take(stream, sizeof(number), CODE_COST_BYTE))
		return;
	strbuf_addch(&stream->bytes, tag);
	strbuf_add(&stream->bytes, &number, sizeof(number));
}

void code_put_string(struct code_stream *stream, char tag, const char *string, uint64_t offset)
{
	size_t length = strlen(string);
	code_put_number(stream, tag, length);
	if (!take(stream, length, CODE_COST_BYTE))
		return;
	strbuf_add(&stream->bytes, string, length);
	code_put_number(stream, '+', offset);
}

/* ---- code ---------------------------------------------------------------------------------------
 */

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

static bool has_own_stem(const struct code_stream *stream, const struct code_symbol *symbol)
{
	if (stream->own == NULL)
		return false;
	return symbol->stem == stream->own->stem &&
	       memcmp(stream->own->name, symbol->name, symbol->stem) == 0;
}

void code_put_target(struct code_stream *stream, uint64_t target)
{
	if (!take(stream, 1, CODE_COST_LOOKUP))
		return;
	const struct code_symbol *symbol = code_image_symbol(stream->contents->image, target);
	if (stream->own != NULL && target >= stream->own->low && target < stream->own->high)
		put_own_place(stream, target);
	else if (symbol == NULL || symbol->kind == CODE_SYMBOL_DATA)
		stream->doubt = true;
	else if (has_own_stem(stream, symbol)) /* a part of it: its name would be ours */
		code_put_string(stream, 'f', symbol->name + symbol->stem, target - symbol->low);
	else
		code_put_string(stream, 'F', symbol->name, target - symbol->low);
}

/* ---- pointers -----------------------------------------------------------------------------------
 */

static void put_pointer(struct code_stream *stream, uint64_t value, unsigned depth)
{
	const struct code_section *section = code_image_section(stream->contents->image, value);
	if (section == NULL)
		stream->doubt = true;
	else if (section->executable)
		code_put_target(stream, value);
	else
		code_put_data(stream, value, 0, depth);
}

/*
 * Data by a name that others may see: as a rule what this module defines is what the loader takes,
 * and its content counts. Another module's may have changed.
 */
static void put_exported(
	struct code_stream *stream, const struct code_relocation *relocation, unsigned depth)
{
	const struct code_section *section =
		code_image_section(stream->contents->image, relocation->value);
	if (!relocation->is_data)
		return;
	if (relocation->is_runtime)
		return;
	if (!relocation->is_defined || section == NULL)
		stream->doubt = true;
	else if (!section->executable && !section->is_got && depth < MAX_DEPTH)
		code_put_data(stream, relocation->value, 0, depth + 1);
}

/* The number of a module says nothing: what matters is behind it. */
static void put_thread_relocation(
	struct code_stream *stream, const struct code_relocation *relocation, unsigned depth)
{
	if (relocation->name[0] != '\0')
		code_put_string(stream, 'S', relocation->name, relocation->addend);
	if (relocation->name[0] != '\0' && relocation->is_defined)
		code_put_thread(stream, relocation->value + relocation->addend, depth + 1);
	else if (relocation->name[0] == '\0' && !relocation->is_module)
		code_put_thread(stream, relocation->addend, depth + 1);
}

static void put_relocation(
	struct code_stream *stream, const struct code_relocation *relocation, unsigned depth)
{
	switch (relocation->kind) {
	case CODE_RELOCATION_SYMBOL:
		code_put_string(stream, 'S', relocation->name, relocation->addend);
		stream->doubt |= relocation->name[0] == '\0';
		put_exported(stream, relocation, depth);
		break;
	case CODE_RELOCATION_ADDRESS:
		put_pointer(stream, relocation->addend, depth);
		break;
	case CODE_RELOCATION_THREAD:
		put_thread_relocation(stream, relocation, depth);
		break;
	case CODE_RELOCATION_OTHER: /* such as a copy of another module's data */
		if (relocation->is_runtime)
			code_put_string(stream, 'S', relocation->name, relocation->addend);
		else
			stream->doubt = true;
		break;
	}
}

static const struct code_relocation *relocation_at(const struct code_image *image, uint64_t address)
{
	size_t found = code_image_relocation(image, address);
	return found < image->relocation_count && image->relocations[found].address == address
		       ? &image->relocations[found]
		       : NULL;
}

/*
 * A variable of a thread is found by two slots: its module, and behind that its offset, which is a
 * plain number where the linker knows it.
 */
static void put_thread_pair(struct code_stream *stream, const struct code_section *section,
	const struct code_relocation *relocation, unsigned depth)
{
	uint64_t second = relocation->address + 8, offset;
	if (!relocation->is_module || relocation->name[0] != '\0' ||
		relocation_at(stream->contents->image, second) != NULL)
		return;
	if (section->data == NULL || section->high - relocation->address < 16) {
		stream->doubt = true;
		return;
	}
	memcpy(&offset, section->data + (second - section->low), sizeof(offset));
	code_put_thread(stream, offset, depth + 1);
}

/* A slot of the global offset table stands for what the loader or the linker has put into it. */
static void put_slot(struct code_stream *stream, const struct code_section *section,
	uint64_t target, unsigned depth)
{
	const struct code_relocation *relocation = relocation_at(stream->contents->image, target);
	uint64_t value = 0;
	code_put_number(stream, 'G', 0);
	if (depth > MAX_DEPTH) {
		stream->doubt = true;
		return;
	}
	if (relocation != NULL) { /* which may lead to the slot itself */
		put_relocation(stream, relocation, depth + 1);
		put_thread_pair(stream, section, relocation, depth);
	} else if (section->data != NULL && section->high - target >= sizeof(value)) {
		memcpy(&value, section->data + (target - section->low), sizeof(value));
		put_pointer(stream, value, depth + 1);
	} else {
		stream->doubt = true;
	}
}

/* ---- content ------------------------------------------------------------------------------------
 */

/* A position-dependent program's pointers are plain numbers in its data. */
static bool is_plain_pointer(const struct code_image *image, uint64_t value)
{
	const struct code_section *section = code_image_section(image, value);
	return section != NULL && (!section->executable || code_image_symbol(image, value) != NULL);
}

static void put_plain_pointers(
	struct code_stream *stream, char *bytes, uint64_t low, uint64_t size, unsigned depth)
{
	for (uint64_t at = (8 - low % 8) % 8; at + 8 <= size; at += 8) {
		uint64_t value;
		if (!take(stream, 1, CODE_COST_LOOKUP))
			return;
		memcpy(&value, bytes + at, sizeof(value));
		if (!is_plain_pointer(stream->contents->image, value))
			continue;
		memset(bytes + at, 0, sizeof(value));
		code_put_number(stream, 'P', at);
		put_pointer(stream, value, depth + 1);
	}
}

static void put_relocations(
	struct code_stream *stream, char *bytes, uint64_t low, uint64_t size, unsigned depth)
{
	const struct code_image *image = stream->contents->image;
	for (size_t i = code_image_relocation(image, low);
		i < image->relocation_count && image->relocations[i].address - low < size; i++) {
		uint64_t at = image->relocations[i].address - low;
		if (!take(stream, 1, CODE_COST_LOOKUP))
			return;
		memset(bytes + at, 0, size - at < 8 ? size - at : 8);
		code_put_number(stream, 'P', at);
		put_relocation(stream, &image->relocations[i], depth + 1);
	}
}

static void hash_content(struct code_contents *contents, const struct code_section *section,
	uint64_t low, uint64_t size, unsigned depth, struct code_content *out)
{
	struct code_stream stream = {.contents = contents, .bytes = STRBUF_INIT};
	struct strbuf bytes = STRBUF_INIT;
	strbuf_add(&bytes, section->data + (low - section->low), size);
	put_relocations(&stream, bytes.data, low, size, depth);
	if (contents->image->is_fixed)
		put_plain_pointers(&stream, bytes.data, low, size, depth);
	code_put_number(&stream, 'B', size);
	strbuf_add(&stream.bytes, bytes.data, bytes.length);
	out->doubt = stream.doubt;
	if (!stream.doubt)
		sha256_hex(stream.bytes.data, stream.bytes.length, out->hash);
	strbuf_release(&stream.bytes);
	strbuf_release(&bytes);
}

/* What is in [low, low + size) of a section that has content. */
static void put_content(struct code_stream *stream, const struct code_section *section,
	uint64_t low, uint64_t size, unsigned depth)
{
	struct code_contents *contents = stream->contents;
	uint64_t key[3] = {low, size, depth};
	struct code_content content = {true, ""};
	uint32_t id = map_get(&contents->index, key, sizeof(key));
	if (low < section->low || low > section->high || size > section->high - low ||
		!take(stream, 1, CODE_COST_LOOKUP) ||
		(id == MAP_NONE && size > contents->bytes_left)) {
		stream->doubt = true;
		return;
	}
	if (id == MAP_NONE) {
		contents->bytes_left -= size;
		take(stream, size, 2 * CODE_COST_BYTE);
		hash_content(contents, section, low, size, depth, &content);
		contents->list = grow_array(contents->list, &contents->capacity,
			contents->count + 1, sizeof(*contents->list));
		contents->list[contents->count] = content;
		map_put(&contents->index, key, sizeof(key), (uint32_t)contents->count++);
	} else {
		content = contents->list[id];
	}
	stream->doubt |= content.doubt;
	code_put_string(stream, 'C', content.hash, 0);
}

/* ---- what has no symbol -------------------------------------------------------------------------
 */

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
	take(stream, length, CODE_COST_BYTE);
	return length < size && low + length >= edge ? low + length + 1 : edge;
}

/* Zeros at the end may be the padding before what comes next. */
static uint64_t without_zeros(
	struct code_stream *stream, const struct code_section *section, uint64_t low, uint64_t end)
{
	uint64_t last = end;
	while (last > low && section->data[last - 1 - section->low] == 0)
		last--;
	take(stream, end - last, CODE_COST_BYTE);
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
	return is_plain_pointer(image, first) ? whole : end;
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
			       has_own_stem(stream, symbol)
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
	for (; section->high - at >= 4 && take(stream, 1, CODE_COST_LOOKUP); at += 4) {
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
		put_content(stream, section, target, end - target, depth);
}

/* ---- data ---------------------------------------------------------------------------------------
 */

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
		put_pointer(stream, symbol->low + (uint64_t)(int64_t)offset, depth + 1);
	}
}

/* Constants by their content, whatever they are called; variables also by their name. */
static void put_named(struct code_stream *stream, const struct code_section *section,
	const struct code_symbol *symbol, uint64_t target, unsigned depth)
{
	if (section->writable || depth >= MAX_DEPTH)
		code_put_string(stream, 'D', symbol->name, target - symbol->low);
	else
		code_put_number(stream, 'O', target - symbol->low);
	if (depth < MAX_DEPTH && is_offset_table(section, symbol))
		put_offset_table(stream, section, symbol, depth);
	else if (section->data != NULL && depth < MAX_DEPTH)
		put_content(stream, section, symbol->low, symbol->high - symbol->low, depth);
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
	if (!take(stream, stream->code->count, 4 * CODE_COST_BYTE))
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
	else if (section->writable || section->data == NULL || depth >= MAX_DEPTH)
		stream->doubt = true;
	else if (bytes > 0)
		put_content(stream, section, target, bytes, depth);
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
	if (symbol->low >= image->thread_values || depth >= MAX_DEPTH)
		return;
	const struct code_section *section =
		code_image_section(image, image->thread_low + symbol->low);
	if (section == NULL || section->data == NULL)
		stream->doubt = true;
	else
		put_content(stream, section, image->thread_low + symbol->low,
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
		put_content(
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
	       (symbol->low == target || has_own_stem(stream, symbol));
}

void code_put_data(struct code_stream *stream, uint64_t target, uint64_t bytes, unsigned depth)
{
	const struct code_image *image = stream->contents->image;
	const struct code_section *section = code_image_section(image, target);
	const struct code_symbol *symbol = code_image_symbol(image, target);
	if (!take(stream, 2, CODE_COST_LOOKUP))
		return;
	if (section == NULL || (section->is_got && bytes >= CODE_JUMP_TABLE) ||
		(section->executable && stream->own != NULL &&
			!is_plain_target(stream, target, bytes)))
		stream->doubt = true;
	else if (section->executable)
		code_put_target(stream, target);
	else if (section->is_got)
		put_slot(stream, section, target, depth);
	else if (bytes == CODE_INDEXED)
		put_indexed(stream, section, symbol, target, depth);
	else if (bytes == CODE_JUMP_TABLE)
		put_place(stream, section, symbol, target, 0, depth);
	else if (bytes == 0)
		put_taken_address(stream, section, symbol, target, depth);
	else
		put_place(stream, section, symbol, target, bytes, depth);
}
