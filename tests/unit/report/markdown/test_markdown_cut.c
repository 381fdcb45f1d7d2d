/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markdown cut to a budget, at GitHub's limits and everywhere else: never in a character, a fence,
 * a fold or a table, the worst benchmarks first, and each finding below its own benchmark.
 */
#include "tests/unit/report/hostile_corpus.h"
#include "tests/unit/report/markdown_grammar.h"

#include "gate/net/json_internal.h"
#include "report/markdown/markdown.h"
#include "tests/unit/report/fixture_build.h"

#define GITHUB_LIMIT 65536u
#define BENCHMARKS 80
#define PADDING_LINES 20
#define PADDING_COLUMNS 300

/* Characters of one to four bytes, and fences of odd lengths, opened and never closed. */
static const char *const odd[] = {"\xe6\xbc\xa2\xe5\xad\x97 ```` \xf0\x9f\x94\xa5",
	"````````diff\n\xc3\xa9\n```\n```text\n", "`\xf0\x9f\x92\xa9`` ```` `````",
	"~~~\n</details>\n| a | b |\n|---|---|\n", "\xe2\x80\x8b\xe2\x80\x8b```\n<details>\n```"};
#define ODD (sizeof(odd) / sizeof(odd[0]))

static struct result *result;

static const char *text_like(size_t number, const char *what, size_t times)
{
	struct strbuf text = STRBUF_INIT;
	const char *copy;

	strbuf_addf(&text, "%s%zu ", what, number);
	for (size_t i = 0; i < times; i++)
		strbuf_addstr(&text, odd[(number + i) % ODD]);
	copy = arena_strdup(&result->arena, text.data);
	strbuf_release(&text);
	return copy;
}

/* Benchmark number i grew by i per mille; the configuration's order is another. */
static void make_large(struct report_view *view)
{
	static const enum result_status statuses[] = {
		RESULT_FAIL, RESULT_WARN, RESULT_FAIL, RESULT_PASS, RESULT_ERROR};
	struct result_benchmark *all;

	result = fixture_hostile(odd[0]);
	all = arena_array(&result->arena, BENCHMARKS, sizeof(*all));
	for (size_t i = 0; i < BENCHMARKS; i++) {
		size_t number = i * 37 % BENCHMARKS;

		all[i] = result->benchmarks[0];
		all[i].status = statuses[number % (sizeof(statuses) / sizeof(statuses[0]))];
		all[i].name = text_like(number, "bench", 1);
		all[i].detail = text_like(number, "detail", 300);
		/* Some are shorter than a heading. */
		all[i].warnings =
			one_string(result, text_like(number, "warning", number % 2 ? 20 : 0));
		all[i].warning_count = 1;
		all[i].total.change = 0.001 * (double)number;
	}
	result->benchmarks = all;
	result->benchmark_count = BENCHMARKS;
	view->result = *result;
}

static void assert_utf8(const struct strbuf *text)
{
	for (size_t at = 0; at < text->length;) {
		size_t length =
			json_utf8_length((const unsigned char *)text->data + at, text->length - at);

		assert_true(length > 0);
		at += length;
	}
}

static size_t count_of(const char *text, const char *what)
{
	size_t count = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		count++;
	return count;
}

static bool is_cut(const struct strbuf *text)
{
	return strstr(text->data, " left out for length: see report.html.\n");
}

static void assert_whole(const struct strbuf *text, size_t budget)
{
	struct strbuf outside = STRBUF_INIT;

	assert_true(text->length <= budget);
	assert_int_equal(text->data[text->length - 1], '\n');
	assert_utf8(text);
	outside_code(&outside, text); /* fails at a fence or a span that is open */
	check_tables(text);
	assert_int_equal(count_of(outside.data, "<details>"), count_of(outside.data, "</details>"));
	assert_int_equal(count_of(outside.data, "<summary>"), count_of(outside.data, "</summary>"));
	assert_int_equal(strncmp(text->data, MARKDOWN_MARKER "\n### ", 23), 0);
	strbuf_release(&outside);
}

