/* SPDX-License-Identifier: Apache-2.0 */
/* The parent's end of listings: which functions the objects below the prefixes have. */
#include "gate/profile/symbolize/symbolize_internal.h"

#include <string.h>

#include "gate/base/error.h"

/* The same functions may come of many modules: of as many as the layouts that one was linked in. */
#define MAX_ENTRIES ((size_t)32 * FUNCTION_NAMES_MAX)

static bool is_own(const struct symbolizer *symbolizer, const struct symbol_module *module)
{
	return symbolizer_strip(symbolizer, module->path) != module->path;
}

/* In the arena; *paths[0] is that of no file. */
static const char **take_files(struct symbolizer *symbolizer, struct symbol_cursor *reply,
	struct arena *arena, uint32_t count)
{
	size_t length, left = (size_t)(reply->end - reply->at) / sizeof(uint32_t);
	const char **paths;
	reply->failed |= count > left;
	if (reply->failed)
		return NULL;
	paths = arena_array(arena, (size_t)count + 1, sizeof(*paths));
	for (uint32_t i = 1; i <= count && !reply->failed; i++) {
		const char *path = symbol_get_string(reply, SYMBOL_MAX_NAME_BYTES, &length);
		paths[i] = path == NULL ? NULL
					: symbolizer_strip(
						  symbolizer, arena_strndup(arena, path, length));
	}
	return paths;
}

static void take_name(struct symbolizer *symbolizer, struct symbol_cursor *reply,
	const char **paths, uint32_t files)
{
	char name[FUNCTION_NAME_DIGITS + 1] = "", place[FUNCTION_NAME_DIGITS + 1];
	uint32_t file;
	if (reply->failed || reply->end - reply->at < FUNCTION_NAME_DIGITS) {
		reply->failed = true;
		return;
	}
	memcpy(name, reply->at, FUNCTION_NAME_DIGITS);
	reply->at += FUNCTION_NAME_DIGITS;
	file = symbol_get_u32(reply);
	reply->failed |= file > files || !function_names_are_valid(name, strlen(name)) ||
			 strlen(name) != FUNCTION_NAME_DIGITS;
	if (reply->failed)
		return;
	strbuf_add(&symbolizer->names, name, FUNCTION_NAME_DIGITS);
	if (file == 0)
		return;
	function_place_digits(name, paths[file], place);
	strbuf_add(&symbolizer->names, place, FUNCTION_NAME_DIGITS);
}

/* False: it is no answer to what was asked. */
static bool take_listing(struct symbolizer *symbolizer, const struct strbuf *bytes)
{
	struct arena arena = ARENA_INIT;
	struct symbol_cursor reply = {bytes->data, bytes->data + bytes->length, false};
	size_t length, before = symbolizer->names.length;
	uint32_t flags, complete, files, count;
	const char **paths;
	reply.failed = symbol_get_u32(&reply) != bytes->length - sizeof(uint32_t);
	flags = symbol_get_u32(&reply);
	symbol_get_string(&reply, ERROR_MESSAGE_BYTES, &length);
	if (!reply.failed && flags == 0 && reply.at == reply.end) {
		symbolizer->names_complete = false;
		return true;
	}
	complete = symbol_get_u32(&reply);
	files = symbol_get_u32(&reply);
	paths = take_files(symbolizer, &reply, &arena, files);
	count = symbol_get_u32(&reply);
	for (uint32_t i = 0; i < count && !reply.failed; i++)
		take_name(symbolizer, &reply, paths, files);
	reply.failed |= reply.at != reply.end;
	if (reply.failed)
		strbuf_truncate(&symbolizer->names, before);
	symbolizer->names_complete &= complete == 1 && !reply.failed;
	arena_release(&arena);
	return !reply.failed;
}

static void list_module(struct symbolizer *symbolizer, struct symbol_module *module)
{
	struct strbuf request = STRBUF_INIT, reply = STRBUF_INIT;
	symbolizer_begin_request(&request, module, SYMBOL_ASK_LISTING);
	symbolizer_end_request(&request);
	if (symbol_worker_ask(&symbolizer->worker, &request, &reply, NULL) != ERR_OK) {
		symbolizer->names_failed = true;
	} else if (!take_listing(symbolizer, &reply)) {
		symbol_worker_fire(&symbolizer->worker);
		symbolizer->names_failed = true;
	}
	strbuf_release(&request);
	strbuf_release(&reply);
}

void symbolizer_list_functions(
	struct symbolizer *symbolizer, struct function_names *names, struct arena *arena)
{
	for (size_t i = 0; i < symbolizer->module_count; i++) {
		struct symbol_module *module = &symbolizer->modules[i];
		if (module->listed || !is_own(symbolizer, module))
			continue;
		module->listed = true;
		if (symbolizer->names_failed || module->failed ||
			strlen(module->path) > SYMBOL_MAX_PATH_BYTES ||
			symbolizer->names.length > MAX_ENTRIES * FUNCTION_NAME_DIGITS)
			symbolizer->names_complete = false;
		else
			list_module(symbolizer, module);
	}
	symbol_worker_stop(&symbolizer->worker);
	function_names_finish(names, &symbolizer->names,
		symbolizer->names_complete && !symbolizer->names_failed, arena);
}
