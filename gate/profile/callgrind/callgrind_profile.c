/* SPDX-License-Identifier: Apache-2.0 */
/* From callgrind's stacks to samples of a profile. */
#include "gate/profile/callgrind/callgrind_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/profile_kind.h"
#include "gate/profile/symbolize/symbolize_internal.h"

struct writer {
	const struct callgrind *callgrind;
	const struct callgrind_options *options;
	struct profile *profile;
	struct symbolizer *symbolizer; /* for its prefixes */
	struct arena arena;
	uint32_t *functions; /* the profile's, by callgrind's; CALLGRIND_NONE: not added yet */
	uint32_t *mappings;  /* by string: of the object */
	uint32_t *locations; /* by frame */
};

static int prepare_types(struct profile *profile, struct error *err)
{
	const struct profile_kind *kind = profile_kind_find("instructions");
	const struct profile_value_type *type = &kind->types[0];

	if (!profile->type_count) {
		profile_add_type(profile, type->type, type->unit);
		profile->default_type = kind->default_type;
	}
	if (profile->type_count != kind->type_count || profile_find_type(profile, type->type) != 0)
		return error_set(err, ERR_USAGE, "the profile is not one of instructions");
	return ERR_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_known(const char *path)
{
	return *path && strcmp(path, "???") != 0;
}

static const char *clean_path(struct writer *writer, const char *path)
{
	char *clean;

	if (!is_known(path))
		return "";
	clean = arena_strdup(&writer->arena, path);
	symbol_path_normalize(clean);
	return symbolizer_strip(writer->symbolizer, clean);
}

/* "f'2" is the second level of f's recursion. */
static size_t length_without_level(const char *name)
{
	size_t length = strlen(name), digits = 0;

	while (digits < length && strchr("0123456789", name[length - digits - 1]))
		digits++;
	if (digits && digits + 1 < length && name[length - digits - 1] == '\'')
		length -= digits + 1;
	return length;
}

/* What has no symbol is called by its address in the object, in 16 digits. */
static bool is_address(const char *name, size_t length)
{
	return length == 18 && memcmp(name, "0x", 2) == 0 &&
	       strspn(name + 2, "0123456789abcdef") >= 16;
}

static const char *function_name(struct writer *writer, const struct callgrind_function *function)
{
	const char *name = writer->callgrind->strings[function->name],
		   *object = writer->callgrind->strings[function->object], *slash;
	size_t length = length_without_level(name);

	if (!length || strcmp(name, "???") == 0)
		return "[unknown]";
	if (!is_address(name, length))
		return arena_strndup(&writer->arena, name, length);
	if (!is_known(object))
		return "[unknown]";
	slash = strrchr(object, '/');
	return arena_printf(&writer->arena, "[%s+0x%" PRIx64 "]", slash ? slash + 1 : object,
		(uint64_t)strtoull(name, NULL, 16));
}

/* ---- what the samples refer to --------------------------------------------------------------- */

static uint32_t add_mapping(struct writer *writer, uint32_t object, const char *path)
{
	const struct callgrind_options *options = writer->options;
	const char *build_id = NULL;
	struct profile_mapping mapping = {
		.has_functions = true, .has_filenames = true, .has_line_numbers = true};

	if (object != CALLGRIND_NONE && writer->mappings[object] != CALLGRIND_NONE)
		return writer->mappings[object];
	if (!is_known(path))
		return PROFILE_NO_MAPPING;
	if (options->build_id)
		build_id = options->build_id(options->build_id_data, path);
	mapping.build_id = build_id ? build_id : "";
	mapping.file = symbolizer_strip(writer->symbolizer, path);
	return profile_add_mapping(writer->profile, &mapping);
}

static uint32_t object_mapping(struct writer *writer, uint32_t object)
{
	uint32_t mapping = add_mapping(writer, object, writer->callgrind->strings[object]);

	writer->mappings[object] = mapping;
	return mapping;
}

static uint32_t add_function(struct writer *writer, uint32_t index)
{
	const struct callgrind_function *known = &writer->callgrind->functions[index];
	struct profile_function function = {.system_name = ""};

	if (writer->functions[index] != CALLGRIND_NONE)
		return writer->functions[index];
	function.name = function_name(writer, known);
	function.file = clean_path(writer, writer->callgrind->strings[known->file]);
	writer->functions[index] = profile_add_function(writer->profile, &function);
	return writer->functions[index];
}

static uint32_t add_location(struct writer *writer, uint32_t function, uint32_t number)
{
	struct profile_line line = {add_function(writer, function), number};
	struct profile_location location = {.lines = &line, .line_count = 1};

	location.mapping = object_mapping(writer, writer->callgrind->functions[function].object);
	return profile_add_location(writer->profile, &location);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void add_sample(struct writer *writer, const struct callgrind_stacks *stacks,
	const struct callgrind_stack *stack, uint32_t *locations)
{
	int64_t value = (int64_t)stack->count;
	struct profile_label label = {
		.key = PROFILE_LABEL_ROUND, .number = writer->options->round, .unit = ""};
	struct profile_sample sample = {
		.locations = locations, .values = &value, .labels = &label, .label_count = 1};

	locations[sample.depth++] = add_location(writer, stack->function, stack->line);
	for (uint32_t up = stack->up; up != CALLGRIND_NONE; up = stacks->frames[up].up) {
		const struct callgrind_frame *frame = &stacks->frames[up];

		if (writer->locations[up] == CALLGRIND_NONE)
			writer->locations[up] = add_location(writer, frame->function, frame->line);
		locations[sample.depth++] = writer->locations[up];
	}
	profile_add_sample(writer->profile, &sample);
}

static void say_what_was_assumed(struct writer *writer, const struct callgrind_flow *flow,
	const struct callgrind_stacks *stacks)
{
	struct profile *profile = writer->profile;

	if (flow->call_count)
		profile_add_comment_once(profile,
			"instructions were counted by function and call, not by stack: where a "
			"function has several callers, its cost is shared out "
			"by the cost of their calls");
	if (flow->cycles)
		profile_add_comment_once(profile,
			"recursion through several functions: its members stand below the one by "
			"which it was entered");
	if (stacks->is_cut)
		profile_add_comment_once(
			profile, "warning: the deepest stacks have lost frames in between");
	if (flow->excess > writer->callgrind->total / 100)
		profile_add_comment_once(profile,
			"warning: the counts of calls are larger than those of what was called: "
			"totals of callers are too small");
}

static uint32_t *new_indices(struct writer *writer, size_t count)
{
	uint32_t *indices = arena_array(&writer->arena, count + 1, sizeof(*indices));

	memset(indices, 0xff, (count + 1) * sizeof(*indices));
	return indices;
}

static void write_samples(struct writer *writer)
{
	const struct callgrind *callgrind = writer->callgrind;
	uint32_t *locations =
		arena_array(&writer->arena, callgrind->limits->max_depth + 1, sizeof(*locations));
	struct callgrind_flow flow;
	struct callgrind_stacks stacks;

	callgrind_flow_init(&flow, callgrind);
	callgrind_stacks_init(&stacks, &flow, callgrind->limits);
	writer->functions = new_indices(writer, callgrind->function_count);
	writer->mappings = new_indices(writer, callgrind->string_count);
	writer->locations = new_indices(writer, stacks.frame_count);
	/* pprof's first mapping is the main binary. */
	if (!writer->profile->mapping_count)
		add_mapping(writer, CALLGRIND_NONE, callgrind->program);
	for (size_t i = 0; i < stacks.stack_count; i++)
		add_sample(writer, &stacks, &stacks.stacks[i], locations);
	say_what_was_assumed(writer, &flow, &stacks);
	callgrind_stacks_release(&stacks);
	callgrind_flow_release(&flow);
}

int callgrind_add_samples(const struct callgrind *callgrind,
	const struct callgrind_options *options, struct profile *profile, struct error *err)
{
	struct symbolizer_options prefixes = {.strip_prefixes = options->strip_prefixes};
	struct writer writer = {.callgrind = callgrind, .options = options, .profile = profile};
	int rc = prepare_types(profile, err);

	if (rc)
		return rc;
	arena_init(&writer.arena);
	writer.symbolizer = symbolizer_new(&prefixes);
	write_samples(&writer);
	symbolizer_free(writer.symbolizer);
	arena_release(&writer.arena);
	return ERR_OK;
}
