/* SPDX-License-Identifier: Apache-2.0 */
/* From captures whose addresses are all in the cache to samples of a profile. */
#include "gate/profile/symbolize/symbolize_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/profile/frames/allocator_frames.h"
#include "gate/profile/frames/go_frames.h"
#include "gate/profile/frames/harness_frames.h"
#include "gate/profile/symbolize/symbolize_labels.h"
#include "gate/profile/symbolize/symbolize_values.h"
#include "gate/sampler/unwind/unwind.h"

#define CUT_NAME "[cut: too deep]"

/* Stacks of several processes become one where their locations and labels agree. */
struct sum {
	const uint32_t *locations;
	uint32_t depth, epoch, labels;
	const char *state; /* of the label that tells kinds apart; NULL: there is none */
	struct symbol_values values;
};

struct builder {
	const struct symbolizer *symbolizer;
	const struct profile_kind *kind;
	struct profile *profile;
	struct arena arena;
	uint32_t *functions; /* by the symbolizer's index; UINT32_MAX: not added yet */
	struct sum *sums;
	size_t sum_count, sum_capacity;
	struct map sum_index;
	struct label_sets labels;
	/* of the process at hand */
	const struct capture_process *process;
	uint32_t *modules;  /* the symbolizer's */
	uint32_t *mappings; /* the profile's */
	uint32_t *contexts; /* 0 (none) and its contexts -> the label set; MAP_NONE: not made yet */
};

/* ---- mappings ------------------------------------------------------------------------- */

static bool is_counted(const struct profile_kind *kind, const struct capture_sample *sample)
{
	return (kind->captures >> sample->kind & 1) != 0;
}

static uint64_t process_samples(
	const struct capture_process *process, const struct profile_kind *kind)
{
	uint64_t samples = 0;
	for (size_t i = 0; i < process->entry_count; i++)
		if (is_counted(kind, &process->entries[i]))
			samples += process->entries[i].count;
	return samples;
}

static const struct capture_process *main_process(
	const struct capture_set *set, const struct profile_kind *kind)
{
	const struct capture_process *most = NULL;
	uint64_t most_samples = 0;
	for (size_t i = 0; i < set->process_count; i++) {
		const struct capture_process *process = &set->processes[i];
		if (process->excluded)
			continue;
		uint64_t samples = process_samples(process, kind);
		if (most == NULL || samples > most_samples) {
			most = process;
			most_samples = samples;
		}
	}
	return most;
}

static const struct capture_module *main_module(const struct capture_process *process)
{
	for (size_t i = 0; i < process->module_count; i++)
		if (strcmp(process->modules[i].path, process->executable) == 0)
			return &process->modules[i];
	return process->module_count > 0 ? &process->modules[0] : NULL;
}

/* By link-time addresses, like the locations': run-time ones differ from round to round. */
static uint32_t add_mapping(
	struct builder *builder, const struct capture_module *module, uint32_t known_as)
{
	if (module->path[0] == '\0')
		return PROFILE_NO_MAPPING;
	unsigned flags = known_as == MAP_NONE ? 0 : builder->symbolizer->modules[known_as].flags;
	struct profile_mapping mapping = {
		.file = symbolizer_strip(builder->symbolizer, module->path),
		.build_id = module->build_id,
		.start = module->start - module->bias,
		.limit = module->limit - module->bias,
		.has_functions = flags & SYMBOL_HAS_FUNCTIONS,
		.has_filenames = flags & SYMBOL_HAS_FILES,
		.has_line_numbers = flags & SYMBOL_HAS_LINES,
		.has_inline_frames = flags & SYMBOL_HAS_INLINED,
	};
	return profile_add_mapping(builder->profile, &mapping);
}

static uint32_t known_module(struct builder *builder, const struct capture_module *module)
{
	/* Only looks it up: every module was entered before. */
	return symbolizer_module((struct symbolizer *)builder->symbolizer, module);
}

