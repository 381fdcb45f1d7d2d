/* SPDX-License-Identifier: Apache-2.0 */
/* From a call tree to the payload's bytes, in columns that deflate well. */
#include <stdlib.h>
#include <string.h>

#include "baseline/line/line_payload.h"
#include "gate/base/map.h"
#include "gate/bench/recording/recording.h"

static void add_unsigned(struct strbuf *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		strbuf_addch(out, (char)(number | 0x80));
	strbuf_addch(out, (char)number);
}

static void add_signed(struct strbuf *out, int64_t number)
{
	add_unsigned(out, ((uint64_t)number << 1) ^ (uint64_t)(number >> 63));
}

static void add_double(struct strbuf *out, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	for (int shift = 0; shift < 64; shift += 8)
		strbuf_addch(out, (char)(bits >> shift));
}

static void add_counts(struct strbuf *out, const struct line_tree *tree, size_t cells)
{
	add_unsigned(out, tree->round_count);
	add_unsigned(out, tree->function_count);
	add_unsigned(out, tree->node_count);
	add_unsigned(out, cells);
}

/* ---- rounds --------------------------------------------------------------------------------- */

#define ADD_COLUMN(out, tree, add, member)                                                         \
	do {                                                                                       \
		for (size_t row = 0; row < (tree)->round_count; row++)                             \
			add(out, (tree)->rounds[row].member);                                      \
	} while (0)

static void add_rounds(struct strbuf *out, const struct line_tree *tree)
{
	ADD_COLUMN(out, tree, add_double, cpu_seconds);
	ADD_COLUMN(out, tree, add_double, wall_seconds);
	ADD_COLUMN(out, tree, add_double, iterations);
	ADD_COLUMN(out, tree, add_unsigned, samples);
	ADD_COLUMN(out, tree, add_unsigned, complete);
	ADD_COLUMN(out, tree, add_unsigned, lost);
	ADD_COLUMN(out, tree, add_unsigned, order);
	ADD_COLUMN(out, tree, add_unsigned, processes);
	for (size_t i = 0; i < tree->round_count; i++)
		add_signed(out, tree->squares[i]);
}

/* ---- functions ------------------------------------------------------------------------------ */

static size_t shared_prefix(const char *a, const char *b)
{
	size_t length = 0;

	while (a[length] && a[length] == b[length])
		length++;
	return length;
}

/* The text of function `index` in the column whose member is at `offset`. */
static const char *text_at(const struct line_tree *tree, size_t offset, size_t index)
{
	const char *text;

	memcpy(&text, (const char *)&tree->functions[index] + offset, sizeof(text));
	return text;
}

static void add_texts(struct strbuf *out, const struct line_tree *tree, size_t offset)
{
	struct strbuf lengths = STRBUF_INIT, rests = STRBUF_INIT;
	const char *before = "";

	for (size_t i = 0; i < tree->function_count; i++) {
		const char *text = text_at(tree, offset, i);
		size_t shared = shared_prefix(before, text);

		add_unsigned(out, shared);
		add_unsigned(&lengths, strlen(text + shared));
		strbuf_addstr(&rests, text + shared);
		before = text;
	}
	strbuf_add(out, lengths.data, lengths.length);
	strbuf_add(out, rests.data, rests.length);
	strbuf_release(&lengths);
	strbuf_release(&rests);
}

static void add_functions(struct strbuf *out, const struct line_tree *tree)
{
	int64_t before = 0;

	add_texts(out, tree, offsetof(struct line_function, module));
	add_texts(out, tree, offsetof(struct line_function, file));
	add_texts(out, tree, offsetof(struct line_function, name));
	add_texts(out, tree, offsetof(struct line_function, system_name));
	for (size_t i = 0; i < tree->function_count; i++) {
		int64_t line = tree->functions[i].start_line;

		/* Hostile lines may be any number: differences wrap,
		 * and are taken back the same. */
		add_signed(out, (int64_t)((uint64_t)line - (uint64_t)before));
		before = line;
	}
}

