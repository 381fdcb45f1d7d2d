/* SPDX-License-Identifier: Apache-2.0 */
/* Which tree a reader sees first: that of what decided, in all outputs,
 * and with links that know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/ci/page_link.h"
#include "report/findings/shown.h"
#include "report/html/html.h"
#include "report/markdown/markdown.h"
#include "report/svg/svg.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

#define PAGE "https://pages.example/7/report.html"

static struct result_benchmark *only(struct result *result)
{
	return (struct result_benchmark *)result->benchmarks;
}

static struct result_metric *metric_at(struct result *result, size_t i)
{
	return (struct result_metric *)&result->benchmarks[0].metrics[i];
}

static const char *type_shown(const struct result *result)
{
	return shown_benchmark(&result->benchmarks[0]).profile_type;
}

static void test_what_decided_is_shown(void **state)
{
	struct result *result = fixture_counted();
	struct result_benchmark shown = shown_benchmark(result->benchmarks);

	(void)state;
	assert_string_equal(type_shown(result), "alloc_bytes");
	assert_string_equal(shown.unit, "bytes");
	assert_true(shown.total.head - shown.total.base == 18e6);
	assert_int_equal(shown.outcome, OUTCOME_PROFILE);
	assert_ptr_equal(shown.nodes, result->benchmarks[0].profiles[0].nodes);
	/* Only a status that it made. */
	only(result)->status = RESULT_PASS;
	assert_string_equal(type_shown(result), "cpu");
	only(result)->status = RESULT_WARN;
	assert_string_equal(type_shown(result), "cpu");
	metric_at(result, 1)->gate = GATE_WARN;
	assert_string_equal(type_shown(result), "alloc_bytes");
	metric_at(result, 1)->decides = false;
	assert_string_equal(type_shown(result), "cpu");
	fixture_free(result);
}

static void test_the_cpu_time_comes_first_where_it_decided_too(void **state)
{
	static const struct result_shift shift = {0, RESULT_NONE, "", 0.1, 0};
	struct result *result = fixture_counted();

	(void)state;
	metric_at(result, 0)->decides = true;
	assert_string_equal(type_shown(result), "cpu");
	metric_at(result, 0)->gate = GATE_WARN; /* a failure, and not by this */
	assert_string_equal(type_shown(result), "alloc_bytes");
	only(result)->shifts = &shift;
	only(result)->shift_count = 1;
	assert_string_equal(type_shown(result), "alloc_bytes");
	only(result)->status = RESULT_WARN;
	metric_at(result, 1)->gate = GATE_WARN;
	metric_at(result, 0)->decides = false;
	assert_string_equal(type_shown(result), "cpu");
	fixture_free(result);
}

static void test_a_metric_is_shown_by_the_tree_that_tells_of_it(void **state)
{
	struct result *result = fixture_counted();

	(void)state;
	metric_at(result, 1)->name = "lock_delay";
	assert_string_equal(type_shown(result), "delay");
	metric_at(result, 1)->name = "leak";
	assert_string_equal(type_shown(result), "cpu"); /* without a tree of what is in use */
	((struct result_profile *)only(result)->profiles)[0].profile_type = "inuse_bytes";
	assert_string_equal(type_shown(result), "inuse_bytes");
	metric_at(result, 1)->name = "max_rss";
	assert_string_equal(type_shown(result), "cpu");
	metric_at(result, 1)->name = "instructions";
	assert_string_equal(type_shown(result), "instructions");
	only(result)->profile_type = "instructions"; /* its own tree, whatever is beside it */
	assert_null(shown_profile(result->benchmarks));
	fixture_free(result);
}

static struct report_view *view_of(struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	fixture_free(result);
	return view;
}

static void assert_says(const struct strbuf *text, const char *words)
{
	if (!strstr(text->data, words))
		fail_msg("no \"%s\" in:\n%s", words, text->data);
}

static void write_all(const struct report_view *view, struct strbuf *out)
{
	struct error err = {0};

	report_terminal(view, &(struct terminal_options){.color = false}, &out[0]);
	report_markdown(view, 0, &out[1]);
	assert_int_equal(report_html(view, &out[2], &err), ERR_OK);
	report_svg(view, &out[3]);
}