/* pprof's first mapping is the main binary. */
static void begin_profile(struct builder *builder, const struct capture_set *set)
{
	struct profile *profile = builder->profile;
	const struct capture_process *process = main_process(set, builder->kind);
	const struct capture_module *module = process == NULL ? NULL : main_module(process);
	if (profile->mapping_count == 0 && module != NULL)
		add_mapping(builder, module, known_module(builder, module));
	if (profile->period == 0 && process != NULL)
		symbol_values_set_period(profile, builder->kind, process);
}

/* ---- locations ------------------------------------------------------------------------------- */

static uint32_t add_function(struct builder *builder, uint32_t index)
{
	if (builder->functions[index] != UINT32_MAX)
		return builder->functions[index];
	const struct symbol_function *known = &builder->symbolizer->functions[index];
	struct profile_function function = {
		.name = known->name,
		.system_name = known->system_name,
		.file = symbolizer_strip(builder->symbolizer, known->file),
		.start_line = known->start_line,
	};
	builder->functions[index] = profile_add_function(builder->profile, &function);
	return builder->functions[index];
}

static uint32_t add_named_function(struct builder *builder, const char *name)
{
	struct profile_function function = {.name = name, .system_name = "", .file = ""};
	return profile_add_function(builder->profile, &function);
}

/* "[vdso]" is its own name; what has no symbol is named by its place. */
static uint32_t fallback_function(struct builder *builder, const struct capture_module *module,
	const struct capture_frame *frame)
{
	if (module == NULL || module->path[0] == '\0')
		return add_named_function(builder, "[unknown]");
	const char *slash = strrchr(module->path, '/');
	if (module->path[0] == '[')
		return add_named_function(builder, module->path);
	return add_named_function(
		builder, arena_printf(&builder->arena, "[%.*s+0x%llx]", SYMBOL_MAX_NAME_BYTES - 32,
				 slash == NULL ? module->path : slash + 1,
				 (unsigned long long)frame->address));
}

