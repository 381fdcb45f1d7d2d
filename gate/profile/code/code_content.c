/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of data that a function refers to, with each pointer replaced by what it leads to. */
#include "gate/profile/code/code_stream.h"

#include <string.h>

#include "gate/base/file.h"
#include "gate/profile/code/code_hash.h"

/* ---- pointers -------------------------------------------------------------------------------- */

void code_put_pointer(struct code_stream *stream, uint64_t value, unsigned depth)
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
	else if (!section->executable && !section->is_got && depth < CODE_MAX_DEPTH)
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
		code_put_pointer(stream, relocation->addend, depth);
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

void code_put_slot(struct code_stream *stream, const struct code_section *section, uint64_t target,
	unsigned depth)
{
	const struct code_relocation *relocation = relocation_at(stream->contents->image, target);
	uint64_t value = 0;
	code_put_number(stream, 'G', 0);
	if (depth > CODE_MAX_DEPTH) {
		stream->doubt = true;
		return;
	}
	if (relocation != NULL) { /* which may lead to the slot itself */
		put_relocation(stream, relocation, depth + 1);
		put_thread_pair(stream, section, relocation, depth);
	} else if (section->data != NULL && section->high - target >= sizeof(value)) {
		memcpy(&value, section->data + (target - section->low), sizeof(value));
		code_put_pointer(stream, value, depth + 1);
	} else {
		stream->doubt = true;
	}
}

/* ---- content --------------------------------------------------------------------------------- */

bool code_is_plain_pointer(const struct code_image *image, uint64_t value)
{
	const struct code_section *section = code_image_section(image, value);
	return section != NULL && (!section->executable || code_image_symbol(image, value) != NULL);
}

static void put_plain_pointers(
	struct code_stream *stream, char *bytes, uint64_t low, uint64_t size, unsigned depth)
{
	for (uint64_t at = (8 - low % 8) % 8; at + 8 <= size; at += 8) {
		uint64_t value;
		if (!code_stream_take(stream, 1, CODE_COST_LOOKUP))
			return;
		memcpy(&value, bytes + at, sizeof(value));
		if (!code_is_plain_pointer(stream->contents->image, value))
			continue;
		memset(bytes + at, 0, sizeof(value));
		code_put_number(stream, 'P', at);
		code_put_pointer(stream, value, depth + 1);
	}
}

static void put_relocations(
	struct code_stream *stream, char *bytes, uint64_t low, uint64_t size, unsigned depth)
{
	const struct code_image *image = stream->contents->image;
	for (size_t i = code_image_relocation(image, low);
		i < image->relocation_count && image->relocations[i].address - low < size; i++) {
		uint64_t at = image->relocations[i].address - low;
		if (!code_stream_take(stream, 1, CODE_COST_LOOKUP))
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

void code_put_content(struct code_stream *stream, const struct code_section *section, uint64_t low,
	uint64_t size, unsigned depth)
{
	struct code_contents *contents = stream->contents;
	uint64_t key[3] = {low, size, depth};
	struct code_content content = {true, ""};
	uint32_t id = map_get(&contents->index, key, sizeof(key));
	if (low < section->low || low > section->high || size > section->high - low ||
		!code_stream_take(stream, 1, CODE_COST_LOOKUP) ||
		(id == MAP_NONE && size > contents->bytes_left)) {
		stream->doubt = true;
		return;
	}
	if (id == MAP_NONE) {
		contents->bytes_left -= size;
		code_stream_take(stream, size, 2 * CODE_COST_BYTE);
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
