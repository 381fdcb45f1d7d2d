/* SPDX-License-Identifier: Apache-2.0 */
/* What each function, line and tested call costs in each pair, added up once the tree stands. */
#include "gate/compare/comparison_internal.h"

#include <stdlib.h>
#include <string.h>

/* Self cost of one line, before lines are grouped by function. */
struct line_cost {
	uint32_t function; /* or comparison_part_lines() */
	int64_t line;
	double seconds;
};

struct line_table {
	struct map index; /* (function, line) -> item */
	struct line_cost *items;
	size_t count, capacity;
};

struct filler {
	struct builder *builder;
	size_t *seen; /* function -> serial number of the last sample that held it */
	size_t serial;
	struct line_table lines[COMPARE_VERSIONS];
	struct map parts; /* (function, inlining) -> part */
	struct comparison_part *items;
	size_t part_count, part_capacity;
};

static void alloc_cells(struct comparison *out)
{
	size_t functions = out->matches.count, pairs = out->pairs;

	out->function_module = arena_array(&out->arena, functions, sizeof(char *));
	for (size_t i = 0; i < functions; i++)
		out->function_module[i] = "";
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		out->function_total[version] = arena_array(&out->arena, functions, sizeof(double));
		out->function_self[version] =
			arena_array(&out->arena, functions * pairs, sizeof(struct verdict_cell));
		out->known_total[version] = arena_array(
			&out->arena, out->known_count * pairs, sizeof(struct verdict_cell));
		out->tested_self[version] = arena_array(
			&out->arena, out->tested_count * pairs, sizeof(struct verdict_cell));
		out->tested_total[version] = arena_array(
			&out->arena, out->tested_count * pairs, sizeof(struct verdict_cell));
	}
}

static void add_line(struct line_table *table, uint32_t function, int64_t line, double seconds)
{
	int64_t key[2] = {function, line};
	bool added;
	uint32_t id = map_intern(&table->index, key, sizeof(key), (uint32_t)table->count, &added);

	if (added) {
		table->items = grow_array(
			table->items, &table->capacity, table->count + 1, sizeof(*table->items));
		table->items[table->count++] = (struct line_cost){function, line, 0};
	}
	table->items[id].seconds += seconds;
}

/* Where the lines of the last path's leaf are. */
static uint32_t lines_of(struct filler *filler, uint32_t function)
{
	struct comparison_part part = {function, filler->builder->leaf_inlining};
	bool added;
	uint32_t id;

	if (part.inlining == INLINING_NONE)
		return function;
	id = map_intern(&filler->parts, &part, sizeof(part), (uint32_t)filler->part_count, &added);
	if (added) {
		filler->items = grow_array(filler->items, &filler->part_capacity,
			filler->part_count + 1, sizeof(*filler->items));
		filler->items[filler->part_count++] = part;
	}
	return (uint32_t)comparison_part_lines(filler->builder->out, id);
}

/* Each function once a sample, however often it recurs on the stack. */
static void add_function_totals(struct filler *filler, int version, size_t pair,
	const struct verdict_cell *cell, size_t depth)
{
	struct builder *builder = filler->builder;
	struct comparison *out = builder->out;

	filler->serial++;
	for (size_t i = 0; i < depth; i++) {
		uint32_t function = builder->path[i];

		if (filler->seen[function] == filler->serial)
			continue;
		filler->seen[function] = filler->serial;
		out->function_total[version][function] += cell->x;
		if (out->function_known[function] != COMPARE_NONE)
			cell_add(&out->known_total[version]
						  [out->function_known[function] * out->pairs +
							  pair],
				cell);
	}
}

static void add_tested(struct builder *builder, int version, size_t pair,
	const struct verdict_cell *cell, size_t depth)
{
	struct comparison *out = builder->out;
	uint32_t met = 0, tested = out->nodes[0].tested;

	cell_add(&out->tested_total[version][tested * out->pairs + pair], cell);
	for (size_t i = 0; i < depth; i++) {
		met = node_child(builder, met, builder->path[i]);
		tested = met == MAP_NONE ? COMPARE_NONE : out->nodes[builder->renamed[met]].tested;
		if (tested == COMPARE_NONE)
			return;
		cell_add(&out->tested_total[version][tested * out->pairs + pair], cell);
	}
	cell_add(&out->tested_self[version][tested * out->pairs + pair], cell);
}

static uint32_t leaf_node(struct builder *builder, size_t depth)
{
	uint32_t met = 0, child;

	for (size_t i = 0; i < depth; i++, met = child) {
		child = node_child(builder, met, builder->path[i]);
		if (child == MAP_NONE)
			break;
	}
	return builder->renamed[met];
}

