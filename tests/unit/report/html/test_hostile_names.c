/* SPDX-License-Identifier: Apache-2.0 */
/* One corpus of hostile names through every output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/arena.h"
#include "gate/base/error.h"
#include "report/ci/workflow.h"
#include "report/html/html.h"
#include "report/json/report_json.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "tests/unit/report/hostile_corpus.h"
#include "tests/unit/report/markdown_grammar.h"

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 || c == '\n';
}

static void check_terminal(const struct report_view *view, const char *name)
{
	static const unsigned widths[] = {60, 100, 237};

	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		struct strbuf out = STRBUF_INIT;

		report_terminal(view, &(struct terminal_options){.width = widths[w]}, &out);
		assert_inert(&out, name, "the terminal report");
		for (size_t i = 0; i < out.length; i++)
			assert_true(is_plain((unsigned char)out.data[i]) && out.data[i] != 0x7f);
		assert_null(strstr(out.data, "\xe2\x80\xae"));
		strbuf_release(&out);
	}
}

/* The same lines, of as many columns, and nothing but ASCII. */
static void check_ascii(const struct report_view *view, const char *name)
{
	static const unsigned widths[] = {60, 100, 237};

	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		struct strbuf all = STRBUF_INIT, ascii = STRBUF_INIT;
		size_t at = 0;

		report_terminal(view, &(struct terminal_options){.width = widths[w]}, &all);
		strbuf_addstr(&ascii, "kept: \xe2\x80\xa6\n");
		report_terminal(view, &(struct terminal_options){.width = widths[w], .ascii = true},
			&ascii);
		assert_inert(&ascii, name, "the terminal report in ASCII");
		assert_int_equal(strncmp(ascii.data, "kept: \xe2\x80\xa6\n", 10), 0);
		for (size_t i = 0; i < all.length; i++) {
			char shown = ascii.data[10 + at];

			if (((unsigned char)all.data[i] & 0xc0) == 0x80)
				continue;
			assert_true(
				((unsigned char)all.data[i] < 0x80 ? shown == all.data[i]
								   : shown > ' ' && shown < 0x7f));
			at++;
		}
		assert_int_equal(ascii.length, 10 + at);
		strbuf_release(&all);
		strbuf_release(&ascii);
	}
}

static void check_width(const struct report_view *view, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	size_t columns = 0;

	report_terminal(view, &(struct terminal_options){.width = 80}, &out);
	for (size_t i = 0; i < out.length; i++) {
		columns = out.data[i] == '\n' ? 0 : columns + ((out.data[i] & 0xc0) != 0x80);
		/* Zero-width spaces, which break commands, are counted here but take no room. */
		if (columns > 80 + 8)
			fail_msg("a line is too long for \"%.40s\":\n%s", name, out.data);
	}
	strbuf_release(&out);
}

static void check_workflow(const struct report_view *view, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	size_t lines = 0;

	report_workflow(view, &out);
	for (const char *line = out.data; *line; lines++) {
		size_t length = strcspn(line, "\r\n");
		const char *message;

		assert_true(
			strncmp(line, "::error ", 8) == 0 || strncmp(line, "::warning ", 10) == 0);
		message = strstr(line + 2, "::");
		assert_non_null(message);
		assert_true(strncmp(message - 15, "title=flamegate", 15) == 0);
		assert_null(memmem(line, length, "##[", 3));
		assert_true(length < 4096);
		line += length;
		assert_int_equal(*line, '\n');
		line++;
	}
	assert_int_equal(lines, 4);
	assert_int_equal(runner_count_commands(out.data, out.length), lines);
	(void)name;
	strbuf_release(&out);
}

/* ---- Markdown ------------------------------------------------------------------------------ */

static void check_markdown(const struct report_view *view, const char *name)
{
	struct strbuf out = STRBUF_INIT, outside = STRBUF_INIT;

	report_markdown(view, 0, &out);
	assert_true(out.length <= MARKDOWN_BUDGET_BYTES);
	assert_int_equal(strncmp(out.data, MARKDOWN_MARKER "\n", 19), 0);
	assert_inert(&out, name, "the Markdown report");
	outside_code(&outside, &out);
	check_tables(&out);
	assert_null(strstr(outside.data, HOSTILE_MARK));
	assert_null(strstr(outside.data, "evil.example"));
	assert_null(strchr(outside.data, '@'));
	assert_null(strstr(outside.data, "<img"));
	assert_null(strstr(outside.data, "<b"));
	strbuf_release(&out);
	strbuf_release(&outside);
}

static void check_budget(const struct report_view *view, const char *name)
{
	static const size_t budgets[] = {4000, 5000, 8000, 12000};

	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
		struct strbuf out = STRBUF_INIT, outside = STRBUF_INIT;

		report_markdown(view, budgets[i], &out);
		assert_true(out.length <= budgets[i]);
		assert_int_equal(out.data[out.length - 1], '\n');
		outside_code(&outside, &out);
		strbuf_release(&out);
		strbuf_release(&outside);
	}
	(void)name;
}

