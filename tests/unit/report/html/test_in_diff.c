/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the diff changes a culprit: yes, no, or nobody knows; in every format that says it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/html/html.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

struct said {
	const char *markdown, *html, *terminal;
};
static const struct said yes = {"| yes |", "yes, its lines are changed", "; the diff changes it"},
			 no = {"| no |", "in the diff</dt><dd>no</dd>",
				 "; the diff does not change it"},
			 unknown = {"| not known |", "in the diff</dt><dd>not known</dd>",
				 "; whether the diff changes it is not known"},
			 used = {"| no, but a definition that it uses |",
				 "in the diff</dt><dd>no, but a definition that it uses</dd>",
				 "; the diff changes a definition that it uses"};

static struct result_benchmark *first_benchmark(struct result *result)
{
	return (struct result_benchmark *)result->benchmarks;
}

/* The worst culprit's. */
static struct result_function *culprit_function(struct result *result)
{
	const struct result_benchmark *benchmark = result->benchmarks;
	struct result_function *functions = (struct result_function *)benchmark->functions;

	return &functions[benchmark->culprits[0].function];
}

static struct result *make(bool touched)
{
	struct result *result = fixture_fail();

	culprit_function(result)->touched = touched;
	((struct result_culprit *)result->benchmarks->culprits)->link = LINK_NONE;
	return result;
}

static void assert_holds(struct strbuf *out, const char *text, size_t width)
{
	/* A terminal's lines are broken elsewhere in each. */
	for (size_t i = 0; width && i < out->length; i++)
		if (out->data[i] == '\n')
			out->data[i] = ' ';
	if (!strstr(out->data, text))
		fail_msg("no \"%s\" in %s", text, out->data);
	strbuf_release(out);
}

static void assert_said(struct result *result, const struct said *said)
{
	struct strbuf markdown = STRBUF_INIT, html = STRBUF_INIT, terminal = STRBUF_INIT;
	struct report_view *view = NULL;
	struct error err = {0};

	assert_int_equal(report_view_of(result, &view, &err), ERR_OK);
	report_markdown(view, 0, &markdown);
	assert_int_equal(report_html(view, &html, &err), ERR_OK);
	report_terminal(view, &(struct terminal_options){.width = 400}, &terminal);
	assert_holds(&markdown, said->markdown, 0);
	assert_holds(&html, said->html, 0);
	assert_holds(&terminal, said->terminal, 400);
	report_view_free(view);
	fixture_free(result);
}

static void test_a_known_diff_changes_a_culprit_or_does_not(void **state)
{
	(void)state;
	assert_said(make(true), &yes);
	assert_said(make(false), &no);
}

static void test_an_unknown_diff_does_not_leave_it_alone(void **state)
{
	struct result *result = make(false);

	(void)state;
	first_benchmark(result)->diff_unknown = "nobody said";
	assert_said(result, &unknown);
}

static void test_nobody_knows_of_a_function_without_a_file(void **state)
{
	struct result *result = make(false);

	(void)state;
	culprit_function(result)->file = "";
	assert_said(result, &unknown);
}

/* The line that is named is in the diff, though the function is not. */
static void test_what_a_culprit_uses_may_be_changed_instead(void **state)
{
	struct result *result = make(false);
	struct result_culprit *culprit = (struct result_culprit *)result->benchmarks->culprits;

	(void)state;
	culprit->link = LINK_DATA;
	culprit->linked = RESULT_NONE;
	assert_said(result, &used);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_known_diff_changes_a_culprit_or_does_not),
		cmocka_unit_test(test_an_unknown_diff_does_not_leave_it_alone),
		cmocka_unit_test(test_nobody_knows_of_a_function_without_a_file),
		cmocka_unit_test(test_what_a_culprit_uses_may_be_changed_instead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
