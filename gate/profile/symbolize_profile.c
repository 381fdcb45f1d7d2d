/* SPDX-License-Identifier: Apache-2.0 */
/* From captures whose addresses are all in the cache to samples of a profile. */
#include "gate/profile/symbolize_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NANOSECONDS_PER_SECOND INT64_C(1000000000)
#define SQUARE_NS_PER_SQUARE_US 1e6

enum { VALUE_SAMPLES, VALUE_CPU, VALUE_SQUARES, VALUE_COUNT };

/* Stacks of several processes become one where their locations and labels agree. */
struct sum {
	const uint32_t *locations;
	uint32_t depth, epoch, context;
	uint64_t count, sum_ns;
	double squares_ns2;
};

struct builder {
	const struct symbolizer *symbolizer;
	struct profile *profile;
	struct arena arena;
	uint32_t *functions; /* by the symbolizer's index; UINT32_MAX: not added yet */
	struct sum *sums;
	size_t sum_count, sum_capacity;
	struct map sum_index;
	/* of the process at hand */
	const struct capture_process *process;
	uint32_t *modules;  /* the symbolizer's */
	uint32_t *mappings; /* the profile's */
};

/* ---- types and mappings -------------------------------------------------------------------------
 */

static int prepare_types(struct profile *profile, struct error *err)
{
	if (profile->type_count == 0) {
		profile_add_type(profile, PROFILE_TYPE_SAMPLES, "count");
		profile_add_type(profile, PROFILE_TYPE_CPU, "nanoseconds");
		profile_add_type(profile, PROFILE_TYPE_CPU_SQUARES, "microseconds_squared");
		profile->default_type = VALUE_CPU;
	}
	if (profile->type_count != VALUE_COUNT ||
		profile_find_type(profile, PROFILE_TYPE_SAMPLES) != VALUE_SAMPLES ||
		profile_find_type(profile, PROFILE_TYPE_CPU) != VALUE_CPU ||
		profile_find_type(profile, PROFILE_TYPE_CPU_SQUARES) != VALUE_SQUARES)
		return error_set(err, ERR_USAGE, "the profile is not a flamegate CPU profile");
	return ERR_OK;
}

static uint64_t process_samples(const struct capture_process *process)
{
	uint64_t samples = 0;
	for (size_t i = 0; i < process->entry_count; i++)
		samples += process->entries[i].count;
	return samples;
}

static const struct capture_process *main_process(const struct capture_set *set)
{
	const struct capture_process *most = NULL;
	for (size_t i = 0; i < set->process_count; i++)
		if (most == NULL || process_samples(&set->processes[i]) > process_samples(most))
			most = &set->processes[i];
	return most;
}

static const struct capture_module *main_module(const struct capture_process *process)
{
	for (size_t i = 0; i < process->module_count; i++)
		if (strcmp(process->modules[i].path, process->executable) == 0)
			return &process->modules[i];
	return process->module_count > 0 ? &process->modules[0] : NULL;
}

/* By link-time addresses, like the locations': run-time ones differ from block to block. */
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
	const struct capture_process *process = main_process(set);
	const struct capture_module *module = process == NULL ? NULL : main_module(process);
	if (profile->mapping_count == 0 && module != NULL)
		add_mapping(builder, module, known_module(builder, module));
	if (profile->period == 0 && process != NULL && process->rate_hz > 0) {
		profile->period_type.type = profile_intern(profile, PROFILE_TYPE_CPU);
		profile->period_type.unit = profile_intern(profile, "nanoseconds");
		profile->period = NANOSECONDS_PER_SECOND / process->rate_hz;
	}
}

/* ---- locations ----------------------------------------------------------------------------------
 */

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

/* ---- samples ------------------------------------------------------------------------------------
 */

static struct sum *find_sum(struct builder *builder, const uint32_t *locations, uint32_t depth,
	uint32_t epoch, uint32_t context)
{
	bool added;
	struct strbuf key = STRBUF_INIT;
	symbol_put_u32(&key, epoch);
	symbol_put_u32(&key, context);
	strbuf_add(&key, locations, depth * sizeof(*locations));
	uint32_t id = map_intern(
		&builder->sum_index, key.data, key.length, (uint32_t)builder->sum_count, &added);
	strbuf_release(&key);
	if (added) {
		builder->sums = grow_array(builder->sums, &builder->sum_capacity,
			builder->sum_count + 1, sizeof(*builder->sums));
		builder->sums[builder->sum_count++] = (struct sum){
			.locations = locations, .depth = depth, .epoch = epoch, .context = context};
	}
	return &builder->sums[id];
}

