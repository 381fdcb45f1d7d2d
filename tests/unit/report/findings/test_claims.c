/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "gate/base/strbuf.h"
#include "report/findings/claim_text.h"
#include "report/html/html.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_build.h"

/* What is claimed of one function or, with others, of several; sides: 40 -> 100 ms, 100 -> 200
 * calls.
 */
struct told {
	enum result_claim_kind kind;
	size_t others;
	const char *text, *of_bytes; /* NULL: the same */
};

static const struct told claims[] = {
	{CLAIM_ITSELF, 0, "'f' itself is slower", "'f' itself costs more"},
	{CLAIM_OWN_CODE, 0, "'f' takes longer in its own code", "'f' costs more in its own code"},
	{CLAIM_LONGER, 0, "'f' takes longer", "'f' costs more"},
	{CLAIM_CALLED_MORE, 1, "'a' calls 'f' 2.0 times as often", NULL},
	{CLAIM_CALLED_MORE, 0, "'f' is called 2.0 times as often", NULL},
	{CLAIM_EACH_CALL, 1, "each call of 'f' by 'a' takes 1.25 times as long",
		"each call of 'f' by 'a' costs 1.25 times as much"},
	{CLAIM_EACH_CALL, 0, "each call of 'f' takes 1.25 times as long",
		"each call of 'f' costs 1.25 times as much"},
	{CLAIM_CALLS_AND_EACH, 1,
		"'a' calls 'f' 2.0 times as often, and each call takes 1.25 times as long",
		"'a' calls 'f' 2.0 times as often, and each call costs 1.25 times as much"},
	{CLAIM_CALLS_AND_EACH, 0,
		"'f' is called 2.0 times as often, and each call takes 1.25 times as long",
		"'f' is called 2.0 times as often, and each call costs 1.25 times as much"},
	{CLAIM_MORE_WORK, 1, "'f' is called more often or given more work by 'a'", NULL},
	{CLAIM_MORE_WORK, 0, "'f' is called more often or given more work", NULL},
	{CLAIM_WITH_CALLEES, 1, "'f' and its callees take longer, called from 'a'",
		"'f' and its callees cost more, called from 'a'"},
	{CLAIM_WITH_CALLEES, 0, "'f' and its callees take longer", "'f' and its callees cost more"},
	{CLAIM_NEW, 1, "'f' is new, called by 'a'", NULL},
	{CLAIM_NEW, 0, "'f' is new", NULL},
	{CLAIM_NOW_CALLED, 1, "'f' is now called by 'a'", NULL},
	{CLAIM_NOW_CALLED, 0, "'f' is now called", NULL},
	{CLAIM_CALLED_INSTEAD, 2, "'a' now calls 'f' instead of 'b'", NULL},
	{CLAIM_IN_HOST, 1, "'f' takes longer where it is inlined into 'a', which has changed",
		"'f' costs more where it is inlined into 'a', which has changed"},
	{CLAIM_UNCHANGED_CODE, 0,
		"each call of 'f' takes 1.25 times as long, though its code is the same",
		"each call of 'f' costs 1.25 times as much, though its code is the same"},
	{CLAIM_LESS, 0, "'f' takes less time in its own code", "'f' costs less in its own code"},
	{CLAIM_GONE, 0, "'f' is gone", NULL},
	{CLAIM_SPLIT, 1, "'a' was split off from 'f': 60 ms a run (6.0 % of the benchmark)", "-"},
	{CLAIM_SPLIT, 2,
		"'a' and 'b' were split off from 'f': 60 ms a run (6.0 % of the benchmark)", "-"},
	{CLAIM_MERGED, 1, "'a' is now part of 'f': 60 ms a run (6.0 % of the benchmark)", "-"},
	{CLAIM_MERGED, 3,
		"'a', 'b' and 'c' are now part of 'f': 60 ms a run (6.0 % of the benchmark)", "-"},
	{CLAIM_MOVED, 5,
		"60 ms a run (6.0 % of the benchmark) moved from 'f' to 'a', 'b', 'c' and 2 "
		"more",
		"-"},
	{CLAIM_SWAPPED, 2, "'b' now calls 'a' instead of 'f'", NULL},
	{CLAIM_REACHED, 1, "'a' is now reached through 'f': 60 ms a run (6.0 % of the benchmark)",
		"-"},
	{CLAIM_REACHED, 2,
		"'a' and 'b' are now reached through 'f': 60 ms a run (6.0 % of the "
		"benchmark)",
		"-"},
	{CLAIM_OFFSET, 1,
		"'a' takes 60 ms a run (6.0 % of the benchmark) more, offset by a decrease in "
		"'f'",
		"-"},
	{CLAIM_OFFSET, 2,
		"'a' and 'b' take 60 ms a run (6.0 % of the benchmark) more, offset by a "
		"decrease in 'f'",
		"-"},
};

