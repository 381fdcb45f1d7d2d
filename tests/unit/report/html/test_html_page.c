/* SPDX-License-Identifier: Apache-2.0 */
/* What the page shows first, and what only on demand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/html/html.h"
#include "report/terminal/terminal.h"
#include "report/words/words.h"
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

static void render(struct result *result, struct strbuf *page)
{
	struct report_view *view = view_of(result);
	struct error err = {0};

	assert_int_equal(report_html(view, page, &err), ERR_OK);
	report_view_free(view);
}

static void assert_page(struct result *result, const char *text, bool there)
{
	struct strbuf page = STRBUF_INIT;

	render(result, &page);
	if (!strstr(page.data, text) == there)
		fail_msg("%s \"%s\" in\n%s", there ? "no" : "a", text, page.data);
	strbuf_release(&page);
}

static struct result *with_culprits(size_t count)
{
	struct result *result = fixture_fail();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_culprit *culprits = arena_array(&result->arena, count, sizeof(*culprits));

	for (size_t i = 0; i < count; i++)
		culprits[i] = benchmark->culprits[0];
	benchmark->culprits = culprits;
	benchmark->culprit_count = count;
	return result;
}

static void test_of_many_culprits_the_graph_is_not_far_below(void **state)
{
	(void)state;
	assert_page(with_culprits(5), "<details class=\"more-cards\"", false);
	assert_page(with_culprits(6), "<summary>2 more culprits</summary>", true);
	assert_page(with_culprits(30), "<summary>16 more culprits</summary>", true);
	assert_page(with_culprits(30), "<p>and 10 more culprits</p>", true);
}

static void test_of_many_moves_the_graph_is_not_far_below(void **state)
{
	struct result *result = fixture_shift();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_claim *claims = arena_array(&result->arena, 9, sizeof(*claims));

	(void)state;
	assert_page(fixture_shift(), " more</summary>", false);
	for (size_t i = 0; i < 9; i++)
		claims[i] = benchmark->claims[0];
	benchmark->claims = claims;
	benchmark->claim_count = 9;
	assert_page(result, "<details><summary>6 more</summary>", true);
}

/* table_add costs 150 ms itself, and 340 ms with hash_string and malloc, of which 18 ms are new. */
static struct result *called_with_callees(void)
{
	struct result *result = fixture_called();
	struct result_benchmark *benchmark = (struct result_benchmark *)result->benchmarks;
	struct result_culprit *culprit = (struct result_culprit *)benchmark->culprits;

	culprit->function = ADD;
	culprit->node = find_node(benchmark, ADD);
	culprit->caller = MAIN;
	culprit->base = 0.34;
	culprit->head = 0.358;
	culprit->relative = 0.053;
	return result;
}

static void test_what_is_called_more_often_has_its_cost_with_callees(void **state)
{
	struct report_view *view = view_of(called_with_callees());
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_page(called_with_callees(),
		"<dt>cost with callees</dt><dd>340 ms → 358 ms (+5.3 %)</dd>", true);
	assert_page(fixture_fail(), "<dt>own cost</dt><dd>100 ms → 151 ms (+51.0 %)</dd>", true);
	report_terminal(view, &(struct terminal_options){.width = 200}, &out);
	assert_non_null(strstr(out.data, "with callees 340 ms -> 358 ms, +5.3 % of that"));
	report_view_free(view);
	strbuf_release(&out);
}

static void test_a_page_without_a_graph_does_not_say_how_to_read_one(void **state)
{
	(void)state;
	assert_page(fixture_error(), "<footer hidden>", true);
	assert_page(fixture_error(), "How it was measured", false);
	assert_page(fixture_fail(), "<footer>", true);
	assert_page(fixture_fail(), "How it was measured", true);
}

/* Also where several failed. */
static void test_the_page_opens_with_the_benchmark_of_its_headline(void **state)
{
	struct result *result = fixture_many();
	struct result_benchmark *benchmarks = (struct result_benchmark *)result->benchmarks;

	(void)state;
	assert_int_equal(worst_benchmark(result, 0), 1);
	benchmarks[2].total.change = benchmarks[1].total.change + 0.01;
	assert_int_equal(worst_benchmark(result, 0), 2);
	assert_int_equal(worst_benchmark(result, SIZE_MAX), result->benchmark_count);
	assert_page(result, "<nav data-worst=\"2\"", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_many_culprits_the_graph_is_not_far_below),
		cmocka_unit_test(test_of_many_moves_the_graph_is_not_far_below),
		cmocka_unit_test(test_what_is_called_more_often_has_its_cost_with_callees),
		cmocka_unit_test(test_a_page_without_a_graph_does_not_say_how_to_read_one),
		cmocka_unit_test(test_the_page_opens_with_the_benchmark_of_its_headline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
