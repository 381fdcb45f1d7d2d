/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gate/base/strbuf.h"
#include "report/findings/sentence.h"
#include "report/words/figure.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_build.h"

/* The sentence with its names in quotes. */
static void say(struct strbuf *out, const struct result *result)
{
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_result(&sentence, result);
	for (size_t i = 0; i < sentence.count; i++) {
		const char *quote = sentence.spans[i].kind == SPAN_TEXT ? "" : "'";

		strbuf_addf(out, "%s%s%s", quote, sentence.spans[i].text, quote);
	}
	sentence_release(&sentence);
}

static void assert_result_says(struct result *result, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	say(&out, result);
	assert_string_equal(out.data, expected);
	strbuf_release(&out);
	fixture_free(result);
}

static void assert_says(struct result *(*make)(void), const char *expected)
{
	assert_result_says(make(), expected);
}

static void test_failure_names_total_function_line_and_blame(void **state)
{
	(void)state;
	assert_says(fixture_fail,
		"'logstat' takes 5.1 % more CPU time (+51 ms a run, 95 % interval 3.9 to 6.3 %): "
		"'parse_field' takes longer in its own code, at 'src/parse.c:130': +51 ms a run "
		"(+5.1 % of the benchmark)");
}

static void test_failure_whose_cause_has_little_itself_says_what_grew_with_it(void **state)
{
	struct result *result = fixture_hanging();
	struct result_culprit *culprit = (struct result_culprit *)result->benchmarks[0].culprits;

	(void)state;
	culprit->together = 0.11;
	assert_result_says(result,
		"'logstat' takes 5.1 % more CPU time (+51 ms a run, 95 % interval 3.9 to 6.3 %): "
		"'parse_field' takes longer in its own code, at 'src/parse.c:130': +51 ms a run "
		"(+5.1 % of the benchmark; +11.0 % with what grew with it)");
	/* half of it and more is its own */
	assert_says(fixture_hanging,
		"'logstat' takes 5.1 % more CPU time (+51 ms a run, 95 % interval 3.9 to 6.3 %): "
		"'parse_field' takes longer in its own code, at 'src/parse.c:130': +51 ms a run "
		"(+5.1 % of the benchmark)");
}

static void test_failure_within_the_totals_noise_speaks_of_the_function_only(void **state)
{
	(void)state;
	assert_says(fixture_called,
		"'logstat': 'hash_string' is called more often or given more work by 'table_add', "
		"at 'src/table.c:69': +18 ms a run (+1.8 % of the benchmark, 95 % interval "
		"+1.2 to +2.4 %)");
}

static void test_a_failure_says_what_its_claim_says(void **state)
{
	struct result *result = fixture_called();
	struct result_claim *claim =
		culprit_claim((struct result_benchmark *)&result->benchmarks[0]);

	(void)state;
	claim->kind = CLAIM_CALLED_MORE;
	claim->calls[0] = 1000;
	claim->calls[1] = 3000;
	assert_result_says(result,
		"'logstat': 'table_add' calls 'hash_string' 3.0 times as often, at "
		"'src/table.c:69': +18 ms a run (+1.8 % of the benchmark, 95 % interval +1.2 "
		"to +2.4 %)");
}

/* A report of somebody else's, or of before there were claims. */
static void test_a_culprit_without_a_claim_takes_more(void **state)
{
	struct result *result = fixture_called();

	(void)state;
	((struct result_benchmark *)result->benchmarks)->claim_count = 0;
	((struct result_culprit *)result->benchmarks[0].culprits)->claim = RESULT_NONE;
	assert_result_says(result,
		"'logstat': 'hash_string' and its callees take longer, called from 'table_add', "
		"at 'src/table.c:69': +18 ms a run (+1.8 % of the benchmark, 95 % interval "
		"+1.2 to +2.4 %)");
}

static void test_what_is_counted_in_iterations_is_no_run(void **state)
{
	struct result *result = fixture_fail();

	(void)state;
	((struct result_benchmark *)result->benchmarks)->per = PER_ITERATION;
	assert_result_says(result,
		"'logstat' takes 5.1 % more CPU time (+51 ms an iteration, 95 % interval 3.9 to "
		"6.3 %): 'parse_field' takes longer in its own code, at 'src/parse.c:130': +51 ms "
		"an iteration (+5.1 % of the benchmark)");
}

static void test_pass_says_what_it_could_exclude(void **state)
{
	(void)state;
	assert_says(fixture_pass, "'logstat': no regression: any slowdown above 1.3 % would have "
				  "been detected (97.5 % confidence)");
	assert_says(fixture_inconclusive, "'logstat': no regression found, but a slowdown of up to "
					  "3.4 % cannot be ruled out");
}

