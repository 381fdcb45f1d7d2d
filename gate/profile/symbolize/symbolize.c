/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/symbolize/symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/symbolize/symbolize_internal.h"

#define DEFAULT_MEMORY_BYTES ((uint64_t)4 << 30)
#define DEFAULT_CPU_SECONDS 60
#define DEFAULT_WAIT_SECONDS 120
#define DEFAULT_CODE_UNITS UINT64_C(2500000000) /* leaves half of the CPU time to the names */
#define MAX_LOST_CHILDREN 8 /* after so many, modules that are still unread go without names */
#define MAX_WARNING_BYTES 2048

/* ---- life ------------------------------------------------------------------------------------ */

static int compare_lengths(const void *left, const void *right)
{
	const char *a = *(const char *const *)left, *b = *(const char *const *)right;
	size_t a_length = strlen(a), b_length = strlen(b);
	return (a_length < b_length) - (a_length > b_length);
}

static void copy_prefixes(struct symbolizer *symbolizer, const char *const *prefixes)
{
	size_t count = 0;
	while (prefixes != NULL && prefixes[count] != NULL)
		count++;
	symbolizer->strip_prefixes =
		arena_array(&symbolizer->arena, count, sizeof(*symbolizer->strip_prefixes));
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(prefixes[i]);
		while (length > 0 && prefixes[i][length - 1] == '/')
			length--;
		if (length > 0)
			symbolizer->strip_prefixes[symbolizer->prefix_count++] =
				arena_strndup(&symbolizer->arena, prefixes[i], length);
	}
	if (symbolizer->prefix_count > 1)
		qsort(symbolizer->strip_prefixes, symbolizer->prefix_count,
			sizeof(*symbolizer->strip_prefixes), compare_lengths);
}

struct symbolizer *symbolizer_new(const struct symbolizer_options *options)
{
	struct symbolizer *symbolizer = xcalloc(1, sizeof(*symbolizer));
	struct symbolizer_limits limits = {DEFAULT_MEMORY_BYTES, DEFAULT_CPU_SECONDS,
		DEFAULT_WAIT_SECONDS, DEFAULT_CODE_UNITS};
	if (options != NULL && options->max_memory_bytes > 0)
		limits.max_memory_bytes = options->max_memory_bytes;
	if (options != NULL && options->max_cpu_seconds > 0)
		limits.max_cpu_seconds = options->max_cpu_seconds;
	if (options != NULL && options->max_wait_seconds > 0)
		limits.max_wait_seconds = options->max_wait_seconds;
	if (options != NULL && options->max_code_units > 0)
		limits.max_code_units = options->max_code_units;
	arena_init(&symbolizer->arena);
	map_init(&symbolizer->module_index);
	map_init(&symbolizer->address_index);
	symbol_worker_init(&symbolizer->worker, &limits);
	map_init(&symbolizer->code_index);
	symbolizer->hash_code = options != NULL && options->hash_code;
	strbuf_init(&symbolizer->names);
	symbolizer->names_complete = true;
	copy_prefixes(symbolizer, options == NULL ? NULL : options->strip_prefixes);
	return symbolizer;
}

void symbolizer_free(struct symbolizer *symbolizer)
{
	if (symbolizer == NULL)
		return;
	symbol_worker_stop(&symbolizer->worker);
	free(symbolizer->modules);
	free(symbolizer->addresses);
	free(symbolizer->functions);
	map_release(&symbolizer->module_index);
	map_release(&symbolizer->address_index);
	free(symbolizer->codes);
	map_release(&symbolizer->code_index);
	strbuf_release(&symbolizer->names);
	arena_release(&symbolizer->arena);
	free(symbolizer);
}

/* ---- the cache ------------------------------------------------------------------------------- */

struct symbol_key {
	uint64_t lookup;
	uint64_t module; /* 64 bits, so that there is no padding */
};

