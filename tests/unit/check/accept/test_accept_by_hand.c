/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptances against a result made by hand: rules that measured noise would blur, and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gate/bench/config/metric.h"
#include "gate/check/accept/accept.h"
#include "gate/check/result.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAIN, WORK, LEAF, FUNCTIONS };
enum { NODES = 4 };
enum { RSS, THREADS, METRICS };

/* main - work - leaf, of which work is 5 % of the total slower, and blamed. */
struct scene {
	struct measurements *measurements;
	struct result result;
	struct result_function functions[FUNCTIONS];
	struct result_node nodes[NODES];
	struct result_culprit culprits[2];
	struct result_reference_finding findings[2];
	struct result_reference reference;
	struct result_metric metrics[METRICS];
	struct result_benchmark benchmark;
};

static void grow(struct scene *s, uint32_t function, double change)
{
	s->functions[function].self =
		(struct result_change){.change = change, .state = STATE_CONFIRMED};
	s->nodes[function + 1].self_change = change;
	for (uint32_t v = function + 1; v > 0; v = s->nodes[v].parent) {
		s->nodes[v].total_change += change;
		s->nodes[v].state = STATE_CONFIRMED;
	}
	s->benchmark.total.change += change;
}

static int set_up(void **state)
{
	static const char *const names[FUNCTIONS] = {"main", "work", "leaf"};
	struct scene *s = calloc(1, sizeof(*s));

	s->measurements = measurements_new("check");
	s->measurements->date = "2026-01-01T00:00:00Z";
	measurements_add_benchmark(s->measurements, "bench", "bench", "./bench");
	s->nodes[0].function = RESULT_NONE;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		s->functions[i] = (struct result_function){
			.name = names[i], .module = "bench", .file = "src/a.c"};
		s->nodes[i + 1] = (struct result_node){.function = i, .parent = i};
	}
	s->benchmark = (struct result_benchmark){.name = "bench",
		.status = RESULT_FAIL,
		.functions = s->functions,
		.function_count = FUNCTIONS,
		.nodes = s->nodes,
		.node_count = NODES,
		.culprits = s->culprits,
		.culprit_count = 1};
	s->culprits[0] = (struct result_culprit){.function = WORK, .node = WORK + 1};
	grow(s, WORK, 0.05);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *s = *state;

	measurements_free(s->measurements);
	arena_release(&s->result.arena);
	free(s);
	return 0;
}

static void accept_because(
	struct scene *s, const char *function, const char *metric, const char *reason)
{
	const struct measurements_acceptance one = {.benchmark = "bench",
		.function = function,
		.metric = metric,
		.reason = reason,
		.until = "",
		.origin = "somewhere",
		.problem = ""};

	measurements_add_acceptance(s->measurements, &one);
}

static void accept_function(struct scene *s, const char *function)
{
	accept_because(s, function, "", "worth it");
}

static void accept_expired(
	struct scene *s, const char *function, const char *metric, const char *problem)
{
	accept_because(s, function, metric, "was worth it");
	s->measurements->acceptances[s->measurements->acceptance_count - 1].until = "2025-12-31";
	s->measurements->acceptances[s->measurements->acceptance_count - 1].problem = problem;
}

/* As decide.c does: by what was measured, by what is stored, by metrics, as a whole. */
static enum result_status decide(struct scene *s)
{
	enum result_status before = s->benchmark.status;
	bool measured = s->benchmark.culprit_count > 0;
	struct accept accept;

	accept_init(&accept, s->measurements, &s->result.arena);
	if (measured)
		accept_measured(&accept, &s->result, &s->benchmark);
	else
		accept_references(&accept, &s->result, &s->benchmark);
	accept_metrics(&accept, measured || s->benchmark.reference_count ? before : RESULT_PASS,
		&s->result, &s->benchmark);
	accept_whole(&accept, &s->result, &s->benchmark);
	accept_report(&accept, &s->result);
	return s->benchmark.status;
}

static size_t count_lines(const char *const *lines, size_t count, const char *text)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += strstr(lines[i], text) != NULL;
	return found;
}

static size_t warnings(const struct scene *s, const char *text)
{
	return count_lines(s->benchmark.warnings, s->benchmark.warning_count, text);
}

static size_t notes(const struct scene *s, const char *text)
{
	return count_lines(s->result.notes, s->result.note_count, text);
}

/* ---- functions ------------------------------------------------------------------------------ */

