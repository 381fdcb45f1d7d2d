/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline/line/line_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/bench/recording/recording.h"

#define FUNCTION_MEMBERS 6 /* name, system name, file, line, mean, sd */
#define MAX_VALUE 9e18     /* fits int64_t */

/* ---- writing -------------------------------------------------------------------------------- */

struct function_cost {
	uint32_t function;
	int64_t total;
};

/* Equal ones in the order of the functions, which is that of their names. */
static int compare_costs(const void *left, const void *right)
{
	const struct function_cost *a = left, *b = right;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

static struct function_cost *sort_functions(const struct line_tree *tree)
{
	struct function_cost *costs = xcalloc(tree->function_count, sizeof(*costs));

	for (size_t i = 0; i < tree->function_count; i++)
		costs[i].function = (uint32_t)i;
	for (size_t i = 0; i < tree->cell_count; i++)
		if (tree->cells[i].node)
			costs[tree->nodes[tree->cells[i].node].function].total +=
				tree->cells[i].quanta;
	if (tree->function_count)
		qsort(costs, tree->function_count, sizeof(*costs), compare_costs);
	return costs;
}

static size_t count_hottest(const struct function_cost *costs, size_t count)
{
	size_t hottest = 0;

	while (hottest < count && hottest < LINE_SUMMARY_FUNCTIONS && costs[hottest].total)
		hottest++;
	return hottest;
}

static double mean_iterations(const struct line_tree *tree)
{
	double sum = 0;

	for (size_t i = 0; i < tree->round_count; i++)
		sum += tree->rounds[i].iterations;
	return sum / (double)tree->round_count;
}

/* Brings a round's cost to that of the mean number of iterations. */
static double work_factor(const struct line_tree *tree, double iterations, size_t round)
{
	double done = tree->rounds[round].iterations;

	return done > 0 && iterations > 0 ? iterations / done : 1;
}

/* rows[place * rounds + round]: of the hottest, and last of all others. */
static double *fill_rows(
	const struct line_tree *tree, const struct function_cost *costs, size_t hottest)
{
	double *rows = xcalloc((hottest + 1) * tree->round_count, sizeof(*rows));
	uint32_t *places = xcalloc(tree->function_count + 1, sizeof(*places));
	double iterations = mean_iterations(tree);

	for (size_t i = 0; i < tree->function_count; i++)
		places[costs[i].function] = (uint32_t)(i < hottest ? i : hottest);
	for (size_t i = 0; i < tree->cell_count; i++) {
		const struct line_cell *cell = &tree->cells[i];
		size_t place = cell->node ? places[tree->nodes[cell->node].function] : hottest;

		rows[place * tree->round_count + cell->round] +=
			(double)cell->quanta * (double)tree->quantum *
			work_factor(tree, iterations, cell->round);
	}
	free(places);
	return rows;
}

static void write_function(struct json_writer *writer, const struct line_function *function,
	const double *row, size_t rounds)
{
	struct line_spread spread = line_spread_of(row, rounds);

	json_array_begin(writer);
	json_write_string(writer, function->name);
	json_write_string(writer, function->system_name);
	json_write_string(writer, function->file);
	json_write_int64(writer, function->start_line);
	line_write_spread(writer, &spread);
	json_array_end(writer);
}

static void write_rounds(struct json_writer *writer, const struct line_tree *tree)
{
	double *wall = xcalloc(tree->round_count, sizeof(*wall)), squares = 0;
	struct line_spread spread;

	for (size_t i = 0; i < tree->round_count; i++) {
		wall[i] = tree->rounds[i].wall_seconds;
		squares += (double)tree->squares[i] / (double)tree->round_count;
	}
	spread = line_spread_of(wall, tree->round_count);
	json_member_array(writer, "wall");
	line_write_spread(writer, &spread);
	json_array_end(writer);
	json_member_double(writer, "iterations", mean_iterations(tree));
	json_member_double(writer, "squares", floor(squares));
	free(wall);
}

void line_summary_write(struct json_writer *writer, const struct line_tree *tree)
{
	struct function_cost *costs = sort_functions(tree);
	size_t hottest = count_hottest(costs, tree->function_count), rounds = tree->round_count;
	double *rows = fill_rows(tree, costs, hottest);
	struct line_spread other = line_spread_of(rows + hottest * rounds, rounds);

	write_rounds(writer, tree);
	json_member_array(writer, "functions");
	for (size_t i = 0; i < hottest; i++)
		write_function(
			writer, &tree->functions[costs[i].function], rows + i * rounds, rounds);
	json_array_end(writer);
	json_member_array(writer, "other");
	line_write_spread(writer, &other);
	json_array_end(writer);
	free(rows);
	free(costs);
}

/* ---- reading -------------------------------------------------------------------------------- */

struct two_levels {
	size_t high_count;
	double high, low;
};

/* n numbers, k of them mean + a, the rest lower: sd^2 = a^2 k n / ((n - k) (n - 1)). */
static struct two_levels choose_levels(const struct line_spread *spread, size_t rounds)
{
	struct two_levels levels = {0, spread->mean, spread->mean};
	double n = (double)rounds;

	for (size_t k = rounds / 2; k >= 1 && spread->sd > 0; k--) {
		double high = (double)k;
		double a = spread->sd * sqrt((n - high) * (n - 1) / (high * n));

		levels = (struct two_levels){
			k, spread->mean + a, spread->mean - a * high / (n - high)};
		if (levels.low >= 0)
			return levels;
	}
	levels.low = fmax(levels.low, 0);
	return levels;
}

static double level_of(const struct two_levels *levels, size_t round, size_t turn, size_t rounds)
{
	return (round + turn) % rounds < levels->high_count ? levels->high : levels->low;
}

static int read_amount(
	const struct json *object, const char *key, double most, double *out, struct error *err)
{
	double number;
	int rc = json_get_number(object, key, &number, err);

	if (!rc && !(number >= 0 && number <= most))
		rc = json_error(json_get(object, key), err, "expected a number from 0 to %g", most);
	if (!rc)
		*out = number;
	return rc;
}

static int read_wall(const struct line_parts *parts, struct line_spread *out, struct error *err)
{
	const struct json *pair;
	int rc = json_get_array(parts->head, "wall", &pair, err);

	return rc ? rc
		  : line_read_spread(
			    json_at(pair, 0), json_at(pair, 1), parts->totals.rounds, out, err);
}

static int read_rounds(const struct line_parts *parts, struct line_tree *tree, struct error *err)
{
	struct line_spread wall_spread;
	double iterations = 0, squares = 0;
	size_t rounds = parts->totals.rounds;
	int rc = read_wall(parts, &wall_spread, err);

	if (!rc)
		rc = read_amount(parts->head, "iterations", 1e15, &iterations, err);
	if (!rc)
		rc = read_amount(parts->head, "squares", MAX_VALUE, &squares, err);
	if (rc)
		return rc;
	struct two_levels cpu = choose_levels(&parts->totals.cpu, rounds);
	struct two_levels wall = choose_levels(&wall_spread, rounds);

	tree->round_count = rounds;
	tree->rounds = arena_array(&tree->arena, rounds, sizeof(*tree->rounds));
	tree->squares = arena_array(&tree->arena, rounds, sizeof(*tree->squares));
	for (size_t i = 0; i < rounds; i++) {
		tree->rounds[i] =
			(struct recording_round){.cpu_seconds = level_of(&cpu, i, 0, rounds),
				.wall_seconds = level_of(&wall, i, 0, rounds),
				.iterations = iterations,
				.order = i % 2,
				.processes = 1};
		tree->squares[i] = (int64_t)squares;
	}
	return ERR_OK;
}

/* The function's node and its cell in each round; nodes are in the order of the functions. */
static int add_function(struct line_tree *tree, const struct line_function *function,
	const struct line_spread *spread, struct error *err)
{
	struct two_levels levels = choose_levels(spread, tree->round_count);
	uint32_t node = (uint32_t)tree->node_count++;

	if (levels.high > MAX_VALUE)
		return error_set(err, ERR_CORRUPT, "a function's cost is out of range");
	tree->functions[tree->function_count] = *function;
	tree->nodes[node] = (struct line_node){1, (uint32_t)tree->function_count++};
	for (size_t round = 0; round < tree->round_count; round++) {
		double value = level_of(&levels, round, node, tree->round_count);
		int64_t quanta = (int64_t)(value + 0.5);

		if (quanta > 0)
			tree->cells[tree->cell_count++] =
				(struct line_cell){node, (uint32_t)round, quanta};
	}
	return ERR_OK;
}

static int read_function(const struct json *node, struct line_tree *tree, struct error *err)
{
	struct line_function function = {.module = ""};
	struct line_spread spread;
	int rc = json_expect(node, JSON_ARRAY, err);

	if (!rc && json_length(node) != FUNCTION_MEMBERS)
		rc = json_error(node, err, "expected %d elements", FUNCTION_MEMBERS);
	if (!rc)
		rc = json_string(json_at(node, 0), &function.name, err);
	if (!rc)
		rc = json_string(json_at(node, 1), &function.system_name, err);
	if (!rc)
		rc = json_string(json_at(node, 2), &function.file, err);
	if (!rc)
		rc = json_int64(json_at(node, 3), &function.start_line, err);
	if (!rc)
		rc = line_read_spread(
			json_at(node, 4), json_at(node, 5), tree->round_count, &spread, err);
	return rc ? rc : add_function(tree, &function, &spread, err);
}

static int read_functions(const struct line_parts *parts, struct line_tree *tree, struct error *err)
{
	const struct json *list = NULL, *node, *other = NULL;
	struct line_function rest = {LINE_OTHER, "", "", "", 0};
	struct line_spread spread;
	int rc = json_get_array(parts->head, "functions", &list, err);

	if (!rc && json_length(list) > LINE_SUMMARY_FUNCTIONS)
		rc = json_error(list, err, "has more than %d functions", LINE_SUMMARY_FUNCTIONS);
	for (node = json_first(list); node && !rc; node = json_next(node))
		rc = read_function(node, tree, err);
	if (!rc)
		rc = json_get_array(parts->head, "other", &other, err);
	if (!rc)
		rc = line_read_spread(
			json_at(other, 0), json_at(other, 1), tree->round_count, &spread, err);
	if (!rc && spread.mean > 0)
		rc = add_function(tree, &rest, &spread, err);
	return rc;
}

/* How many samples a round then has; restoring it needs at least one. */
static void count_samples(struct line_tree *tree)
{
	double *sums = xcalloc(tree->round_count, sizeof(*sums));

	for (size_t i = 0; i < tree->cell_count; i++)
		sums[tree->cells[i].round] += (double)tree->cells[i].quanta;
	for (size_t i = 0; i < tree->round_count; i++) {
		double samples = fmax(1, floor(sums[i] / (double)tree->weight + 0.5));

		tree->rounds[i].samples = tree->rounds[i].complete =
			samples < 1e15 ? (uint64_t)samples : (uint64_t)1e15;
	}
	free(sums);
}

int line_summary_read(const struct line_parts *parts, struct line_tree *out, struct error *err)
{
	struct line_tree tree = {.arena = ARENA_INIT,
		.quantum = 1,
		.weight = parts->totals.quantum,
		.unit = parts->totals.unit};
	size_t most = LINE_SUMMARY_FUNCTIONS + 1;
	int rc = read_rounds(parts, &tree, err);

	if (!rc) {
		tree.functions = arena_array(&tree.arena, most, sizeof(*tree.functions));
		tree.nodes = arena_array(&tree.arena, most + 1, sizeof(*tree.nodes));
		tree.cells = arena_array(&tree.arena, most * tree.round_count, sizeof(*tree.cells));
		tree.node_count = 1;
		rc = read_functions(parts, &tree, err);
	}
	if (rc) {
		line_tree_release(&tree);
		return rc;
	}
	if (strcmp(parts->recording.profile_type, RECORDING_TYPE_CPU) == 0)
		count_samples(&tree);
	*out = tree;
	return ERR_OK;
}
