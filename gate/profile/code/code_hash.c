/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/code/code_hash.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/file.h"
#include "gate/profile/code/code_stream.h"

#define MAX_FUNCTION_BYTES ((uint64_t)1 << 20)
#define MAX_MODULE_BYTES ((uint64_t)64 << 20) /* of code, to be searched for references */
#define MAX_CONTENT_BYTES ((uint64_t)256 << 20)
#define MAX_FILE_BYTES ((size_t)512 << 20) /* that is looked at as a whole */
#define MAX_PARTS 256                      /* functions and clones with one stem */
#define MAX_PADDING 64

/* A function, its parts and its clones. */
struct code_group {
	size_t first, count; /* of hasher->by_stem */
	bool done;
	struct code_identity identity;
};

struct code_hasher {
	struct code_image image;
	struct code_budget *budget;
	bool is_known;
	Elf *elf;
	bool has_build_id;
	char file_hash[CODE_SHA_DIGITS + 1]; /* "" not computed yet */
	struct code_decoder *decoder;
	struct code_list code; /* scratch: the function at hand */
	struct code_contents contents;
	code_line_of *line_of; /* NULL: nobody knows */
	void *line_of_data;
	uint64_t *edges;
	size_t edge_count, edge_capacity;
	bool edges_failed;
	uint32_t *by_stem; /* functions, sorted by stem */
	size_t stem_count;
	uint32_t *group_of; /* [symbol]; of functions */
	struct code_group *groups;
	size_t group_count, group_capacity;
};

/* ---- names ----------------------------------------------------------------------------------- */

static int order_of_stems(const struct code_symbol *a, const struct code_symbol *b)
{
	int order = memcmp(a->name, b->name, a->stem < b->stem ? a->stem : b->stem);
	return order != 0 ? order : (a->stem > b->stem) - (a->stem < b->stem);
}

static int compare_stems(const void *left, const void *right, void *data)
{
	const struct code_symbol *symbols = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = order_of_stems(&symbols[a], &symbols[b]);
	return order != 0 ? order : (a > b) - (a < b);
}

static void add_to_group(struct code_hasher *hasher, size_t position)
{
	const struct code_symbol *symbols = hasher->image.symbols;
	const uint32_t *by_stem = hasher->by_stem;
	if (position == 0 ||
		order_of_stems(&symbols[by_stem[position - 1]], &symbols[by_stem[position]]) != 0) {
		hasher->groups = grow_array(hasher->groups, &hasher->group_capacity,
			hasher->group_count + 1, sizeof(*hasher->groups));
		hasher->groups[hasher->group_count++] = (struct code_group){.first = position};
	}
	hasher->groups[hasher->group_count - 1].count++;
	hasher->group_of[by_stem[position]] = (uint32_t)(hasher->group_count - 1);
}

static void group_functions(struct code_hasher *hasher)
{
	const struct code_image *image = &hasher->image;
	hasher->by_stem = xcalloc(image->symbol_count, sizeof(*hasher->by_stem));
	hasher->group_of = xcalloc(image->symbol_count, sizeof(*hasher->group_of));
	for (size_t i = 0; i < image->symbol_count && i < UINT32_MAX; i++)
		if (image->symbols[i].kind == CODE_SYMBOL_FUNCTION)
			hasher->by_stem[hasher->stem_count++] = (uint32_t)i;
	if (hasher->stem_count > 1)
		qsort_r(hasher->by_stem, hasher->stem_count, sizeof(*hasher->by_stem),
			compare_stems, image->symbols);
	for (size_t i = 0; i < hasher->stem_count; i++)
		add_to_group(hasher, i);
}

/* ---- where data begins and ends -------------------------------------------------------------- */

static void add_edge(struct code_hasher *hasher, uint64_t address)
{
	hasher->edges = grow_array(hasher->edges, &hasher->edge_capacity, hasher->edge_count + 1,
		sizeof(*hasher->edges));
	hasher->edges[hasher->edge_count++] = address;
}

/* False also if that was the last the budget allowed: as much as one function may be too much. */
static bool decode(struct code_hasher *hasher, const struct code_symbol *symbol)
{
	const struct code_section *section = code_image_section(&hasher->image, symbol->low);
	uint64_t size = symbol->high - symbol->low;
	hasher->code.count = 0;
	if (section == NULL || section->data == NULL || size > section->high - symbol->low ||
		size > MAX_FUNCTION_BYTES || !code_budget_take(hasher->budget, 1, CODE_COST_LOOKUP))
		return false;
	bool fine = code_decode(hasher->decoder, section->data + (symbol->low - section->low), size,
		symbol->low, &hasher->code);
	return code_budget_take(hasher->budget, hasher->code.count, CODE_COST_INSTRUCTION) && fine;
}