static void test_the_first_of_two_that_fit_is_what_is_said(void **state)
{
	struct scene *s = *state;

	accept_because(s, "work@src/a.c", "", "first");
	accept_because(s, "work", "", "second");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_string_equal(s->benchmark.accepted, "first");
	assert_int_equal(warnings(s, "accepted: "), 1);
	assert_int_equal(notes(s, "bench/work (somewhere) was not needed"), 1);
}

static void test_a_function_of_unknown_file_is_named_by_its_module(void **state)
{
	struct scene *s = *state;

	s->functions[WORK].file = "";
	s->functions[WORK].module = "libwork.so";
	accept_function(s, "work@libwork.so");
	assert_int_equal(decide(s), RESULT_WARN);
}

static void test_a_function_without_a_name_is_accepted_by_nothing(void **state)
{
	struct scene *s = *state;

	s->functions[WORK].name = "";
	accept_function(s, "@src/a.c");
	assert_int_equal(decide(s), RESULT_FAIL);
}

static void test_the_whole_benchmark_comes_before_its_functions(void **state)
{
	struct scene *s = *state;

	accept_because(s, "work", "", "of one");
	accept_because(s, "", "", "of all");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_string_equal(s->benchmark.accepted, "of all");
	assert_int_equal(notes(s, "bench/work (somewhere) was not needed"), 1);
}

/* It was accepted that its own code is slower: what it calls was not. */
static void test_a_slower_function_does_not_bring_what_it_calls(void **state)
{
	struct scene *s = *state;

	grow(s, LEAF, 0.04);
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_FAIL);
	assert_int_equal(warnings(s, "accepted only in part: leaf is not"), 1);
}

static void test_more_calls_bring_what_is_called(void **state)
{
	struct scene *s = *state;

	grow(s, LEAF, 0.04);
	s->culprits[0].blame = BLAME_CALLED;
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_WARN);
}

static void test_half_of_the_totals_increase_has_to_be_accepted(void **state)
{
	static const struct {
		double total;
		enum result_status status;
	} cases[] = {{0.095, RESULT_WARN}, {0.105, RESULT_FAIL}};
	struct scene *s = *state;

	accept_function(s, "work");
	s->benchmark.total.state = STATE_CONFIRMED;
	for (size_t i = 0; i < 2; i++) {
		s->benchmark.status = RESULT_FAIL;
		s->benchmark.total.change = cases[i].total;
		assert_int_equal(decide(s), cases[i].status);
	}
	assert_int_equal(warnings(s, "accepted only in part: most of the total's increase"), 1);
}

static void test_one_acceptance_is_said_once(void **state)
{
	struct scene *s = *state;

	s->culprits[1] = s->culprits[0];
	s->culprits[1].blame = BLAME_CALLED;
	s->benchmark.culprit_count = 2;
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_int_equal(warnings(s, "accepted: "), 1);
}

static void test_what_says_too_little_is_said_once(void **state)
{
	struct scene *s = *state;

	s->functions[LEAF].name = "work";
	s->functions[LEAF].file = "src/b.c";
	grow(s, LEAF, 0.05);
	s->culprits[1] = (struct result_culprit){.function = LEAF, .node = LEAF + 1};
	s->benchmark.culprit_count = 2;
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_FAIL);
	assert_int_equal(warnings(s, "does not say which"), 1);
}

/* ---- stored baselines ----------------------------------------------------------------------- */

/* Nothing but two functions that take more instructions than a stored baseline has. */
static void store(struct scene *s)
{
	s->benchmark.culprit_count = 0;
	s->findings[0] = (struct result_reference_finding){
		"work", "src/a.c", 1, 0.04, 0, 0, false, "", "", 0};
	s->findings[1] = (struct result_reference_finding){
		"leaf", "src/a.c", 9, 0.02, 0, 0, false, "", "", 0};
	s->reference = (struct result_reference){.state = REFERENCE_FLAGGED,
		.decides = true,
		.profile_type = "instructions",
		.change = 0.06,
		.findings = s->findings,
		.finding_count = 2};
	s->benchmark.references = &s->reference;
	s->benchmark.reference_count = 1;
}

static void test_every_finding_has_to_be_accepted(void **state)
{
	struct scene *s = *state;

	store(s);
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_FAIL);
	accept_function(s, "leaf");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_int_equal(warnings(s, "accepted: work"), 1);
	assert_int_equal(warnings(s, "accepted: leaf"), 1);
}

static void test_what_moved_needs_no_acceptance(void **state)
{
	struct scene *s = *state;

	store(s);
	s->findings[1].shifted = true;
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_WARN);
}

