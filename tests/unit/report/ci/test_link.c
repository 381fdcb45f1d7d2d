/* SPDX-License-Identifier: Apache-2.0 */
/* Links into report.html: which addresses are taken, and what hostile names come to in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/ci/page_link.h"
#include "report/ci/workflow.h"
#include "report/markdown/markdown.h"
#include "tests/unit/report/hostile_corpus.h"
#include "tests/unit/report/markdown_grammar.h"

#define PAGE "https://pages.example/7/report.html"
#define LINK_CHARACTERS                                                                            \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?&=+,%#"

static struct report_view linked(const struct report_view *view)
{
	struct report_view copy = *view;

	copy.page_url = PAGE;
	return copy;
}

/* decodeURIComponent() of ASCII and UTF-8. */
static void decode(struct strbuf *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned byte;

		if (text[i] != '%') {
			strbuf_addch(out, text[i]);
			continue;
		}
		assert_true(i + 2 < length);
		assert_int_equal(sscanf(text + i + 1, "%2x", &byte), 1);
		strbuf_addch(out, (char)byte);
		i += 2;
	}
}

/* What the page makes of the field that the link ends in, of a way the last name. */
static void read_place(struct strbuf *out, const struct strbuf *link, const char *field)
{
	struct strbuf value = STRBUF_INIT;
	const char *at = strstr(link->data, field), *last;

	assert_non_null(at);
	at += strlen(field);
	decode(&value, at, strlen(at));
	last = strrchr(value.data, ';') ? strrchr(value.data, ';') + 1 : value.data;
	if (*last == '@')
		strbuf_addstr(out, last);
	else
		decode(out, last, strlen(last));
	strbuf_release(&value);
}

static void assert_leads_to(
	struct strbuf *link, const char *field, const char *name, uint32_t number)
{
	struct strbuf place = STRBUF_INIT;
	char by_number[32];

	snprintf(by_number, sizeof(by_number), "@%u", number);
	assert_int_equal(strspn(link->data, LINK_CHARACTERS), link->length);
	read_place(&place, link, field);
	if (strcmp(place.data, by_number) != 0)
		assert_string_equal(place.data, name);
	strbuf_truncate(link, 0);
	strbuf_release(&place);
}

static void check_links(const struct report_view *plain, const char *name)
{
	struct report_view view = linked(plain);
	struct strbuf link = STRBUF_INIT;

	for (size_t b = 0; b < view.result.benchmark_count; b++) {
		const struct result_benchmark *benchmark = &view.result.benchmarks[b];

		for (uint32_t f = 0; f < benchmark->function_count; f++) {
			link_to_function(&link, &view, benchmark, f);
			assert_leads_to(&link, "&f=", benchmark->functions[f].name, f);
		}
		for (uint32_t n = 1; n < benchmark->node_count; n++) {
			uint32_t f = benchmark->nodes[n].function;

			link_to_node(&link, &view, benchmark, n);
			assert_leads_to(&link,
				"&n=", f == RESULT_NONE ? "" : benchmark->functions[f].name, n);
		}
	}
	(void)name;
	strbuf_release(&link);
}

/* Takes "](PAGE...)" out, and the "[" in front of it with it. */
static size_t take_links_out(struct strbuf *out, const struct strbuf *text)
{
	size_t links = 0;

	for (const char *at = text->data; *at;) {
		if (*at == '[')
			at++;
		if (strncmp(at, "](" PAGE, strlen("](" PAGE)) == 0) {
			at += 2;
			at += strspn(at, LINK_CHARACTERS);
			assert_int_equal(*at++, ')');
			links++;
		} else if (*at && *at != '[') {
			strbuf_addch(out, *at++);
		}
	}
	return links;
}

static void add_outside(struct strbuf *out, const struct report_view *view)
{
	struct strbuf text = STRBUF_INIT;

	report_markdown(view, 0, &text);
	check_tables(&text);
	outside_code(out, &text);
	strbuf_release(&text);
}

static void check_markdown(const struct report_view *plain, const char *name)
{
	struct report_view view = linked(plain);
	struct strbuf with = STRBUF_INIT, without = STRBUF_INIT, left = STRBUF_INIT;

	add_outside(&with, &view);
	add_outside(&without, plain);
	assert_true(take_links_out(&left, &with) >= 3);
	strbuf_addstr(&without, "\nThe whole report, with flame graphs\n");
	assert_string_equal(left.data, without.data);
	assert_null(strchr(left.data, '@'));
	(void)name;
	strbuf_release(&with);
	strbuf_release(&without);
	strbuf_release(&left);
}

