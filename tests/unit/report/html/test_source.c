/* SPDX-License-Identifier: Apache-2.0 */
/* A culprit's source in report.json, HTML and Markdown: what is shown,
 * and what a reader refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate/base/error.h"
#include "report/findings/ruled_out.h"
#include "report/html/html.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/view/view.h"
#include "report/words/source_text.h"
#include "tests/unit/report/fixture.h"
#include "tests/unit/report/fixture_build.h"

static struct report_view *view_of(struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	fixture_free(result);
	return view;
}

static struct result_benchmark *benchmark_of(struct result *result)
{
	return (struct result_benchmark *)result->benchmarks;
}

static struct result_source *source_of(struct result *result)
{
	return (struct result_source *)benchmark_of(result)->culprits[0].source;
}

/* The fixture's source with `count` lines of this text, all of them added and costly. */
static struct result *with_lines(size_t count, const char *text)
{
	struct result *result = fixture_fail();
	struct result_source *source = source_of(result);
	struct result_line *lines = arena_array(&result->arena, count, sizeof(*lines));

	for (size_t i = 0; i < count; i++)
		lines[i] = (struct result_line){.head = (int64_t)i + 1,
			.kind = SOURCE_ADDED,
			.cost = {0, 0.001},
			.text = text};
	source->lines = lines;
	source->line_count = count;
	return result;
}

static void make_html(struct strbuf *out, struct result *result)
{
	struct report_view *view = view_of(result);
	struct error err = {0};

	assert_int_equal(report_html(view, out, &err), ERR_OK);
	report_view_free(view);
}

static void make_markdown(struct strbuf *out, struct result *result)
{
	struct report_view *view = view_of(result);

	report_markdown(view, 60000, out);
	report_view_free(view);
}

/* The page's own part, without script and data. */
static void cut_body(struct strbuf *html)
{
	char *script = strstr(html->data, "<script");

	assert_non_null(script);
	strbuf_truncate(html, (size_t)(script - html->data));
}

static void test_the_page_shows_both_versions_of_a_changed_line(void **state)
{
	static const char *const wanted[] = {
		"<summary>source of <code>src/parse.c</code>: 9 lines, 3 changed</summary>",
		"<tr class=\"removed\"><td class=\"at\">129</td><td class=\"at\"></td>"
		"<td class=\"cost\"><span>46.0 ms</span>",
		"<tr class=\"added\"><td class=\"at\"></td><td class=\"at\">130</td>"
		"<td class=\"cost\"></td><td class=\"cost\"><span>85.0 ms</span> "
		"<i class=\"bar head\" style=\"width:48px\">",
		"<td class=\"mark\">+</td><td class=\"text\"><code>            field-&gt;length = "
		"strlen(field-&gt;text);</code>",
		"In lines that are not shown or not known: 7.00 ms → 7.00 ms",
	};
	struct strbuf html = STRBUF_INIT;

	(void)state;
	make_html(&html, fixture_fail());
	cut_body(&html);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!strstr(html.data, wanted[i]))
			fail_msg("not in the page: %s", wanted[i]);
	/* Between line 120 and line 126 something is left out, and nowhere else. */
	assert_non_null(strstr(html.data, "<tr class=\"gap\">"));
	assert_null(strstr(strstr(html.data, "<tr class=\"gap\">") + 1, "<tr class=\"gap\">"));
	strbuf_release(&html);
}

static size_t gaps_of(const struct result_line *lines, size_t count, const char *base_file)
{
	struct result *result = fixture_fail();
	struct strbuf html = STRBUF_INIT;
	size_t gaps = 0;

	source_of(result)->lines = lines;
	source_of(result)->line_count = count;
	source_of(result)->base_file = base_file;
	make_html(&html, result);
	cut_body(&html);
	for (const char *at = html.data; (at = strstr(at, "<tr class=\"gap\">")); at++)
		gaps++;
	strbuf_release(&html);
	return gaps;
}

static void test_a_gap_stands_where_lines_are_left_out_and_nowhere_else(void **state)
{
	static const struct result_line hunk[] = {
		{39, 40, SOURCE_SAME, {0, 0}, "a"},
		{40, 0, SOURCE_REMOVED, {0, 0}, "b"},
		{41, 0, SOURCE_REMOVED, {0, 0}, "c"},
		{0, 41, SOURCE_ADDED, {0, 0}, "d"},
		{0, 42, SOURCE_ADDED, {0, 0}, "e"},
		{42, 43, SOURCE_SAME, {0, 0}, "f"},
	};
	static const struct result_line cut[] = {
		{40, 0, SOURCE_REMOVED, {0, 0}, "b"},
		{45, 0, SOURCE_REMOVED, {0, 0}, "c"},
		{0, 41, SOURCE_ADDED, {0, 0}, "d"},
		{0, 43, SOURCE_ADDED, {0, 0}, "e"},
		{47, 44, SOURCE_SAME, {0, 0}, "f"},
	};
	static const struct result_line moved[] = {
		{12, 0, SOURCE_REMOVED, {0, 0}, "b"},
		{0, 80, SOURCE_ADDED, {0, 0}, "d"},
	};

	(void)state;
	assert_int_equal(gaps_of(hunk, 6, "src/parse.c"), 0);
	assert_int_equal(gaps_of(cut, 5, "src/parse.c"), 3);
	assert_int_equal(gaps_of(moved, 2, "src/parse.c"), 0);
	assert_int_equal(gaps_of(moved, 2, "src/old.c"), 1);
}

