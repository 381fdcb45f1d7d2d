/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/source/culprit_source.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/text.h"
#include "gate/check/source/source_calls.h"
#include "gate/check/source/source_rows.h"
#include "gate/check/source/sources.h"

#define CONTEXT 3
/* Lines with a smaller share of what all cost are shown only beside others. */
#define LEAST_SHARE 0.01
/* Callers that are looked at for one whose text is there. */
#define MOST_CALLERS 16
/* Lines between a function and a part of it that is shown with it. */
#define MOST_APART 40
/* Of RESULT_SOURCE_LINES, for lines of another file of base's. */
#define LINES_ELSEWHERE 40

struct builder {
	const struct analysis *analysis;
	size_t function;
	const struct matched_function *matched;
	const struct repo_file_change *change; /* of head's file; NULL: it is the same in base */
	const char *base_path;                 /* of what head's file was in base; "" it was not */
	/* What the function's lines cost each version. */
	const struct comparison_line *costs[VERSION_COUNT];
	size_t cost_count[VERSION_COUNT];
	struct arena *arena;
	struct result_line *lines;
	size_t line_count, bytes;
};

static const struct repo_file_change *find_change(
	const struct repo_diff *diff, int version, const char *path)
{
	for (size_t i = 0; diff && i < diff->file_count; i++) {
		const struct repo_file_change *change = &diff->files[i];

		if (strcmp(version == VERSION_BASE ? change->old_path : change->new_path, path) ==
			0)
			return change;
	}
	return NULL;
}

/* ---- how far the function reaches ---------------------------------------------------------- */

struct reach {
	int64_t first, last; /* 0: nothing is known */
};

/* A foreign profile can say anything. */
static bool is_line(int64_t line)
{
	return line > 0 && line <= INT32_MAX;
}

static void reach_for(struct reach *reach, int64_t line)
{
	if (!is_line(line))
		return;
	if (!reach->first || line < reach->first)
		reach->first = line;
	if (line > reach->last)
		reach->last = line;
}

static struct reach own_reach(const struct builder *builder, int version)
{
	struct reach reach = {0};

	reach_for(&reach, builder->matched->line[version]);
	for (size_t i = 0; i < builder->cost_count[version]; i++)
		reach_for(&reach, builder->costs[version][i].line);
	return reach;
}

/* Head's file is where base had the function too. */
static bool is_in_one_file(const struct builder *builder)
{
	return builder->base_path[0] &&
	       strcmp(builder->matched->file[VERSION_BASE], builder->base_path) == 0;
}

/* In head's file, also of what cost base something there. */
static struct reach reach_in_head(const struct builder *builder)
{
	struct reach reach = own_reach(builder, VERSION_HEAD);
	const struct comparison_line *lines = builder->costs[VERSION_BASE];

	for (size_t i = 0; i < builder->cost_count[VERSION_BASE] && is_in_one_file(builder); i++)
		if (is_line(lines[i].line))
			reach_for(&reach, source_place_in_head(builder->change, lines[i].line));
	return reach;
}

/* ---- the lines ----------------------------------------------------------------------------- */

static const char *line_text(struct arena *arena, const char *text, size_t length)
{
	if (length && text[length - 1] == '\r')
		length--;
	return text_fit(arena, text, length, RESULT_SOURCE_LINE_BYTES);
}

static void add_line(struct builder *builder, const struct source_row *row,
	const struct source_file *const *files)
{
	int version = row->line[VERSION_HEAD] ? VERSION_HEAD : VERSION_BASE;
	struct result_line *out = &builder->lines[builder->line_count++];
	size_t length;
	const char *text = source_file_line(files[version], row->line[version], &length);

	*out = (struct result_line){.base = row->line[VERSION_BASE],
		.head = row->line[VERSION_HEAD],
		.kind = row->kind,
		.text = line_text(builder->arena, text, length)};
	for (int k = 0; k < VERSION_COUNT; k++)
		out->cost[k] = row->cost[k] * builder->analysis->scale[k] /
			       recording_total_work(builder->analysis->recordings[k]);
	builder->bytes += strlen(out->text);
}

static double sum_of(const struct builder *builder, int version)
{
	double sum = 0;

	for (size_t i = 0; i < builder->cost_count[version]; i++)
		sum += builder->costs[version][i].seconds;
	return sum;
}

static double least_cost(const struct builder *builder)
{
	double base = sum_of(builder, VERSION_BASE), head = sum_of(builder, VERSION_HEAD);

	return (base > head ? base : head) * LEAST_SHARE;
}

static void add_costs(const struct builder *builder, struct source_rows *rows, int version)
{
	source_rows_cost(rows, version, builder->costs[version], builder->cost_count[version]);
}

