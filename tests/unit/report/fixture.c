/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/report/fixture.h"

#include <math.h>
#include <string.h>

#include "tests/unit/report/fixture_build.h"

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
	"\"onload=\"x", "'", "$(id)", "a,b:c", "\xe6\xbc\xa2\xe5\xad\x97", "org/repo#1", "GH-1",
	"a5c3785ed8d6a35868bc169f07e40e889087fd2e", "org@a5c3785ed8d6a35868bc169f07e40e889087fd2e",
	":shipit:", "someone@evil.example", "~~~", "**_x_**", "- [ ] x", "[^1]",
	"http://evil.example", "{0}", "{{{0}", "[a\\](0)", "[a](0)\\](1)", "operator[](int)", NULL};

static void make_fail(struct result *result, const char *name)
{
	struct result_benchmark *benchmark =
		build_benchmark(result, name, RESULT_FAIL, OUTCOME_MEASURED);

	build_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, FIELD))->self[1] = 0.151;
	build_costs(benchmark);
	build_pairs(result, benchmark, 1.051);
	benchmark->stage2_pairs = 24;
	benchmark->changes_of = PAIRS_CONFIRMING;
	build_total_state(benchmark, STATE_CONFIRMED);
	benchmark->bound = 0.063;
	function_at(benchmark, FIELD)->touched = true;
	build_culprit(result, benchmark, FIELD, BLAME_SELF, RESULT_NONE);
	((struct result_culprit *)benchmark->culprits)->line = 130;
	culprit_claim(benchmark)->evidence = EVIDENCE_DIFF;
	culprit_claim(benchmark)->because = "src/parse.c: lines 129-130 changed";
	build_source(result, benchmark, NULL);
	benchmark->excluded =
		one_string(result, "1 of 40 pairs: the versions' times differ far more than "
				   "in the others");
	benchmark->excluded_count = 1;
}

struct result *fixture_fail(void)
{
	struct result *result = build_result("check");

	make_fail(result, "logstat");
	return result;
}

struct result *fixture_called(void)
{
	struct result *result = build_result("check");
	struct result_benchmark *benchmark =
		build_benchmark(result, "logstat", RESULT_FAIL, OUTCOME_MEASURED);
	struct result_culprit *culprit;

	build_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, HASH))->self[1] = 0.148;
	build_costs(benchmark);
	build_pairs(result, benchmark, 1.011);
	function_at(benchmark, ADD)->touched = true;
	build_culprit(result, benchmark, HASH, BLAME_CALLED, ADD);
	build_total_intervals(benchmark);
	culprit = (struct result_culprit *)benchmark->culprits;
	culprit->link = LINK_CALLER;
	culprit->linked = ADD;
	culprit->line = 69;
	build_caller_source(result, benchmark);
	return result;
}

struct result *fixture_new_function(void)
{
	struct result *result = build_result("check");
	struct result_benchmark *benchmark =
		build_benchmark(result, "logstat", RESULT_FAIL, OUTCOME_MEASURED);

	build_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, ADDED))->self[1] = 0.043;
	build_costs(benchmark);
	build_pairs(result, benchmark, 1.043);
	build_total_state(benchmark, STATE_CONFIRMED);
	benchmark->bound = 0.055;
	function_at(benchmark, ADDED)->match = MATCH_NEW;
	function_at(benchmark, ADDED)->touched = true;
	function_at(benchmark, PARSE)->touched = true;
	build_culprit(result, benchmark, ADDED, BLAME_CALLED, PARSE);
	culprit_claim(benchmark)->kind = CLAIM_NEW;
	culprit_claim(benchmark)->evidence = EVIDENCE_OBJECTS;
	culprit_claim(benchmark)->because = "not among the functions of base's object files";
	return result;
}

static struct result *make_pass(double ratio, double bound)
{
	struct result *result = build_result("check");
	struct result_benchmark *benchmark =
		build_benchmark(result, "logstat", RESULT_PASS, OUTCOME_MEASURED);