static uint32_t add_location(struct builder *builder, const struct capture_frame *frame)
{
	struct profile_line lines[SYMBOL_MAX_INLINED];
	const struct capture_module *module = symbolizer_frame_module(builder->process, frame);
	uint32_t known_as = module == NULL ? MAP_NONE : builder->modules[frame->module];
	const struct symbol_address *known =
		symbolizer_cached(builder->symbolizer, known_as, symbolizer_lookup_address(frame));
	struct profile_location location = {
		.mapping = module == NULL ? PROFILE_NO_MAPPING : builder->mappings[frame->module],
		.address = frame->address,
		.lines = lines,
		.line_count = known == NULL ? 0 : known->count,
	};
	for (uint32_t i = 0; i < location.line_count; i++)
		lines[i] = (struct profile_line){
			add_function(builder, known->frames[i].function), known->frames[i].line};
	if (location.line_count == 0) {
		lines[0] = (struct profile_line){fallback_function(builder, module, frame), 0};
		location.line_count = 1;
	}
	return profile_add_location(builder->profile, &location);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* What tells one of the profile's samples from the others, besides its locations. */
struct sum_key {
	uint32_t epoch, labels;
	const char *state;
};

static struct sum *find_sum(struct builder *builder, const uint32_t *locations, uint32_t depth,
	const struct sum_key *key)
{
	bool added;
	struct strbuf bytes = STRBUF_INIT;
	symbol_put_u32(&bytes, key->epoch);
	symbol_put_u32(&bytes, key->labels);
	symbol_put_string(&bytes, key->state == NULL ? "" : key->state);
	strbuf_add(&bytes, locations, depth * sizeof(*locations));
	uint32_t id = map_intern(&builder->sum_index, bytes.data, bytes.length,
		(uint32_t)builder->sum_count, &added);
	strbuf_release(&bytes);
	if (added) {
		builder->sums = grow_array(builder->sums, &builder->sum_capacity,
			builder->sum_count + 1, sizeof(*builder->sums));
		builder->sums[builder->sum_count++] = (struct sum){.locations = locations,
			.depth = depth,
			.epoch = key->epoch,
			.labels = key->labels,
			.state = key->state};
	}
	return &builder->sums[id];
}

static bool is_heap(const struct profile_kind *kind)
{
	return strcmp(kind->name, "heap") == 0;
}

struct stack_locations {
	const uint32_t *list; /* NULL: not made yet */
	uint32_t depth;
};

/* A frame that is no place in the program. */
static uint32_t add_named_location(struct builder *builder, const char *name)
{
	struct profile_line line = {add_named_function(builder, name), 0};
	struct profile_location location = {
		.mapping = PROFILE_NO_MAPPING, .lines = &line, .line_count = 1};

	return profile_add_location(builder->profile, &location);
}

/* Each harness becomes one frame; returns the new depth. */
static uint32_t fold_harnesses(struct builder *builder, uint32_t *list, uint32_t depth)
{
	struct harness_frames found = harness_frames_find(builder->profile, list, depth, 0);

	while (found.count) {
		uint32_t behind = found.first + found.count;

		list[found.first] = add_named_location(builder, found.name);
		memmove(list + found.first + 1, list + behind, (depth - behind) * sizeof(*list));
		depth -= found.count - 1;
		found = harness_frames_find(builder->profile, list, depth, found.first + 1);
	}
	return depth;
}

/* A stack that was cut has lost its root: the mark takes its place, so that it cannot be mistaken
 * for one that starts there. */
static struct stack_locations stack_locations(
	struct builder *builder, const struct capture_stack *stack)
{
	bool is_cut = stack->end == FG_END_DEPTH;
	uint32_t depth = stack->depth + is_cut;
	uint32_t *list = arena_array(&builder->arena, depth, sizeof(*list));
	const char *own;

	for (uint32_t i = 0; i < stack->depth; i++)
		list[i] = add_location(builder, &stack->frames[i]);
	if (is_cut)
		list[stack->depth] = add_named_location(builder, CUT_NAME);
	own = go_frames_name(builder->profile, list, depth);
	if (own) {
		list[0] = add_named_location(builder, own);
		return (struct stack_locations){list, 1};
	}
	uint32_t skipped =
		is_heap(builder->kind) ? allocator_frames_skip(builder->profile, list, depth) : 0;
	list += skipped;
	return (struct stack_locations){list, fold_harnesses(builder, list, depth - skipped)};
}

static uint32_t context_labels(struct builder *builder, uint32_t context)
{
	if (context > builder->process->context_count)
		context = 0;
	if (builder->contexts[context] == MAP_NONE)
		builder->contexts[context] =
			label_sets_add(&builder->labels, builder->process, context);
	return builder->contexts[context];
}

static void add_values(struct builder *builder, const struct stack_locations *stack,
	const struct sum_key *key, const struct symbol_values *values)
{
	if (!symbol_values_are_zero(values))
		symbol_values_add(
			&find_sum(builder, stack->list, stack->depth, key)->values, values);
}

/*
 * What was allocated belongs to the epoch in which it was. What is in use at the end, or was when
 * the heap was largest, belongs to none: a block's allocation and its end may lie in two, and only
 * their sum means something.
 */
static void add_entry(struct builder *builder, const struct stack_locations *stack,
	const struct capture_sample *entry)
{
	struct sum_key key = {entry->epoch, context_labels(builder, entry->context),
		symbol_values_state(builder->kind, entry->kind)};
	struct symbol_values flow, level;
	symbol_values_of(entry, &flow, &level);
	add_values(builder, stack, &key, &flow);
	key.epoch = 0;
	add_values(builder, stack, &key, &level);
}

static void add_entries(struct builder *builder)
{
	const struct capture_process *process = builder->process;
	struct stack_locations *stacks = xcalloc(process->stack_count, sizeof(*stacks));
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *entry = &process->entries[i];
		if (!is_counted(builder->kind, entry) || entry->stack >= process->stack_count ||
			(entry->count == 0 && entry->gone_count == 0))
			continue;
		struct stack_locations *stack = &stacks[entry->stack];
		if (stack->list == NULL)
			*stack = stack_locations(builder, &process->stacks[entry->stack]);
		add_entry(builder, stack, entry);
	}
	free(stacks);
}