static void test_accepted_findings_have_to_explain_half_of_the_change(void **state)
{
	struct scene *s = *state;

	store(s);
	s->reference.change = 0.13;
	accept_function(s, "work");
	accept_function(s, "leaf");
	assert_int_equal(decide(s), RESULT_FAIL);
	s->reference.change = 0.11;
	assert_int_equal(decide(s), RESULT_WARN);
}

static void test_two_findings_of_one_name_are_told_apart_by_their_files(void **state)
{
	struct scene *s = *state;

	store(s);
	s->findings[1].name = "work";
	s->findings[1].file = "src/b.c";
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_FAIL);
	accept_function(s, "work@src/a.c");
	accept_function(s, "work@src/b.c");
	assert_int_equal(decide(s), RESULT_WARN);
}

/* Another function of the program has the finding's name, and did not grow. */
static void test_a_finding_is_not_accepted_by_a_name_that_the_program_has_twice(void **state)
{
	struct scene *s = *state;

	store(s);
	s->reference.finding_count = 1;
	s->functions[LEAF].name = "work";
	s->functions[LEAF].file = "src/b.c";
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_FAIL);
}

static void test_what_did_not_fail_needs_no_acceptance(void **state)
{
	struct scene *s = *state;
	struct result_reference both[2];

	store(s);
	both[0] = both[1] = s->reference;
	both[1].decides = false;
	both[1].findings = &s->findings[1];
	both[0].finding_count = both[1].finding_count = 1;
	both[0].change = 0.04;
	s->benchmark.references = both;
	s->benchmark.reference_count = 2;
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_WARN);
}

static void test_two_stored_baselines_say_one_acceptance_once(void **state)
{
	struct scene *s = *state;
	struct result_reference both[2];

	store(s);
	s->reference.finding_count = 1;
	both[0] = both[1] = s->reference;
	both[1].profile_type = "alloc_bytes";
	s->benchmark.references = both;
	s->benchmark.reference_count = 2;
	accept_function(s, "work");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_int_equal(warnings(s, "accepted: "), 1);
}

static void test_the_whole_benchmark_comes_before_its_findings(void **state)
{
	struct scene *s = *state;

	store(s);
	accept_function(s, "work");
	accept_function(s, "leaf");
	accept_because(s, "", "", "of all");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_string_equal(s->benchmark.accepted, "of all");
	assert_int_equal(notes(s, "was not needed"), 2);
}

static void test_a_finding_s_acceptance_that_expired_is_missed(void **state)
{
	struct scene *s = *state;

	store(s);
	accept_expired(s, "leaf", "", "");
	assert_int_equal(decide(s), RESULT_FAIL);
	assert_int_equal(warnings(s, "the acceptance of leaf expired on 2025-12-31"), 1);
	assert_int_equal(notes(s, "nothing needs it"), 0);
}

/* ---- metrics ----------------------------------------------------------------------------- */

/* Nothing but a larger resident set and more threads: the first fails. */
static void use_more(struct scene *s, enum result_gate threads)
{
	s->benchmark.culprit_count = 0;
	s->metrics[RSS] = (struct result_metric){
		.name = "max_rss", .gate = GATE_FAIL, .state = METRIC_GREW, .decides = true};
	s->metrics[THREADS] = (struct result_metric){
		.name = "threads", .gate = threads, .state = METRIC_GREW, .decides = true};
	s->benchmark.metrics = s->metrics;
	s->benchmark.metric_count = METRICS;
}

static void test_a_metric_that_only_warns_needs_no_acceptance(void **state)
{
	struct scene *s = *state;

	use_more(s, GATE_WARN);
	accept_because(s, "", "max_rss", "caches");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_string_equal(s->benchmark.accepted, "caches");
}

static void test_the_first_reason_stands_for_all(void **state)
{
	struct scene *s = *state;

	use_more(s, GATE_FAIL);
	accept_because(s, "", "threads", "pool");
	accept_because(s, "", "max_rss", "caches");
	assert_int_equal(decide(s), RESULT_WARN);
	assert_string_equal(s->benchmark.accepted, "caches");
	assert_int_equal(warnings(s, "accepted: "), 2);
}

static void test_nothing_is_in_part_where_nothing_is_accepted(void **state)
{
	struct scene *s = *state;

	use_more(s, GATE_FAIL);
	assert_int_equal(decide(s), RESULT_FAIL);
	assert_int_equal(s->benchmark.warning_count, 0);
}

/* ---- what has expired ----------------------------------------------------------------------- */