	build_log_tool(benchmark);
	build_costs(benchmark);
	build_pairs(result, benchmark, ratio);
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
	struct result *result = build_result("check");
	struct result_benchmark *benchmark =
		build_benchmark(result, "logstat", RESULT_PASS, OUTCOME_MEASURED);
	uint32_t *improvement = arena_alloc(&result->arena, sizeof(*improvement));

	build_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, INFLATE))->self[1] = 0.18;
	build_costs(benchmark);
	build_pairs(result, benchmark, 0.97);
	benchmark->bound = -0.018;
	*improvement = INFLATE;
	function_at(benchmark, INFLATE)->self.state = STATE_IMPROVED;
	node_at(benchmark, find_node(benchmark, INFLATE))->self_state = STATE_IMPROVED;
	for (uint32_t node = find_node(benchmark, INFLATE); node;
		node = node_at(benchmark, node)->parent)
		node_at(benchmark, node)->state = STATE_IMPROVED;
	build_total_state(benchmark, STATE_IMPROVED);
	benchmark->improvements = improvement;
	benchmark->improvement_count = 1;
	build_claim(result, benchmark, CLAIM_LESS, INFLATE, RESULT_NONE, RESULT_NONE);
	return result;
}

struct result *fixture_shift(void)
{
	struct result *result = build_result("check");
	struct result_benchmark *benchmark =
		build_benchmark(result, "logstat", RESULT_PASS, OUTCOME_MEASURED);
	struct result_shift *shift = arena_alloc(&result->arena, sizeof(*shift));
	struct result_claim *claim;

	build_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, OLD))->self[1] = 0;
	node_at(benchmark, find_node(benchmark, ADDED))->self[1] = 0.061;
	build_costs(benchmark);
	build_pairs(result, benchmark, 1.001);
	function_at(benchmark, OLD)->match = MATCH_VANISHED;
	function_at(benchmark, ADDED)->match = MATCH_NEW;
	function_at(benchmark, ADDED)->self.state = STATE_SHIFTED;
	node_at(benchmark, find_node(benchmark, ADDED))->self_state = STATE_SHIFTED;
	*shift = (struct result_shift){ADDED, OLD, "vanished symbols", 0.061, 0.001};
	benchmark->shifts = shift;
	benchmark->shift_count = 1;
	claim = build_claim(result, benchmark, CLAIM_MOVED, OLD, ADDED, RESULT_NONE);
	claim->cost[0] = 0;
	claim->cost[1] = 0.061;
	claim->change = 0.061;
	claim->evidence = EVIDENCE_DIFF;
	claim->because = "src/parse.c: lines 40-61 changed";
	return result;
}

/* The culprit with parts, and more functions that were cut otherwise than are listed. */
struct result *fixture_inlinings(void)
{
	static const char *const parts[] = {"skip_spaces", "number_end", "quoted", "escape"};
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	const struct result_function *host = function_at(benchmark, FIELD);
	struct result_inlining *inlinings = arena_array(&result->arena, 8, sizeof(*inlinings));

	for (size_t i = 0; i < 4; i++)
		inlinings[i] = (struct result_inlining){host->name, host->file, parts[i],
			host->file, i % 2 ? INLINED_AS_OUTLINED : INLINED_AS_INLINED,
			i % 2 ? "inlined in base only" : "inlined in head only", 1};
	for (size_t i = 4; i < 8; i++)
		inlinings[i] = (struct result_inlining){function_at(benchmark, HASH)->name,
			function_at(benchmark, HASH)->file,
			arena_printf(&result->arena, "mix_%zu", i), "",
			i % 2 ? INLINED_AS_SPLIT : INLINED_AS_MERGED, "as much code went as came",
			1 - (double)i / 16};
	benchmark->inlinings = inlinings;
	benchmark->inlining_count = 8;
	return result;
}