static void test_improvement_takes_less_time_and_names_the_function(void **state)
{
	(void)state;
	assert_says(fixture_faster,
		"'logstat' takes 3.0 % less CPU time (-30 ms a run, 95 % interval 1.8 to 4.2 %): "
		"'inflate_fast' takes less time in its own code: -30 ms a run (-3.0 % of the "
		"benchmark)");
}

/* The interval is of the noise alone: the code's place in memory may explain as much. */
static void test_less_time_than_the_layout_explains_is_no_improvement(void **state)
{
	struct result *result = fixture_faster();
	struct result_benchmark *benchmark = (struct result_benchmark *)&result->benchmarks[0];

	(void)state;
	benchmark->total.state = STATE_UNCHANGED;
	benchmark->bound = 0.021;
	benchmark->mde_total = 0.05;
	assert_result_says(result, "'logstat': no regression: any slowdown above 2.1 % would have "
				   "been detected (97.5 % confidence)");
}

static void test_improvement_by_a_function_that_is_gone_says_so(void **state)
{
	struct result *result = fixture_faster();

	(void)state;
	((struct result_claim *)result->benchmarks[0].claims)->kind = CLAIM_GONE;
	assert_result_says(result,
		"'logstat' takes 3.0 % less CPU time (-30 ms a run, 95 % interval 1.8 to 4.2 %): "
		"'inflate_fast' is gone: -30 ms a run (-3.0 % of the benchmark)");
}

static void test_improvement_is_the_news_of_a_warning_too(void **state)
{
	static const char *const warnings[] = {"an increase that the total contradicts"};
	struct result *result = fixture_faster();
	struct result_benchmark *benchmark = (struct result_benchmark *)&result->benchmarks[0];

	(void)state;
	benchmark->status = RESULT_WARN;
	benchmark->warnings = warnings;
	benchmark->warning_count = 1;
	assert_result_says(result,
		"'logstat' takes 3.0 % less CPU time (-30 ms a run, 95 % interval 1.8 to 4.2 %): "
		"'inflate_fast' takes less time in its own code: -30 ms a run (-3.0 % of the "
		"benchmark); but 'an increase that the total contradicts'");
}

/* Where the total grew as well; else what moved is no reason, and the warning says what is. */
static void test_warning_says_where_cost_moved(void **state)
{
	static const char *const warnings[] = {
		"these runs can only detect an increase of 2.2 % or more (80 % power), above "
		"policy.detect (1 %): use more or longer runs"};
	struct result *result = fixture_shift();
	struct result_benchmark *benchmark = (struct result_benchmark *)&result->benchmarks[0];

	(void)state;
	benchmark->status = RESULT_WARN;
	benchmark->total.low = 0.001;
	benchmark->total.state = STATE_FLAGGED;
	assert_result_says(result, "'logstat': 61 ms a run (6.1 % of the benchmark) moved from "
				   "'scan_digits' to 'scan_number'");
	result = fixture_shift();
	benchmark = (struct result_benchmark *)&result->benchmarks[0];
	benchmark->status = RESULT_WARN;
	benchmark->warnings = warnings;
	benchmark->warning_count = 1;
	assert_result_says(result,
		"'logstat': no regression, with a warning: 'these runs can only detect an "
		"increase of 2.2 % or more (80 % power), above policy.detect (1 %): use more or "
		"longer runs'");
}

static void test_unmeasured_outcomes_each_have_their_own_words(void **state)
{
	(void)state;
	assert_says(fixture_identical,
		"'logstat': both versions execute the same files: nothing to measure");
	assert_says(fixture_new_benchmark,
		"Nothing to compare yet. 'logstat': New: ran in 1.23 s, not in base, so not "
		"compared");
	assert_says(fixture_error,
		"'logstat' could not be measured: 'head: the benchmark was killed by "
		"SIGKILL (9) after 0.4 s; out of memory?'");
	assert_says(fixture_run, "'gzip -9 -c FILE' took 1.00 s of CPU time");
}

static void test_what_was_not_run_is_no_run_of_a_moment(void **state)
{
	struct result *result = fixture_new_benchmark();

	(void)state;
	((struct result_benchmark *)result->benchmarks)[0].detail = "head does not have it yet";
	assert_result_says(
		result, "Nothing to compare yet. 'logstat': New: 'head does not have it yet'");
}

static void test_what_is_new_is_told_beside_a_verdict(void **state)
{
	struct result *result = fixture_identical();

	(void)state;
	build_benchmark(result, "import", RESULT_NEUTRAL, OUTCOME_NEW);
	build_benchmark(result, "export", RESULT_NEUTRAL, OUTCOME_NEW);
	assert_int_equal(result->status, RESULT_PASS);
	assert_result_says(result,
		"'logstat': both versions execute the same files: nothing to measure; 2 new, not "
		"compared");
}