static void add_chosen(struct builder *builder, struct source_rows *rows, int64_t definition,
	size_t room, const struct source_file *const *files)
{
	source_rows_choose(rows, least_cost(builder), definition, room);
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].chosen)
			add_line(builder, &rows->items[i], files);
	source_rows_release(rows);
}

static int64_t line_count(const struct source_file *file)
{
	return file ? source_file_lines(file) : 0;
}

static struct source_range widen(const struct reach *reach, const struct source_file *const *files)
{
	return (struct source_range){
		.first = reach->first > CONTEXT ? reach->first - CONTEXT : 1,
		.last = reach->last + CONTEXT,
		.last_line = {line_count(files[VERSION_BASE]), line_count(files[VERSION_HEAD])},
	};
}

/* Where the function was in another file, head's diff does not speak of that: its lines alone. */
static void add_elsewhere(struct builder *builder)
{
	const char *path = builder->matched->file[VERSION_BASE];
	const struct source_file *files[VERSION_COUNT] = {
		sources_file(builder->analysis->sources, VERSION_BASE, path)};
	struct reach reach = own_reach(builder, VERSION_BASE);
	struct source_range range = widen(&reach, files);
	struct source_rows rows = {0};

	if (!files[VERSION_BASE] || !reach.first)
		return;
	range.change = find_change(builder->analysis->diff, VERSION_BASE, path);
	source_rows_base(&rows, &range);
	add_costs(builder, &rows, VERSION_BASE);
	add_chosen(builder, &rows, 0, LINES_ELSEWHERE, files);
}

static void add_inner(const struct builder *builder, struct source_range *range)
{
	struct reach head = own_reach(builder, VERSION_HEAD),
		     base = own_reach(builder, VERSION_BASE);

	range->inner[0] = head.first;
	range->inner[1] = head.last;
	if (!base.first || !is_in_one_file(builder))
		return;
	range->in_base[0] = base.first - CONTEXT;
	range->in_base[1] = base.last + CONTEXT;
}

/* Base's lines are those of head's file only where the function did not move between files. */
static void add_own(struct builder *builder, const struct source_file *head, bool with_base)
{
	const struct source_file *files[VERSION_COUNT] = {
		with_base && builder->change
			? sources_file(builder->analysis->sources, VERSION_BASE, builder->base_path)
			: NULL,
		head};
	struct reach reach = reach_in_head(builder);
	struct source_range range = widen(&reach, files);
	struct source_rows rows = {0};

	if (!reach.first)
		return;
	add_inner(builder, &range);
	range.change = builder->change;
	range.has_base = with_base && builder->base_path[0];
	source_rows_unite(&rows, &range);
	add_costs(builder, &rows, VERSION_HEAD);
	if (is_in_one_file(builder))
		add_costs(builder, &rows, VERSION_BASE);
	add_chosen(builder, &rows, builder->matched->line[VERSION_HEAD],
		RESULT_SOURCE_LINES - builder->line_count, files);
}

static const struct result_source *finish(const struct builder *builder, size_t *bytes_left)
{
	const struct matched_function *matched = builder->matched;
	struct result_source *source;

	if (!builder->line_count || builder->bytes > *bytes_left)
		return NULL;
	*bytes_left -= builder->bytes;
	source = arena_alloc(builder->arena, sizeof(*source));
	source->function = (uint32_t)builder->function;
	source->file = arena_strdup(builder->arena, matched->file[VERSION_HEAD]);
	source->base_file = arena_strdup(builder->arena,
		matched->file[VERSION_BASE][0] ? matched->file[VERSION_BASE] : builder->base_path);
	source->lines = builder->lines;
	source->line_count = builder->line_count;
	return source;
}

static const struct result_source *build(struct builder *builder, size_t *bytes_left)
{
	const struct analysis *analysis = builder->analysis;
	const struct matched_function *matched =
		&analysis->comparison.matches.functions[builder->function];
	const char *path = matched->file[VERSION_HEAD];
	const struct source_file *head =
		path[0] ? sources_file(analysis->sources, VERSION_HEAD, path) : NULL;
	bool moved;

	builder->matched = matched;
	builder->change = find_change(analysis->diff, VERSION_HEAD, path);
	builder->base_path = builder->change ? builder->change->old_path : path;
	if (!head || (builder->change && builder->change->binary))
		return NULL;
	builder->lines = arena_array(builder->arena, RESULT_SOURCE_LINES, sizeof(*builder->lines));
	moved = matched->file[VERSION_BASE][0] && !is_in_one_file(builder);
	if (moved)
		add_elsewhere(builder);
	add_own(builder, head, !moved);
	return finish(builder, bytes_left);
}