static const uint32_t *stack_locations(struct builder *builder, const struct capture_stack *stack)
{
	uint32_t *locations = arena_array(&builder->arena, stack->depth, sizeof(*locations));
	for (uint32_t i = 0; i < stack->depth; i++)
		locations[i] = add_location(builder, &stack->frames[i]);
	return locations;
}

static void add_entries(struct builder *builder)
{
	const struct capture_process *process = builder->process;
	const uint32_t **stacks = xcalloc(process->stack_count, sizeof(*stacks));
	for (size_t i = 0; i < process->entry_count; i++) {
		const struct capture_sample *entry = &process->entries[i];
		if (entry->count == 0 || entry->stack >= process->stack_count)
			continue;
		const struct capture_stack *stack = &process->stacks[entry->stack];
		if (stacks[entry->stack] == NULL)
			stacks[entry->stack] = stack_locations(builder, stack);
		struct sum *sum = find_sum(
			builder, stacks[entry->stack], stack->depth, entry->epoch, entry->context);
		sum->count += entry->count;
		sum->sum_ns += entry->sum;
		sum->squares_ns2 += entry->sum_squares;
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
	add_entries(builder);
}

static int64_t clamp(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* A capture's sums are whatever the measured code made of them: no number may be undefined. */
static int64_t squares_us2(double squares_ns2)
{
	double rounded = round(squares_ns2 / SQUARE_NS_PER_SQUARE_US);
	if (!(rounded > 0))
		return 0;
	return rounded >= (double)INT64_MAX ? INT64_MAX : (int64_t)rounded;
}

static void add_sample(struct builder *builder, const struct sum *sum, int64_t block)
{
	int64_t values[VALUE_COUNT] = {
		clamp(sum->count), clamp(sum->sum_ns), squares_us2(sum->squares_ns2)};
	struct profile_label labels[3] = {
		{.key = PROFILE_LABEL_BLOCK, .number = block, .unit = ""}};
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
	profile_add_sample(builder->profile, &sample);
}

/* ---- warnings -----------------------------------------------------------------------------------
 */

static void warn_once(struct profile *profile, const char *comment)
{
	for (size_t i = 0; i < profile->comment_count; i++)
		if (strcmp(profile->comments[i], comment) == 0)
			return;
	profile_add_comment(profile, comment);
}

static void add_warnings(struct builder *builder, const struct capture_set *set)
{
	for (size_t i = 0; i < set->process_count; i++) {
		const struct capture_process *process = &set->processes[i];
		for (size_t m = 0; m < process->module_count; m++) {
			uint32_t known_as = known_module(builder, &process->modules[m]);
			const char *warning =
				known_as == MAP_NONE
					? NULL
					: builder->symbolizer->modules[known_as].warning;
			if (warning != NULL)
				warn_once(builder->profile,
					arena_printf(&builder->arena, "warning: %s", warning));
		}
	}
}

int symbolizer_build_profile(const struct symbolizer *symbolizer, const struct capture_set *set,
	const struct profile_kind *kind, int64_t block, struct profile *profile, struct error *err)
{
	struct builder builder = {.symbolizer = symbolizer, .profile = profile};
	int code = prepare_types(profile, err);
	(void)kind; /* TODO(regions): kinds other than cpu */
	if (code != ERR_OK)
		return code;
	map_init(&builder.sum_index);
	builder.functions = xmalloc((symbolizer->function_count + 1) * sizeof(uint32_t));
	memset(builder.functions, 0xff, (symbolizer->function_count + 1) * sizeof(uint32_t));
	begin_profile(&builder, set);
	for (size_t i = 0; i < set->process_count; i++)
		add_process(&builder, &set->processes[i]);
	for (size_t i = 0; i < builder.sum_count; i++)
		add_sample(&builder, &builder.sums[i], block);
	add_warnings(&builder, set);
	free(builder.sums);
	free(builder.functions);
	map_release(&builder.sum_index);
	arena_release(&builder.arena);
	return ERR_OK;
}