struct result *fixture_hanging(void)
{
	static const struct result_consequence hanging[] = {
		{0, HASH, BLAME_CALLED, FIELD, 0.0121, 0.0101, 0.0141},
		{0, HASH, BLAME_CARRIED, RESULT_NONE, 0.0101, 0.0081, 0.0121},
		{0, FIELD, BLAME_CALLED, PARSE, 0.0081, 0.0061, 0.0101},
		{0, INFLATE, BLAME_CARRIED, RESULT_NONE, 0.0061, 0.0041, 0.0081},
		{0, MALLOC, BLAME_CALLED, FIELD, 0.0041, 0.0021, 0.0061},
		{0, ADD, BLAME_SELF, RESULT_NONE, 0.0031, 0.0011, 0.0051},
		{0, READ, BLAME_SELF, RESULT_NONE, 0.0021, 0.0001, 0.0041},
		{RESULT_NONE, PRINT, BLAME_CARRIED, RESULT_NONE, 0.0011, 0.0001, 0.0021},
	};
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;

	((struct result_culprit *)benchmark->culprits)->together = 0.0762;
	benchmark->consequences = hanging;
	benchmark->consequence_count = sizeof(hanging) / sizeof(*hanging);
	return result;
}

/* The culprit weighed where the program is in use. */
struct result *fixture_production(void)
{
	struct result *result = fixture_fail();
	const struct result_benchmark *benchmark = result->benchmarks;
	struct result_culprit *culprits = (struct result_culprit *)benchmark->culprits;
	struct result_production *production = arena_alloc(&result->arena, sizeof(*production));

	/* Its share there times the +51.0 % of its own cost, and that interval's ends. */
	*production = (struct result_production){
		.share = 0.032, .impact = 0.01632, .low = 0.0143472, .high = 0.0182928};
	culprits[0].production = production;
	return result;
}

static struct result *make_unmeasured(
	enum result_status status, enum result_outcome outcome, const char *detail)
{
	struct result *result = build_result("check");

	build_benchmark(result, "logstat", status, outcome)->detail = detail;
	return result;
}

struct result *fixture_identical(void)
{
	return make_unmeasured(RESULT_PASS, OUTCOME_IDENTICAL,
		"7 files compared; --measure-identical measures all the same");
}

struct result *fixture_new_benchmark(void)
{
	struct result *result = make_unmeasured(RESULT_NEUTRAL, OUTCOME_NEW, "");

	((struct result_benchmark *)result->benchmarks)[0].wall_seconds = 1.234;
	return result;
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
	struct result *result = build_result("run");
	struct result_benchmark *benchmark =
		build_benchmark(result, "gzip -9 -c FILE", RESULT_PASS, OUTCOME_PROFILE);

	result->base = (struct result_commit){"", "", "", false};
	result->head = result->base;
	result->policy_origin = "";
	build_log_tool(benchmark);
	for (uint32_t i = 0; i < benchmark->node_count; i++)
		node_at(benchmark, i)->self[0] = 0;
	build_costs(benchmark);
	for (uint32_t i = 0; i < benchmark->function_count; i++)
		function_at(benchmark, i)->self =
			(struct result_change){.head = benchmark->functions[i].self.head,
				.low = NAN,
				.high = NAN,
				.se = NAN};
	benchmark->total = (struct result_change){
		.head = benchmark->total.head, .low = NAN, .high = NAN, .se = NAN};
	benchmark->bound = benchmark->mde_total = benchmark->mde_function = NAN;
	benchmark->noise = 0;
	benchmark->sampling = (struct result_sampling){
		"POSIX CPU timer", 250, 251, 249, 0, {0, 0.987}, {0, 0.004}};
	benchmark->warnings = one_string(
		result, "perf events are not permitted here: sampled at 250 Hz instead of 997");
	benchmark->warning_count = 1;
	return result;
}

struct result *fixture_many(void)
{
	struct result *result = build_result("check");
	struct result_benchmark *one;

	build_benchmark(result, "startup", RESULT_PASS, OUTCOME_IDENTICAL);
	make_fail(result, "logstat");
	make_fail(result, "logstat --by-host");
	one = build_benchmark(result, "replay", RESULT_ERROR, OUTCOME_ERROR);
	one->detail =
		"base: the benchmark exited with status 3\nlast line of its output: no such file";
	one = build_benchmark(result, "export", RESULT_PASS, OUTCOME_MEASURED);
	build_log_tool(one);
	build_costs(one);
	build_pairs(result, one, 1.0);
	one = build_benchmark(result, "import", RESULT_NEUTRAL, OUTCOME_NEW);
	one->wall_seconds = 0.321;
	result->status = RESULT_FAIL;
	result->exit_status = 1;
	result->config_changes = one_string(result, "policy.min_change: 1 % -> 50 %");
	result->config_change_count = 1;
	result->warnings = one_string(result, "2 benchmarks share one CPU");
	result->warning_count = 1;
	result->notes = one_string(
		result, "drift: head is compared with v1.2 itself, which it does not descend from");
	result->note_count = 1;
	return result;
}