static void say(struct strbuf *out, const struct told *told, const char *unit)
{
	static const struct result_function functions[] = {{.name = "f"}, {.name = "a"},
		{.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"}};
	static const uint32_t others[] = {1, 2, 3, 4, 5};
	const struct result_benchmark benchmark = {
		.unit = unit, .functions = functions, .function_count = 6};
	const struct result_claim claim = {.kind = told->kind,
		.subject = 0,
		.others = others,
		.other_count = told->others,
		.cost = {0.04, 0.1},
		.calls = {100, 200},
		.change = 0.06,
		.because = ""};
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_add_claim(&sentence, &benchmark, &claim);
	for (size_t i = 0; i < sentence.count; i++) {
		const char *quote = sentence.spans[i].kind == SPAN_TEXT ? "" : "'";

		strbuf_addf(out, "%s%s%s", quote, sentence.spans[i].text, quote);
	}
	sentence_release(&sentence);
}

static void test_each_kind_of_claim_has_its_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		struct strbuf text = STRBUF_INIT;

		say(&text, &claims[i], "seconds");
		assert_string_equal(text.data, claims[i].text);
		strbuf_release(&text);
	}
}

static void test_what_is_no_time_costs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		const char *expected = claims[i].of_bytes ? claims[i].of_bytes : claims[i].text;
		struct strbuf text = STRBUF_INIT;

		say(&text, &claims[i], "bytes");
		if (strcmp(expected, "-") != 0)
			assert_string_equal(text.data, expected);
		strbuf_release(&text);
	}
}

/* From a report of anybody's: others that a template would name are not there. */
static void test_a_claim_without_the_functions_it_needs_names_none(void **state)
{
	(void)state;
	for (int kind = 0; kind <= CLAIM_OFFSET; kind++) {
		const struct told told = {(enum result_claim_kind)kind, 0, "", NULL};
		struct strbuf text = STRBUF_INIT;

		say(&text, &told, "seconds");
		assert_null(strstr(text.data, "'a'"));
		assert_null(strchr(text.data, '{'));
		assert_non_null(strstr(text.data, "'f'"));
		strbuf_release(&text);
	}
}

/* Every output says the same of a culprit. */
static void test_all_outputs_have_the_sentence_and_the_evidence(void **state)
{
	struct result *result = fixture_called();
	struct result_claim *claim =
		culprit_claim((struct result_benchmark *)&result->benchmarks[0]);
	struct strbuf html = STRBUF_INIT, markdown = STRBUF_INIT, terminal = STRBUF_INIT;
	struct terminal_options options = {.width = 400};
	struct report_view *view;
	struct error err = {0};

	(void)state;
	claim->kind = CLAIM_CALLED_MORE;
	claim->evidence = EVIDENCE_COUNTS;
	claim->because = "callgrind: 1,000 -> 3,000 calls, the same in each of 2 runs";
	claim->calls[0] = 1000;
	claim->calls[1] = 3000;
	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	assert_int_equal(report_html(view, &html, &err), ERR_OK);
	report_markdown(view, SIZE_MAX, &markdown);
	report_terminal(view, &options, &terminal);
	assert_non_null(strstr(html.data,
		"<code>table_add</code> calls <code>hash_string</code> 3.0 times as often"));
	assert_non_null(strstr(html.data, "<dt>evidence</dt><dd>callgrind: 1,000"));
	assert_non_null(strstr(
		markdown.data, "| `table_add` calls `hash_string` 3.0 times as often (`callgrind"));
	assert_non_null(strstr(terminal.data, "table_add calls hash_string 3.0 times as often, at "
					      "src/table.c:69"));
	assert_non_null(strstr(terminal.data, "evidence: callgrind: 1,000 -> 3,000 calls"));
	strbuf_release(&html);
	strbuf_release(&markdown);
	strbuf_release(&terminal);
	report_view_free(view);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_of_claim_has_its_sentence),
		cmocka_unit_test(test_what_is_no_time_costs),
		cmocka_unit_test(test_a_claim_without_the_functions_it_needs_names_none),
		cmocka_unit_test(test_all_outputs_have_the_sentence_and_the_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
