/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/report/fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTIONS 64
#define MOST_NODES 64
#define BLOCKS 16

const char *const fixture_hostile_names[] = {"</script><img src=x onerror=alert(1)>|@team", "`",
	"``a```b", "a\\|b|c\\", "::error::x", "\t ::set-output name=x::y",
	"x##[set-output name=v]pass", "\r::error::x", "\n::error file=a::x\n##[error]y",
	"\x1b[31mred\x1b]0;title\a",
	"\xe2\x80\xae"
	"drowssap",
	"\xff\xfe\xc0\x80 bad \xed\xa0\x80", "<!--<script>", "--> <b>", "@org/team", "#1",
	"https://evil.example/?a=b&c", "www.evil.example", "{{script}}", "</summary></details><h1>",
	"std::vector<int, std::allocator<int>>::push_back", "::operator new", " ", "",
	"\xe2\x80\xa8::error::x", "%0A::error::x", "\xc2\x85::error::x", "\xe2\x80\x83::error::x",
	"[link](http://evil.example)", "![i](http://evil.example/x.png)", "&lt;b&gt;",
	"\"onload=\"x", "'", "$(id)", "a,b:c", "\xe6\xbc\xa2\xe5\xad\x97", NULL};

static struct result *new_result(const char *kind)
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

static struct result_benchmark *add_benchmark(struct result *result, const char *name,
	enum result_status status, enum result_outcome outcome)
{
	struct result_benchmark *benchmark =
		(struct result_benchmark *)&result->benchmarks[result->benchmark_count++];

	benchmark->name = name;
	benchmark->command = "./logstat testdata/access.json.gz";
	benchmark->status = status;
	benchmark->outcome = outcome;
	benchmark->detail = "";
	benchmark->sampling.mechanism = "";
	benchmark->functions =
		arena_array(&result->arena, MOST_FUNCTIONS, sizeof(struct result_function));
	benchmark->nodes = arena_array(&result->arena, MOST_NODES, sizeof(struct result_node));
	if (status > result->status)
		result->status = status;
	result->exit_status = result->status == RESULT_FAIL    ? 1
			      : result->status == RESULT_ERROR ? 3
							       : 0;
	return benchmark;
}

