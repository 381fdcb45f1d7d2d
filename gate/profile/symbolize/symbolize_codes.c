/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes of functions' machine code, by what a profile knows of a function. */
#include "gate/profile/symbolize/symbolize_internal.h"

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

static bool is_hash(const char *text)
{
	size_t length = strlen(text);
	return length == 0 ||
	       (length == CODE_HASH_DIGITS && strspn(text, "0123456789abcdef") == length);
}

static bool is_code(const struct symbolized_code *code)
{
	return is_hash(code->hash) && is_hash(code->shape) &&
	       code_callees_are_valid(code->callees, strlen(code->callees)) &&
	       (code->shape[0] == '\0') == (code->callees[0] == '\0') &&
	       (code->shape[0] == '\0' || code->hash[0] != '\0');
}

static void copy_code(
	struct arena *arena, const struct symbolized_code *code, struct symbolized_code *out)
{
	*out = (struct symbolized_code){.hash = arena_strdup(arena, code->hash),
		.bytes = code->bytes,
		.shape = arena_strdup(arena, code->shape),
		.callees = arena_strdup(arena, code->callees)};
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
		copy_code(&symbolizer->arena, code, &symbolizer->codes[symbolizer->code_count++]);
	} else if (strcmp(symbolizer->codes[id].hash, code->hash) != 0) {
		symbolizer->codes[id].hash = "";
	}
}

static void take_text(struct symbol_cursor *reply, size_t size, char *out)
{
	size_t length = 0;
	const char *text = symbol_get_string(reply, size - 1, &length);
	if (text != NULL)
		memcpy(out, text, length);
	out[length] = '\0';
}

void symbolizer_take_code(struct symbolizer *symbolizer, struct symbol_cursor *reply,
	const struct symbol_address *address)
{
	char hash[CODE_HASH_DIGITS + 1], shape[CODE_HASH_DIGITS + 1];
	char callees[CODE_MAX_CALLEES * CODE_CALLEE_DIGITS + 1];
	struct symbolized_code code = {.hash = hash, .shape = shape, .callees = callees};
	take_text(reply, sizeof(hash), hash);
	code.bytes = symbol_get_u32(reply);
	take_text(reply, sizeof(shape), shape);
	take_text(reply, sizeof(callees), callees);
	reply->failed |= !is_code(&code);
	if (!reply->failed && symbolizer->hash_code)
		note_code(symbolizer,
			&symbolizer->functions[address->frames[address->count - 1].function],
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
	return id == MAP_NONE ? (struct symbolized_code){"", 0, "", ""} : symbolizer->codes[id];
}
