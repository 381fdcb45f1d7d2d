/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/report/fixture_build.h"

#include <math.h>
#include <stdlib.h>

#include "gate/check/whole.h"
#include "tests/unit/report/fixture.h"

#define MOST_FUNCTIONS 64
#define MOST_NODES 64
#define MOST_CLAIMS 8

struct result *build_result(const char *kind)
{
	struct result *result = xcalloc(1, sizeof(*result));

	arena_init(&result->arena);
	result->tool_version = "0.1.0";
	result->date = "2024-05-01T12:00:00Z";
	result->kind = kind;
	result->base = (struct result_commit){
		"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", "Aggregate by host", "main", false};
	result->head = (struct result_commit){
		"9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c", "Accept quoted fields", "", false};
	result->policy_origin = "main:.flamegate.yml";
	result->environment =
		"Example CPU @ 2.4 GHz, Linux 6.1.0, glibc 2.36, governor performance";
	result->benchmarks = arena_array(&result->arena, 8, sizeof(struct result_benchmark));
	return result;
}

void fixture_free(struct result *result)
{
	arena_release(&result->arena);
	free(result);
}

struct result_benchmark *build_benchmark(struct result *result, const char *name,
	enum result_status status, enum result_outcome outcome)
{
	struct result_benchmark *benchmark =
		(struct result_benchmark *)&result->benchmarks[result->benchmark_count++];

	benchmark->name = name;
	benchmark->command = "./logstat testdata/access.json.gz";
	benchmark->status = status;
	benchmark->outcome = outcome;
	benchmark->detail = "";
	benchmark->unit = "seconds";
	benchmark->profile_type = "cpu";
	benchmark->sampling.mechanism = "";
	benchmark->functions =
		arena_array(&result->arena, MOST_FUNCTIONS, sizeof(struct result_function));
	benchmark->nodes = arena_array(&result->arena, MOST_NODES, sizeof(struct result_node));
	if (result->benchmark_count == 1 ||
		result_status_weight(status) > result_status_weight(result->status))
		result->status = status;
	result->exit_status = result->status == RESULT_FAIL    ? 1
			      : result->status == RESULT_ERROR ? 3
							       : 0;
	return benchmark;
}

uint32_t build_function(
	struct result_benchmark *benchmark, const char *name, const char *file, int64_t line)
{
	struct result_function *function =
		(struct result_function *)&benchmark->functions[benchmark->function_count];

	*function = (struct result_function){.name = name,
		.module = *file ? "logstat" : "libc.so.6",
		.file = file,
		.line = line};
	return (uint32_t)benchmark->function_count++;
}

uint32_t build_node(struct result_benchmark *benchmark, uint32_t parent, uint32_t function,
	double base, double head)
{
	struct result_node *node = (struct result_node *)&benchmark->nodes[benchmark->node_count];

	*node = (struct result_node){.parent = parent, .function = function, .self = {base, head}};
	return (uint32_t)benchmark->node_count++;
}

struct result_function *function_at(struct result_benchmark *benchmark, uint32_t index)
{
	return (struct result_function *)&benchmark->functions[index];
}

struct result_node *node_at(struct result_benchmark *benchmark, uint32_t index)
{
	return (struct result_node *)&benchmark->nodes[index];
}

void build_totals(struct result_benchmark *benchmark)
{
	for (uint32_t i = (uint32_t)benchmark->node_count; i-- > 0;) {
		struct result_node *node = node_at(benchmark, i);

		for (int version = 0; version < 2; version++) {
			node->total[version] += node->self[version];
			if (i)
				node_at(benchmark, node->parent)->total[version] +=
					node->total[version];
		}
	}
}

static void add_function_costs(struct result_benchmark *benchmark)
{
	for (uint32_t i = 1; i < benchmark->node_count; i++) {
		struct result_node *node = node_at(benchmark, i);
		struct result_function *function;

		if (node->function == RESULT_NONE)
			continue;
		function = function_at(benchmark, node->function);
		function->self.base += node->self[0];
		function->self.head += node->self[1];
		for (int version = 0; version < 2; version++)
			function->total[version] += node->total[version];
	}
}

void build_costs(struct result_benchmark *benchmark)
{
	double whole;

	build_totals(benchmark);
	add_function_costs(benchmark);
	benchmark->total.base = benchmark->nodes[0].total[0];
	benchmark->total.head = benchmark->nodes[0].total[1];
	whole = undecided_whole(benchmark->total.base, benchmark->total.head);
	for (uint32_t i = 0; i < benchmark->node_count; i++) {
		struct result_node *node = node_at(benchmark, i);

		node->self_change = (node->self[1] - node->self[0]) / whole;
		node->total_change = (node->total[1] - node->total[0]) / whole;
	}
	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct result_change *self = &function_at(benchmark, i)->self;

		self->change = (self->head - self->base) / whole;
		self->se = 0.003;
		self->low = self->change - 0.006;
		self->high = self->change + 0.006;
	}
}