static void add_process(struct builder *builder, const struct capture_process *process)
{
	builder->process = process;
	builder->modules =
		arena_array(&builder->arena, process->module_count, sizeof(*builder->modules));
	builder->mappings =
		arena_array(&builder->arena, process->module_count, sizeof(*builder->mappings));
	for (size_t i = 0; i < process->module_count; i++) {
		builder->modules[i] = known_module(builder, &process->modules[i]);
		builder->mappings[i] =
			add_mapping(builder, &process->modules[i], builder->modules[i]);
	}
	builder->contexts = arena_array(
		&builder->arena, process->context_count + 1, sizeof(*builder->contexts));
	memset(builder->contexts, 0xff, (process->context_count + 1) * sizeof(uint32_t));
	add_entries(builder);
}

static void add_sample(struct builder *builder, const struct sum *sum, int64_t round)
{
	int64_t values[SYMBOL_MAX_VALUES];
	const struct label_set *set = label_sets_get(&builder->labels, sum->labels);
	struct profile_label labels[SYMBOL_MAX_LABELS + 3] = {
		{.key = PROFILE_LABEL_ROUND, .number = round, .unit = ""}};
	struct profile_sample sample = {
		.locations = sum->locations,
		.depth = sum->depth,
		.values = values,
		.labels = labels,
		.label_count = 1,
	};
	if (sum->epoch != 0)
		labels[sample.label_count++] =
			(struct profile_label){.key = "epoch", .number = sum->epoch, .unit = ""};
	if (sum->state != NULL)
		labels[sample.label_count++] =
			(struct profile_label){.key = symbol_values_state_key(builder->kind),
				.string = sum->state,
				.unit = ""};
	for (uint32_t i = 0; i < set->count; i++)
		labels[sample.label_count++] = set->labels[i];
	symbol_values_write(&sum->values, builder->kind, values);
	profile_add_sample(builder->profile, &sample);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void add_warnings(struct builder *builder, const struct capture_set *set)
{
	for (size_t i = 0; i < set->process_count; i++) {
		const struct capture_process *process = &set->processes[i];
		for (size_t m = 0; !process->excluded && m < process->module_count; m++) {
			uint32_t known_as = known_module(builder, &process->modules[m]);
			const char *warning =
				known_as == MAP_NONE
					? NULL
					: builder->symbolizer->modules[known_as].warning;
			if (warning != NULL)
				profile_add_comment_once(builder->profile,
					arena_printf(&builder->arena, "warning: %s", warning));
		}
	}
}

int symbolizer_build_profile(const struct symbolizer *symbolizer, const struct capture_set *set,
	const struct profile_kind *kind, int64_t round, struct profile *profile, struct error *err)
{
	struct builder builder = {.symbolizer = symbolizer, .kind = kind, .profile = profile};
	int code = symbol_values_prepare(profile, kind, err);
	if (code != ERR_OK)
		return code;
	map_init(&builder.sum_index);
	label_sets_init(&builder.labels);
	builder.functions = xmalloc((symbolizer->function_count + 1) * sizeof(uint32_t));
	memset(builder.functions, 0xff, (symbolizer->function_count + 1) * sizeof(uint32_t));
	begin_profile(&builder, set);
	for (size_t i = 0; i < set->process_count; i++)
		if (!set->processes[i].excluded)
			add_process(&builder, &set->processes[i]);
	for (size_t i = 0; i < builder.sum_count; i++)
		if (!symbol_values_are_zero(&builder.sums[i].values))
			add_sample(&builder, &builder.sums[i], round);
	add_warnings(&builder, set);
	free(builder.sums);
	free(builder.functions);
	label_sets_release(&builder.labels);
	map_release(&builder.sum_index);
	arena_release(&builder.arena);
	return ERR_OK;
}
