/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/check/culprit_source.h"

#include <stdlib.h>
#include <string.h>

#include "gate/base/text.h"
#include "gate/check/source_rows.h"
#include "gate/check/sources.h"

#define CONTEXT 3
/* Lines with a smaller share of the function's own cost are shown only beside others. */
#define LEAST_SHARE 0.01
/* Of RESULT_SOURCE_LINES, for lines of another file of base's. */
#define LINES_ELSEWHERE 40

struct builder {
	const struct decision *decision;
	size_t function;
	const struct matched_function *matched;
	const struct repo_file_change *change; /* of head's file; NULL: it is the same in base */
	const char *base_path;                 /* of what head's file was in base; "" it was not */
	struct arena *arena;
	struct result_line *lines;
	size_t line_count, bytes;
};

static const struct repo_file_change *find_change(
	const struct repo_diff *diff, int arm, const char *path)
{
	for (size_t i = 0; diff && i < diff->file_count; i++) {
		const struct repo_file_change *change = &diff->files[i];

		if (strcmp(arm == ARM_BASE ? change->old_path : change->new_path, path) == 0)
			return change;
	}
	return NULL;
}

/* ---- how far the function reaches ---------------------------------------------------------- */

struct reach {
	int64_t first, last; /* 0: nothing is known */
};

static void reach_for(struct reach *reach, int64_t line)
{
	if (line <= 0)
		return;
	if (!reach->first || line < reach->first)
		reach->first = line;
	if (line > reach->last)
		reach->last = line;
}

static const struct comparison_line *lines_of(const struct builder *builder, int arm, size_t *count)
{
	const struct comparison *comparison = &builder->decision->comparison;
	const size_t *start = &comparison->line_start[arm][builder->function];

	*count = start[1] - start[0];
	return comparison->lines[arm] + start[0];
}

static struct reach own_reach(const struct builder *builder, int arm)
{
	struct reach reach = {0};
	size_t count;
	const struct comparison_line *lines = lines_of(builder, arm, &count);

	reach_for(&reach, builder->matched->line[arm]);
	for (size_t i = 0; i < count; i++)
		reach_for(&reach, lines[i].line);
	return reach;
}

/* Head's file is where base had the function too. */
static bool is_in_one_file(const struct builder *builder)
{
	return builder->base_path[0] &&
	       strcmp(builder->matched->file[ARM_BASE], builder->base_path) == 0;
}

/* In head's file, also of what cost base something there. */
static struct reach reach_in_head(const struct builder *builder)
{
	struct reach reach = own_reach(builder, ARM_HEAD);
	size_t count;
	const struct comparison_line *lines = lines_of(builder, ARM_BASE, &count);

	for (size_t i = 0; i < count && is_in_one_file(builder); i++)
		if (lines[i].line > 0)
			reach_for(&reach, source_place_in_head(builder->change, lines[i].line));
	return reach;
}

/* ---- the lines ----------------------------------------------------------------------------- */

/* Valid UTF-8, cut between two characters. */
static const char *line_text(struct arena *arena, const char *text, size_t length)
{
	const size_t most = RESULT_SOURCE_LINE_BYTES;
	struct strbuf clean = STRBUF_INIT;
	char *copy;

	if (length && text[length - 1] == '\r')
		length--;
	text_add_utf8(&clean, text, length < 2 * most ? length : 2 * most);
	copy = arena_strndup(arena, clean.data, text_cut(clean.data, clean.length, most));
	strbuf_release(&clean);
	return copy;
}

static void add_line(struct builder *builder, const struct source_row *row,
	const struct source_file *const *files)
{
	int arm = row->line[ARM_HEAD] ? ARM_HEAD : ARM_BASE;
	struct result_line *out = &builder->lines[builder->line_count++];
	size_t length;
	const char *text = source_file_line(files[arm], row->line[arm], &length);

	*out = (struct result_line){.base = row->line[ARM_BASE],
		.head = row->line[ARM_HEAD],
		.kind = row->kind,
		.text = line_text(builder->arena, text, length)};
	for (int k = 0; k < ARM_COUNT; k++)
		out->cost[k] =
			row->cost[k] / recording_total_work(builder->decision->recordings[k]);
	builder->bytes += strlen(out->text);
}