static void add_references(struct code_hasher *hasher)
{
	for (size_t i = 0; i < hasher->code.count; i++)
		for (uint8_t k = 0; k < hasher->code.items[i].reference_count; k++)
			if (hasher->code.items[i].references[k].kind == CODE_DATA)
				add_edge(hasher, hasher->code.items[i].references[k].target);
}

static int compare_addresses(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* Also of a function that is not understood to its end: what was met of it is true. */
static bool scan_code(struct code_hasher *hasher)
{
	const struct code_image *image = &hasher->image;
	uint64_t bytes = 0, covered = 0;
	for (size_t i = 0; i < image->symbol_count; i++) {
		const struct code_symbol *symbol = &image->symbols[i];
		if (symbol->kind == CODE_SYMBOL_DATA) {
			add_edge(hasher, symbol->low);
			add_edge(hasher, symbol->high);
		} else if (symbol->kind == CODE_SYMBOL_FUNCTION && symbol->low >= covered) {
			bytes += symbol->high - symbol->low;
			if (bytes > MAX_MODULE_BYTES || hasher->budget->left == 0)
				return false;
			decode(hasher, symbol);
			add_references(hasher);
			covered = symbol->high;
		}
	}
	return true;
}

/* A position-dependent program's pointers are plain numbers in its data. */
static void add_plain_pointers(struct code_hasher *hasher)
{
	const struct code_image *image = &hasher->image;
	for (size_t i = 0; i < image->section_count && image->is_fixed; i++) {
		const struct code_section *section = &image->sections[i];
		if (section->executable || section->data == NULL ||
			!code_budget_take(
				hasher->budget, section->high - section->low, CODE_COST_BYTE))
			continue;
		for (uint64_t at = (8 - section->low % 8) % 8;
			at + 8 <= section->high - section->low; at += 8) {
			uint64_t value;
			memcpy(&value, section->data + at, sizeof(value));
			if (value >= image->low && value < image->high)
				add_edge(hasher, value);
		}
	}
}

/* In the middle of a function, whose instructions are kept. */
static bool find_edges(void *data)
{
	struct code_hasher *hasher = data;
	const struct code_image *image = &hasher->image;
	struct code_list kept = hasher->code;
	if (hasher->edges_failed)
		return false;
	hasher->code = (struct code_list){NULL, 0, 0};
	hasher->edges_failed = !scan_code(hasher);
	free(hasher->code.items);
	hasher->code = kept;
	for (size_t i = 0; i < image->relocation_count; i++)
		if (image->relocations[i].kind == CODE_RELOCATION_ADDRESS)
			add_edge(hasher, image->relocations[i].addend);
	add_plain_pointers(hasher);
	add_edge(hasher, 0); /* never empty */
	hasher->edges_failed |=
		!code_budget_take(hasher->budget, hasher->edge_count, 2 * CODE_COST_LOOKUP);
	if (hasher->edges_failed)
		return false;
	qsort(hasher->edges, hasher->edge_count, sizeof(*hasher->edges), compare_addresses);
	hasher->contents.edges = hasher->edges;
	hasher->contents.edge_count = hasher->edge_count;
	return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* How many instructions from here on only align what follows. */
static size_t padding_at(const struct code_list *code, size_t first)
{
	size_t end = first;
	uint64_t bytes = 0;
	while (end < code->count && code->items[end].is_nop && bytes < MAX_PADDING)
		bytes += code->items[end++].size;
	if (end == code->count || bytes >= MAX_PADDING)
		return 0;
	uint64_t behind = code->items[end].address;
	return bytes < (behind & -behind) ? end - first : 0;
}

/* The number of instructions before each, without padding; a number that is the next one's too is
 * padding's. To be freed. */
static uint32_t *number_instructions(const struct code_list *code)
{
	uint32_t *ordinals = xcalloc(code->count + 1, sizeof(*ordinals)), next = 0;
	for (size_t i = 0; i < code->count;) {
		size_t padding = code->items[i].is_nop ? padding_at(code, i) : 0;
		for (; padding > 0; padding--)
			ordinals[i++] = next;
		if (i < code->count)
			ordinals[i++] = next++;
	}
	ordinals[code->count] = next;
	return ordinals;
}

static bool jumps_indirectly(const struct code_list *code)
{
	for (size_t i = 0; i < code->count; i++)
		if (code->items[i].is_indirect)
			return true;
	return false;
}

/* A function that others see has no file of its own in the symbol table, but one that calls a
 * static function is in that one's. */
static uint32_t file_of(const struct code_hasher *hasher, const struct code_symbol *symbol)
{
	if (symbol->file != 0 ||
		!code_budget_take(hasher->budget, hasher->code.count, CODE_COST_LOOKUP))
		return symbol->file;
	for (size_t i = 0; i < hasher->code.count; i++) {
		const struct code_instruction *instruction = &hasher->code.items[i];
		const struct code_symbol *callee =
			instruction->reference_count > 0 &&
					instruction->references[0].kind == CODE_BRANCH
				? code_image_symbol(
					  &hasher->image, instruction->references[0].target)
				: NULL;
		if (callee != NULL && callee->file != 0 && callee->kind == CODE_SYMBOL_FUNCTION)
			return callee->file;
	}
	return symbol->file;
}

static void put_reference(struct code_stream *stream, const struct code_reference *reference)
{
	switch (reference->kind) {
	case CODE_BRANCH:
		code_put_callee(stream, reference->target);
		break;
	case CODE_DATA:
		code_put_number(stream, 'A', reference->bytes);
		code_put_data(stream, reference->target, reference->bytes, 0);
		break;
	case CODE_THREAD:
		code_put_thread(
			stream, stream->contents->image->thread_size + reference->target, 0);
		break;
	}
}

static void put_instruction(struct code_stream *stream, const struct code_instruction *instruction)
{
	code_put_number(stream, 'X', instruction->id);
	if (instruction->id == 0) {
		strbuf_addch(&stream->bytes, (char)instruction->size);
		strbuf_add(&stream->bytes, instruction->bytes, instruction->size);
	}
	for (uint8_t i = 0; i < instruction->reference_count; i++)
		put_reference(stream, &instruction->references[i]);
}

static bool holds_its_line(struct code_hasher *hasher, const struct code_instruction *instruction)
{
	return hasher->line_of != NULL && instruction->number_at > 0 && instruction->number > 0 &&
	       code_budget_take(hasher->budget, 1, CODE_COST_LOOKUP) &&
	       hasher->line_of(hasher->line_of_data, instruction->address) == instruction->number;
}

static void put_own_line(struct code_stream *stream, const struct code_instruction *instruction)
{
	struct code_instruction without = *instruction;
	memset(without.bytes + without.number_at, 0, sizeof(without.number));
	code_put_number(stream, 'L', 0);
	put_instruction(stream, &without);
}

/* One of a group: the function, a part or a clone of it. */
struct code_part {
	const char *suffix;
	char hash[CODE_SHA_DIGITS + 1];
	char shape[CODE_SHA_DIGITS + 1]; /* "" there are too many callees */
	const char *callees;
};

/* What stands for the callees' names; "" none. */
static const char *list_callees(struct code_stream *stream, struct arena *arena)
{
	char *list = arena_alloc(arena, stream->callee_count * CODE_CALLEE_DIGITS + 1);
	for (size_t i = 0; i < stream->callee_count; i++) {
		char digits[CODE_CALLEE_DIGITS + 1];
		const struct code_symbol *callee = stream->callees[i];
		if (!code_stream_take(stream, CODE_SHA_DIGITS + callee->stem, CODE_COST_BYTE))
			break;
		code_callee_digits(callee->name, callee->stem, digits);
		memcpy(list + i * CODE_CALLEE_DIGITS, digits, CODE_CALLEE_DIGITS);
	}
	return list;
}

/* The names that the shape is without; a function that calls none is its shape. */
static void put_names(struct code_stream *stream, const char *shape)
{
	strbuf_reset(&stream->bytes);
	code_put_string(stream, 'S', shape, stream->callee_count);
	for (size_t i = 0; i < stream->callee_count; i++) {
		code_put_number(stream, 'F', stream->callees[i]->stem);
		strbuf_add(&stream->bytes, stream->callees[i]->name, stream->callees[i]->stem);
	}
}

static void finish_part(struct code_stream *stream, struct arena *arena, struct code_part *part)
{
	part->callees = list_callees(stream, arena);
	sha256_hex(stream->bytes.data, stream->bytes.length, part->shape);
	if (stream->callee_count > 0)
		put_names(stream, part->shape);
	sha256_hex(stream->bytes.data, stream->bytes.length, part->hash);
	if (stream->has_more_callees)
		part->shape[0] = '\0';
}

/* False: in doubt. */
static bool hash_function(struct code_hasher *hasher, const struct code_symbol *symbol,
	struct arena *arena, struct code_part *part)
{
	struct code_stream stream = {
		.contents = &hasher->contents, .bytes = STRBUF_INIT, .own = symbol};
	if (!decode(hasher, symbol))
		return false;
	uint32_t *ordinals = number_instructions(&hasher->code);
	stream.code = &hasher->code;
	stream.ordinals = ordinals;
	stream.file = file_of(hasher, symbol);
	stream.jumps_indirectly = jumps_indirectly(&hasher->code);
	for (size_t i = 0; i < hasher->code.count && !stream.doubt; i++)
		if (ordinals[i] == ordinals[i + 1])
			continue;
		else if (holds_its_line(hasher, &hasher->code.items[i]))
			put_own_line(&stream, &hasher->code.items[i]);
		else
			put_instruction(&stream, &hasher->code.items[i]);
	part->suffix = symbol->name + symbol->stem;
	if (!stream.doubt)
		finish_part(&stream, arena, part);
	free(ordinals);
	strbuf_release(&stream.bytes);
	return !stream.doubt;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void set_hash(char out[CODE_HASH_DIGITS + 1], const struct strbuf *bytes)
{
	char hash[CODE_SHA_DIGITS + 1];
	sha256_hex(bytes->data, bytes->length, hash);
	memcpy(out, hash, CODE_HASH_DIGITS);
	out[CODE_HASH_DIGITS] = '\0';
}

/* An alias is the same code under another name of the same stem. */
static bool is_alias(const struct code_hasher *hasher, const struct code_group *group, size_t part)
{
	const struct code_symbol *symbols = hasher->image.symbols;
	const uint32_t *parts = hasher->by_stem + group->first;
	for (size_t i = 0; i < part; i++)
		if (symbols[parts[i]].low == symbols[parts[part]].low)
			return true;
	return false;
}

/* NULL: in doubt. */
static struct code_part *hash_parts(
	struct code_hasher *hasher, struct code_group *group, struct arena *arena, size_t *count)
{
	struct code_part *parts = arena_array(arena, group->count, sizeof(*parts));
	for (size_t i = 0; i < group->count; i++) {
		const struct code_symbol *symbol =
			&hasher->image.symbols[hasher->by_stem[group->first + i]];
		if (is_alias(hasher, group, i))
			continue;
		if (!hash_function(hasher, symbol, arena, &parts[(*count)++]))
			return NULL;
		group->identity.bytes += (uint32_t)(symbol->high - symbol->low);
	}
	return parts;
}

/* The order of the parts is that of their hashes: the linker's says nothing. */
static int compare_hashes(const void *left, const void *right)
{
	const struct code_part *a = left, *b = right;
	int order = strcmp(a->suffix, b->suffix);
	return order != 0 ? order : strcmp(a->hash, b->hash);
}

/* Or that of their shapes, where the callees' names may say as little as they can. */
static int compare_shapes(const void *left, const void *right)
{
	const struct code_part *a = left, *b = right;
	int order = strcmp(a->suffix, b->suffix);
	if (order == 0)
		order = strcmp(a->shape, b->shape);
	return order != 0 ? order : strcmp(a->callees, b->callees);
}

static void set_group_hash(struct code_group *group, struct code_part *parts, size_t count)
{
	struct strbuf text = STRBUF_INIT;
	qsort(parts, count, sizeof(*parts), compare_hashes);
	for (size_t i = 0; i < count; i++)
		strbuf_addf(&text, "%s %s\n", parts[i].suffix, parts[i].hash);
	set_hash(group->identity.hash, &text);
	strbuf_release(&text);
}

static void set_group_shape(
	struct code_group *group, struct code_part *parts, size_t count, struct arena *arena)
{
	struct strbuf text = STRBUF_INIT, callees = STRBUF_INIT;
	bool known = true;
	qsort(parts, count, sizeof(*parts), compare_shapes);
	for (size_t i = 0; i < count; i++) {
		known &= parts[i].shape[0] != '\0';
		strbuf_addf(&text, "%s %s %zu\n", parts[i].suffix, parts[i].shape,
			strlen(parts[i].callees));
		strbuf_addstr(&callees, parts[i].callees);
	}
	if (known && callees.length > 0 && code_callees_are_valid(callees.data, callees.length)) {
		set_hash(group->identity.shape, &text);
		group->identity.callees = arena_strdup(arena, callees.data);
	}
	strbuf_release(&callees);
	strbuf_release(&text);
}

static void hash_group(struct code_hasher *hasher, struct code_group *group)
{
	struct arena arena = ARENA_INIT;
	size_t count = 0;
	struct code_part *parts =
		group->count > MAX_PARTS ? NULL : hash_parts(hasher, group, &arena, &count);
	group->identity.callees = "";
	if (parts != NULL) {
		set_group_hash(group, parts, count);
		set_group_shape(group, parts, count, &hasher->image.arena);
	}
	group->done = true;
	arena_release(&arena);
}

/* A build id is what the linker was told to write: the content says more. */
static bool know_file(struct code_hasher *hasher)
{
	size_t size = 0;
	const char *bytes = NULL;

	if (hasher->file_hash[0] != '\0')
		return true;
	if (hasher->has_build_id)
		bytes = elf_rawfile(hasher->elf, &size);
	if (bytes == NULL || size > MAX_FILE_BYTES ||
		!code_budget_take(hasher->budget, size, CODE_COST_BYTE))
		return false;
	sha256_hex(bytes, size, hasher->file_hash);
	return true;
}

/* The whole file is the same, and the place in it. */
static void set_by_file(struct code_hasher *hasher, uint64_t place, struct code_identity *identity)
{
	struct strbuf text = STRBUF_INIT;
	if (know_file(hasher)) {
		strbuf_addf(&text, "file %s %llx", hasher->file_hash, (unsigned long long)place);
		set_hash(identity->hash, &text);
	}
	strbuf_release(&text);
}

static void set_by_name(const char *name, struct code_identity *identity)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "stub %s", name);
	set_hash(identity->hash, &text);
	strbuf_release(&text);
}

void code_hasher_find(struct code_hasher *hasher, uint64_t address, struct code_identity *identity)
{
	const struct code_symbol *symbol =
		hasher->is_known ? code_image_symbol(&hasher->image, address) : NULL;
	*identity = (struct code_identity){.callees = ""};
	if (symbol != NULL && symbol->kind == CODE_SYMBOL_STUB) {
		set_by_name(symbol->name, identity);
		return;
	}
	if (symbol != NULL && symbol->kind == CODE_SYMBOL_FUNCTION && hasher->decoder != NULL) {
		struct code_group *group =
			&hasher->groups[hasher->group_of[symbol - hasher->image.symbols]];
		if (!group->done)
			hash_group(hasher, group);
		*identity = group->identity;
	}
	if (identity->hash[0] == '\0')
		set_by_file(hasher, symbol == NULL ? 0 : symbol->low, identity);
}

struct code_hasher *code_hasher_new(
	Elf *elf, Elf *debug, const char *build_id, struct code_budget *budget)
{
	struct code_hasher *hasher = xcalloc(1, sizeof(*hasher));
	struct code_image *image = &hasher->image;
	hasher->elf = elf;
	hasher->has_build_id = build_id[0] != '\0';
	hasher->budget = budget;
	map_init(&hasher->contents.index);
	hasher->is_known = code_image_read(elf, debug, budget, image);
	hasher->contents.image = image;
	hasher->contents.find_edges = find_edges;
	hasher->contents.find_edges_data = hasher;
	hasher->contents.bytes_left = MAX_CONTENT_BYTES;
	/* Without the static functions' names no call to one can be told from another. */
	if (hasher->is_known && image->has_all_symbols)
		hasher->decoder = code_decoder_new(image->machine, image->is_fixed ? image->low : 0,
			image->is_fixed ? image->high : 0);
	if (hasher->decoder != NULL)
		group_functions(hasher);
	return hasher;
}

void code_hasher_know_lines(struct code_hasher *hasher, code_line_of *line_of, void *data)
{
	hasher->line_of = line_of;
	hasher->line_of_data = data;
}

void code_hasher_free(struct code_hasher *hasher)
{
	if (hasher == NULL)
		return;
	code_decoder_free(hasher->decoder);
	code_image_release(&hasher->image);
	map_release(&hasher->contents.index);
	free(hasher->contents.list);
	free(hasher->code.items);
	free(hasher->edges);
	free(hasher->by_stem);
	free(hasher->group_of);
	free(hasher->groups);
	free(hasher);
}