static void check_workflow(const struct report_view *plain, const char *name)
{
	struct report_view view = linked(plain);
	struct strbuf out = STRBUF_INIT;
	size_t links = 0;

	report_workflow(&view, &out);
	for (const char *line = out.data; *line; line = strchr(line, '\n') + 1) {
		const char *link = strstr(line, "%0A" PAGE "#b=");

		assert_non_null(link);
		assert_true(strcspn(line, "\n") < 4096);
		link += strlen("%0A");
		assert_int_equal(strspn(link, LINK_CHARACTERS), strcspn(link, "\n"));
		links++;
	}
	assert_int_equal(links, 4);
	(void)name;
	strbuf_release(&out);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void test_links_lead_to_any_name_by_harmless_characters(void **state)
{
	(void)state;
	for_each_hostile_name(check_links);
}

static void test_markdown_with_links_says_the_same(void **state)
{
	(void)state;
	for_each_hostile_name(check_markdown);
}

static void test_annotations_end_with_a_link(void **state)
{
	(void)state;
	for_each_hostile_name(check_workflow);
}

static void make_view(struct result *result, struct report_view **view)
{
	struct error err = {0};

	assert_int_equal(report_view_of(result, view, &err), ERR_OK);
	(*view)->page_url = PAGE;
}

static void test_what_names_cannot_tell_apart_is_linked_by_number(void **state)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_function *functions = (struct result_function *)benchmark->functions;
	struct report_view *view = NULL;
	struct strbuf link = STRBUF_INIT;
	uint32_t last = (uint32_t)benchmark->function_count - 1;

	(void)state;
	functions[last].name = functions[0].name;
	make_view(result, &view);
	link_to_function(&link, view, view->result.benchmarks, 0);
	assert_non_null(strstr(link.data, "&f=main"));
	strbuf_truncate(&link, 0);
	link_to_function(&link, view, view->result.benchmarks, last);
	assert_null(strstr(link.data, "main"));
	assert_non_null(strstr(link.data, "&f=%40"));
	strbuf_release(&link);
	report_view_free(view);
	fixture_free(result);
}

static void test_long_names_and_ways_are_linked_by_number(void **state)
{
	struct result *result = fixture_large(3000, 900);
	struct report_view *view = NULL;
	struct strbuf link = STRBUF_INIT;

	(void)state;
	make_view(result, &view);
	for (uint32_t n = 1; n < view->result.benchmarks->node_count; n++) {
		strbuf_truncate(&link, 0);
		link_to_node(&link, view, view->result.benchmarks, n);
		assert_true(link.length <= sizeof(PAGE) + 20 + LINK_PLACE_BYTES);
	}
	strbuf_release(&link);
	report_view_free(view);
	fixture_free(result);
}

static void test_without_an_address_nothing_is_linked(void **state)
{
	struct result *result = fixture_fail();
	struct report_view *view = NULL;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	make_view(result, &view);
	view->page_url = NULL;
	link_to_benchmark(&out, view, view->result.benchmarks);
	link_to_function(&out, view, view->result.benchmarks, 0);
	link_to_node(&out, view, view->result.benchmarks, 1);
	assert_int_equal(out.length, 0);
	report_view_free(view);
	fixture_free(result);
}

static void test_a_page_is_an_http_address_that_means_nothing_in_markdown(void **state)
{
	static const char *const good[] = {"https://a", "http://localhost:8080/x/report.html",
		"https://o.github.io/p/7/report.html?a=b&c=d", "https://a/%28x%29/"};
	static const char *const bad[] = {"", "a", "//a/b", "javascript:alert(1)",
		"data:text/html,x", "file:///etc/passwd", "https://", "https:///x",
		"https://u:p@a/", "https://a/#b=0", "https://a/b c", "https://a/)[x](y",
		"https://a/<script>", "https://a/`x`", "https://a/|", "https://a/\n::error::x",
		"https://a/\\", "https://a/\"onclick=", "https://a/%", "https://a/%4",
		"https://a/%zz", "https://a/;x", "https://\xc3\xa4/", "HTTPS:a", " https://a"};
	struct error err = {0};
	char text[LINK_PAGE_BYTES + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(link_check_page(good[i], &err), ERR_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (link_check_page(bad[i], &err) != ERR_USAGE)
			fail_msg("taken: %s", bad[i]);
	memset(text, 'a', sizeof(text));
	memcpy(text, "https://", 8);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(link_check_page(text, &err), ERR_USAGE);
	text[sizeof(text) - 2] = '\0';
	assert_int_equal(link_check_page(text, &err), ERR_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links_lead_to_any_name_by_harmless_characters),
		cmocka_unit_test(test_markdown_with_links_says_the_same),
		cmocka_unit_test(test_annotations_end_with_a_link),
		cmocka_unit_test(test_what_names_cannot_tell_apart_is_linked_by_number),
		cmocka_unit_test(test_long_names_and_ways_are_linked_by_number),
		cmocka_unit_test(test_without_an_address_nothing_is_linked),
		cmocka_unit_test(test_a_page_is_an_http_address_that_means_nothing_in_markdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
