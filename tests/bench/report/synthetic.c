/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/report/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "report/words/words.h"

#define DEEPEST 60
#define NODES_OF_A_FUNCTION 50

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
	return (double)(next_random(state) >> 11) * 0x1p-53;
}

static struct result_function *make_functions(struct arena *arena, size_t count)
{
	static const char *const classes[] = {"Parser", "Tokenizer<char>", "BlockCache<Key, 16>",
		"Arena", "Scheduler::Queue", "Index<std::string>", "Writer", "Codec"};
	struct result_function *functions = arena_array(arena, count, sizeof(*functions));

	for (size_t i = 0; i < count; i++) {
		functions[i].name = arena_printf(arena,
			"engine::%s::step_%zu(char const*, unsigned long)", classes[i % 8], i);
		functions[i].module = i % 5 ? "engine" : "libstore.so.3";
		functions[i].file = arena_printf(arena, "src/part_%zu/unit_%zu.cc", i % 40, i / 40);
		functions[i].line = (int64_t)(20 + i % 900);
	}
	return functions;
}

/* A parent among the last nodes, so that chains grow; never deeper than DEEPEST. */
static struct result_node *make_nodes(
	struct arena *arena, size_t count, size_t functions, uint64_t *random)
{
	struct result_node *nodes = arena_array(arena, count, sizeof(*nodes));
	unsigned char *depth = xcalloc(count, 1);

	nodes[0].function = RESULT_NONE;
	for (size_t i = 1; i < count; i++) {
		size_t back = 1 + (size_t)(pow(uniform(random), 4) * (double)(i - 1));
		uint32_t parent = (uint32_t)(i - (back > i ? i : back));
		double cost = pow(uniform(random), 6) * 1e-3 + 2e-6;

		while (depth[parent] >= DEEPEST)
			parent = nodes[parent].parent;
		depth[i] = (unsigned char)(depth[parent] + 1);
		nodes[i].parent = parent;
		nodes[i].function = (uint32_t)(next_random(random) % functions);
		nodes[i].self[0] = cost;
		nodes[i].self[1] = cost * (0.97 + 0.06 * uniform(random));
	}
	free(depth);
	return nodes;
}

static size_t mark_leaves(struct result_node *nodes, size_t count, size_t notable)
{
	bool *inner = xcalloc(count, sizeof(*inner));
	size_t leaves = 0, marked = 0;

	for (size_t i = 1; i < count; i++)
		inner[nodes[i].parent] = true;
	for (size_t i = 1; i < count; i++) {
		if (inner[i] || leaves++ % notable)
			continue;
		nodes[i].self[1] *= 1.3;
		nodes[i].self_state = STATE_CONFIRMED;
		marked++;
	}
	free(inner);
	return marked;
}

static void add_up(struct result_benchmark *benchmark)
{
	struct result_node *nodes = (struct result_node *)benchmark->nodes;
	struct result_function *functions = (struct result_function *)benchmark->functions;
	double mean;

	for (size_t i = benchmark->node_count; i-- > 0;) {
		for (int version = 0; version < 2; version++) {
			nodes[i].total[version] += nodes[i].self[version];
			if (i)
				nodes[nodes[i].parent].total[version] += nodes[i].total[version];
		}
	}
	mean = (nodes[0].total[0] + nodes[0].total[1]) / 2;
	for (size_t i = 0; i < benchmark->node_count; i++) {
		nodes[i].self_change = (nodes[i].self[1] - nodes[i].self[0]) / mean;
		nodes[i].total_change = (nodes[i].total[1] - nodes[i].total[0]) / mean;
		if (!i)
			continue;
		functions[nodes[i].function].self.base += nodes[i].self[0];
		functions[nodes[i].function].self.head += nodes[i].self[1];
		functions[nodes[i].function].total[0] += nodes[i].total[0];
		functions[nodes[i].function].total[1] += nodes[i].total[1];
	}
	for (size_t i = 0; i < benchmark->function_count; i++) {
		struct result_change *self = &functions[i].self;

		self->change = (self->head - self->base) / mean;
		self->se = 0.0002;
		self->low = self->change - 0.0004;
		self->high = self->change + 0.0004;
	}
	benchmark->total = (struct result_change){.base = nodes[0].total[0],
		.head = nodes[0].total[1],
		.change = nodes[0].total_change,
		.low = nodes[0].total_change - 0.002,
		.high = nodes[0].total_change + 0.002,
		.se = 0.001,
		.state = STATE_CONFIRMED};
}

