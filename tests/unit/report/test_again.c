/* SPDX-License-Identifier: Apache-2.0 */
/* Rendering is a pure function of report.json: what is read again gives the same bytes. */
#include "tests/unit/report/hostile_corpus.h"

#include "gate/base/error.h"
#include "report/formats.h"
#include "report/terminal/terminal.h"

static void render_terminal(const struct report_view *view, struct strbuf *out)
{
	static const struct terminal_options options[] = {
		{.width = 0}, {.width = 60}, {.width = 140, .color = true}};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		report_terminal(view, &options[i], out);
}

static void render(
	const struct report_view *view, const struct report_format *format, struct strbuf *out)
{
	struct error err = {0};

	if (!format->name)
		render_terminal(view, out);
	else if (format->render(view, out, &err))
		fail_msg("%s", err.message);
}

static void compare(const struct report_view *own, const struct report_view *again,
	const struct report_format *format, const char *name)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;

	render(own, format, &first);
	render(again, format, &second);
	if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
		fail_msg("%s differs when it is rendered again, for \"%s\"",
			format->name ? format->name : "the terminal's", name);
	strbuf_release(&first);
	strbuf_release(&second);
}

/* A second time through report.json, as `report --from` does it. */
static void check(const struct report_view *own, const char *name)
{
	const struct report_format *json = report_format_find("json"), *format = report_formats;
	struct report_view *again = NULL;
	struct strbuf text = STRBUF_INIT;
	struct error err = {0};

	render(own, json, &text);
	if (report_view_read(text.data, text.length, &again, &err))
		fail_msg("%s: %s", name, err.message);
	for (; format->name; format++)
		compare(own, again, format, name);
	compare(own, again, format, name);
	report_view_free(again);
	strbuf_release(&text);
}

static void test_every_outcome_in_every_format_is_the_checks_own(void **state)
{
	(void)state;
	for (const struct fixture_case *one = fixture_cases; one->name; one++) {
		struct result *result = one->make();
		struct report_view *view = NULL;
		struct error err = {0};

		if (report_view_of(result, &view, &err))
			fail_msg("%s", err.message);
		check(view, one->name);
		report_view_free(view);
		fixture_free(result);
	}
}

static void test_hostile_names_in_every_format_too(void **state)
{
	(void)state;
	for_each_hostile_name(check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_outcome_in_every_format_is_the_checks_own),
		cmocka_unit_test(test_hostile_names_in_every_format_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