static void test_only_what_would_have_done_is_missed(void **state)
{
	struct scene *s = *state;

	use_more(s, GATE_FAIL);
	s->metrics[THREADS].decides = false;
	accept_expired(s, "", "max_rss", "");
	accept_expired(s, "", "threads", "");
	accept_expired(s, "main", "", "");
	accept_expired(s, "", "", "nobody may");
	assert_int_equal(decide(s), RESULT_FAIL);
	assert_int_equal(warnings(s, "expired"), 1);
	assert_int_equal(warnings(s, "the acceptance of max_rss expired on 2025-12-31"), 1);
	assert_int_equal(
		notes(s, "bench, threads (somewhere) expired on 2025-12-31, and nothing"), 1);
	assert_int_equal(notes(s, "bench/main (somewhere) expired on 2025-12-31, and nothing"), 1);
	assert_int_equal(notes(s, "does not count: nobody may"), 1);
	assert_int_equal(s->result.note_count, 3);
}

/* ---- hostile programs ------------------------------------------------------------------------ */

#define MANY 400000
#define SECONDS 20 /* each function against each takes minutes */

/* Below the first one, all of which grew a little. */
struct many {
	struct result_function functions[MANY];
	struct result_node nodes[MANY + 1];
};

static struct many *many_begin(struct scene *s)
{
	struct many *many = calloc(1, sizeof(*many));

	many->nodes[0].function = RESULT_NONE;
	for (uint32_t i = 0; i < MANY; i++) {
		many->functions[i] =
			(struct result_function){.name = i < MANY / 2 ? "read" : "hash",
				.module = "",
				.file = "",
				.self = {.change = 1e-6, .state = STATE_CONFIRMED}};
		many->nodes[i + 1] = (struct result_node){.function = i,
			.parent = i > 0,
			.self_change = 1e-6,
			.total_change = 1e-6,
			.state = STATE_CONFIRMED};
	}
	s->benchmark.functions = many->functions;
	s->benchmark.function_count = MANY;
	s->benchmark.nodes = many->nodes;
	s->benchmark.node_count = MANY + 1;
	return many;
}

static enum result_status decide_soon(struct scene *s)
{
	enum result_status status;

	alarm(SECONDS);
	status = decide(s);
	alarm(0);
	return status;
}

static void test_a_name_that_very_many_functions_have_is_looked_for_once(void **state)
{
	struct scene *s = *state;
	struct many *many = many_begin(s);

	s->culprits[0].function = MANY - 1;
	accept_function(s, "hash");
	assert_int_equal(decide_soon(s), RESULT_FAIL);
	assert_int_equal(warnings(s, "does not say which"), 1);
	free(many);
}

static void test_very_many_functions_below_an_accepted_call_are_added_up_once(void **state)
{
	struct scene *s = *state;
	struct many *many = many_begin(s);

	many->functions[0].name = "main";
	s->culprits[0] = (struct result_culprit){.blame = BLAME_CALLED};
	accept_function(s, "main");
	assert_int_equal(decide_soon(s), RESULT_WARN);
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(test_the_first_of_two_that_fit_is_what_is_said),
		TEST(test_a_function_of_unknown_file_is_named_by_its_module),
		TEST(test_a_function_without_a_name_is_accepted_by_nothing),
		TEST(test_the_whole_benchmark_comes_before_its_functions),
		TEST(test_a_slower_function_does_not_bring_what_it_calls),
		TEST(test_more_calls_bring_what_is_called),
		TEST(test_half_of_the_totals_increase_has_to_be_accepted),
		TEST(test_one_acceptance_is_said_once),
		TEST(test_what_says_too_little_is_said_once),
		TEST(test_every_finding_has_to_be_accepted),
		TEST(test_what_moved_needs_no_acceptance),
		TEST(test_accepted_findings_have_to_explain_half_of_the_change),
		TEST(test_two_findings_of_one_name_are_told_apart_by_their_files),
		TEST(test_a_finding_is_not_accepted_by_a_name_that_the_program_has_twice),
		TEST(test_what_did_not_fail_needs_no_acceptance),
		TEST(test_two_stored_baselines_say_one_acceptance_once),
		TEST(test_the_whole_benchmark_comes_before_its_findings),
		TEST(test_a_finding_s_acceptance_that_expired_is_missed),
		TEST(test_a_metric_that_only_warns_needs_no_acceptance),
		TEST(test_the_first_reason_stands_for_all),
		TEST(test_nothing_is_in_part_where_nothing_is_accepted),
		TEST(test_only_what_would_have_done_is_missed),
		TEST(test_a_name_that_very_many_functions_have_is_looked_for_once),
		TEST(test_very_many_functions_below_an_accepted_call_are_added_up_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
