/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/compare/comparison_internal.h"
#include "gate/profile/profile_frame.h"

#define DEFAULT_MAX_NODES ((size_t)1000 * 1000)
#define DEFAULT_MAX_CELLS ((size_t)64 * 1000 * 1000)

double value_unit_scale(const char *unit)
{
	if (strcmp(unit, "nanoseconds") == 0)
		return 1e-9;
	if (strcmp(unit, "microseconds") == 0)
		return 1e-6;
	if (strcmp(unit, "milliseconds") == 0)
		return 1e-3;
	return 1;
}

const char *value_unit_name(const char *unit)
{
	return value_unit_scale(unit) < 1 ? "seconds" : unit;
}

static void find_values(struct sample_values *values, const struct profile *profile)
{
	values->value = (int)profile_judged_type(profile);
	values->count = profile_find_type(profile, PROFILE_TYPE_SAMPLES);
	values->squares = profile_find_type(profile, PROFILE_TYPE_CPU_SQUARES);
	values->scale = value_unit_scale(profile->types[values->value].unit);
}

struct verdict_cell sample_cell(
	const struct sample_values *values, const struct profile_sample *sample)
{
	struct verdict_cell cell = {.x = (double)sample->values[values->value] * values->scale};

	cell.samples = values->count >= 0 ? (double)sample->values[values->count] : 1;
	cell.squares = values->squares >= 0 ? (double)sample->values[values->squares] * 1e-12
		       : cell.samples > 0   ? cell.x * cell.x / cell.samples
					    : 0;
	return cell;
}

int64_t sample_pair(const struct builder *builder, const struct profile_sample *sample)
{
	return builder->pooled ? 0 : profile_sample_number(sample, PROFILE_LABEL_ROUND, 0);
}

void cell_add(struct verdict_cell *sum, const struct verdict_cell *cell)
{
	sum->x += cell->x;
	sum->squares += cell->squares;
	sum->samples += cell->samples;
}

/*
 * Functions without a name are one for each object, as their addresses say nothing across builds:
 * that one calls another is not seen.
 */
static bool goes_on(const struct builder *builder, const struct profile_frame *outer,
	const struct profile_frame *inner)
{
	return profile_frame_goes_on(outer, inner) ||
	       (outer->function == inner->function &&
		       builder->out->matches.functions[inner->function].name[0] == '[');
}

/* Of a walk along a stack: as what the last frame counts is the path's last function. */
static size_t add_frame(struct builder *builder, size_t depth, struct profile_frame *caller,
	const struct profile_frame *frame)
{
	struct profile_frame outer = *caller;

	*caller = *frame;
	if (goes_on(builder, &outer, frame))
		return depth;
	builder->leaf_inlining =
		depth ? inlinings_at(&builder->out->inlinings, builder->path[depth - 1],
				outer.function, frame->function)
		      : INLINING_NONE;
	if (builder->leaf_inlining == INLINING_NONE)
		builder->path[depth++] = frame->function;
	return depth;
}

/* The sample's functions, outermost first, inlined frames expanded; locations without lines are
 * skipped. */
size_t sample_path(struct builder *builder, int version, const struct profile_sample *sample)
{
	const struct profile *profile = builder->profile[version];
	const uint32_t *matched = builder->out->matches.of[version];
	struct profile_frame caller = {.function = COMPARE_NONE};
	size_t depth = 0;

	builder->leaf_inlining = INLINING_NONE;
	for (uint32_t i = sample->depth; i-- > 0;) {
		const struct profile_location *location = &profile->locations[sample->locations[i]];

		builder->path = grow_array(builder->path, &builder->path_capacity,
			depth + location->line_count, sizeof(*builder->path));
		for (uint32_t k = location->line_count; k-- > 0;) {
			struct profile_frame frame = profile_frame_of(location, k);

			frame.function = matched[frame.function];
			depth = add_frame(builder, depth, &caller, &frame);
		}
	}
	return depth;
}

