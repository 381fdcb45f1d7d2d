/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal report fits its terminal, and its names can be read there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/clean.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

static struct report_view *view_of(struct result *result)
{
	struct report_view *view = NULL;
	struct error err = {0};

	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	fixture_free(result);
	return view;
}

static void render(struct result *result, unsigned width, struct strbuf *out)
{
	struct report_view *view = view_of(result);

	report_terminal(view, &(struct terminal_options){.width = width}, out);
	report_view_free(view);
}

static void assert_fits(const char *text, size_t width, const char *name)
{
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n");

		if (clean_columns(at, length) > width)
			fail_msg("%s at %zu columns: %.*s", name, width, (int)length, at);
		at += length + (at[length] == '\n');
	}
}

static void test_no_row_is_wider_than_the_terminal(void **state)
{
	static const unsigned widths[] = {40, 56, 60, 79, 80, 100, 140};

	(void)state;
	for (const struct fixture_case *one = fixture_cases; one->name; one++)
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
			struct strbuf out = STRBUF_INIT;

			render(one->make(), widths[i], &out);
			assert_fits(out.data, widths[i], one->name);
			strbuf_release(&out);
		}
}

static void test_hostile_names_fit_too(void **state)
{
	(void)state;
	for (size_t i = 0; fixture_hostile_names[i]; i++) {
		struct strbuf out = STRBUF_INIT;

		render(fixture_hostile(fixture_hostile_names[i]), 40, &out);
		assert_fits(out.data, 40, fixture_hostile_names[i]);
		strbuf_release(&out);
	}
}

/* Of a narrow row the interval goes first, then the place, and the name last of all. */
static void test_a_narrow_table_keeps_the_functions_names(void **state)
{
	static const unsigned widths[] = {40, 60, 80};

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct strbuf out = STRBUF_INIT;
		const char *table;

		render(fixture_fail(), widths[i], &out);
		table = strstr(out.data, "Largest changes of self cost");
		assert_non_null(table);
		assert_non_null(strstr(table, "parse_field"));
		strbuf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_row_is_wider_than_the_terminal),
		cmocka_unit_test(test_hostile_names_fit_too),
		cmocka_unit_test(test_a_narrow_table_keeps_the_functions_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
