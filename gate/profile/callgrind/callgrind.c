/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/profile/callgrind/callgrind_internal.h"

#include <stdlib.h>
#include <string.h>

/*
 * A browser's start-up under callgrind writes about 100 MB: 200,000 functions, 1,500,000 calls;
 * with the instructions' addresses three times as much.
 */
const struct callgrind_limits callgrind_default_limits = {
	.max_bytes = (size_t)512 << 20,
	.max_functions = 500000,
	.max_names = 2000000,
	.max_calls = 4000000,
	.max_costs = 8000000,
	.max_name_bytes = (size_t)256 << 10,
	.max_stacks = 16000,
	.max_pieces = 8000000,
	.max_depth = 512,
};

#define FORMAT_HEAD_BYTES 4096

struct callgrind *callgrind_new(const struct callgrind_limits *limits)
{
	struct callgrind *callgrind = xcalloc(1, sizeof(*callgrind));

	arena_init(&callgrind->arena);
	map_init(&callgrind->string_index);
	map_init(&callgrind->function_index);
	callgrind->limits = limits ? limits : &callgrind_default_limits;
	callgrind->command = callgrind->program = "";
	callgrind_string(callgrind, "", 0);
	return callgrind;
}

void callgrind_free(struct callgrind *callgrind)
{
	if (!callgrind)
		return;
	map_release(&callgrind->string_index);
	map_release(&callgrind->function_index);
	free(callgrind->strings);
	free(callgrind->functions);
	free(callgrind->costs);
	free(callgrind->calls);
	free(callgrind->sites);
	arena_release(&callgrind->arena);
	free(callgrind);
}

uint32_t callgrind_string(struct callgrind *callgrind, const char *text, size_t length)
{
	bool added;
	uint32_t index = map_intern(
		&callgrind->string_index, text, length, (uint32_t)callgrind->string_count, &added);

	if (!added)
		return index;
	callgrind->strings = grow_array(callgrind->strings, &callgrind->string_capacity,
		callgrind->string_count + 1, sizeof(*callgrind->strings));
	callgrind->strings[callgrind->string_count++] =
		arena_strndup(&callgrind->arena, text, length);
	return index;
}

uint32_t callgrind_function(
	struct callgrind *callgrind, uint32_t object, uint32_t file, uint32_t name)
{
	struct callgrind_function function = {object, file, name};
	bool added;
	uint32_t index;

	if (callgrind->function_count >= callgrind->limits->max_functions) {
		index = map_get(&callgrind->function_index, &function, sizeof(function));
		return index == MAP_NONE ? CALLGRIND_NONE : index;
	}
	index = map_intern(&callgrind->function_index, &function, sizeof(function),
		(uint32_t)callgrind->function_count, &added);
	if (!added)
		return index;
	callgrind->functions = grow_array(callgrind->functions, &callgrind->function_capacity,
		callgrind->function_count + 1, sizeof(*callgrind->functions));
	callgrind->functions[callgrind->function_count++] = function;
	return index;
}

void callgrind_keep_calls(struct callgrind *callgrind)
{
	callgrind->keeps_sites = true;
}

size_t callgrind_calls_count(const struct callgrind *callgrind)
{
	return callgrind->site_count;
}

struct callgrind_calls callgrind_calls_at(const struct callgrind *callgrind, size_t index)
{
	const struct callgrind_site *site = &callgrind->sites[index];
	const struct callgrind_function *caller = &callgrind->functions[site->caller];
	const struct callgrind_function *callee = &callgrind->functions[site->callee];

	return (struct callgrind_calls){.caller = callgrind->strings[caller->name],
		.callee = callgrind->strings[callee->name],
		.caller_object = callgrind->strings[caller->object],
		.callee_object = callgrind->strings[callee->object],
		.from = site->from,
		.to = site->to,
		.count = site->calls,
		.instructions = site->count};
}

uint64_t callgrind_instructions(const struct callgrind *callgrind)
{
	return callgrind->total;
}

const char *callgrind_command(const struct callgrind *callgrind)
{
	return callgrind->command;
}

const char *callgrind_program(const struct callgrind *callgrind)
{
	return callgrind->program;
}

/* "key: value", as all lines before the costs are in both formats. */
static bool is_header(const char *line, size_t length, bool *is_events)
{
	const char *colon = memchr(line, ':', length);

	*is_events = length > 7 && memcmp(line, "events:", 7) == 0;
	return colon && strspn(line, "abcdefghijklmnopqrstuvwxyz") == (size_t)(colon - line);
}

bool callgrind_is_format(const void *data, size_t length)
{
	static const char mark[] = "# callgrind format";
	size_t head = length < FORMAT_HEAD_BYTES ? length : FORMAT_HEAD_BYTES;
	const char *at = data, *end = at + head;
	bool is_events = false;

	if (head >= sizeof(mark) - 1 && memcmp(at, mark, sizeof(mark) - 1) == 0)
		return true;
	while (at < end && !is_events) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t size = newline ? (size_t)(newline - at) : 0;

		if (!newline || (size && *at != '#' && !is_header(at, size, &is_events)))
			return false;
		at = newline + 1;
	}
	return is_events;
}

int callgrind_decode(const void *data, size_t length, const char *name,
	const struct callgrind_limits *limits, struct profile **out, struct error *err)
{
	struct callgrind *callgrind = callgrind_new(limits);
	const struct callgrind_options options = {0};
	struct profile *profile = profile_new();
	int rc = callgrind_add(callgrind, data, length, name, err);

	if (!rc)
		rc = callgrind_add_samples(callgrind, &options, profile, err);
	if (rc)
		profile_free(profile);
	else
		*out = profile;
	callgrind_free(callgrind);
	return rc;
}