static uint32_t new_child(struct builder *builder, uint32_t parent, uint32_t function)
{
	uint32_t key[2] = {parent, function}, id = (uint32_t)builder->node_count;

	map_put(&builder->children, key, sizeof(key), id);
	builder->nodes = grow_array(builder->nodes, &builder->node_capacity,
		builder->node_count + 1, sizeof(*builder->nodes));
	builder->nodes[builder->node_count++] =
		(struct comparison_node){.parent = parent, .function = function};
	return id;
}

uint32_t node_child(const struct builder *builder, uint32_t parent, uint32_t function)
{
	uint32_t key[2] = {parent, function};

	return map_get(&builder->children, key, sizeof(key));
}

static void add_to_tree(
	struct builder *builder, int version, const struct verdict_cell *cell, size_t depth)
{
	uint32_t node = 0;

	builder->nodes[0].total[version] += cell->x;
	builder->nodes[0].samples += cell->samples;
	for (size_t i = 0; i < depth; i++) {
		uint32_t child = node_child(builder, node, builder->path[i]);

		if (child == MAP_NONE && builder->complete) {
			comparison_note_omitted(builder, version, node, builder->path[i], cell->x);
			break;
		}
		node = child == MAP_NONE ? new_child(builder, node, builder->path[i]) : child;
		builder->nodes[node].total[version] += cell->x;
		builder->nodes[node].samples += cell->samples;
	}
	builder->nodes[node].self[version] += cell->x;
}

static int check_pair(const struct builder *builder, int version,
	const struct profile_sample *sample, struct error *err)
{
	int64_t pair = sample_pair(builder, sample);

	if (pair >= 0 && (uint64_t)pair < builder->out->pairs)
		return ERR_OK;
	return error_set(err, ERR_CORRUPT,
		"%s profile: a sample of round %lld, but there are %zu rounds",
		version == COMPARE_BASE ? "base" : "head", (long long)pair, builder->out->pairs);
}

static int grow_tree(struct builder *builder, int version, struct error *err)
{
	const struct profile *profile = builder->profile[version];
	size_t room = builder->max_nodes + builder->max_nodes / 2;

	for (size_t i = 0; i < profile->sample_count; i++) {
		struct verdict_cell cell =
			sample_cell(&builder->values[version], &profile->samples[i]);
		int rc = check_pair(builder, version, &profile->samples[i], err);

		if (rc)
			return rc;
		add_to_tree(builder, version, &cell,
			sample_path(builder, version, &profile->samples[i]));
		if (builder->node_count > room)
			comparison_shrink(builder, (builder->max_nodes + 1) / 2);
	}
	return ERR_OK;
}

/* What was dropped and met again has lost what it had: in the nodes that stay all is counted anew,
 * and what has no node any more is its caller's. */
static void recount_tree(struct builder *builder)
{
	for (size_t i = 0; i < builder->node_count; i++)
		builder->nodes[i] = (struct comparison_node){
			.parent = builder->nodes[i].parent, .function = builder->nodes[i].function};
	for (int version = 0; version < COMPARE_VERSIONS; version++) {
		const struct profile *profile = builder->profile[version];

		for (size_t i = 0; i < profile->sample_count; i++) {
			const struct profile_sample *sample = &profile->samples[i];
			struct verdict_cell cell = sample_cell(&builder->values[version], sample);

			add_to_tree(builder, version, &cell, sample_path(builder, version, sample));
		}
	}
}

static void sum_values(struct builder *builder, int version)
{
	const struct profile *profile = builder->profile[version];

	for (size_t i = 0; i < profile->sample_count; i++)
		builder->version_total[version] +=
			fabs(sample_cell(&builder->values[version], &profile->samples[i]).x);
}

static int unite_trees(struct builder *builder, struct error *err)
{
	int rc = ERR_OK;

	for (int version = 0; version < COMPARE_VERSIONS; version++)
		sum_values(builder, version);
	for (int version = 0; version < COMPARE_VERSIONS && !rc; version++)
		rc = grow_tree(builder, version, err);
	if (!rc && builder->node_count > builder->max_nodes)
		comparison_shrink(builder, builder->max_nodes);
	builder->complete = true;
	builder->out->is_folded = builder->shrunk;
	if (!rc && builder->shrunk) {
		recount_tree(builder);
		builder->out->folded_share = comparison_omitted_share(builder);
	}
	return rc;
}