static const char *module_name(
	struct arena *arena, const struct profile *profile, const struct profile_location *location)
{
	const char *file, *slash;

	if (location->mapping == PROFILE_NO_MAPPING)
		return "";
	file = profile->mappings[location->mapping].file;
	slash = strrchr(file, '/');
	return arena_strdup(arena, slash ? slash + 1 : file);
}

/* The leaf location's innermost line holds the sample's self cost. */
static void add_self(struct filler *filler, int version, size_t pair,
	const struct profile_sample *sample, const struct verdict_cell *cell, size_t depth)
{
	struct builder *builder = filler->builder;
	const struct profile *profile = builder->profile[version];
	const struct profile_location *leaf;
	uint32_t function;

	if (!depth)
		return;
	function = builder->path[depth - 1];
	cell_add(
		&builder->out->function_self[version][function * builder->out->pairs + pair], cell);
	leaf = &profile->locations[sample->locations[0]];
	if (!leaf->line_count)
		return;
	if (!builder->out->function_module[function][0])
		builder->out->function_module[function] =
			module_name(&builder->out->arena, profile, leaf);
	add_line(&filler->lines[version], lines_of(filler, function), leaf->lines[0].line, cell->x);
}

/* Of functions that are only ever on the way to others. */
static void fill_modules(struct builder *builder, int version)
{
	const struct profile *profile = builder->profile[version];
	const char **modules = builder->out->function_module;

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		for (uint32_t k = 0; k < location->line_count; k++) {
			uint32_t function =
				builder->out->matches.of[version][location->lines[k].function];

			if (!modules[function][0])
				modules[function] =
					module_name(&builder->out->arena, profile, location);
		}
	}
}

static void fill_version(struct filler *filler, int version)
{
	struct builder *builder = filler->builder;
	const struct profile *profile = builder->profile[version];
	uint32_t *nodes = arena_array(&builder->out->arena, profile->sample_count, sizeof(*nodes));

	builder->out->sample_node[version] = nodes;
	for (size_t i = 0; i < profile->sample_count; i++) {
		const struct profile_sample *sample = &profile->samples[i];
		struct verdict_cell cell = sample_cell(&builder->values[version], sample);
		size_t pair = (size_t)sample_pair(builder, sample);
		size_t depth = sample_path(builder, version, sample);

		add_function_totals(filler, version, pair, &cell, depth);
		add_tested(builder, version, pair, &cell, depth);
		add_self(filler, version, pair, sample, &cell, depth);
		nodes[i] = leaf_node(builder, depth);
	}
}

static int compare_lines(const void *left, const void *right)
{
	const struct line_cost *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->seconds != b->seconds)
		return a->seconds > b->seconds ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void group_lines(struct comparison *out, int version, struct line_table *table)
{
	struct comparison_line *lines = arena_array(&out->arena, table->count, sizeof(*lines));
	size_t rows = out->matches.count + out->part_count;
	size_t *start = arena_array(&out->arena, rows + 1, sizeof(*start));

	if (table->count)
		qsort(table->items, table->count, sizeof(*table->items), compare_lines);
	for (size_t i = 0, f = 0; f <= rows; f++) {
		start[f] = i;
		for (; i < table->count && table->items[i].function == f; i++)
			lines[i] = (struct comparison_line){
				table->items[i].line, table->items[i].seconds};
	}
	out->lines[version] = lines;
	out->line_start[version] = start;
}

static void take_parts(struct filler *filler)
{
	struct comparison *out = filler->builder->out;

	out->part_count = filler->part_count;
	out->parts = arena_array(&out->arena, out->part_count, sizeof(*out->parts));
	if (out->part_count)
		memcpy(out->parts, filler->items, out->part_count * sizeof(*out->parts));
	map_release(&filler->parts);
	free(filler->items);
}

void comparison_fill(struct builder *builder)
{
	struct filler filler = {.builder = builder};

	filler.seen = xcalloc(builder->out->matches.count, sizeof(*filler.seen));
	alloc_cells(builder->out);
	map_init(&filler.parts);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		map_init(&filler.lines[version].index);
		fill_version(&filler, version);
	}
	take_parts(&filler);
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		group_lines(builder->out, version, &filler.lines[version]);
		map_release(&filler.lines[version].index);
		free(filler.lines[version].items);
	}
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		fill_modules(builder, version);
	free(filler.seen);
}