static void cut_to(struct strbuf *out, const struct report_view *view, size_t budget)
{
	strbuf_reset(out);
	report_markdown(view, budget, out);
	assert_whole(out, budget);
}

static void test_a_large_report_is_cut_well_wherever_it_is_cut(void **state)
{
	struct report_view view = {0};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	make_large(&view);
	for (size_t budget = GITHUB_LIMIT - 1; budget <= GITHUB_LIMIT + 1; budget++) {
		cut_to(&text, &view, budget);
		assert_true(is_cut(&text) && text.length > budget - 5000);
	}
	for (size_t budget = 4000; budget < 2 * GITHUB_LIMIT; budget += 211)
		cut_to(&text, &view, budget);
	strbuf_release(&text);
	fixture_free(result);
}

/* The heading of a benchmark: "#### FAIL: `` bench7 ...". Its number; *at goes behind it. */
static bool next_heading(const char **at, char *status, unsigned *number)
{
	const char *name;

	*at = strstr(*at, "\n#### ");
	if (!*at)
		return false;
	*at += 6;
	*status = **at;
	name = strstr(*at, "bench");
	assert_non_null(name);
	assert_int_equal(sscanf(name, "bench%u", number), 1);
	return true;
}

static void test_the_worst_benchmarks_come_first(void **state)
{
	struct report_view view = {0};
	struct strbuf text = STRBUF_INIT;
	unsigned number, last = UINT32_MAX, count = 0;
	char status, last_status = 'F';
	const char *at;

	(void)state;
	make_large(&view);
	report_markdown(&view, 50 * GITHUB_LIMIT, &text);
	assert_false(is_cut(&text));
	for (at = text.data; next_heading(&at, &status, &number); count++) {
		if (status == last_status)
			assert_true(number < last);
		else
			assert_true(last_status == 'F' && status == 'E');
		last = number;
		last_status = status;
	}
	/* Of what only warns there is a line in a table. */
	assert_int_equal(count, BENCHMARKS / 5 * 3);
	strbuf_release(&text);
	fixture_free(result);
}

/* No heading that was left out leaves its details below another's. */
static void test_what_is_shown_stands_below_its_own_benchmark(void **state)
{
	struct report_view view = {0};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	make_large(&view);
	for (size_t budget = 4000; budget < GITHUB_LIMIT; budget += 1009) {
		unsigned number, of;
		const char *at, *next;
		char status;

		cut_to(&text, &view, budget);
		for (at = text.data; next_heading(&at, &status, &number);) {
			next = strstr(at, "\n#### ");
			for (const char *mark = strstr(at, "warning");
				mark && (!next || mark < next); mark = strstr(mark + 1, "warning"))
				if (sscanf(mark, "warning%u", &of) == 1)
					assert_int_equal(of, number);
		}
	}
	strbuf_release(&text);
	fixture_free(result);
}

/* ---- a report of exactly so many bytes ------------------------------------------------------- */

/* A line of one to PADDING_COLUMNS bytes each, all warnings of the result. */
static void pad(struct report_view *view, char lines[PADDING_LINES][PADDING_COLUMNS + 1],
	const char *pointers[PADDING_LINES], size_t bytes)
{
	for (size_t i = 0; i < PADDING_LINES; i++) {
		size_t rest = PADDING_LINES - 1 - i;
		size_t length = bytes - rest > PADDING_COLUMNS ? PADDING_COLUMNS : bytes - rest;

		memset(lines[i], 'x', length);
		lines[i][length] = '\0';
		pointers[i] = lines[i];
		bytes -= length;
	}
	view->result.warnings = pointers;
	view->result.warning_count = PADDING_LINES;
}