/* Nodes were numbered as they were met; now parents come first and siblings in function order. */
struct tree_order {
	uint32_t *first_child, *next_sibling; /* by old id; children in function order */
};

struct order_key {
	uint32_t parent, function, id;
};

static int compare_order_keys(const void *left, const void *right)
{
	const struct order_key *a = left, *b = right;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

static void link_siblings(struct tree_order *order, const struct builder *builder)
{
	size_t count = builder->node_count;
	struct order_key *keys = xcalloc(count, sizeof(*keys));

	for (size_t i = 0; i < count; i++) {
		keys[i] = (struct order_key){
			builder->nodes[i].parent, builder->nodes[i].function, (uint32_t)i};
		order->first_child[i] = order->next_sibling[i] = COMPARE_NONE;
	}
	qsort(keys + 1, count - 1, sizeof(*keys), compare_order_keys);
	for (size_t i = count; i-- > 1;) {
		order->next_sibling[keys[i].id] = order->first_child[keys[i].parent];
		order->first_child[keys[i].parent] = keys[i].id;
	}
	free(keys);
}

static void copy_preorder(struct builder *builder, const struct tree_order *order)
{
	struct comparison *out = builder->out;
	size_t count = builder->node_count;
	uint32_t *stack = xcalloc(count, sizeof(*stack)), *renamed = builder->renamed;
	size_t top = 0, next = 0;

	out->nodes = arena_array(&out->arena, count, sizeof(*out->nodes));
	out->node_count = count;
	stack[top++] = 0;
	while (top) {
		uint32_t old = stack[--top];
		struct comparison_node *node = &out->nodes[next];

		*node = builder->nodes[old];
		node->parent = old ? renamed[builder->nodes[old].parent] : 0;
		renamed[old] = (uint32_t)next++;
		if (old && order->next_sibling[old] != COMPARE_NONE)
			stack[top++] = order->next_sibling[old];
		if (order->first_child[old] != COMPARE_NONE)
			stack[top++] = order->first_child[old];
	}
	free(stack);
}

static void order_tree(struct builder *builder)
{
	struct tree_order order = {xcalloc(builder->node_count, sizeof(uint32_t)),
		xcalloc(builder->node_count, sizeof(uint32_t))};

	builder->renamed = xcalloc(builder->node_count, sizeof(*builder->renamed));
	link_siblings(&order, builder);
	copy_preorder(builder, &order);
	free(order.first_child);
	free(order.next_sibling);
}

static void choose_tested(struct comparison *out)
{
	out->tested_node = arena_array(&out->arena, out->node_count, sizeof(uint32_t));
	out->tested_parent = arena_array(&out->arena, out->node_count, sizeof(uint32_t));
	out->tested_function = arena_array(&out->arena, out->node_count, sizeof(uint32_t));
	for (size_t i = 0; i < out->node_count; i++) {
		struct comparison_node *node = &out->nodes[i];

		node->tested = COMPARE_NONE;
		if (i && (node->samples < COMPARISON_MIN_SAMPLES ||
				 out->nodes[node->parent].tested == COMPARE_NONE))
			continue;
		node->tested = (uint32_t)out->tested_count;
		out->tested_node[out->tested_count] = (uint32_t)i;
		out->tested_parent[out->tested_count] = out->nodes[node->parent].tested;
		out->tested_function[out->tested_count] = node->function;
		out->tested_count++;
	}
}

/* A function's samples are at most those of its nodes: more where it recurs. */
static double *samples_of_functions(const struct comparison *out)
{
	double *samples = xcalloc(out->matches.count, sizeof(*samples));

	for (size_t i = 1; i < out->node_count; i++)
		samples[out->nodes[i].function] += out->nodes[i].samples;
	return samples;
}

/* After choose_tested(), whose rows come first: what is shown only must not be too much. */
static void choose_known(struct comparison *out, const struct comparison_limits *limits)
{
	size_t max = limits && limits->max_cells ? limits->max_cells : DEFAULT_MAX_CELLS;
	size_t rows = max / out->pairs / 2, used = out->matches.count + 2 * out->tested_count;
	double *samples = samples_of_functions(out);

	out->function_known = arena_array(&out->arena, out->matches.count, sizeof(uint32_t));
	out->known_function = arena_array(&out->arena, out->matches.count, sizeof(uint32_t));
	for (uint32_t f = 0; f < out->matches.count; f++) {
		out->function_known[f] = COMPARE_NONE;
		if (samples[f] < COMPARISON_MIN_SAMPLES || used >= rows)
			continue;
		out->function_known[f] = (uint32_t)out->known_count;
		out->known_function[out->known_count++] = f;
		used++;
	}
	free(samples);
}

static int check_cells(
	const struct comparison *out, const struct comparison_limits *limits, struct error *err)
{
	size_t max = limits && limits->max_cells ? limits->max_cells : DEFAULT_MAX_CELLS;
	size_t rows = 2 * (out->matches.count + 2 * out->tested_count);

	if (out->pairs && rows > max / out->pairs)
		return error_set(err, ERR_LIMIT,
			"too much to compare: %zu functions and %zu nodes in %zu pairs",
			out->matches.count, out->tested_count, out->pairs);
	return ERR_OK;
}

static void init_builder(struct builder *builder, struct comparison *out,
	const struct profile *base, const struct profile *head,
	const struct comparison_limits *limits)
{
	memset(builder, 0, sizeof(*builder));
	builder->out = out;
	builder->profile[COMPARE_BASE] = base;
	builder->profile[COMPARE_HEAD] = head;
	builder->max_nodes = limits && limits->max_nodes ? limits->max_nodes : DEFAULT_MAX_NODES;
	find_values(&builder->values[COMPARE_BASE], base);
	find_values(&builder->values[COMPARE_HEAD], head);
	map_init(&builder->children);
	builder->nodes = xcalloc(1, sizeof(*builder->nodes));
	builder->nodes[0] = (struct comparison_node){.function = COMPARE_NONE};
	builder->node_capacity = builder->node_count = 1;
}

static void release_builder(struct builder *builder)
{
	map_release(&builder->children);
	free(builder->nodes);
	free(builder->path);
	free(builder->renamed);
	for (int version = 0; version < COMPARE_VERSIONS; version++)
		free(builder->omitted[version]);
}

int comparison_build(struct comparison *comparison, const struct profile *base,
	const struct profile *head, size_t pairs, const struct comparison_limits *limits,
	struct error *err)
{
	struct builder builder;
	int rc;

	if (!base->type_count || !head->type_count)
		return error_set(err, ERR_CORRUPT, "a profile without value types");
	memset(comparison, 0, sizeof(*comparison));
	arena_init(&comparison->arena);
	comparison->pairs = pairs ? pairs : 1;
	function_matches_build(&comparison->matches, base, head, limits ? limits->code : NULL,
		limits ? limits->names : NULL);
	init_builder(&builder, comparison, base, head, limits);
	inlinings_find(&comparison->inlinings, &comparison->matches, builder.profile,
		limits ? limits->code : NULL);
	builder.pooled = pairs == 0;
	rc = unite_trees(&builder, err);
	if (rc)
		goto out;
	order_tree(&builder);
	choose_tested(comparison);
	rc = check_cells(comparison, limits, err);
	if (rc)
		goto out;
	choose_known(comparison, limits);
	comparison_fill(&builder);
out:
	release_builder(&builder);
	if (rc)
		comparison_release(comparison);
	return rc;
}

void comparison_release(struct comparison *comparison)
{
	function_matches_release(&comparison->matches);
	inlinings_release(&comparison->inlinings);
	arena_release(&comparison->arena);
	memset(comparison, 0, sizeof(*comparison));
}