static void test_costs_whose_rest_is_no_number_say_nothing_of_it(void **state)
{
	struct result *result = with_lines(9, "x");
	struct result_line *lines = (struct result_line *)source_of(result)->lines;
	struct strbuf html = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < 9; i++)
		lines[i].cost[0] = lines[i].cost[1] = i % 2 ? 1e308 : -1e308;
	lines[0].cost[1] = lines[1].cost[1] = -1e308;
	make_html(&html, result);
	cut_body(&html);
	assert_null(strstr(html.data, "not shown or not known"));
	strbuf_release(&html);
}

static void test_a_long_source_is_folded(void **state)
{
	struct strbuf html = STRBUF_INIT;

	(void)state;
	make_html(&html, with_lines(32, "x"));
	assert_non_null(strstr(html.data, "<details class=\"source\" open>"));
	strbuf_reset(&html);
	make_html(&html, with_lines(33, "x"));
	assert_null(strstr(html.data, "<details class=\"source\" open>"));
	assert_non_null(strstr(html.data, "<details class=\"source\">"));
	strbuf_release(&html);
}

static void test_without_source_there_is_no_panel(void **state)
{
	struct result *result = fixture_fail();
	struct strbuf html = STRBUF_INIT, markdown = STRBUF_INIT;

	(void)state;
	((struct result_culprit *)benchmark_of(result)->culprits)->source = NULL;
	make_html(&html, result);
	assert_null(strstr(html.data, "<details class=\"source\""));
	assert_null(strstr(html.data, "\"source\":{"));
	result = fixture_fail();
	((struct result_culprit *)benchmark_of(result)->culprits)->source = NULL;
	make_markdown(&markdown, result);
	assert_null(strstr(markdown.data, "changed lines of"));
	strbuf_release(&html);
	strbuf_release(&markdown);
}

static const char *const hostile_lines[] = {"</script><script>alert(1)</script>",
	"</code></td></table>", "<!--", "]]>", "```", "````\n# out", "~~~",
	"@org/team #1 https://evil.example", "\r::error::x", "x##[set-output name=v]pass",
	"\x1b[31mred",
	"\xe2\x80\xae"
	"drowssap",
	"\xff\xfe bad", "&lt;b&gt;", "\tif (x)\r", "", NULL};

static void test_hostile_lines_stay_text_in_the_page(void **state)
{
	(void)state;
	for (size_t i = 0; hostile_lines[i]; i++) {
		struct strbuf html = STRBUF_INIT;
		char *row;

		make_html(&html, with_lines(1, hostile_lines[i]));
		cut_body(&html);
		row = strstr(html.data, "<td class=\"text\"><code>");
		assert_non_null(row);
		row += strlen("<td class=\"text\"><code>");
		row[strcspn(row, "<")] = '\0';
		/* Up to our own tag nothing opens another, drives a terminal or turns the text
		 * round. */
		assert_null(strpbrk(row, "\r\n\t\x1b>"));
		assert_null(strstr(row, "\xe2\x80\xae"));
		assert_null(strchr(row, '\xff'));
		assert_memory_equal(row + strlen(row) + 1, "/code></td></tr>\n", 17);
		strbuf_release(&html);
	}
}

static void test_hostile_lines_do_not_leave_the_fence(void **state)
{
	(void)state;
	for (size_t i = 0; hostile_lines[i]; i++) {
		struct strbuf markdown = STRBUF_INIT;
		char *open, *line, fence[16];
		size_t ticks;

		make_markdown(&markdown, with_lines(3, hostile_lines[i]));
		open = strstr(markdown.data, "what they call, in `src/parse.c`:\n\n");
		assert_non_null(open);
		open += strlen("what they call, in `src/parse.c`:\n\n");
		ticks = strspn(open, "`");
		assert_in_range(ticks, 3, 9);
		snprintf(fence, sizeof(fence), "%.*s\n", (int)ticks, open);
		line = open + ticks;
		assert_memory_equal(line, "diff\n", 5);
		/* Three lines, each behind its mark, then the end:
		 * no run of backticks is as long. */
		for (int k = 0; k < 3; k++) {
			line = strchr(line, '\n') + 1;
			assert_memory_equal(line, "+ ", 2);
			line[strcspn(line, "\n")] = '\0';
			assert_null(strpbrk(line, "\r\x1b"));
			assert_null(strstr(line, "##["));
			fence[ticks] = '\0';
			assert_null(strstr(line, fence));
			line[strlen(line)] = '\n';
		}
		line = strchr(line, '\n') + 1;
		assert_memory_equal(line, fence, ticks);
		assert_int_equal(line[ticks], '\n');
		strbuf_release(&markdown);
	}
}