static void add_culprits(struct arena *arena, struct result_benchmark *benchmark)
{
	struct result_culprit *culprits = arena_array(arena, 3, sizeof(*culprits));

	for (uint32_t i = 1; i < benchmark->node_count && benchmark->culprit_count < 3; i++) {
		const struct result_node *node = &benchmark->nodes[i];
		uint32_t *path;

		if (node->self_state != STATE_CONFIRMED)
			continue;
		((struct result_function *)benchmark->functions)[node->function].self.state =
			STATE_CONFIRMED;
		path = arena_array(arena, 1, sizeof(*path));
		*path = node->function;
		culprits[benchmark->culprit_count++] = (struct result_culprit){.node = i,
			.function = node->function,
			.caller = RESULT_NONE,
			.file = benchmark->functions[node->function].file,
			.line = benchmark->functions[node->function].line,
			.change = node->self_change,
			.low = node->self_change / 2,
			.high = node->self_change * 2,
			.relative = 0.3,
			.explained = 0.1,
			.path = path,
			.path_length = 1,
			.linked = RESULT_NONE};
	}
	benchmark->culprits = culprits;
}

struct result *synthetic_result(size_t nodes, size_t notable, uint64_t seed)
{
	struct result *result = xcalloc(1, sizeof(*result));
	size_t functions = nodes / NODES_OF_A_FUNCTION + 1;
	struct result_benchmark *benchmark;
	struct result_node *tree;

	arena_init(&result->arena);
	result->kind = "check";
	result->tool_version = "bench";
	result->date = "2024-05-01T12:00:00Z";
	result->base = (struct result_commit){
		"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", "Before", "main", false};
	result->head = (struct result_commit){
		"9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c", "After", "", false};
	result->policy_origin = "main:.flamegate.yml";
	result->environment = "";
	result->status = RESULT_FAIL;
	result->exit_status = 1;
	benchmark = arena_array(&result->arena, 1, sizeof(*benchmark));
	tree = make_nodes(&result->arena, nodes, functions, &seed);
	mark_leaves(tree, nodes, notable);
	*benchmark = (struct result_benchmark){.name = "large",
		.command = "./engine",
		.status = RESULT_FAIL,
		.outcome = OUTCOME_MEASURED,
		.detail = "",
		.unit = "seconds",
		.profile_type = "cpu",
		.functions = make_functions(&result->arena, functions),
		.function_count = functions,
		.nodes = tree,
		.node_count = nodes,
		.stage1_pairs = 16,
		.stage2_pairs = 24,
		.sampling = {.mechanism = "perf task-clock", .rate_hz = 997}};
	add_up(benchmark);
	add_culprits(&result->arena, benchmark);
	result->benchmarks = benchmark;
	result->benchmark_count = 1;
	return result;
}

void synthetic_free(struct result *result)
{
	arena_release(&result->arena);
	free(result);
}

size_t synthetic_notable(const struct result_benchmark *benchmark)
{
	size_t count = 0;

	for (size_t i = 0; i < benchmark->node_count; i++)
		count += state_is_notable(benchmark->nodes[i].state) ||
			 state_is_notable(benchmark->nodes[i].self_state);
	return count;
}

/* ---- for others ------------------------------------------------------------------------------ */

static const char *name_of(const struct result_benchmark *benchmark, uint32_t node)
{
	uint32_t function = benchmark->nodes[node].function;

	return function == RESULT_NONE ? "(other)" : benchmark->functions[function].name;
}

static void write_stack(const struct result_benchmark *benchmark, uint32_t node, FILE *out)
{
	if (benchmark->nodes[node].parent) {
		write_stack(benchmark, benchmark->nodes[node].parent, out);
		fputc(';', out);
	}
	fputs(name_of(benchmark, node), out);
}

void synthetic_write_folded(const struct result_benchmark *benchmark, int version, FILE *out)
{
	for (uint32_t i = 1; i < benchmark->node_count; i++) {
		write_stack(benchmark, i, out);
		fprintf(out, " %.0f\n", ceil(benchmark->nodes[i].self[version] * 1e6));
	}
}

struct links {
	uint32_t *first, *next;
};

static void write_d3_node(const struct result_benchmark *benchmark, const struct links *links,
	uint32_t node, FILE *out)
{
	const struct result_node *one = &benchmark->nodes[node];

	fprintf(out, "{\"name\":\"%s\",\"value\":%.0f,\"delta\":%.0f,\"children\":[",
		node ? name_of(benchmark, node) : "everything", one->total[1] * 1e6,
		(one->total[1] - one->total[0]) * 1e6);
	for (uint32_t child = links->first[node]; child; child = links->next[child]) {
		write_d3_node(benchmark, links, child, out);
		if (links->next[child])
			fputc(',', out);
	}
	fputs("]}", out);
}

void synthetic_write_d3(const struct result_benchmark *benchmark, FILE *out)
{
	size_t count = benchmark->node_count;
	struct links links = {xcalloc(count, sizeof(uint32_t)), xcalloc(count, sizeof(uint32_t))};

	for (uint32_t i = (uint32_t)count; i-- > 1;) {
		links.next[i] = links.first[benchmark->nodes[i].parent];
		links.first[benchmark->nodes[i].parent] = i;
	}
	write_d3_node(benchmark, &links, 0, out);
	free(links.first);
	free(links.next);
}