static uint32_t add_function(
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

static uint32_t add_node(struct result_benchmark *benchmark, uint32_t parent, uint32_t function,
	double base, double head)
{
	struct result_node *node = (struct result_node *)&benchmark->nodes[benchmark->node_count];

	*node = (struct result_node){.parent = parent, .function = function, .self = {base, head}};
	return (uint32_t)benchmark->node_count++;
}

static struct result_function *function_at(struct result_benchmark *benchmark, uint32_t index)
{
	return (struct result_function *)&benchmark->functions[index];
}

static struct result_node *node_at(struct result_benchmark *benchmark, uint32_t index)
{
	return (struct result_node *)&benchmark->nodes[index];
}

static void add_totals(struct result_benchmark *benchmark)
{
	for (uint32_t i = (uint32_t)benchmark->node_count; i-- > 0;) {
		struct result_node *node = node_at(benchmark, i);

		for (int arm = 0; arm < 2; arm++) {
			node->total[arm] += node->self[arm];
			if (i)
				node_at(benchmark, node->parent)->total[arm] += node->total[arm];
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
		for (int arm = 0; arm < 2; arm++)
			function->total[arm] += node->total[arm];
	}
}

/* Totals, function costs and changes from the nodes' self costs; SE is 0.3 % of the total. */
static void finish(struct result_benchmark *benchmark)
{
	double mean;

	add_totals(benchmark);
	add_function_costs(benchmark);
	benchmark->total.base = benchmark->nodes[0].total[0];
	benchmark->total.head = benchmark->nodes[0].total[1];
	mean = (benchmark->total.base + benchmark->total.head) / 2;
	for (uint32_t i = 0; i < benchmark->node_count; i++) {
		struct result_node *node = node_at(benchmark, i);

		node->self_change = (node->self[1] - node->self[0]) / mean;
		node->total_change = (node->total[1] - node->total[0]) / mean;
	}
	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct result_change *self = &function_at(benchmark, i)->self;

		self->change = (self->head - self->base) / mean;
		self->se = 0.003;
		self->low = self->change - 0.006;
		self->high = self->change + 0.006;
	}
}

static void measured(struct result *result, struct result_benchmark *benchmark, double ratio)
{
	struct result_block *blocks = arena_array(&result->arena, BLOCKS, sizeof(*blocks));

	for (int i = 0; i < BLOCKS; i++) {
		double base = 1.0 + 0.01 * ((i * 7) % 5);

		blocks[i] = (struct result_block){
			base, base * (ratio + 0.004 * ((i * 3) % 7 - 3)), i % 2 == 1, i == 11, 1};
	}
	benchmark->blocks = blocks;
	benchmark->block_count = BLOCKS;
	benchmark->stage1_blocks = BLOCKS;
	benchmark->dropped_blocks = 1;
	benchmark->sampling =
		(struct result_sampling){"perf task-clock", 997, 32041, 31880, 12, {0.994, 0.991}};
	benchmark->seed = 18446744073709551557u;
	benchmark->wall_seconds = 38.25;
	benchmark->mde_total = 0.02;
	benchmark->mde_function = 0.011;
	benchmark->bound = 0.013;
	benchmark->total.change = ratio - 1;
	benchmark->total.low = ratio - 1 - 0.012;
	benchmark->total.high = ratio - 1 + 0.012;
	benchmark->total.se = 0.006;
}

enum { MAIN, READ, PARSE, FIELD, HASH, INFLATE, MALLOC, PRINT, ADD, OLD, ADDED };

/* The functions and call tree of a small log tool, equal in both arms. */
static void add_log_tool(struct result_benchmark *benchmark)
{
	uint32_t root = add_node(benchmark, 0, RESULT_NONE, 0, 0), top, reader, parser, adder;

	add_function(benchmark, "main", "src/main.c", 41);
	add_function(benchmark, "read_records", "src/read.c", 88);
	add_function(benchmark, "parse_record", "src/parse.c", 203);
	add_function(benchmark, "parse_field", "src/parse.c", 120);
	add_function(benchmark, "hash_string", "src/table.c", 17);
	add_function(benchmark, "inflate_fast", "", 0);
	add_function(benchmark, "malloc", "", 0);
	add_function(benchmark, "print_table", "src/print.c", 55);
	add_function(benchmark, "table_add", "src/table.c", 64);
	add_function(benchmark, "scan_digits", "src/parse.c", 77);
	add_function(benchmark, "scan_number", "src/parse.c", 81);
	top = add_node(benchmark, root, MAIN, 0.002, 0.002);
	reader = add_node(benchmark, top, READ, 0.05, 0.05);
	add_node(benchmark, reader, INFLATE, 0.21, 0.211);
	parser = add_node(benchmark, reader, PARSE, 0.12, 0.119);
	add_node(benchmark, parser, FIELD, 0.10, 0.10);
	add_node(benchmark, parser, MALLOC, 0.08, 0.081);
	add_node(benchmark, parser, OLD, 0.06, 0.06);
	add_node(benchmark, parser, ADDED, 0, 0);
	adder = add_node(benchmark, top, ADD, 0.15, 0.15);
	add_node(benchmark, adder, HASH, 0.13, 0.129);
	add_node(benchmark, adder, MALLOC, 0.06, 0.06);
	add_node(benchmark, top, PRINT, 0.04, 0.04);
}

static uint32_t find_node(const struct result_benchmark *benchmark, uint32_t function)
{
	for (uint32_t i = 1; i < benchmark->node_count; i++) {
		if (benchmark->nodes[i].function == function)
			return i;
	}
	return 0;
}

static void set_culprit(struct result *result, struct result_benchmark *benchmark,
	uint32_t function, enum result_blame blame, uint32_t caller)
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
		.change = one->self.change,
		.low = one->self.low,
		.high = one->self.high,
		.relative =
			one->self.base > 0 ? one->self.head / one->self.base - 1 : (double)INFINITY,
		.explained = 0.96};
	for (uint32_t at = node; at; at = benchmark->nodes[at].parent)
		culprit->path_length++;
	path = arena_array(&result->arena, culprit->path_length, sizeof(*path));
	for (size_t i = culprit->path_length, at = node; i-- > 0; at = benchmark->nodes[at].parent)
		path[i] = benchmark->nodes[at].function;
	culprit->path = path;
	benchmark->culprits = culprit;
	benchmark->culprit_count = 1;
	function_at(benchmark, function)->self.state = STATE_CONFIRMED;
	node_at(benchmark, node)->state = STATE_CONFIRMED;
	node_at(benchmark, node)->self_state = STATE_CONFIRMED;
}

static const char **one_string(struct result *result, const char *string)
{
	const char **list = arena_alloc(&result->arena, sizeof(*list));

	*list = string;
	return list;
}

static void make_fail(struct result *result, const char *name)
{
	struct result_benchmark *benchmark =
		add_benchmark(result, name, RESULT_FAIL, OUTCOME_MEASURED);

	add_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, FIELD))->self[1] = 0.151;
	finish(benchmark);
	measured(result, benchmark, 1.051);
	benchmark->stage2_blocks = 24;
	benchmark->total.state = STATE_CONFIRMED;
	benchmark->bound = 0.063;
	function_at(benchmark, FIELD)->touched = true;
	set_culprit(result, benchmark, FIELD, BLAME_SELF, RESULT_NONE);
	benchmark->excluded =
		one_string(result, "1 of 40 blocks: the arms' times differ far more than "
				   "in the others");
	benchmark->excluded_count = 1;
}