static void make_all_hostile(struct result *result, const char *hostile)
{
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_shift *shift = arena_alloc(&result->arena, sizeof(*shift));
	struct result_inlining *inlining = arena_alloc(&result->arena, sizeof(*inlining));

	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct result_function *function = function_at(benchmark, i);

		function->name = function->module = function->file = hostile;
	}
	((struct result_culprit *)benchmark->culprits)->file = hostile;
	build_source(result, benchmark, hostile);
	((struct result_culprit *)benchmark->culprits)->caller = ADD;
	((struct result_culprit *)benchmark->culprits)->blame = BLAME_CALLED;
	*shift = (struct result_shift){ADDED, OLD, hostile, 0.06, 0.001};
	benchmark->shifts = shift;
	benchmark->shift_count = 1;
	culprit_claim(benchmark)->kind = CLAIM_CALLED_INSTEAD;
	culprit_claim(benchmark)->because = hostile;
	culprit_claim(benchmark)->other_count = 2;
	((uint32_t *)(uintptr_t)culprit_claim(benchmark)->others)[0] = ADD;
	((uint32_t *)(uintptr_t)culprit_claim(benchmark)->others)[1] = OLD;
	build_claim(result, benchmark, CLAIM_MOVED, OLD, ADDED, HASH)->because = hostile;
	*inlining = (struct result_inlining){
		hostile, hostile, hostile, hostile, INLINED_AS_SPLIT, hostile, 0.5};
	benchmark->inlinings = inlining;
	benchmark->inlining_count = 1;
	benchmark->name = benchmark->command = benchmark->detail = hostile;
	benchmark->sampling.mechanism = benchmark->unit = benchmark->profile_type = hostile;
	benchmark->slices = benchmark->layouts = hostile;
	benchmark->warnings = benchmark->excluded = one_string(result, hostile);
	benchmark->warning_count = benchmark->excluded_count = 1;
	fixture_add_hostile_profile(result, benchmark, hostile);
}

struct result *fixture_hostile(const char *hostile)
{
	struct result *result = fixture_fail();
	struct result_benchmark *error, *warn;

	make_all_hostile(result, hostile);
	error = build_benchmark(result, hostile, RESULT_ERROR, OUTCOME_ERROR);
	error->detail = hostile;
	warn = build_benchmark(result, hostile, RESULT_WARN, OUTCOME_BASE_FAILED);
	warn->detail = hostile;
	fixture_add_hostile_reference(result, warn, hostile);
	result->tool_version = result->date = result->kind = hostile;
	result->base = result->head = (struct result_commit){hostile, hostile, hostile, true};
	result->policy_origin = result->environment = hostile;
	result->config_changes = result->warnings = result->notes = one_string(result, hostile);
	result->config_change_count = result->warning_count = result->note_count = 1;
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
	build_totals(benchmark);
	return result;
}

const struct fixture_case fixture_cases[] = {
	{"fail", fixture_fail},
	{"called", fixture_called},
	{"new_function", fixture_new_function},
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
	{"reference_screen", fixture_reference_screen},
	{"reference_fail", fixture_reference_fail},
	{"screened", fixture_screened},
	{"exact_fail", fixture_exact_fail},
	{"bytes", fixture_bytes},
	{"record", fixture_record},
	{"worktree", fixture_worktree},
	{"kinds", fixture_kinds},
	{"memory", fixture_memory},
	{"counted", fixture_counted},
	{"inlinings", fixture_inlinings},
	{"hanging", fixture_hanging},
	{"production", fixture_production},
	{NULL, NULL},
};