void build_pairs(struct result *result, struct result_benchmark *benchmark, double ratio)
{
	struct result_pair *pairs = arena_array(&result->arena, FIXTURE_PAIRS, sizeof(*pairs));
	struct result_node *root = node_at(benchmark, 0);

	for (int i = 0; i < FIXTURE_PAIRS; i++) {
		double base = 1.0 + 0.01 * ((i * 7) % 5);

		pairs[i] = (struct result_pair){
			base, base * (ratio + 0.004 * ((i * 3) % 7 - 3)), i % 2 == 1, i == 11, 1};
	}
	benchmark->pairs = pairs;
	benchmark->pair_count = FIXTURE_PAIRS;
	benchmark->stage1_pairs = FIXTURE_PAIRS;
	benchmark->dropped_pairs = 1;
	benchmark->sampling = (struct result_sampling){
		"perf task-clock", 997, 32041, 31880, 12, {0.994, 0.991}, {0.0021, 0.0019}};
	benchmark->seed = 18446744073709551557u;
	benchmark->wall_seconds = 38.25;
	benchmark->mde_total = 0.02;
	benchmark->noise = 0.046;
	benchmark->mde_function = 0.011;
	benchmark->bound = 0.013;
	benchmark->total.head = benchmark->total.base * ratio;
	benchmark->total.change = ratio - 1;
	root->total[1] = benchmark->total.head;
	root->total_change = benchmark->total.change;
	benchmark->total.low = ratio - 1 - 0.012;
	benchmark->total.high = ratio - 1 + 0.012;
	benchmark->total.se = 0.006;
}

void build_total_state(struct result_benchmark *benchmark, enum result_state state)
{
	benchmark->total.state = node_at(benchmark, 0)->state = state;
}

void build_log_tool(struct result_benchmark *benchmark)
{
	uint32_t root = build_node(benchmark, 0, RESULT_NONE, 0, 0), top, reader, parser, adder;

	build_function(benchmark, "main", "src/main.c", 41);
	build_function(benchmark, "read_records", "src/read.c", 88);
	build_function(benchmark, "parse_record", "src/parse.c", 203);
	build_function(benchmark, "parse_field", "src/parse.c", 120);
	build_function(benchmark, "hash_string", "src/table.c", 17);
	build_function(benchmark, "inflate_fast", "", 0);
	build_function(benchmark, "malloc", "", 0);
	build_function(benchmark, "print_table", "src/print.c", 55);
	build_function(benchmark, "table_add", "src/table.c", 64);
	build_function(benchmark, "scan_digits", "src/parse.c", 77);
	build_function(benchmark, "scan_number", "src/parse.c", 81);
	top = build_node(benchmark, root, MAIN, 0.002, 0.002);
	reader = build_node(benchmark, top, READ, 0.05, 0.05);
	build_node(benchmark, reader, INFLATE, 0.21, 0.211);
	parser = build_node(benchmark, reader, PARSE, 0.12, 0.119);
	build_node(benchmark, parser, FIELD, 0.10, 0.10);
	build_node(benchmark, parser, MALLOC, 0.08, 0.081);
	build_node(benchmark, parser, OLD, 0.06, 0.06);
	build_node(benchmark, parser, ADDED, 0, 0);
	adder = build_node(benchmark, top, ADD, 0.15, 0.15);
	build_node(benchmark, adder, HASH, 0.13, 0.129);
	build_node(benchmark, adder, MALLOC, 0.06, 0.06);
	build_node(benchmark, top, PRINT, 0.04, 0.04);
}

uint32_t find_node(const struct result_benchmark *benchmark, uint32_t function)
{
	for (uint32_t i = 1; i < benchmark->node_count; i++) {
		if (benchmark->nodes[i].function == function)
			return i;
	}
	return 0;
}

struct result_claim *build_claim(struct result *result, struct result_benchmark *benchmark,
	enum result_claim_kind kind, uint32_t subject, uint32_t other, uint32_t second)
{
	const struct result_change *self = &benchmark->functions[subject].self;
	uint32_t *others = arena_array(&result->arena, 2, sizeof(*others));
	struct result_claim *claim;

	if (!benchmark->claims)
		benchmark->claims = arena_array(&result->arena, MOST_CLAIMS, sizeof(*claim));
	if (benchmark->claim_count == MOST_CLAIMS)
		abort();
	others[0] = other;
	others[1] = second;
	claim = (struct result_claim *)&benchmark->claims[benchmark->claim_count++];
	*claim = (struct result_claim){.kind = kind,
		.subject = subject,
		.others = others,
		.other_count = other == RESULT_NONE    ? 0
			       : second == RESULT_NONE ? 1
						       : 2,
		.cost = {self->base, self->head},
		.calls = {NAN, NAN},
		.change = self->change,
		.low = self->low,
		.high = self->high,
		.because = ""};
	return claim;
}

struct result_claim *culprit_claim(struct result_benchmark *benchmark)
{
	return (struct result_claim *)&benchmark->claims[benchmark->culprits[0].claim];
}

void build_culprit(struct result *result, struct result_benchmark *benchmark, uint32_t function,
	enum result_blame blame, uint32_t caller)
{
	struct result_culprit *culprit = arena_alloc(&result->arena, sizeof(*culprit));
	const struct result_function *one = &benchmark->functions[function];
	uint32_t node = find_node(benchmark, function), *path;