struct result *fixture_fail(void)
{
	struct result *result = new_result("check");

	make_fail(result, "logstat");
	return result;
}

struct result *fixture_called(void)
{
	struct result *result = new_result("check");
	struct result_benchmark *benchmark =
		add_benchmark(result, "logstat", RESULT_FAIL, OUTCOME_MEASURED);

	add_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, HASH))->self[1] = 0.148;
	finish(benchmark);
	measured(result, benchmark, 1.011);
	set_culprit(result, benchmark, HASH, BLAME_CALLED, ADD);
	return result;
}

static struct result *make_pass(double ratio, double bound)
{
	struct result *result = new_result("check");
	struct result_benchmark *benchmark =
		add_benchmark(result, "logstat", RESULT_PASS, OUTCOME_MEASURED);

	add_log_tool(benchmark);
	finish(benchmark);
	measured(result, benchmark, ratio);
	benchmark->bound = bound;
	return result;
}

struct result *fixture_pass(void)
{
	return make_pass(1.001, 0.013);
}

struct result *fixture_inconclusive(void)
{
	return make_pass(1.02, 0.034);
}

struct result *fixture_faster(void)
{
	struct result *result = new_result("check");
	struct result_benchmark *benchmark =
		add_benchmark(result, "logstat", RESULT_PASS, OUTCOME_MEASURED);
	uint32_t *improvement = arena_alloc(&result->arena, sizeof(*improvement));

	add_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, INFLATE))->self[1] = 0.18;
	finish(benchmark);
	measured(result, benchmark, 0.97);
	benchmark->bound = -0.018;
	*improvement = INFLATE;
	function_at(benchmark, INFLATE)->self.state = STATE_IMPROVED;
	node_at(benchmark, find_node(benchmark, INFLATE))->self_state = STATE_IMPROVED;
	node_at(benchmark, find_node(benchmark, INFLATE))->state = STATE_IMPROVED;
	benchmark->improvements = improvement;
	benchmark->improvement_count = 1;
	return result;
}

struct result *fixture_shift(void)
{
	struct result *result = new_result("check");
	struct result_benchmark *benchmark =
		add_benchmark(result, "logstat", RESULT_WARN, OUTCOME_MEASURED);
	struct result_shift *shift = arena_alloc(&result->arena, sizeof(*shift));

	add_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, OLD))->self[1] = 0;
	node_at(benchmark, find_node(benchmark, ADDED))->self[1] = 0.061;
	finish(benchmark);
	measured(result, benchmark, 1.001);
	function_at(benchmark, OLD)->match = MATCH_VANISHED;
	function_at(benchmark, ADDED)->match = MATCH_NEW;
	function_at(benchmark, ADDED)->self.state = STATE_SHIFTED;
	node_at(benchmark, find_node(benchmark, ADDED))->self_state = STATE_SHIFTED;
	*shift = (struct result_shift){ADDED, OLD, "vanished symbols", 0.061, 0.001};
	benchmark->shifts = shift;
	benchmark->shift_count = 1;
	return result;
}

static struct result *make_unmeasured(
	enum result_status status, enum result_outcome outcome, const char *detail)
{
	struct result *result = new_result("check");

	add_benchmark(result, "logstat", status, outcome)->detail = detail;
	return result;
}

struct result *fixture_identical(void)
{
	return make_unmeasured(RESULT_PASS, OUTCOME_IDENTICAL,
		"7 files compared; --measure-identical measures all the same");
}

struct result *fixture_new_benchmark(void)
{
	return make_unmeasured(RESULT_PASS, OUTCOME_NEW, "");
}

struct result *fixture_base_failed(void)
{
	return make_unmeasured(RESULT_WARN, OUTCOME_BASE_FAILED,
		"make: *** [Makefile:12: logstat] Error 1\nsrc/read.c:14: fatal error: zlib.h: No "
		"such "
		"file or directory\nSet on_base_failure: fail to make this an error.");
}

struct result *fixture_error(void)
{
	return make_unmeasured(RESULT_ERROR, OUTCOME_ERROR,
		"head: the benchmark was killed by SIGKILL (9) after 0.4 s; out of memory?");
}

struct result *fixture_run(void)
{
	struct result *result = new_result("run");
	struct result_benchmark *benchmark =
		add_benchmark(result, "gzip -9 -c FILE", RESULT_PASS, OUTCOME_PROFILE);

