/* SPDX-License-Identifier: Apache-2.0 */
/* Results with stored baselines, of recordings, of other costs than time. */
#include "tests/unit/report/fixture.h"

#include <math.h>

#include "tests/unit/report/fixture_build.h"

#define MOST_REFERENCE 4

static const char reference_commit[] = "0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f";

static const struct result_reference_finding screen_findings[] = {
	{"parse_field", "src/parse.c", 120, 0.061, 0.041, 0.08, false, NULL, NULL, 0},
	{"inflate_fast", "", 0, 0.024, 0.011, 0.037, false, NULL, NULL, 0},
	{"hash_string", "src/table.c", 17, 0.021, 0.009, 0.033, false, NULL, NULL, 0},
	{"malloc", "", 0, 0.017, 0.007, 0.027, false, NULL, NULL, 0},
	{"table_add", "src/table.c", 64, 0.015, 0.006, 0.024, false, NULL, NULL, 0},
	{"print_table", "src/print.c", 55, 0.009, 0.001, 0.017, false, NULL, NULL, 0},
};
static const struct result_reference_finding exact_findings[] = {
	{"scan_number", "src/parse.c", 81, 0.0141, NAN, NAN, true, NULL, NULL, 0},
	{"parse_field", "src/parse.c", 120, 0.0209, NAN, NAN, false, NULL, NULL, 0},
	{"malloc", "", 0, 0.0021, NAN, NAN, false, "parse_field", "src/parse.c", 124},
};

static struct result_reference *add_reference(struct result *result,
	struct result_benchmark *benchmark, enum result_reference_kind kind,
	enum result_reference_state state)
{
	struct result_reference *reference;

	if (!benchmark->references)
		benchmark->references =
			arena_array(&result->arena, MOST_REFERENCE, sizeof(*reference));
	reference = (struct result_reference *)&benchmark->references[benchmark->reference_count++];
	*reference = (struct result_reference){.kind = kind,
		.state = state,
		.profile_type = kind == REFERENCE_EXACT ? "instructions" : "cpu",
		.store = "git notes of origin",
		.commit = reference_commit,
		.distance = 3,
		.environment = "",
		.detail = "",
		.base = NAN,
		.head = NAN,
		.change = NAN,
		.size_factor = 1};
	return reference;
}

static void add_screen(struct result *result, struct result_benchmark *benchmark, bool decides)
{
	struct result_reference *reference =
		add_reference(result, benchmark, REFERENCE_SCREEN, REFERENCE_FLAGGED);

	reference->decides = decides;
	reference->environment = "another CPU: Example CPU @ 3.1 GHz";
	reference->detail = "this machine is 1.06 times slower by its calibration";
	reference->base = 1.002;
	reference->head = 1.131;
	reference->change = 0.1287;
	reference->size_factor = 1.07;
	reference->threshold = 0.012;
	reference->findings = screen_findings;
	reference->finding_count = sizeof(screen_findings) / sizeof(screen_findings[0]);
	reference->losses = one_string(
		result, "a node's cost per run is rounded to whole samples; lines are not kept");
	reference->loss_count = 1;
}

static struct result_reference *add_exact(struct result *result, struct result_benchmark *benchmark,
	enum result_reference_state state, double change)
{
	struct result_reference *reference =
		add_reference(result, benchmark, REFERENCE_EXACT, state);

	reference->distance = 0;
	reference->base = 8123456789;
	reference->head = 8123456789 * (1 + change);
	reference->change = change;
	reference->threshold = 0.005;
	return reference;
}

/* The base was measured and passes; the stored baseline warns all the same. */
struct result *fixture_reference_screen(void)
{
	struct result *result = fixture_pass();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_reference *cannot;

	add_screen(result, benchmark, true);
	add_exact(result, benchmark, REFERENCE_CLEAR, 0.0012);
	cannot = add_reference(result, benchmark, REFERENCE_EXACT, REFERENCE_CANNOT);
	cannot->profile_type = "alloc_space";
	cannot->detail = "the baseline was built with another compiler (gcc 12 instead of gcc 13)";
	benchmark->status = result->status = RESULT_WARN;
	return result;
}

/* No replication: nothing is known of the changes. */
static void forget_intervals(struct result_benchmark *benchmark)
{
	benchmark->bound = benchmark->mde_total = benchmark->mde_function = NAN;
	benchmark->noise = 0;
	benchmark->total.low = benchmark->total.high = benchmark->total.se = NAN;
	benchmark->total.state = STATE_INELIGIBLE;
	for (uint32_t i = 0; i < benchmark->function_count; i++) {
		struct result_change *self = &function_at(benchmark, i)->self;

		self->low = self->high = self->se = NAN;
	}
}

struct result *fixture_reference_fail(void)
{
	struct result *result = build_result("check");
	struct result_benchmark *benchmark =
		build_benchmark(result, "logstat", RESULT_FAIL, OUTCOME_BASE_FAILED);

	benchmark->detail = "make: *** [Makefile:12: logstat] Error 1";
	build_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, FIELD))->self[1] = 0.161;
	build_costs(benchmark);
	forget_intervals(benchmark);
	add_screen(result, benchmark, true);
	return result;
}