	*culprit = (struct result_culprit){.node = node,
		.function = function,
		.blame = blame,
		.caller = caller,
		.file = one->file,
		.line = one->line,
		.base = one->self.base,
		.head = one->self.head,
		.change = one->self.change,
		.low = one->self.low,
		.high = one->self.high,
		.relative =
			one->self.base > 0 ? one->self.head / one->self.base - 1 : (double)INFINITY,
		.together = one->self.change,
		.explained = one->self.change / fmax(one->self.change, benchmark->total.change),
		.link = one->touched ? LINK_SELF : LINK_NONE,
		.linked = one->touched ? function : RESULT_NONE};
	for (uint32_t at = node; at; at = benchmark->nodes[at].parent)
		culprit->path_length++;
	path = arena_array(&result->arena, culprit->path_length, sizeof(*path));
	for (size_t i = culprit->path_length, at = node; i-- > 0; at = benchmark->nodes[at].parent)
		path[i] = benchmark->nodes[at].function;
	culprit->path = path;
	benchmark->culprits = culprit;
	benchmark->culprit_count = 1;
	culprit->claim = (uint32_t)benchmark->claim_count;
	build_claim(result, benchmark, blame == BLAME_SELF ? CLAIM_OWN_CODE : CLAIM_MORE_WORK,
		function, caller, RESULT_NONE);
	function_at(benchmark, function)->self.state = STATE_CONFIRMED;
	node_at(benchmark, node)->state = STATE_CONFIRMED;
	node_at(benchmark, node)->self_state = STATE_CONFIRMED;
}

void build_source(struct result *result, struct result_benchmark *benchmark, const char *hostile)
{
	static const struct result_line lines[] = {
		{120, 120, SOURCE_SAME, {0, 0},
			"static const char *parse_field(const char *at, struct field *field)"},
		{126, 126, SOURCE_SAME, {0.012, 0.012}, "\tfor (; *at && *at != ','; at++) {"},
		{127, 127, SOURCE_SAME, {0.031, 0.030}, "\t\tif (*at == '\\\\')"},
		{128, 128, SOURCE_SAME, {0.004, 0.004}, "\t\t\tat++;"},
		{129, 0, SOURCE_REMOVED, {0.046, 0}, "\t\tfield->length++;"},
		{0, 129, SOURCE_ADDED, {0, 0.013}, "\t\tif (*at == '\"' && !is_escaped(at))"},
		{0, 130, SOURCE_ADDED, {0, 0.085}, "\t\t\tfield->length = strlen(field->text);"},
		{130, 131, SOURCE_SAME, {0, 0}, "\t}"},
		{131, 132, SOURCE_SAME, {0, 0}, "\treturn at;"},
	};
	const size_t count = sizeof(lines) / sizeof(*lines);
	struct result_source *source = arena_alloc(&result->arena, sizeof(*source));
	struct result_line *copy = arena_array(&result->arena, count, sizeof(*copy));

	for (size_t i = 0; i < count; i++) {
		copy[i] = lines[i];
		if (hostile)
			copy[i].text = hostile;
	}
	*source = (struct result_source){benchmark->culprits[0].function,
		hostile ? hostile : "src/parse.c", hostile ? hostile : "src/parse.c", copy, count};
	((struct result_culprit *)benchmark->culprits)->source = source;
}

void build_caller_source(struct result *result, struct result_benchmark *benchmark)
{
	static const struct result_line lines[] = {
		{64, 64, SOURCE_SAME, {0, 0},
			"void table_add(struct table *table, const char *key)"},
		{65, 65, SOURCE_SAME, {0, 0}, "{"},
		{66, 0, SOURCE_REMOVED, {0.13, 0},
			"\tstruct entry *entry = find(table, hash_string(key));"},
		{0, 66, SOURCE_ADDED, {0, 0.129}, "\tuint32_t hash = hash_string(key);"},
		{0, 67, SOURCE_ADDED, {0, 0}, "\tstruct entry *entry = find(table, hash);"},
		{67, 68, SOURCE_SAME, {0, 0}, ""},
		{0, 69, SOURCE_ADDED, {0, 0.019},
			"\tif (entry && hash_string(entry->key) == hash)"},
	};
	struct result_source *source = arena_alloc(&result->arena, sizeof(*source));

	*source = (struct result_source){
		ADD, "src/table.c", "src/table.c", lines, sizeof(lines) / sizeof(*lines)};
	((struct result_culprit *)benchmark->culprits)->source = source;
}

const char **one_string(struct result *result, const char *string)
{
	const char **list = arena_alloc(&result->arena, sizeof(*list));

	*list = string;
	return list;
}

void build_total_intervals(struct result_benchmark *benchmark)
{
	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct result_function *function = function_at(benchmark, i);

		function->total_change =
			(function->total[1] - function->total[0]) / benchmark->total.base;
		function->total_low = function->total_change - 0.006;
		function->total_high = function->total_change + 0.006;
	}
}