/* ---- whose ---------------------------------------------------------------------------------- */

/* The lines of the function's own file that cost it something, those of parts next to it too. */
struct own_lines {
	const struct comparison *comparison;
	struct comparison_line *items;
	size_t count, capacity;
};

static void add_own_lines(struct own_lines *own, int version, size_t row)
{
	const size_t *start = &own->comparison->line_start[version][row];
	size_t count = start[1] - start[0];

	own->items =
		grow_array(own->items, &own->capacity, own->count + count + 1, sizeof(*own->items));
	if (count)
		memcpy(own->items + own->count, own->comparison->lines[version] + start[0],
			count * sizeof(*own->items));
	own->count += count;
}

static struct reach row_reach(const struct comparison *comparison, int version, size_t row)
{
	const size_t *start = &comparison->line_start[version][row];
	struct reach reach = {0};

	for (size_t i = start[0]; i < start[1]; i++)
		reach_for(&reach, comparison->lines[version][i].line);
	return reach;
}

/* What lies between them would look as if it were theirs. */
static bool is_next_to(const struct own_lines *own, int version, size_t function, size_t row)
{
	struct reach host = row_reach(own->comparison, version, function);
	struct reach part = row_reach(own->comparison, version, row);

	reach_for(&host, own->comparison->matches.functions[function].line[version]);
	return host.first && part.first && part.first <= host.last + MOST_APART &&
	       host.first <= part.last + MOST_APART;
}

static void find_own_lines(struct own_lines *own, int version, size_t function)
{
	const struct matched_function *functions = own->comparison->matches.functions;
	const struct comparison_part *parts = own->comparison->parts;

	add_own_lines(own, version, function);
	for (size_t i = 0; i < own->comparison->part_count; i++) {
		const struct inlining *inlining =
			&own->comparison->inlinings.items[parts[i].inlining];
		size_t row = comparison_part_lines(own->comparison, i);

		if (parts[i].function == function &&
			strcmp(functions[inlining->part].file[version],
				functions[function].file[version]) == 0 &&
			is_next_to(own, version, function, row))
			add_own_lines(own, version, row);
	}
}

static const struct result_source *of_itself(const struct analysis *analysis,
	const struct result_culprit *culprit, struct arena *arena, size_t *bytes_left)
{
	struct builder builder = {
		.analysis = analysis, .function = culprit->function, .arena = arena};
	struct own_lines own[VERSION_COUNT];
	const struct result_source *source;

	for (int version = 0; version < VERSION_COUNT; version++) {
		own[version] = (struct own_lines){.comparison = &analysis->comparison};
		find_own_lines(&own[version], version, builder.function);
		builder.costs[version] = own[version].items;
		builder.cost_count[version] = own[version].count;
	}
	source = build(&builder, bytes_left);
	for (int version = 0; version < VERSION_COUNT; version++)
		free(own[version].items);
	return source;
}

static bool has_text(const struct analysis *analysis, size_t function)
{
	const char *path = analysis->comparison.matches.functions[function].file[VERSION_HEAD];

	return path[0] && sources_file(analysis->sources, VERSION_HEAD, path);
}

static const struct result_source *of_caller(const struct analysis *analysis,
	const struct result_culprit *culprit, uint32_t caller, struct arena *arena,
	size_t *bytes_left)
{
	struct builder builder = {.analysis = analysis, .function = caller, .arena = arena};
	struct comparison_line *lines[VERSION_COUNT];
	const struct result_source *source;

	if (caller == culprit->function || !has_text(analysis, caller))
		return NULL;
	for (int version = 0; version < VERSION_COUNT; version++)
		builder.costs[version] = lines[version] = source_call_lines(
			analysis->recordings[version], analysis->comparison.matches.of[version],
			culprit->function, caller, &builder.cost_count[version]);
	source = build(&builder, bytes_left);
	for (int version = 0; version < VERSION_COUNT; version++)
		free(lines[version]);
	return source;
}

const struct result_source *culprit_source(const struct analysis *analysis,
	const struct result_culprit *culprit, struct arena *arena, size_t *bytes_left)
{
	const struct result_source *source = NULL;

	if (!analysis->sources)
		return NULL;
	if (culprit->link == LINK_CALLER)
		source = of_caller(analysis, culprit, culprit->linked, arena, bytes_left);
	if (!source)
		source = of_itself(analysis, culprit, arena, bytes_left);
	for (size_t i = 1; !source && i < culprit->path_length && i <= MOST_CALLERS; i++)
		source = of_caller(analysis, culprit, culprit->path[culprit->path_length - 1 - i],
			arena, bytes_left);
	return source;
}