static double least_cost(const struct builder *builder)
{
	double base = decision_self_seconds(builder->decision, ARM_BASE, builder->function);
	double head = decision_self_seconds(builder->decision, ARM_HEAD, builder->function);

	return (base > head ? base : head) * LEAST_SHARE;
}

static void add_costs(const struct builder *builder, struct source_rows *rows, int arm)
{
	size_t count;
	const struct comparison_line *lines = lines_of(builder, arm, &count);

	source_rows_cost(rows, arm, lines, count);
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
		.last_line = {line_count(files[ARM_BASE]), line_count(files[ARM_HEAD])},
	};
}

/* Where the function was in another file, head's diff does not speak of that: its lines alone. */
static void add_elsewhere(struct builder *builder)
{
	const char *path = builder->matched->file[ARM_BASE];
	const struct source_file *files[ARM_COUNT] = {
		sources_file(builder->decision->sources, ARM_BASE, path)};
	struct reach reach = own_reach(builder, ARM_BASE);
	struct source_range range = widen(&reach, files);
	struct source_rows rows = {0};

	if (!files[ARM_BASE] || !reach.first)
		return;
	range.change = find_change(builder->decision->diff, ARM_BASE, path);
	source_rows_base(&rows, &range);
	add_costs(builder, &rows, ARM_BASE);
	add_chosen(builder, &rows, 0, LINES_ELSEWHERE, files);
}

/* Base's lines are those of head's file only where the function did not move between files. */
static void add_own(struct builder *builder, const struct source_file *head, bool with_base)
{
	const struct source_file *files[ARM_COUNT] = {
		with_base && builder->change
			? sources_file(builder->decision->sources, ARM_BASE, builder->base_path)
			: NULL,
		head};
	struct reach reach = reach_in_head(builder);
	struct source_range range = widen(&reach, files);
	struct source_rows rows = {0};

	if (!reach.first)
		return;
	range.change = builder->change;
	range.has_base = with_base && builder->base_path[0];
	source_rows_unite(&rows, &range);
	add_costs(builder, &rows, ARM_HEAD);
	if (is_in_one_file(builder))
		add_costs(builder, &rows, ARM_BASE);
	add_chosen(builder, &rows, builder->matched->line[ARM_HEAD],
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
	source->file = arena_strdup(builder->arena, matched->file[ARM_HEAD]);
	source->base_file = arena_strdup(builder->arena,
		matched->file[ARM_BASE][0] ? matched->file[ARM_BASE] : builder->base_path);
	source->lines = builder->lines;
	source->line_count = builder->line_count;
	return source;
}

const struct result_source *culprit_source(
	const struct decision *decision, size_t function, struct arena *arena, size_t *bytes_left)
{
	const struct matched_function *matched = &decision->comparison.matches.functions[function];
	const char *path = matched->file[ARM_HEAD];
	const struct repo_file_change *change = find_change(decision->diff, ARM_HEAD, path);
	struct builder builder = {.decision = decision,
		.function = function,
		.matched = matched,
		.change = change,
		.base_path = change ? change->old_path : path,
		.arena = arena};
	const struct source_file *head = decision->sources && path[0]
						 ? sources_file(decision->sources, ARM_HEAD, path)
						 : NULL;

	bool moved;

	if (!head || (change && change->binary))
		return NULL;
	builder.lines = arena_array(arena, RESULT_SOURCE_LINES, sizeof(*builder.lines));
	moved = matched->file[ARM_BASE][0] && !is_in_one_file(&builder);
	if (moved)
		add_elsewhere(&builder);
	add_own(&builder, head, !moved);
	return finish(&builder, bytes_left);
}