static void test_the_five_costliest_changed_lines_stand_in_the_order_of_the_file(void **state)
{
	static const double costs[] = {0.001, 0.009, 0, 0.002, 0.008, 0.007, 0.007, 0.007};
	struct result *result = with_lines(8, "x");
	struct result_line *lines = (struct result_line *)source_of(result)->lines;
	size_t order[5];

	(void)state;
	for (size_t i = 0; i < 8; i++)
		lines[i].cost[1] = costs[i];
	lines[4].kind = SOURCE_SAME;
	assert_int_equal(source_costliest_changes(source_of(result), order, 5), 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(order[i], ((size_t[]){1, 3, 5, 6, 7})[i]);
	assert_int_equal(source_costliest_changes(source_of(result), order, 2), 2);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 5);
	fixture_free(result);
}

static void test_long_lines_are_cut_everywhere(void **state)
{
	char *text = malloc(100001);
	struct strbuf html = STRBUF_INIT, markdown = STRBUF_INIT;
	struct report_view *view;

	(void)state;
	memset(text, 'y', 100000);
	text[100000] = '\0';
	view = view_of(with_lines(1, text));
	assert_int_equal(strlen(view->result.benchmarks[0].culprits[0].source->lines[0].text),
		RESULT_SOURCE_LINE_BYTES);
	report_view_free(view);
	make_html(&html, with_lines(1, text));
	cut_body(&html);
	text[241] = '\0';
	assert_null(strstr(html.data, text));
	make_markdown(&markdown, with_lines(1, text));
	text[101] = '\0';
	assert_null(strstr(markdown.data, text));
	free(text);
	strbuf_release(&html);
	strbuf_release(&markdown);
}

/* ---- limits of report.json ------------------------------------------------------------------- */

static void test_what_is_too_much_is_left_out_when_written(void **state)
{
	char text[RESULT_SOURCE_LINE_BYTES + 1] = {0};
	struct result *result;
	struct result_culprit *culprits;
	struct report_view *view;
	const struct result_benchmark *benchmark;
	size_t bytes = 0;

	(void)state;
	memset(text, 'z', RESULT_SOURCE_LINE_BYTES);
	result = with_lines(500, text);
	culprits = arena_array(&result->arena, 30, sizeof(*culprits));
	for (size_t i = 0; i < 30; i++)
		culprits[i] = benchmark_of(result)->culprits[0];
	benchmark_of(result)->culprits = culprits;
	benchmark_of(result)->culprit_count = 30;
	view = view_of(result);
	benchmark = &view->result.benchmarks[0];
	assert_int_equal(benchmark->culprit_count, 30);
	assert_int_equal(benchmark->culprits[0].source->line_count, RESULT_SOURCE_LINES);
	for (size_t i = 0; i < 30; i++)
		if (benchmark->culprits[i].source)
			bytes += benchmark->culprits[i].source->line_count * strlen(text);
	assert_true(bytes <= RESULT_SOURCE_BYTES && bytes > 0);
	report_view_free(view);
}

static void test_no_more_than_twenty_culprits_have_source(void **state)
{
	struct result *result = with_lines(1, "x");
	struct result_culprit *culprits = arena_array(&result->arena, 30, sizeof(*culprits));
	struct report_view *view;

	(void)state;
	for (size_t i = 0; i < 30; i++)
		culprits[i] = benchmark_of(result)->culprits[0];
	benchmark_of(result)->culprits = culprits;
	benchmark_of(result)->culprit_count = 30;
	view = view_of(result);
	for (size_t i = 0; i < 30; i++)
		assert_int_equal(!!view->result.benchmarks[0].culprits[i].source, i < 20);
	report_view_free(view);
}

/* report.json of the result, in which `old` is replaced. */
static int read_changed(struct result *result, const char *old, const char *new, struct error *err)
{
	struct strbuf json = STRBUF_INIT, changed = STRBUF_INIT;
	struct report_view *view = NULL;
	char *found;
	int code;

	assert_int_equal(report_json_write(result, &json, err), ERR_OK);
	fixture_free(result);
	found = strstr(json.data, old);
	assert_non_null(found);
	strbuf_add(&changed, json.data, (size_t)(found - json.data));
	strbuf_addstr(&changed, new);
	strbuf_addstr(&changed, found + strlen(old));
	code = report_view_read(changed.data, changed.length, &view, err);
	report_view_free(view);
	strbuf_release(&json);
	strbuf_release(&changed);
	return code;
}