static void test_worst_benchmark_speaks_for_all(void **state)
{
	struct result *result = fixture_many();
	struct strbuf out = STRBUF_INIT;

	(void)state;
	say(&out, result);
	assert_non_null(strstr(out.data, "'parse_field'"));
	assert_non_null(strstr(out.data, "; 1 more regressed"));
	strbuf_release(&out);
	fixture_free(result);
}

static void test_no_sentence_claims_that_nothing_changed(void **state)
{
	(void)state;
	for (const struct fixture_case *one = fixture_cases; one->name; one++) {
		struct result *result = one->make();
		struct strbuf out = STRBUF_INIT;

		say(&out, result);
		assert_null(strstr(out.data, "no change"));
		assert_null(strstr(out.data, "by -"));
		assert_null(strstr(out.data, "nan"));
		strbuf_release(&out);
		fixture_free(result);
	}
}

static void assert_figure(void (*figure)(struct strbuf *, double), double value, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	figure(&out, value);
	assert_string_equal(out.data, text);
	strbuf_release(&out);
}

static void more_or_less(struct strbuf *out, double fraction)
{
	figure_more_or_less(out, fraction, false);
}

static void more_or_fewer(struct strbuf *out, double fraction)
{
	figure_more_or_less(out, fraction, true);
}

static void test_figures_round_without_negative_zero(void **state)
{
	(void)state;
	assert_figure(figure_signed_percent, 0.0504, "+5.0 %");
	assert_figure(figure_signed_percent, -0.00001, "0.0 %");
	assert_figure(figure_signed_percent, -0.0004, "-0.04 %");
	assert_figure(figure_signed_percent, 1.5, "+150 %");
	assert_figure(figure_percent, (double)NAN, "? %");
	assert_figure(more_or_less, -0.03, "3.0 % less");
	assert_figure(more_or_fewer, -0.03, "3.0 % fewer");
	assert_figure(more_or_fewer, 0.03, "3.0 % more");
	assert_figure(more_or_fewer, 0.00001, "as many");
	assert_figure(figure_seconds, 0.0999999, "100 ms");
	assert_figure(figure_seconds, 0.99999, "1.00 s");
	assert_figure(figure_seconds, 1e-6, "1.00 \xc2\xb5s");
	assert_figure(figure_seconds, -0.25, "-250 ms");
	assert_figure(figure_seconds, 0, "0 s");
}

static void test_an_errors_later_lines_are_left_to_its_benchmark(void **state)
{
	static const struct {
		const char *detail, *said;
	} cases[] = {{"`make` exited; it is bad; its last lines:\nno rule\nstop",
			     "`make` exited; it is bad"},
		{"no bench\nat all", "no bench"}, {"first:\nsecond", "first:\nsecond"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result *result = fixture_error();
		struct result_benchmark both[2] = {result->benchmarks[0], result->benchmarks[0]};
		struct strbuf expected = STRBUF_INIT, out = STRBUF_INIT;
		const struct result_benchmark *own = result->benchmarks;

		both[0].detail = both[1].detail = cases[i].detail;
		result->benchmarks = both;
		result->benchmark_count = 2;
		say(&out, result);
		strbuf_addf(&expected, "'%s'; 1 more not measured", cases[i].said);
		assert_non_null(strstr(out.data, expected.data));
		result->benchmarks = own;
		result->benchmark_count = 1;
		strbuf_release(&expected);
		strbuf_release(&out);
		fixture_free(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_errors_later_lines_are_left_to_its_benchmark),
		cmocka_unit_test(test_failure_names_total_function_line_and_blame),
		cmocka_unit_test(test_failure_whose_cause_has_little_itself_says_what_grew_with_it),
		cmocka_unit_test(test_failure_within_the_totals_noise_speaks_of_the_function_only),
		cmocka_unit_test(test_a_failure_says_what_its_claim_says),
		cmocka_unit_test(test_a_culprit_without_a_claim_takes_more),
		cmocka_unit_test(test_pass_says_what_it_could_exclude),
		cmocka_unit_test(test_improvement_takes_less_time_and_names_the_function),
		cmocka_unit_test(test_less_time_than_the_layout_explains_is_no_improvement),
		cmocka_unit_test(test_improvement_by_a_function_that_is_gone_says_so),
		cmocka_unit_test(test_improvement_is_the_news_of_a_warning_too),
		cmocka_unit_test(test_warning_says_where_cost_moved),
		cmocka_unit_test(test_unmeasured_outcomes_each_have_their_own_words),
		cmocka_unit_test(test_what_was_not_run_is_no_run_of_a_moment),
		cmocka_unit_test(test_what_is_new_is_told_beside_a_verdict),
		cmocka_unit_test(test_worst_benchmark_speaks_for_all),
		cmocka_unit_test(test_no_sentence_claims_that_nothing_changed),
		cmocka_unit_test(test_figures_round_without_negative_zero),
		cmocka_unit_test(test_what_is_counted_in_iterations_is_no_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
