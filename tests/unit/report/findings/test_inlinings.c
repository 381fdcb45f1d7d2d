/* SPDX-License-Identifier: Apache-2.0 */
/* What was split, merged or inlined: who counts with whom, and why, in a line for each reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "gate/base/error.h"
#include "report/findings/inlinings.h"
#include "report/html/html.h"
#include "report/markdown/markdown.h"
#include "report/terminal/terminal.h"
#include "report/view/view.h"
#include "tests/unit/report/fixture.h"

#define REASON "new; nothing else calls it, and that code shrank by as much"

static struct result_inlining inlining_of(const char *part, const char *host, const char *reason)
{
	return (struct result_inlining){host, "a.c", part, "a.c", INLINED_AS_SPLIT, reason, 1};
}

static void assert_line(const struct result_inlining *inlinings, size_t count, const char *expected)
{
	struct result_benchmark benchmark = {.inlinings = inlinings, .inlining_count = count};
	struct strbuf text = STRBUF_INIT;
	struct sentence sentence;

	sentence_init(&sentence);
	sentence_of_inlinings(&sentence, &benchmark, inlinings);
	for (size_t i = 0; i < sentence.count; i++)
		strbuf_addstr(&text, sentence.spans[i].text);
	assert_string_equal(text.data, expected);
	sentence_release(&sentence);
	strbuf_release(&text);
}

static void test_what_has_one_reason_is_one_line(void **state)
{
	struct result_inlining inlinings[] = {inlining_of("a", "h", REASON),
		inlining_of("x", "other", REASON), inlining_of("b", "h", REASON),
		inlining_of("y", "h", "else"), inlining_of("c", "h", REASON),
		inlining_of("d", "h", REASON), inlining_of("e", "h", REASON)};

	(void)state;
	assert_line(inlinings, 1, "a counts with h: split off in head (" REASON ")");
	assert_line(inlinings, 3, "a and b count with h: split off in head (" REASON ")");
	assert_line(inlinings, 5, "a, b and c count with h: split off in head (" REASON ")");
	assert_line(
		inlinings, 7, "a, b, c and 2 more count with h: split off in head (" REASON ")");
}

static void test_a_reason_that_says_no_more_is_not_repeated(void **state)
{
	struct result_inlining inlining = inlining_of("a", "h", "split off in head");

	(void)state;
	assert_line(&inlining, 1, "a counts with h: split off in head");
	inlining.reason = "";
	assert_line(&inlining, 1, "a counts with h: split off in head");
}

static void test_groups_beyond_the_list_are_counted(void **state)
{
	static const char *const hosts[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	struct result_inlining inlinings[24];
	struct result_benchmark benchmark = {.inlinings = inlinings, .inlining_count = 24};
	struct inlining_groups groups;

	(void)state;
	for (size_t i = 0; i < 24; i++)
		inlinings[i] = inlining_of("part", hosts[i % 8], REASON);
	inlining_groups_find(&groups, &benchmark);
	assert_int_equal(groups.count, INLININGS_LISTED);
	assert_ptr_equal(groups.first[5], &inlinings[5]);
	assert_int_equal(groups.more, 6); /* three of each of two hosts */
}

static void test_every_output_says_it(void **state)
{
	struct result *result = fixture_inlinings();
	struct report_view *view = NULL;
	struct strbuf out[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	struct error err = {0};
	static const char *const lines[] = {
		"skip_spaces and quoted count with parse_field: inlined in head only\n",
		"- `skip_spaces` and `quoted` count with `parse_field`: inlined in head only\n",
		"<li><code>skip_spaces</code> and <code>quoted</code> count with "
		"<code>parse_field</code>: inlined in head only</li>\n"};
	static const char *const whys[] = {"mix_5 and mix_7 count with hash_string: split off in "
					   "head (as much code went as came)\n",
		"- `mix_5` and `mix_7` count with `hash_string`: split off in head (`as much code "
		"went "
		"as came`)\n",
		"<code>hash_string</code>: split off in head (as much code went as came)</li>\n"};

	(void)state;
	if (report_view_of(result, &view, &err))
		fail_msg("%s", err.message);
	report_terminal(view, &(struct terminal_options){.color = false}, &out[0]);
	report_markdown(view, 0, &out[1]);
	assert_int_equal(report_html(view, &out[2], &err), ERR_OK);
	for (int i = 0; i < 3; i++) {
		if (!strstr(out[i].data, lines[i]) || !strstr(out[i].data, whys[i]))
			fail_msg("output %d does not say it:\n%.3000s", i, out[i].data);
		strbuf_release(&out[i]);
	}
	report_view_free(view);
	fixture_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_has_one_reason_is_one_line),
		cmocka_unit_test(test_a_reason_that_says_no_more_is_not_repeated),
		cmocka_unit_test(test_groups_beyond_the_list_are_counted),
		cmocka_unit_test(test_every_output_says_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