/* ---- nodes ---------------------------------------------------------------------------------- */

struct callees {
	struct map places;  /* (caller, callee) -> its place among the caller's callees */
	uint32_t *counts;   /* [caller]; the root is the caller behind the last function */
	uint32_t *callers;  /* by depth */
	struct strbuf news; /* callees met for the first time */
};

static void add_callee(
	struct callees *callees, struct strbuf *out, const struct line_node *node, uint32_t caller)
{
	uint32_t key[2] = {caller, node->function};
	bool added;
	uint32_t place =
		map_intern(&callees->places, key, sizeof(key), callees->counts[caller], &added);

	if (added) {
		callees->counts[caller]++;
		add_unsigned(&callees->news, node->function);
	}
	add_unsigned(out, added ? 0 : (uint64_t)place + 1);
}

static void add_nodes(struct strbuf *out, const struct line_tree *tree)
{
	struct callees callees = {.news = STRBUF_INIT};
	struct strbuf functions = STRBUF_INIT;

	map_init(&callees.places);
	callees.counts = xcalloc(tree->function_count + 1, sizeof(*callees.counts));
	callees.callers = xcalloc(LINE_MAX_DEPTH + 1, sizeof(*callees.callers));
	callees.callers[0] = (uint32_t)tree->function_count;
	for (size_t i = 1; i < tree->node_count; i++) {
		const struct line_node *node = &tree->nodes[i];

		add_unsigned(out, tree->nodes[i - 1].depth + 1 - node->depth);
		add_callee(&callees, &functions, node, callees.callers[node->depth - 1]);
		callees.callers[node->depth] = node->function;
	}
	strbuf_add(out, functions.data, functions.length);
	strbuf_add(out, callees.news.data, callees.news.length);
	map_release(&callees.places);
	free(callees.counts);
	free(callees.callers);
	strbuf_release(&callees.news);
	strbuf_release(&functions);
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Writes cells that are met in order; `next` is the first place (node * rounds + round) left. */
struct cell_writer {
	struct strbuf steps, values;
	uint64_t next;
	size_t count, rounds;
};

static void add_cell(struct cell_writer *writer, size_t node, size_t round, int64_t value)
{
	uint64_t place = (uint64_t)node * writer->rounds + round;

	if (!value)
		return;
	add_unsigned(&writer->steps, (place - writer->next) << 1 | (value != 1));
	if (value != 1)
		add_signed(&writer->values, value);
	writer->next = place + 1;
	writer->count++;
}

/* row[round]: what the node cost; returns where the next node's cells begin. */
static size_t read_row(const struct line_tree *tree, size_t cell, size_t node, int64_t *row)
{
	memset(row, 0, tree->round_count * sizeof(*row));
	for (; cell < tree->cell_count && tree->cells[cell].node == node; cell++)
		row[tree->cells[cell].round] = tree->cells[cell].quanta;
	return cell;
}

static void write_cells(struct cell_writer *writer, const struct line_tree *tree, bool counted)
{
	int64_t *row = xcalloc(tree->round_count, sizeof(*row));

	for (size_t node = 0, cell = 0; node < tree->node_count; node++) {
		cell = read_row(tree, cell, node, row);
		for (size_t round = 0; round < tree->round_count; round++)
			add_cell(writer, node, round,
				row[round] - (counted && round ? row[round - 1] : 0));
	}
	free(row);
}

void line_payload_encode(const struct line_tree *tree, bool counted, struct strbuf *out)
{
	struct cell_writer writer = {
		.steps = STRBUF_INIT, .values = STRBUF_INIT, .rounds = tree->round_count};

	write_cells(&writer, tree, counted);
	add_counts(out, tree, writer.count);
	add_rounds(out, tree);
	add_functions(out, tree);
	add_nodes(out, tree);
	strbuf_add(out, writer.steps.data, writer.steps.length);
	strbuf_add(out, writer.values.data, writer.values.length);
	strbuf_release(&writer.steps);
	strbuf_release(&writer.values);
}