uint32_t symbolizer_module(struct symbolizer *symbolizer, const struct capture_module *module)
{
	bool added;
	struct strbuf key = STRBUF_INIT;
	if (module == NULL || module->path[0] == '\0' || module->path[0] == '[')
		return MAP_NONE;
	strbuf_add(&key, module->path, strlen(module->path) + 1);
	strbuf_addstr(&key, module->build_id);
	uint32_t id = map_intern(&symbolizer->module_index, key.data, key.length,
		(uint32_t)symbolizer->module_count, &added);
	strbuf_release(&key);
	if (!added)
		return id;
	symbolizer->modules = grow_array(symbolizer->modules, &symbolizer->module_capacity,
		symbolizer->module_count + 1, sizeof(*symbolizer->modules));
	symbolizer->modules[symbolizer->module_count++] = (struct symbol_module){
		.path = arena_strdup(&symbolizer->arena, module->path),
		.build_id = arena_strdup(&symbolizer->arena, module->build_id),
	};
	return id;
}

uint64_t symbolizer_lookup_address(const struct capture_frame *frame)
{
	return frame->exact || frame->address == 0 ? frame->address : frame->address - 1;
}

const struct symbol_address *symbolizer_cached(
	const struct symbolizer *symbolizer, uint32_t module, uint64_t lookup)
{
	struct symbol_key key = {lookup, module};
	if (module == MAP_NONE)
		return NULL;
	uint32_t id = map_get(&symbolizer->address_index, &key, sizeof(key));
	return id == MAP_NONE ? NULL : &symbolizer->addresses[id];
}

const struct capture_module *symbolizer_frame_module(
	const struct capture_process *process, const struct capture_frame *frame)
{
	return frame->module < process->module_count ? &process->modules[frame->module] : NULL;
}

const char *symbolizer_strip(const struct symbolizer *symbolizer, const char *file)
{
	for (size_t i = 0; i < symbolizer->prefix_count; i++) {
		size_t length = strlen(symbolizer->strip_prefixes[i]);
		if (strncmp(file, symbolizer->strip_prefixes[i], length) != 0 ||
			file[length] != '/')
			continue;
		const char *rest = file + length + strspn(file + length, "/");
		return rest[0] == '\0' ? file : rest;
	}
	return file;
}

/* ---- what is not known yet ------------------------------------------------------------------- */

struct wanted {
	uint32_t module, address; /* the latter an index into symbolizer->addresses */
	uint64_t lookup;
};

struct wanted_list {
	struct wanted *items;
	size_t count, capacity;
};

static void want(
	struct symbolizer *symbolizer, uint32_t module, uint64_t lookup, struct wanted_list *list)
{
	bool added;
	struct symbol_key key = {lookup, module};
	uint32_t id = (uint32_t)symbolizer->address_count;
	map_intern(&symbolizer->address_index, &key, sizeof(key), id, &added);
	if (!added)
		return;
	symbolizer->addresses = grow_array(symbolizer->addresses, &symbolizer->address_capacity,
		symbolizer->address_count + 1, sizeof(*symbolizer->addresses));
	symbolizer->addresses[symbolizer->address_count++] = (struct symbol_address){NULL, 0};
	list->items =
		grow_array(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct wanted){module, id, lookup};
}

static void want_stack(struct symbolizer *symbolizer, const struct capture_process *process,
	const struct capture_stack *stack, const uint32_t *modules, struct wanted_list *list)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		const struct capture_frame *frame = &stack->frames[i];
		uint32_t module =
			frame->module < process->module_count ? modules[frame->module] : MAP_NONE;
		if (module != MAP_NONE)
			want(symbolizer, module, symbolizer_lookup_address(frame), list);
	}
}

static void want_process(struct symbolizer *symbolizer, const struct capture_process *process,
	struct wanted_list *list)
{
	uint32_t *modules = xcalloc(process->module_count, sizeof(*modules));
	for (size_t i = 0; i < process->module_count; i++)
		modules[i] = symbolizer_module(symbolizer, &process->modules[i]);
	for (size_t i = 0; i < process->stack_count; i++)
		want_stack(symbolizer, process, &process->stacks[i], modules, list);
	free(modules);
}

static int compare_wanted(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->lookup > b->lookup) - (a->lookup < b->lookup);
}

/* ---- answers --------------------------------------------------------------------------------- */

static const char *copy_string(
	struct symbolizer *symbolizer, struct symbol_cursor *reply, size_t max_bytes)
{
	size_t length;
	const char *string = symbol_get_string(reply, max_bytes, &length);
	return string == NULL ? "" : arena_strndup(&symbolizer->arena, string, length);
}

