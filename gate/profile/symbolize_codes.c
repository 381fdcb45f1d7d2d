/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes of functions' machine code, by what a profile knows of a function. */
#include "gate/profile/symbolize_internal.h"

#include <stdlib.h>
#include <string.h>

static void write_key(struct strbuf *key, const char *name, const char *system_name,
	const char *file, uint32_t line)
{
	symbol_put_string(key, name);
	symbol_put_string(key, system_name);
	symbol_put_string(key, file);
	symbol_put_u32(key, line);
}

static bool is_hash(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strchr("0123456789abcdef", text[i]) == NULL)
			return false;
	return length == 0 || length == CODE_HASH_DIGITS;
}

/* Two bodies of what a profile takes for one function: neither hash tells of it. */
static void note_code(struct symbolizer *symbolizer, const struct symbol_function *function,
	const struct symbolized_code *code)
{
	bool added;
	struct strbuf key = STRBUF_INIT;
	write_key(&key, function->name, function->system_name,
		symbolizer_strip(symbolizer, function->file), function->start_line);
	uint32_t id = map_intern(&symbolizer->code_index, key.data, key.length,
		(uint32_t)symbolizer->code_count, &added);
	strbuf_release(&key);
	if (added) {
		symbolizer->codes = grow_array(symbolizer->codes, &symbolizer->code_capacity,
			symbolizer->code_count + 1, sizeof(*symbolizer->codes));
		symbolizer->codes[symbolizer->code_count++] = *code;
	} else if (strcmp(symbolizer->codes[id].hash, code->hash) != 0) {
		symbolizer->codes[id].hash = "";
	}
}

void symbolizer_take_code(struct symbolizer *symbolizer, struct symbol_cursor *reply,
	const struct symbol_address *address)
{
	size_t length = 0;
	const char *hash = symbol_get_string(reply, CODE_HASH_DIGITS, &length);
	struct symbolized_code code = {.bytes = symbol_get_u32(reply)};
	if (reply->failed || !is_hash(hash, length)) {
		reply->failed = true;
		return;
	}
	if (!symbolizer->hash_code)
		return;
	code.hash = arena_strndup(&symbolizer->arena, hash, length);
	note_code(symbolizer, &symbolizer->functions[address->frames[address->count - 1].function],
		&code);
}

struct symbolized_code symbolizer_code(
	const struct symbolizer *symbolizer, const struct profile_function *function)
{
	struct strbuf key = STRBUF_INIT;
	write_key(&key, function->name, function->system_name, function->file,
		(uint32_t)function->start_line);
	uint32_t id = map_get(&symbolizer->code_index, key.data, key.length);
	strbuf_release(&key);
	return id == MAP_NONE ? (struct symbolized_code){"", 0} : symbolizer->codes[id];
}