/* policy.screen: fast, and nothing grew. */
struct result *fixture_screened(void)
{
	struct result *result = build_result("check");
	struct result_benchmark *benchmark =
		build_benchmark(result, "logstat", RESULT_PASS, OUTCOME_SCREENED);
	struct result_reference *reference =
		add_reference(result, benchmark, REFERENCE_SCREEN, REFERENCE_CLEAR);

	reference->decides = true;
	reference->distance = 1;
	reference->threshold = 0.014;
	benchmark->detail = "policy.screen: fast spares the measurement";
	return result;
}

struct result *fixture_exact_fail(void)
{
	struct result *result = fixture_pass();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_reference *reference =
		add_exact(result, benchmark, REFERENCE_FLAGGED, 0.0231);

	reference->decides = true;
	reference->findings = exact_findings;
	reference->finding_count = sizeof(exact_findings) / sizeof(exact_findings[0]);
	benchmark->status = result->status = RESULT_FAIL;
	result->exit_status = 1;
	return result;
}

static void scale_to_bytes(struct result_benchmark *benchmark, double bytes)
{
	for (uint32_t i = 0; i < benchmark->node_count; i++) {
		for (int version = 0; version < 2; version++)
			node_at(benchmark, i)->self[version] *= bytes;
	}
}

/* Two deltas of a heap: what was freed in the time is below zero. */
struct result *fixture_bytes(void)
{
	struct result *result = build_result("compare");
	struct result_benchmark *benchmark =
		build_benchmark(result, "heap.pb.gz", RESULT_PASS, OUTCOME_PROFILE);

	result->base = (struct result_commit){"", "", "monday/heap.pb.gz", false};
	result->head = (struct result_commit){"", "", "tuesday/heap.pb.gz", false};
	result->policy_origin = "";
	benchmark->command = "";
	benchmark->unit = "bytes";
	benchmark->profile_type = "alloc_space";
	build_log_tool(benchmark);
	node_at(benchmark, find_node(benchmark, INFLATE))->self[0] = -0.12;
	node_at(benchmark, find_node(benchmark, INFLATE))->self[1] = -0.26;
	node_at(benchmark, find_node(benchmark, HASH))->self[1] = 0.31;
	node_at(benchmark, find_node(benchmark, PRINT))->self[1] = -0.07;
	scale_to_bytes(benchmark, 96 * 1024 * 1024);
	build_costs(benchmark);
	forget_intervals(benchmark);
	benchmark->total.change = benchmark->total.head / benchmark->total.base - 1;
	return result;
}

static void add_recorded(struct result *result, const char *name, double seconds)
{
	struct result_benchmark *benchmark =
		build_benchmark(result, name, RESULT_PASS, OUTCOME_PROFILE);
	struct result_pair *pairs = arena_array(&result->arena, FIXTURE_PAIRS, sizeof(*pairs));

	build_log_tool(benchmark);
	for (uint32_t i = 0; i < benchmark->node_count; i++) {
		node_at(benchmark, i)->self[0] = 0;
		node_at(benchmark, i)->self[1] *= seconds;
	}
	build_costs(benchmark);
	for (uint32_t i = 0; i < benchmark->function_count; i++)
		function_at(benchmark, i)->self.change = 0;
	for (uint32_t i = 0; i < benchmark->node_count; i++)
		node_at(benchmark, i)->self_change = node_at(benchmark, i)->total_change = 0;
	forget_intervals(benchmark);
	for (int i = 0; i < FIXTURE_PAIRS; i++)
		pairs[i] = (struct result_pair){.head_seconds = seconds * (1 + 0.01 * (i % 3)),
			.dropped = i == 7,
			.stage = 1};
	benchmark->pairs = pairs;
	benchmark->pair_count = FIXTURE_PAIRS;
	benchmark->dropped_pairs = 1;
}

struct result *fixture_record(void)
{
	struct result *result = build_result("record");
	struct result_benchmark *failed;

	result->base = (struct result_commit){"", "", "", false};
	result->policy_origin = ".flamegate.yml";
	add_recorded(result, "logstat", 1);
	add_recorded(result, "logstat --by-host", 0.214);
	failed = build_benchmark(result, "replay", RESULT_ERROR, OUTCOME_ERROR);
	failed->detail = "the benchmark exited with status 3";
	return result;
}

/* Head is the working tree. */
struct result *fixture_worktree(void)
{
	struct result *result = fixture_fail();

	result->head.dirty = true;
	return result;
}

void fixture_add_hostile_reference(
	struct result *result, struct result_benchmark *benchmark, const char *hostile)
{
	struct result_reference_finding *finding = arena_alloc(&result->arena, sizeof(*finding));
	const enum result_reference_kind kinds[] = {REFERENCE_SCREEN, REFERENCE_EXACT};

	*finding = (struct result_reference_finding){
		hostile, hostile, 7, 0.02, NAN, NAN, false, hostile, hostile, 7};
	for (int i = 0; i < 3; i++) {
		struct result_reference *reference = add_reference(result, benchmark, kinds[i % 2],
			i == 2 ? REFERENCE_CANNOT : REFERENCE_FLAGGED);

		reference->decides = true;
		reference->profile_type = reference->store = reference->commit = hostile;
		reference->environment = reference->detail = hostile;
		reference->findings = finding;
		reference->finding_count = 1;
		reference->losses = one_string(result, hostile);
		reference->loss_count = 1;
	}
}