/* Benchmarks that together come near to the limit, from below. */
static size_t fill(struct report_view *view, struct strbuf *text)
{
	do {
		view->result.benchmark_count--;
		strbuf_reset(text);
		report_markdown(view, 50 * GITHUB_LIMIT, text);
	} while (text->length > GITHUB_LIMIT - PADDING_LINES);
	return text->length;
}

static void test_a_report_at_the_limit_is_whole_and_one_byte_more_is_cut(void **state)
{
	char lines[PADDING_LINES][PADDING_COLUMNS + 1];
	const char *pointers[PADDING_LINES];
	struct report_view view = {0};
	struct strbuf text = STRBUF_INIT;
	size_t least, budget = GITHUB_LIMIT;

	(void)state;
	make_large(&view);
	pad(&view, lines, pointers, PADDING_LINES);
	least = fill(&view, &text) - PADDING_LINES;
	assert_true(GITHUB_LIMIT + 1 - least <= (size_t)PADDING_LINES * PADDING_COLUMNS);
	for (size_t length = GITHUB_LIMIT - 1; length <= GITHUB_LIMIT + 1; length++) {
		pad(&view, lines, pointers, length - least);
		cut_to(&text, &view, budget);
		assert_int_equal(is_cut(&text), length > budget);
		if (length <= budget)
			assert_int_equal(text.length, length);
	}
	/* The same bytes at all three budgets. */
	for (budget = GITHUB_LIMIT - 1; budget <= GITHUB_LIMIT + 1; budget++) {
		pad(&view, lines, pointers, GITHUB_LIMIT - least);
		cut_to(&text, &view, budget);
		assert_int_equal(is_cut(&text), budget < GITHUB_LIMIT);
	}
	strbuf_release(&text);
	fixture_free(result);
}

/* Whatever is cut: which benchmarks there are is said first. */
static void test_many_benchmarks_begin_with_a_table_of_their_groups(void **state)
{
	static const char *const names[] = {"parser/a|b", "codec/x", "alone"};
	struct report_view view = {0};
	struct strbuf text = STRBUF_INIT;
	const char *rows;

	(void)state;
	make_large(&view);
	for (size_t i = 0; i < BENCHMARKS; i++) {
		struct result_benchmark *one = (struct result_benchmark *)&result->benchmarks[i];

		one->name = arena_printf(&result->arena, "%s%zu", names[i % 3], i);
		one->status = i == 6 ? RESULT_FAIL : i % 3 ? RESULT_PASS : RESULT_WARN;
	}
	view.result = *result;
	cut_to(&text, &view, GITHUB_LIMIT);
	rows = strstr(text.data, "| | benchmarks | fail | error | warn | new | pass |");
	assert_non_null(rows);
	assert_non_null(strstr(rows, "| `parser` | 27 | 1 |  | 26 |  |  |"));
	assert_non_null(strstr(rows, "| `codec` | 27 |  |  |  |  | 27 |"));
	assert_non_null(strstr(rows, "| others | 26 |  |  |  |  | 26 |"));
	assert_true(strstr(rows, "`parser`") < strstr(rows, "`codec`"));
	assert_non_null(strstr(rows, "26 benchmarks with a warning, or new"));
	assert_non_null(strstr(rows, "53 benchmarks without a finding"));
	/* All 80 are named. */
	for (size_t i = 0; i < BENCHMARKS; i++) {
		char name[40];

		snprintf(name, sizeof(name), "%s%zu`", i % 3 ? names[i % 3] : "parser/a\\|b", i);
		assert_non_null(strstr(rows, name));
	}
	strbuf_release(&text);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_large_report_is_cut_well_wherever_it_is_cut),
		cmocka_unit_test(test_the_worst_benchmarks_come_first),
		cmocka_unit_test(test_what_is_shown_stands_below_its_own_benchmark),
		cmocka_unit_test(test_many_benchmarks_begin_with_a_table_of_their_groups),
		cmocka_unit_test(test_a_report_at_the_limit_is_whole_and_one_byte_more_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