static void test_a_hostile_source_is_refused(void **state)
{
	char long_text[RESULT_SOURCE_LINE_BYTES + 4] = {0};
	struct error err = {0};

	(void)state;
	memset(long_text, 'z', RESULT_SOURCE_LINE_BYTES + 1);
	assert_int_equal(read_changed(fixture_fail(), "\\treturn at;", "ok", &err), ERR_OK);
	assert_int_equal(read_changed(fixture_fail(), "\\treturn at;", long_text, &err), ERR_LIMIT);
	assert_non_null(strstr(err.message, "culprits[0].source: line 8"));
	assert_int_equal(read_changed(fixture_fail(), "\"lines\":{\"count\":9",
				 "\"lines\":{\"count\":121", &err),
		ERR_LIMIT);
	assert_int_equal(read_changed(fixture_fail(), "\"lines\":{\"count\":9",
				 "\"lines\":{\"count\":8", &err),
		ERR_CORRUPT);
	assert_int_equal(
		read_changed(fixture_fail(), "\"kind\":[0,", "\"kind\":[3,", &err), ERR_CORRUPT);
	assert_int_equal(
		read_changed(fixture_fail(), "\"text\":[0,", "\"text\":[999,", &err), ERR_CORRUPT);
	assert_int_equal(read_changed(fixture_fail(), "\"source\":{\"function\":3",
				 "\"source\":{\"function\":11", &err),
		ERR_CORRUPT);
	assert_int_equal(read_changed(fixture_fail(), "\"source\":{", "\"source\":7,\"x\":{", &err),
		ERR_CORRUPT);
	assert_int_equal(
		read_changed(fixture_fail(), "\"base\":[120,", "\"base\":[-1,", &err), ERR_CORRUPT);
}

/* ---- what was ruled out ---------------------------------------------------------------------- */

static void assert_ruled_out(const struct result_benchmark *benchmark, const char *expected)
{
	struct sentence sentence;
	struct strbuf text = STRBUF_INIT;

	sentence_init(&sentence);
	sentence_of_ruled_out(&sentence, benchmark);
	for (size_t i = 0; i < sentence.count; i++)
		strbuf_addstr(&text, sentence.spans[i].text);
	assert_string_equal(text.data, expected);
	sentence_release(&sentence);
	strbuf_release(&text);
}

static void test_what_was_ruled_out_is_named(void **state)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = benchmark_of(result);
	const struct result_shift shift = {ADDED, OLD, "same file", 0.02, 0};
	static const uint32_t same[] = {HASH, INFLATE, MALLOC, PRINT};

	(void)state;
	assert_ruled_out(benchmark, "");
	for (size_t i = 0; i < 4; i++)
		function_at(benchmark, same[i])->self.state = STATE_UNCHANGED_CODE;
	assert_ruled_out(benchmark,
		"hash_string, inflate_fast, malloc and 1 more: the code that grew "
		"is the same in both versions");
	function_at(benchmark, ADD)->self.state = STATE_CONTRADICTED;
	benchmark->shifts = &shift;
	benchmark->shift_count = 1;
	for (size_t i = 1; i < 4; i++)
		function_at(benchmark, same[i])->self.state = STATE_UNCHANGED;
	assert_ruled_out(benchmark,
		"scan_number: grew, offset by decreases elsewhere; hash_string: the code that "
		"grew is the same in both versions; table_add: grew, but the total contradicts");
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_page_shows_both_versions_of_a_changed_line),
		cmocka_unit_test(test_a_gap_stands_where_lines_are_left_out_and_nowhere_else),
		cmocka_unit_test(test_costs_whose_rest_is_no_number_say_nothing_of_it),
		cmocka_unit_test(test_a_long_source_is_folded),
		cmocka_unit_test(test_without_source_there_is_no_panel),
		cmocka_unit_test(test_hostile_lines_stay_text_in_the_page),
		cmocka_unit_test(test_hostile_lines_do_not_leave_the_fence),
		cmocka_unit_test(
			test_the_five_costliest_changed_lines_stand_in_the_order_of_the_file),
		cmocka_unit_test(test_long_lines_are_cut_everywhere),
		cmocka_unit_test(test_what_is_too_much_is_left_out_when_written),
		cmocka_unit_test(test_no_more_than_twenty_culprits_have_source),
		cmocka_unit_test(test_a_hostile_source_is_refused),
		cmocka_unit_test(test_what_was_ruled_out_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