static void test_all_outputs_choose_alike(void **state)
{
	static const char title[] = "Largest changes of self cost: memory";
	struct report_view *view = view_of(fixture_counted());
	struct strbuf out[4] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};

	(void)state;
	write_all(view, out);
	for (int i = 0; i < 3; i++)
		assert_says(&out[i], title);
	assert_says(&out[0], "7.93 MiB  25.1 MiB  hash_string");
	assert_says(&out[1], "What changed in the call tree: memory:\n\n```diff\n");
	assert_says(&out[1], "+  +28.1 %  7.93 MiB ->  25.1 MiB        hash_string");
	assert_says(&out[1],
		"| `hash_string` | `src/table.c:17` | 7.93 MiB | 25.1 MiB | +28.1 % |  |  |\n");
	assert_says(&out[2], "<section class=\"panel flame-slot\" data-profile=\"0\" hidden>");
	assert_says(&out[3], "total: 61.2 MiB → 78.3 MiB");
	assert_says(&out[3], ">▲ more memory<");
	for (int i = 0; i < 4; i++)
		strbuf_release(&out[i]);
	report_view_free(view);
}

/* What base allocates nothing of: a tree of it is compared all the same. */
static struct result *make_base_of_nothing(enum result_sides sides)
{
	struct result *result = fixture_counted();
	struct result_profile *profile = (struct result_profile *)only(result)->profiles;

	profile->sides = sides;
	profile->total[0] = 0;
	for (size_t i = 0; i < profile->function_count; i++) {
		struct result_function *function = (struct result_function *)&profile->functions[i];

		function->self.base = function->total[0] = 0;
	}
	for (size_t i = 0; i < profile->node_count; i++) {
		struct result_node *node = (struct result_node *)&profile->nodes[i];

		node->self[0] = node->total[0] = 0;
	}
	return result;
}

static void test_a_base_of_nothing_is_compared_where_it_is_said_to_be_there(void **state)
{
	struct report_view *view = view_of(make_base_of_nothing(SIDES_BOTH));
	struct strbuf out[4] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};

	(void)state;
	write_all(view, out);
	for (int i = 0; i < 3; i++)
		assert_says(&out[i], "Largest changes of self cost: memory");
	assert_says(&out[0], "+64.1 %                           0 B  25.1 MiB  hash_string");
	assert_says(&out[1], "    +200 %       0 B ->  78.3 MiB  (everything)");
	assert_says(
		&out[1], "| `hash_string` | `src/table.c:17` | 0 B | 25.1 MiB | +64.1 % |  |  |\n");
	assert_says(&out[3], "total: 0 B → 78.3 MiB, +200 % of everything");
	for (int i = 0; i < 4; i++)
		strbuf_release(&out[i]);
	report_view_free(view);
}

static void test_head_alone_is_not_compared_with_the_benchmarks_base(void **state)
{
	static const enum result_sides alone[] = {SIDES_HEAD, SIDES_UNSAID};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct report_view *view = view_of(make_base_of_nothing(alone[k]));
		struct strbuf out[4] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};

		((struct result_benchmark *)view->result.benchmarks)->sides = SIDES_BOTH;
		write_all(view, out);
		for (int i = 0; i < 3; i++)
			assert_says(&out[i], "Largest self costs: memory");
		for (int i = 0; i < 4; i++)
			strbuf_release(&out[i]);
		report_view_free(view);
	}
}

static void assert_link(struct strbuf *link, const char *place)
{
	assert_string_equal(link->data + strlen(PAGE), place);
	strbuf_reset(link);
}

static void test_links_say_which_tree_they_are_of(void **state)
{
	struct report_view *view = view_of(fixture_counted());
	const struct result_benchmark *benchmark = view->result.benchmarks;
	struct strbuf link = STRBUF_INIT;

	(void)state;
	view->page_url = PAGE;
	link_to_shown_function(&link, view, benchmark, 4);
	assert_link(&link, "#b=0&v=sandwich&f=hash_string");
	link_to_function(&link, view, benchmark, 4);
	assert_link(&link, "#b=0&t=cpu&v=sandwich&f=hash_string");
	link_to_node(&link, view, benchmark, 1);
	assert_link(&link, "#b=0&t=cpu&n=main");
	((struct result_benchmark *)benchmark)->status = RESULT_PASS;
	link_to_function(&link, view, benchmark, 4);
	assert_link(&link, "#b=0&v=sandwich&f=hash_string");
	strbuf_release(&link);
	report_view_free(view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_decided_is_shown),
		cmocka_unit_test(test_the_cpu_time_comes_first_where_it_decided_too),
		cmocka_unit_test(test_a_metric_is_shown_by_the_tree_that_tells_of_it),
		cmocka_unit_test(test_all_outputs_choose_alike),
		cmocka_unit_test(test_a_base_of_nothing_is_compared_where_it_is_said_to_be_there),
		cmocka_unit_test(test_head_alone_is_not_compared_with_the_benchmarks_base),
		cmocka_unit_test(test_links_say_which_tree_they_are_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