	result->base = (struct result_commit){"", "", "", false};
	result->head = result->base;
	result->policy_origin = "";
	add_log_tool(benchmark);
	for (uint32_t i = 0; i < benchmark->node_count; i++)
		node_at(benchmark, i)->self[0] = 0;
	finish(benchmark);
	for (uint32_t i = 0; i < benchmark->function_count; i++)
		function_at(benchmark, i)->self =
			(struct result_change){.head = benchmark->functions[i].self.head,
				.low = NAN,
				.high = NAN,
				.se = NAN};
	benchmark->total = (struct result_change){
		.head = benchmark->total.head, .low = NAN, .high = NAN, .se = NAN};
	benchmark->bound = benchmark->mde_total = benchmark->mde_function = NAN;
	benchmark->sampling =
		(struct result_sampling){"POSIX CPU timer", 250, 251, 249, 0, {0, 0.987}};
	benchmark->warnings = one_string(
		result, "perf events are not permitted here: sampled at 250 Hz instead of 997");
	benchmark->warning_count = 1;
	return result;
}

struct result *fixture_many(void)
{
	struct result *result = new_result("check");
	struct result_benchmark *one;

	add_benchmark(result, "startup", RESULT_PASS, OUTCOME_IDENTICAL);
	make_fail(result, "logstat");
	make_fail(result, "logstat --by-host");
	one = add_benchmark(result, "replay", RESULT_ERROR, OUTCOME_ERROR);
	one->detail =
		"base: the benchmark exited with status 3\nlast line of its output: no such file";
	one = add_benchmark(result, "export", RESULT_PASS, OUTCOME_MEASURED);
	add_log_tool(one);
	finish(one);
	measured(result, one, 1.0);
	add_benchmark(result, "import", RESULT_PASS, OUTCOME_NEW);
	result->status = RESULT_FAIL;
	result->exit_status = 1;
	result->config_changes = one_string(result, "policy.min_change: 1 % -> 50 %");
	result->config_change_count = 1;
	result->warnings = one_string(result, "2 benchmarks share one CPU");
	result->warning_count = 1;
	return result;
}

static void make_all_hostile(struct result *result, const char *hostile)
{
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_shift *shift = arena_alloc(&result->arena, sizeof(*shift));

	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct result_function *function = function_at(benchmark, i);

		function->name = function->module = function->file = hostile;
	}
	((struct result_culprit *)benchmark->culprits)->file = hostile;
	((struct result_culprit *)benchmark->culprits)->caller = ADD;
	((struct result_culprit *)benchmark->culprits)->blame = BLAME_CALLED;
	*shift = (struct result_shift){ADDED, OLD, hostile, 0.06, 0.001};
	benchmark->shifts = shift;
	benchmark->shift_count = 1;
	benchmark->name = benchmark->command = benchmark->detail = hostile;
	benchmark->sampling.mechanism = hostile;
	benchmark->warnings = benchmark->excluded = one_string(result, hostile);
	benchmark->warning_count = benchmark->excluded_count = 1;
}

struct result *fixture_hostile(const char *hostile)
{
	struct result *result = fixture_fail();
	struct result_benchmark *error, *warn;

	make_all_hostile(result, hostile);
	error = add_benchmark(result, hostile, RESULT_ERROR, OUTCOME_ERROR);
	error->detail = hostile;
	warn = add_benchmark(result, hostile, RESULT_WARN, OUTCOME_BASE_FAILED);
	warn->detail = hostile;
	result->tool_version = result->date = result->kind = hostile;
	result->base = result->head = (struct result_commit){hostile, hostile, hostile, true};
	result->policy_origin = result->environment = hostile;
	result->config_changes = result->warnings = one_string(result, hostile);
	result->config_change_count = result->warning_count = 1;
	return result;
}

struct result *fixture_large(size_t nodes, size_t depth)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_node *all = arena_array(&result->arena, nodes, sizeof(*all));
	size_t old = benchmark->node_count;

	memcpy(all, benchmark->nodes, old * sizeof(*all));
	for (size_t i = 0; i < old; i++)
		all[i].total[0] = all[i].total[1] = 0;
	for (size_t i = old; i < nodes; i++)
		all[i] = (struct result_node){
			.parent = (i - old) % depth ? (uint32_t)i - 1 : (uint32_t)(i % 7 + 1),
			.function = (uint32_t)(i % benchmark->function_count),
			.self = {1e-6 * (double)(i % 13), 1e-6 * (double)(i % 11)}};
	benchmark->nodes = all;
	benchmark->node_count = nodes;
	add_totals(benchmark);
	return result;
}

const struct fixture_case fixture_cases[] = {
	{"fail", fixture_fail},
	{"called", fixture_called},
	{"pass", fixture_pass},
	{"inconclusive", fixture_inconclusive},
	{"faster", fixture_faster},
	{"shift", fixture_shift},
	{"identical", fixture_identical},
	{"new", fixture_new_benchmark},
	{"base_failed", fixture_base_failed},
	{"error", fixture_error},
	{"run", fixture_run},
	{"many", fixture_many},
	{NULL, NULL},
};
