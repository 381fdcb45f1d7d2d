/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a payload's bytes, which may be hostile, to the call tree: every number is checked where it
 * is read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/line/line_payload.h"
#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

/*
 * A cursor that fails once and for all: reading past the end gives zeros and sets `problem`, so
 * that loops need not look at every number, only at what they do with it.
 */
struct reader {
	const unsigned char *at, *end;
	const char *problem; /* static; NULL: fine */
};

static void fail(struct reader *reader, const char *problem)
{
	if (!reader->problem)
		reader->problem = problem;
	reader->at = reader->end;
}

static uint64_t read_unsigned(struct reader *reader)
{
	uint64_t number = 0;

	for (int shift = 0; reader->at < reader->end; shift += 7) {
		unsigned char byte = *reader->at++;

		if (shift > 63 || (shift == 63 && byte > 1)) {
			fail(reader, "a number does not fit into 64 bits");
			return 0;
		}
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	fail(reader, "it ends too early");
	return 0;
}

/* A number up to `most`. */
static uint64_t read_up_to(struct reader *reader, uint64_t most, const char *problem)
{
	uint64_t number = read_unsigned(reader);

	if (number <= most)
		return number;
	fail(reader, problem);
	return 0;
}

static int64_t read_signed(struct reader *reader)
{
	uint64_t number = read_unsigned(reader);

	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static double read_double(struct reader *reader)
{
	uint64_t bits = 0;
	double number;

	if (reader->end - reader->at < 8) {
		fail(reader, "it ends too early");
		return 0;
	}
	for (int shift = 0; shift < 64; shift += 8)
		bits |= (uint64_t)*reader->at++ << shift;
	memcpy(&number, &bits, sizeof(number));
	if (!(number >= 0 && number <= 1e15)) {
		fail(reader, "a round's total is out of range");
		return 0;
	}
	return number;
}

static const char *read_text(struct reader *reader, struct arena *arena, size_t length)
{
	const char *text = (const char *)reader->at;

	if ((size_t)(reader->end - reader->at) < length) {
		fail(reader, "it ends too early");
		return "";
	}
	if (memchr(text, '\0', length)) {
		fail(reader, "a name holds a NUL");
		return "";
	}
	reader->at += length;
	return arena_strndup(arena, text, length);
}

/* ---- rounds --------------------------------------------------------------------------------- */

#define READ_COLUMN(reader, tree, member, ...)                                                     \
	do {                                                                                       \
		for (size_t row = 0; row < (tree)->round_count; row++)                             \
			(tree)->rounds[row].member = __VA_ARGS__;                                  \
	} while (0)

static uint64_t read_metric(struct reader *reader)
{
	return read_up_to(reader, (uint64_t)1 << 50, "a round's total is out of range");
}

static void read_rounds(struct reader *reader, struct line_tree *tree)
{
	tree->rounds = arena_array(&tree->arena, tree->round_count, sizeof(*tree->rounds));
	tree->squares = arena_array(&tree->arena, tree->round_count, sizeof(*tree->squares));
	READ_COLUMN(reader, tree, cpu_seconds, read_double(reader));
	READ_COLUMN(reader, tree, wall_seconds, read_double(reader));
	READ_COLUMN(reader, tree, iterations, read_double(reader));
	READ_COLUMN(reader, tree, samples, read_metric(reader));
	READ_COLUMN(reader, tree, complete, read_metric(reader));
	READ_COLUMN(reader, tree, lost, read_metric(reader));
	READ_COLUMN(reader, tree, order,
		(uint32_t)read_up_to(reader, 1, "a round's order is neither 0 nor 1"));
	READ_COLUMN(reader, tree, processes,
		(uint32_t)read_up_to(
			reader, UINT32_MAX, "a round has an impossible number of processes"));
	for (size_t i = 0; i < tree->round_count; i++) {
		tree->squares[i] = read_signed(reader);
		if (tree->squares[i] < 0)
			fail(reader, "a round's squares are negative");
	}
}

/* ---- functions ------------------------------------------------------------------------------ */

static void set_text(struct line_tree *tree, size_t offset, size_t index, const char *text)
{
	memcpy((char *)&tree->functions[index] + offset, &text, sizeof(text));
}

/* The text: `shared` bytes of the one before, and `rest` bytes from the reader. */
static const char *join_text(struct reader *reader, struct arena *arena, const char *before,
	size_t shared, size_t rest, size_t *allowed)
{
	const char *tail;

	if (shared > strlen(before) || shared + rest > LINE_MAX_NAME_BYTES ||
		shared + rest > *allowed) {
		fail(reader, "a name is longer than it can be");
		return "";
	}
	*allowed -= shared + rest;
	if (!rest && !before[shared])
		return before;
	tail = read_text(reader, arena, rest);
	if (!shared)
		return tail;
	return arena_printf(arena, "%.*s%s", (int)shared, before, tail);
}

/* lengths: room for two numbers a function. */
static void read_texts(struct reader *reader, struct line_tree *tree, size_t offset,
	uint32_t *lengths, size_t *allowed)
{
	const char *before = "";
	size_t count = tree->function_count;

	for (size_t i = 0; i < 2 * count; i++)
		lengths[i] = (uint32_t)read_up_to(
			reader, LINE_MAX_NAME_BYTES, "a name is longer than it can be");
	for (size_t i = 0; i < count; i++) {
		before = join_text(
			reader, &tree->arena, before, lengths[i], lengths[count + i], allowed);
		set_text(tree, offset, i, before);
	}
}

static void read_functions(struct reader *reader, struct line_tree *tree)
{
	uint32_t *lengths = xcalloc(2 * tree->function_count, sizeof(*lengths));
	size_t allowed = LINE_MAX_TEXT_BYTES;
	int64_t line = 0;

	tree->functions = arena_array(&tree->arena, tree->function_count, sizeof(*tree->functions));
	read_texts(reader, tree, offsetof(struct line_function, module), lengths, &allowed);
	read_texts(reader, tree, offsetof(struct line_function, file), lengths, &allowed);
	read_texts(reader, tree, offsetof(struct line_function, name), lengths, &allowed);
	read_texts(reader, tree, offsetof(struct line_function, system_name), lengths, &allowed);
	for (size_t i = 0; i < tree->function_count; i++) {
		line = (int64_t)((uint64_t)line + (uint64_t)read_signed(reader));
		tree->functions[i].start_line = line;
	}
	free(lengths);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

struct callees {
	uint32_t *functions;
	size_t count, capacity;
};

static void read_depths(struct reader *reader, struct line_tree *tree)
{
	for (size_t i = 1; i < tree->node_count; i++) {
		uint32_t depth = tree->nodes[i - 1].depth;

		/* Up from the node before, but not to a second root. */
		depth -=
			(uint32_t)read_up_to(reader, depth, "a node has no place in the call tree");
		tree->nodes[i].depth = depth + 1;
		if (depth >= LINE_MAX_DEPTH)
			fail(reader, "the call tree is too deep");
		if (reader->problem)
			return;
	}
}

/* places: those of the first function column. */
static void read_callees(struct reader *reader, struct line_tree *tree, struct callees *callees,
	const uint32_t *places, uint32_t *callers)
{
	callers[0] = (uint32_t)tree->function_count;
	for (size_t i = 1; i < tree->node_count && !reader->problem; i++) {
		struct line_node *node = &tree->nodes[i];
		struct callees *known = &callees[callers[node->depth - 1]];

		if (places[i] > known->count) {
			fail(reader, "a node's function does not exist");
		} else if (places[i]) {
			node->function = known->functions[places[i] - 1];
		} else {
			node->function = (uint32_t)read_up_to(reader, tree->function_count - 1,
				"a node's function does not exist");
			known->functions = grow_array(known->functions, &known->capacity,
				known->count + 1, sizeof(*known->functions));
			known->functions[known->count++] = node->function;
		}
		callers[node->depth] = node->function;
	}
}

static void read_nodes(struct reader *reader, struct line_tree *tree)
{
	struct callees *callees = xcalloc(tree->function_count + 1, sizeof(*callees));
	uint32_t *callers = xcalloc(LINE_MAX_DEPTH + 2, sizeof(*callers));
	uint32_t *places = xcalloc(tree->node_count, sizeof(*places));

	tree->nodes = arena_array(&tree->arena, tree->node_count, sizeof(*tree->nodes));
	read_depths(reader, tree);
	for (size_t i = 1; i < tree->node_count; i++)
		places[i] = (uint32_t)read_up_to(
			reader, LINE_MAX_FUNCTIONS, "a node's function does not exist");
	if (!reader->problem)
		read_callees(reader, tree, callees, places, callers);
	for (size_t i = 0; i <= tree->function_count; i++)
		free(callees[i].functions);
	free(callees);
	free(callers);
	free(places);
}

/* ---- cells ---------------------------------------------------------------------------------- */

struct cell_reader {
	struct line_tree *tree;
	size_t capacity, frames;
	struct line_cell *cells;
};

static void take_cell(struct reader *reader, struct cell_reader *to, uint64_t place, int64_t value)
{
	struct line_tree *tree = to->tree;
	uint32_t node = (uint32_t)(place / tree->round_count);

	to->frames += tree->nodes[node].depth;
	if (value <= 0)
		fail(reader, "a node's cost is negative");
	else if (tree->cell_count >= LINE_MAX_CELLS)
		fail(reader, "it holds more costs than flamegate reads");
	else if (to->frames > LINE_MAX_FRAMES)
		fail(reader, "it holds more frames than flamegate reads");
	if (reader->problem)
		return;
	to->cells = grow_array(to->cells, &to->capacity, tree->cell_count + 1, sizeof(*to->cells));
	to->cells[tree->cell_count++] =
		(struct line_cell){node, (uint32_t)(place % tree->round_count), value};
}

/* Up to the end of the node's row a counted type's value stays what it was. */
static void repeat_value(
	struct reader *reader, struct cell_reader *to, uint64_t place, uint64_t end, int64_t value)
{
	uint64_t row_end = (place / to->tree->round_count + 1) * to->tree->round_count;

	for (; value && place < end && place < row_end && !reader->problem; place++)
		take_cell(reader, to, place, value);
}

static void read_sampled(struct reader *reader, struct cell_reader *to, const uint64_t *places,
	const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count && !reader->problem; i++)
		take_cell(reader, to, places[i], values[i]);
}

static void read_counted(struct reader *reader, struct cell_reader *to, const uint64_t *places,
	const int64_t *values, size_t count)
{
	size_t rounds = to->tree->round_count;
	int64_t value = 0;

	for (size_t i = 0; i < count && !reader->problem; i++) {
		uint64_t end = i + 1 < count ? places[i + 1] : UINT64_MAX;

		if (!i || places[i] / rounds != places[i - 1] / rounds)
			value = 0;
		if (__builtin_add_overflow(value, values[i], &value))
			fail(reader, "a cost does not fit into 64 bits");
		else
			repeat_value(reader, to, places[i], end, value);
	}
}

static void read_places(
	struct reader *reader, const struct line_tree *tree, uint64_t *places, size_t count)
{
	uint64_t next = 0, most = (uint64_t)tree->node_count * tree->round_count;

	for (size_t i = 0; i < count; i++) {
		uint64_t step = read_unsigned(reader);

		if (step >> 1 >= most - next)
			fail(reader, "a cost belongs to no node");
		if (reader->problem)
			return;
		/* The flag rides along until the values are read. */
		places[i] = (next + (step >> 1)) << 1 | (step & 1);
		next += (step >> 1) + 1;
	}
}

static void read_cells(struct reader *reader, struct line_tree *tree, size_t count, bool counted)
{
	struct cell_reader to = {.tree = tree};
	uint64_t *places = xcalloc(count, sizeof(*places));
	int64_t *values = xcalloc(count, sizeof(*values));

	read_places(reader, tree, places, count);
	for (size_t i = 0; i < count; i++) {
		values[i] = places[i] & 1 ? read_signed(reader) : 1;
		places[i] >>= 1;
	}
	if (counted)
		read_counted(reader, &to, places, values, count);
	else
		read_sampled(reader, &to, places, values, count);
	tree->cells = arena_array(&tree->arena, tree->cell_count, sizeof(*tree->cells));
	if (tree->cell_count)
		memcpy(tree->cells, to.cells, tree->cell_count * sizeof(*tree->cells));
	free(to.cells);
	free(places);
	free(values);
}

static size_t read_counts(struct reader *reader, struct line_tree *tree)
{
	size_t cells;

	tree->round_count =
		read_up_to(reader, RECORDING_MAX_ROUNDS, "it has more rounds than flamegate reads");
	tree->function_count = read_up_to(
		reader, LINE_MAX_FUNCTIONS, "it has more functions than flamegate reads");
	tree->node_count =
		read_up_to(reader, LINE_MAX_NODES, "it has more nodes than flamegate reads");
	cells = read_up_to(reader, LINE_MAX_CELLS, "it holds more costs than flamegate reads");
	if (!tree->round_count || !tree->node_count)
		fail(reader, "it is empty");
	return cells;
}

int line_payload_decode(
	const void *data, size_t length, bool counted, struct line_tree *out, struct error *err)
{
	struct reader reader = {.at = data, .end = (const unsigned char *)data + length};
	struct line_tree tree = {.arena = ARENA_INIT, .quantum = 1, .weight = 1, .unit = ""};
	size_t cells = read_counts(&reader, &tree);

	if (!reader.problem)
		read_rounds(&reader, &tree);
	if (!reader.problem)
		read_functions(&reader, &tree);
	if (!reader.problem)
		read_nodes(&reader, &tree);
	if (!reader.problem)
		read_cells(&reader, &tree, cells, counted);
	if (!reader.problem && reader.at != reader.end)
		fail(&reader, "something follows its end");
	if (reader.problem) {
		line_tree_release(&tree);
		return error_set(err, ERR_CORRUPT, "the payload is damaged: %s", reader.problem);
	}
	*out = tree;
	return ERR_OK;
}