/* ---- HTML and JSON --------------------------------------------------------------------------- */

static void make_html(struct strbuf *out, const struct report_view *view)
{
	struct error err = {0};

	if (report_html(view, out, &err))
		fail_msg("%s", err.message);
}

/* All tags in order, from the body's start up to the data. */
static void collect_tags(struct strbuf *tags, const char *html)
{
	const char *at = strstr(html, "<body>"), *end = strstr(html, "<script type=");

	assert_non_null(at);
	assert_non_null(end);
	while ((at = strchr(at, '<')) && at < end) {
		const char *close = strchr(at, '>');

		assert_non_null(close);
		strbuf_add(tags, at, (size_t)(close + 1 - at));
		strbuf_addch(tags, '\n');
		at = close;
	}
}

static void check_data_pair(const char *html)
{
	const char *data = strstr(html, "id=\"data\">"), *end;

	assert_non_null(data);
	data = strchr(data, '>') + 1;
	end = strchr(data, '<');
	assert_non_null(end);
	assert_int_equal(strncmp(end, "</script>", 9), 0);
	assert_null(memchr(data, '>', (size_t)(end - data)));
	assert_null(memchr(data, '&', (size_t)(end - data)));
}

/* A name may be empty or have lines, and so change the page; but no name may bring a tag along. */
static void check_html(const struct report_view *view, const char *name)
{
	bool lines = strpbrk(name, "\r\n");
	struct report_view *harmless = hostile_view(!*name ? "" : lines ? "x\nx" : "x");
	struct strbuf html = STRBUF_INIT, expected = STRBUF_INIT;
	struct strbuf tags = STRBUF_INIT, expected_tags = STRBUF_INIT;

	make_html(&html, view);
	make_html(&expected, harmless);
	check_data_pair(html.data);
	collect_tags(&tags, html.data);
	collect_tags(&expected_tags, expected.data);
	if (strlen(name) < 160)
		assert_string_equal(tags.data, expected_tags.data);
	assert_null(strstr(html.data, "<img"));
	assert_null(strstr(html.data, "<!--<script"));
	report_view_free(harmless);
	strbuf_release(&html);
	strbuf_release(&expected);
	strbuf_release(&tags);
	strbuf_release(&expected_tags);
}

static void check_json(const struct report_view *view, const char *name)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct report_view *again = NULL;
	struct error err = {0};

	assert_int_equal(report_json_write(&view->result, &first, &err), ERR_OK);
	assert_int_equal(report_view_read(first.data, first.length, &again, &err), ERR_OK);
	assert_int_equal(report_json_write(&again->result, &second, &err), ERR_OK);
	assert_string_equal(first.data, second.data);
	assert_inert(&first, name, "report.json");
	assert_null(strpbrk(first.data, "<>&"));
	report_view_free(again);
	strbuf_release(&first);
	strbuf_release(&second);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void test_terminal_report_holds_no_command_and_no_control(void **state)
{
	(void)state;
	for_each_hostile_name(check_terminal);
}

static void test_terminal_lines_keep_to_the_width(void **state)
{
	(void)state;
	for_each_hostile_name(check_width);
}

static void test_ascii_says_the_same_in_the_same_columns(void **state)
{
	(void)state;
	for_each_hostile_name(check_ascii);
}

static void test_workflow_commands_are_only_ours(void **state)
{
	(void)state;
	for_each_hostile_name(check_workflow);
}

static void test_markdown_has_names_in_code_only(void **state)
{
	(void)state;
	for_each_hostile_name(check_markdown);
}

static void test_markdown_keeps_to_its_budget_with_all_fences_closed(void **state)
{
	(void)state;
	for_each_hostile_name(check_budget);
}

static void test_html_gets_no_tag_from_a_name(void **state)
{
	(void)state;
	for_each_hostile_name(check_html);
}

static void test_json_reads_back_to_the_same_bytes(void **state)
{
	(void)state;
	for_each_hostile_name(check_json);
}

static void test_grammar_finds_the_commands_it_is_to_find(void **state)
{
	static const char commands[] =
		"a\n::error::x\n \t::x\r\xe2\x80\x83::y\nx ##[z]\n:: \nb::c\n";

	(void)state;
	assert_int_equal(runner_count_commands(commands, sizeof(commands) - 1), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminal_report_holds_no_command_and_no_control),
		cmocka_unit_test(test_terminal_lines_keep_to_the_width),
		cmocka_unit_test(test_ascii_says_the_same_in_the_same_columns),
		cmocka_unit_test(test_workflow_commands_are_only_ours),
		cmocka_unit_test(test_markdown_has_names_in_code_only),
		cmocka_unit_test(test_markdown_keeps_to_its_budget_with_all_fences_closed),
		cmocka_unit_test(test_html_gets_no_tag_from_a_name),
		cmocka_unit_test(test_json_reads_back_to_the_same_bytes),
		cmocka_unit_test(test_grammar_finds_the_commands_it_is_to_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