/* A function without a name could not be told from others. */
static void take_functions(
	struct symbolizer *symbolizer, struct symbol_cursor *reply, uint32_t count)
{
	for (uint32_t i = 0; i < count && !reply->failed; i++) {
		struct symbol_function function;
		function.name = copy_string(symbolizer, reply, SYMBOL_MAX_NAME_BYTES);
		function.system_name = copy_string(symbolizer, reply, SYMBOL_MAX_NAME_BYTES);
		function.file = copy_string(symbolizer, reply, SYMBOL_MAX_NAME_BYTES);
		function.start_line = symbol_get_u32(reply);
		reply->failed |= function.name[0] == '\0' || function.start_line > INT32_MAX;
		symbolizer->functions =
			grow_array(symbolizer->functions, &symbolizer->function_capacity,
				symbolizer->function_count + 1, sizeof(*symbolizer->functions));
		symbolizer->functions[symbolizer->function_count++] = function;
	}
}

static void take_frames(struct symbolizer *symbolizer, struct symbol_cursor *reply, uint32_t base,
	uint32_t functions, struct symbol_address *address)
{
	uint32_t count = symbol_get_u32(reply);
	reply->failed |= count > SYMBOL_MAX_INLINED;
	if (reply->failed || count == 0)
		return;
	struct symbol_frame *frames = arena_array(&symbolizer->arena, count, sizeof(*frames));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t function = symbol_get_u32(reply);
		frames[i].line = symbol_get_u32(reply);
		frames[i].function = base + function;
		reply->failed |= function >= functions || frames[i].line > INT32_MAX;
	}
	if (!reply->failed)
		*address = (struct symbol_address){frames, count};
	symbolizer_take_code(symbolizer, reply, address);
}

static void module_failed(
	struct symbolizer *symbolizer, struct symbol_module *module, const char *reason)
{
	module->failed = true;
	module->warning = arena_printf(&symbolizer->arena, "no names for %.*s: %.*s",
		MAX_WARNING_BYTES, module->path, MAX_WARNING_BYTES, reason);
}

static void code_failed(
	struct symbolizer *symbolizer, struct symbol_module *module, const char *reason)
{
	module->code_failed = true;
	module->warning =
		arena_printf(&symbolizer->arena, "the code of functions in %.*s is not known: %.*s",
			MAX_WARNING_BYTES, module->path, MAX_WARNING_BYTES, reason);
}

/* false: it is not an answer to what was asked. */
static bool take_reply(struct symbolizer *symbolizer, const struct strbuf *bytes,
	const struct wanted *wanted, size_t count)
{
	struct symbol_module *module = &symbolizer->modules[wanted->module];
	struct symbol_cursor reply = {bytes->data, bytes->data + bytes->length, false};
	uint32_t base = (uint32_t)symbolizer->function_count;
	reply.failed = symbol_get_u32(&reply) != bytes->length - sizeof(uint32_t);
	unsigned flags = symbol_get_u32(&reply);
	const char *warning = copy_string(symbolizer, &reply, ERROR_MESSAGE_BYTES);
	if (!reply.failed && flags == 0 && reply.at == reply.end) {
		module_failed(symbolizer, module, warning);
		return true;
	}
	uint32_t functions = symbol_get_u32(&reply);
	take_functions(symbolizer, &reply, functions);
	for (size_t i = 0; i < count && !reply.failed; i++)
		take_frames(symbolizer, &reply, base, functions,
			&symbolizer->addresses[wanted[i].address]);
	if (flags & SYMBOL_CODE_CUT && !module->code_failed)
		code_failed(symbolizer, module, "there is too much of it");
	module->flags = flags & (SYMBOL_HAS_FUNCTIONS | SYMBOL_HAS_FILES | SYMBOL_HAS_LINES |
					SYMBOL_HAS_INLINED);
	return !reply.failed && reply.at == reply.end;
}

void symbolizer_begin_request(
	struct strbuf *request, const struct symbol_module *module, enum symbol_question question)
{
	strbuf_reset(request);
	symbol_put_u32(request, 0);
	symbol_put_string(request, module->path);
	symbol_put_string(request, module->build_id);
	symbol_put_u32(request, question);
}

void symbolizer_end_request(struct strbuf *request)
{
	uint32_t length = (uint32_t)(request->length - sizeof(length));
	memcpy(request->data, &length, sizeof(length));
}

static void write_request(const struct symbolizer *symbolizer, const struct wanted *wanted,
	size_t count, struct strbuf *request)
{
	const struct symbol_module *module = &symbolizer->modules[wanted->module];
	bool hashing = symbolizer->hash_code && !module->code_failed;
	symbolizer_begin_request(request, module, hashing ? SYMBOL_ASK_CODE : SYMBOL_ASK_NAMES);
	symbol_put_u32(request, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		strbuf_add(request, &wanted[i].lookup, sizeof(wanted[i].lookup));
	symbolizer_end_request(request);
}

/* Names are worth more than hashes: who was lost while hashing may still tell the names. */
static int ask_worker(struct symbolizer *symbolizer, const struct wanted *wanted, size_t count,
	struct strbuf *request, struct strbuf *reply, struct error *why)
{
	struct symbol_module *module = &symbolizer->modules[wanted->module];
	bool hashing = symbolizer->hash_code && !module->code_failed;
	write_request(symbolizer, wanted, count, request);
	strbuf_reset(reply);
	int code = symbol_worker_ask(&symbolizer->worker, request, reply, why);
	if (code != ERR_TOOL || !hashing)
		return code;
	code_failed(symbolizer, module, why->message);
	return ask_worker(symbolizer, wanted, count, request, reply, why);
}

/* A module that cannot be read costs its names. Only an interrupt is an error. */
static int ask(struct symbolizer *symbolizer, const struct wanted *wanted, size_t count,
	struct strbuf *request, struct strbuf *reply, struct error *err)
{
	struct error why = {0};
	struct symbol_module *module = &symbolizer->modules[wanted->module];
	if (module->failed)
		return ERR_OK;
	if (symbolizer->worker.lost >= MAX_LOST_CHILDREN) {
		module_failed(symbolizer, module, "too many symbol readers have failed");
		return ERR_OK;
	}
	if (strlen(module->path) > SYMBOL_MAX_PATH_BYTES ||
		strlen(module->build_id) > SYMBOL_MAX_NAME_BYTES) {
		module_failed(symbolizer, module, "its path is too long");
		return ERR_OK;
	}
	int code = ask_worker(symbolizer, wanted, count, request, reply, &why);
	if (code == ERR_INTERRUPTED)
		return error_set(err, code, "%s", why.message);
	if (code != ERR_OK) {
		module_failed(symbolizer, module, why.message);
	} else if (!take_reply(symbolizer, reply, wanted, count)) {
		for (size_t i = 0; i < count; i++)
			symbolizer->addresses[wanted[i].address] = (struct symbol_address){NULL, 0};
		symbol_worker_fire(&symbolizer->worker);
		module_failed(symbolizer, module, "the symbol reader gave a damaged answer");
	}
	return ERR_OK;
}

static int ask_all(struct symbolizer *symbolizer, const struct wanted_list *list, struct error *err)
{
	struct strbuf request = STRBUF_INIT, reply = STRBUF_INIT;
	int code = ERR_OK;
	for (size_t start = 0, end; start < list->count && code == ERR_OK; start = end) {
		for (end = start + 1; end < list->count && end - start < SYMBOL_CHUNK_ADDRESSES &&
				      list->items[end].module == list->items[start].module;)
			end++;
		code = ask(symbolizer, &list->items[start], end - start, &request, &reply, err);
	}
	strbuf_release(&request);
	strbuf_release(&reply);
	return code;
}

int symbolizer_add_captures(struct symbolizer *symbolizer, const struct capture_set *set,
	const struct profile_kind *kind, int64_t round, struct profile *profile, struct error *err)
{
	struct wanted_list list = {NULL, 0, 0};
	for (size_t i = 0; i < set->process_count; i++)
		if (!set->processes[i].excluded)
			want_process(symbolizer, &set->processes[i], &list);
	if (list.count > 1)
		qsort(list.items, list.count, sizeof(*list.items), compare_wanted);
	int code = ask_all(symbolizer, &list, err);
	symbol_worker_stop(&symbolizer->worker);
	free(list.items);
	if (code != ERR_OK)
		return code;
	return symbolizer_build_profile(symbolizer, set, kind, round, profile, err);
}
